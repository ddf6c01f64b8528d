/**
 * An operator's edits: two tracks are one object, or one track is two (docs/adr/0015). The host calls them with a time, in
 * their place among the scans. Knows tracks, not scans. What the kernel merges itself is in merge.ts.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, meanOf, modelOf, put, set, trackCount } from "./arena";
import { gateLimit } from "./gate";
import { combine, mix, P_EE, P_EN, P_NN, V_EE, V_NN, variancePlace } from "./linalg";
import { predictTrack } from "./predict";
import { contributorPlace, copyRow, newRow, removeRow, touch } from "./rows";
import { refreshStatus } from "./status";

/** Mean and covariance of a track over both models. */
const X: usize = L.WORK_EDITS; // 6
const P: usize = L.WORK_EDITS + 8 * 8; // 21

/** Row of the track with a key, -1 when there is none. */
function rowOf(key: f64): i32 {
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) if (at(L.TRACK_KEY, row) == key) return row;
  return -1;
}

function loadCombined(row: i32): void {
  combine(get(modelOf(row), 1), meanOf(row, 0), covOf(row, 0), meanOf(row, 1), covOf(row, 1), X, P);
}

/** Horizontal variance of the position over both models, m^2. */
function spreadOf(row: i32): f64 {
  loadCombined(row);
  return get(P, P_EE) + get(P, P_NN);
}

/**
 * Whether the states of two tracks can be of one object: the sum over the components of (difference)^2 / (sum of variances)
 * lies in the gate of six.
 */
function agree(a: i32, b: i32): bool {
  const xa = meanOf(a, 0), xb = meanOf(b, 0), pa = covOf(a, 0), pb = covOf(b, 0);
  let d2 = 0.0;
  for (let k = 0; k < L.STATE_SIZE; k++) {
    const d = get(xa, k) - get(xb, k);
    d2 += (d * d) / (get(pa, variancePlace(k)) + get(pb, variancePlace(k)));
  }
  return d2 <= gateLimit(L.STATE_SIZE);
}

function copyState(to: i32, from: i32): void {
  memory.copy(modelOf(to), modelOf(from), L.MODEL_COUNT * 8);
  memory.copy(meanOf(to, 0), meanOf(from, 0), L.MODEL_COUNT * L.STATE_BYTES);
  memory.copy(covOf(to, 0), covOf(from, 0), L.MODEL_COUNT * L.COV_BYTES);
  put(L.TRACK_RAY, to, at(L.TRACK_RAY, from));
  put(L.TRACK_SLOT, to, at(L.TRACK_SLOT, from));
}

/**
 * Moment match of both tracks, a model at a time. The weight w of `other` is its share of the precision,
 *   w = s_kept / (s_kept + s_other),  s = horizontal variance of the position,
 * and in model j the two have the weights (1 - w) mu_kept(j) and w mu_other(j). Part of their measurements is the same, so
 * their information is not added: the result is never more certain than the better of the two.
 */
function combineStates(kept: i32, other: i32): void {
  const keptSpread = spreadOf(kept);
  const w = keptSpread / (keptSpread + spreadOf(other));
  for (let j = 0; j < L.MODEL_COUNT; j++) {
    const ofKept = (1.0 - w) * get(modelOf(kept), j);
    const ofOther = w * get(modelOf(other), j);
    combine(ofOther / (ofKept + ofOther), meanOf(kept, j), covOf(kept, j), meanOf(other, j), covOf(other, j), X, P);
    memory.copy(meanOf(kept, j), X, L.STATE_BYTES);
    memory.copy(covOf(kept, j), P, L.COV_BYTES);
  }
  for (let j = 0; j < L.MODEL_COUNT; j++) set(modelOf(kept), j, mix(get(modelOf(kept), j), get(modelOf(other), j), w));
}

/** A position is kept before a ray; two positions that agree are combined; of two that do not, the later one is kept. */
function mergeStates(kept: i32, other: i32): void {
  const keptIsRay = at(L.TRACK_RAY, kept) != 0;
  const otherIsRay = at(L.TRACK_RAY, other) != 0;
  if (otherIsRay) return;
  if (keptIsRay) return copyState(kept, other);
  if (agree(kept, other)) return combineStates(kept, other);
  if (at(L.TRACK_LAST_US, other) > at(L.TRACK_LAST_US, kept)) copyState(kept, other);
}

/** The claim with the higher score, with that score. */
function mergeClaims(kept: i32, other: i32): void {
  if (at(L.TRACK_CLAIM_SCORE, other) <= at(L.TRACK_CLAIM_SCORE, kept)) return;
  put(L.TRACK_CLAIM, kept, at(L.TRACK_CLAIM, other));
  put(L.TRACK_CLAIM_SCORE, kept, at(L.TRACK_CLAIM_SCORE, other));
}

/** The fixed-reflector hypothesis of the track that more certainly flies. */
function mergeReflectors(kept: i32, other: i32): void {
  if (at(L.TRACK_REFLECTOR_LOGIT, other) >= at(L.TRACK_REFLECTOR_LOGIT, kept)) return;
  put(L.TRACK_REFLECTOR_LOGIT, kept, at(L.TRACK_REFLECTOR_LOGIT, other));
  memory.copy(L.TRACK_REFLECTOR_MEAN + kept * 3 * 8, L.TRACK_REFLECTOR_MEAN + other * 3 * 8, 3 * 8);
  memory.copy(L.TRACK_REFLECTOR_COV + kept * 6 * 8, L.TRACK_REFLECTOR_COV + other * 6 * 8, 6 * 8);
}

/** Sensors of both; where there is no room the ones that reported last stay. */
function mergeContributors(kept: i32, other: i32): void {
  for (let k = other * L.CONTRIBUTORS_MAX; k < (other + 1) * L.CONTRIBUTORS_MAX; k++) {
    const slot = at(L.TRACK_CONTRIBUTOR_SLOT, k);
    if (slot < 0) continue;
    const last = at(L.TRACK_CONTRIBUTOR_LAST_US, k);
    const place = contributorPlace(kept, <i32>slot);
    const isSame = at(L.TRACK_CONTRIBUTOR_SLOT, place) == slot;
    const isEmpty = at(L.TRACK_CONTRIBUTOR_SLOT, place) < 0;
    if (!isSame && !isEmpty && at(L.TRACK_CONTRIBUTOR_LAST_US, place) >= last) continue;
    const hits = isSame ? at(L.TRACK_CONTRIBUTOR_HITS, place) : 0.0;
    put(L.TRACK_CONTRIBUTOR_SLOT, place, slot);
    put(L.TRACK_CONTRIBUTOR_LAST_US, place, isSame ? Math.max(at(L.TRACK_CONTRIBUTOR_LAST_US, place), last) : last);
    put(L.TRACK_CONTRIBUTOR_HITS, place, hits + at(L.TRACK_CONTRIBUTOR_HITS, k));
  }
}

/** Hits add up. Misses do not: where one track was missed, the other may have been detected. */
function mergeCounts(kept: i32, other: i32): void {
  put(L.TRACK_EXISTENCE, kept, Math.max(at(L.TRACK_EXISTENCE, kept), at(L.TRACK_EXISTENCE, other)));
  put(L.TRACK_HITS, kept, at(L.TRACK_HITS, kept) + at(L.TRACK_HITS, other));
  put(L.TRACK_OWN_HITS, kept, at(L.TRACK_OWN_HITS, kept) + at(L.TRACK_OWN_HITS, other));
  put(L.TRACK_MISSES, kept, Math.min(at(L.TRACK_MISSES, kept), at(L.TRACK_MISSES, other)));
  put(L.TRACK_FIRST_US, kept, Math.min(at(L.TRACK_FIRST_US, kept), at(L.TRACK_FIRST_US, other)));
  put(L.TRACK_LAST_US, kept, Math.max(at(L.TRACK_LAST_US, kept), at(L.TRACK_LAST_US, other)));
  put(L.TRACK_APART_UNTIL_US, kept, 0);
  const period = at(L.TRACK_PERIOD_S, other);
  if (period > 0 && !(at(L.TRACK_PERIOD_S, kept) > 0)) put(L.TRACK_PERIOD_S, kept, period);
  const rcs = at(L.TRACK_RCS_DBSM, kept);
  if (rcs != rcs) put(L.TRACK_RCS_DBSM, kept, at(L.TRACK_RCS_DBSM, other));
}

/** The two tracks are one object from `timeUs` on: `other` ends in `kept`. False when one of them does not exist then. */
export function mergeTracks(keptKey: f64, otherKey: f64, timeUs: f64): bool {
  assert(Math.abs(timeUs) < Infinity, "a merge has a time");
  const kept = rowOf(keptKey);
  const other = rowOf(otherKey);
  if (kept < 0 || other < 0 || kept == other) return false;
  predictTrack(kept, timeUs);
  predictTrack(other, timeUs);
  mergeStates(kept, other);
  mergeClaims(kept, other);
  mergeReflectors(kept, other);
  mergeContributors(kept, other);
  mergeCounts(kept, other);
  touch(kept);
  refreshStatus(kept, timeUs);
  removeRow(other, L.ENDED_MERGED, keptKey);
  return true;
}

/** Horizontal unit vector along which the position in P is least certain: the major axis of its ellipse. */
let alongE: f64 = 0;
let alongN: f64 = 0;
function findWorstAxis(): void {
  const half = (get(P, P_EE) - get(P, P_NN)) / 2.0;
  const en = get(P, P_EN);
  // Eigenvector of the larger eigenvalue of [[ee, en], [en, nn]], in that of its two forms that does not cancel.
  const root = Math.sqrt(half * half + en * en);
  const e = half >= 0 ? half + root : en;
  const n = half >= 0 ? en : root - half;
  const length = Math.sqrt(e * e + n * n);
  alongE = length > 0 ? e / length : 1.0;
  alongN = length > 0 ? n / length : 0.0;
}

/** Moves both models of the second object to one side along that axis, and makes it much less certain than the first. */
function setApart(row: i32): void {
  const place = PHYSICS.SPLIT_WIDENING * PHYSICS.SPLIT_SPREAD_M;
  const speed = PHYSICS.SPLIT_WIDENING * PHYSICS.SPLIT_SPEED_SPREAD_MPS;
  const place2 = place * place;
  const speed2 = speed * speed;
  const scale = PHYSICS.SPLIT_WIDENING * PHYSICS.SPLIT_WIDENING;
  for (let j = 0; j < L.MODEL_COUNT; j++) {
    const x = meanOf(row, j);
    const p = covOf(row, j);
    set(x, 0, get(x, 0) - PHYSICS.SPLIT_SPREAD_M * alongE);
    set(x, 1, get(x, 1) - PHYSICS.SPLIT_SPREAD_M * alongN);
    for (let k = 0; k < L.COV_SIZE; k++) set(p, k, scale * get(p, k));
    set(p, P_EE, get(p, P_EE) + place2);
    set(p, P_NN, get(p, P_NN) + place2);
    set(p, V_EE, get(p, V_EE) + speed2);
    set(p, V_NN, get(p, V_NN) + speed2);
  }
}

/** The second object of a ray turns to one side by the ray's own sigma, and is much less certain than the first. */
function turnApart(row: i32): void {
  const x = meanOf(row, 0);
  const p = covOf(row, 0);
  set(x, 0, get(x, 0) - Math.sqrt(get(p, P_EE)));
  set(p, P_EE, 2.0 * PHYSICS.SPLIT_WIDENING * PHYSICS.SPLIT_WIDENING * get(p, P_EE));
}

/**
 * One track is two objects from `timeUs` on: a second row with the key `newKey` and the same existence, set apart from the
 * first, which stays as it is. The claim stays with the first. False when there is no such track then, or no room for the second.
 */
export function splitTrack(key: f64, newKey: f64, timeUs: f64): bool {
  assert(Math.abs(timeUs) < Infinity, "a split has a time");
  assert(rowOf(newKey) < 0, "the key of a second track is new");
  const row = rowOf(key);
  if (row < 0) return false;
  predictTrack(row, timeUs);
  const second = newRow(newKey, timeUs, <i32>at(L.TRACK_SLOT, row));
  if (second < 0) return false;
  copyRow(row, second);
  put(L.TRACK_KEY, second, newKey);
  put(L.TRACK_CLAIM, second, 0);
  put(L.TRACK_CLAIM_SCORE, second, 0);
  if (at(L.TRACK_RAY, row) != 0) {
    turnApart(second);
  } else {
    loadCombined(row);
    findWorstAxis();
    setApart(second);
  }
  const untilUs = timeUs + PHYSICS.SPLIT_APART_S * 1e6;
  put(L.TRACK_APART_UNTIL_US, row, untilUs);
  put(L.TRACK_APART_UNTIL_US, second, untilUs);
  touch(row);
  touch(second);
  return true;
}
