/**
 * Merging of duplicate tracks. Two rows are one target when their states agree while at least one of them is uncertain to
 * exist, or when both believe one claim and one aircraft can have flown from one to the other (docs/adr/0012). Knows
 * tracks, not scans. What an operator merges is in edits.ts.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, intAt, meanOf, modelOf, put, putInt, trackCount } from "./arena";
import { cellBucket, claimBucket, clearBuckets, pushToBucket } from "./buckets";
import { believedClaim, flownWithin, lastSeen } from "./claim";
import { beginSearch, MERGE_LOOKS_EACH, openBudget, SAME_AIRCRAFT_LOOKS, spend } from "./searchBudget";
import { P_EE, P_NN, P_UU, variancePlace } from "./linalg";
import { removeRow, touch } from "./rows";
import { refreshStatus } from "./status";

/** Edge of a cell of the search for neighbours, m. */
const CELL_M: f64 = 64.0;

// @ts-ignore: decorator
@inline
function cellOf(metres: f64): i32 {
  return <i32>Math.floor(metres / CELL_M);
}

/**
 * Agreement of two states: sum over the components of (difference)^2 / (sum of variances), correlations left out. Infinity
 * beyond MERGE_DISTANCE_M.
 */
function distance2(a: i32, b: i32): f64 {
  const xa = meanOf(a, 0), xb = meanOf(b, 0), pa = covOf(a, 0), pb = covOf(b, 0);
  let d2 = 0.0;
  let metres2 = 0.0;
  for (let k = 0; k < 3; k++) {
    const place = variancePlace(k);
    const d = get(xa, k) - get(xb, k);
    d2 += (d * d) / (get(pa, place) + get(pb, place));
    metres2 += d * d;
  }
  for (let k = 3; k < 6; k++) {
    const place = variancePlace(k);
    const d = get(xa, k) - get(xb, k);
    d2 += (d * d) / (get(pa, place) + get(pb, place));
  }
  return metres2 > PHYSICS.MERGE_DISTANCE_M * PHYSICS.MERGE_DISTANCE_M ? Infinity : d2;
}

/**
 * Whether two rows, neither of them a ray, are one target by their states. Two that both certainly exist are not: each has
 * been detected in the same scans, so they are two targets that fly together. Nor are two that an operator split.
 */
function isDuplicate(a: i32, b: i32): bool {
  const claimA = at(L.TRACK_CLAIM, a);
  const claimB = at(L.TRACK_CLAIM, b);
  if (claimA > 0 && claimB > 0 && claimA != claimB) return false;
  if (Math.min(at(L.TRACK_APART_UNTIL_US, a), at(L.TRACK_APART_UNTIL_US, b)) > at(L.TRACK_TIME_US, a)) return false;
  if (Math.min(at(L.TRACK_EXISTENCE, a), at(L.TRACK_EXISTENCE, b)) > PHYSICS.MERGE_EXISTENCE_MAX) return false;
  return distance2(a, b) < PHYSICS.MERGE_CHI2;
}

/** Whether one scan updated both rows: it reports a target once, so then they are two targets, whatever they claim. */
function wereSeenTogether(a: i32, b: i32): bool {
  for (let i = a * L.CONTRIBUTORS_MAX; i < (a + 1) * L.CONTRIBUTORS_MAX; i++) {
    const slot = <i32>at(L.TRACK_CONTRIBUTOR_SLOT, i);
    if (slot < 0) continue;
    for (let j = b * L.CONTRIBUTORS_MAX; j < (b + 1) * L.CONTRIBUTORS_MAX; j++) {
      if (<i32>at(L.TRACK_CONTRIBUTOR_SLOT, j) != slot) continue;
      if (at(L.TRACK_CONTRIBUTOR_LAST_US, i) == at(L.TRACK_CONTRIBUTOR_LAST_US, j)) return true;
    }
  }
  return false;
}

/** Whether the row that was seen longer ago can have flown to where the other was seen. Both have the same claim. */
function isSameAircraft(a: i32, b: i32): bool {
  const older = at(L.TRACK_LAST_US, a) <= at(L.TRACK_LAST_US, b) ? a : b;
  const newer = older == a ? b : a;
  const gapS = Math.min((at(L.TRACK_LAST_US, newer) - at(L.TRACK_LAST_US, older)) * 1e-6, PHYSICS.CLAIM_GAP_MAX_S);
  const reach = flownWithin(older, gapS);
  const pa = covOf(a, 0), pb = covOf(b, 0);
  const across = Math.max(get(pa, P_EE), get(pa, P_NN)) + Math.max(get(pb, P_EE), get(pb, P_NN));
  const de = lastSeen(a, 0) - lastSeen(b, 0);
  const dn = lastSeen(a, 1) - lastSeen(b, 1);
  const du = Math.abs(lastSeen(a, 2) - lastSeen(b, 2));
  if (Math.sqrt(de * de + dn * dn) > reach + PHYSICS.SEARCH_SIGMAS * Math.sqrt(across)) return false;
  if (du > reach + PHYSICS.SEARCH_SIGMAS * Math.sqrt(get(pa, P_UU) + get(pb, P_UU))) return false;
  return !wereSeenTogether(a, b);
}

/** Which of two rows ends: the one with fewer hits; of equals the one with the larger key. */
function isWeaker(a: i32, b: i32): bool {
  const hitsA = at(L.TRACK_HITS, a);
  const hitsB = at(L.TRACK_HITS, b);
  if (hitsA != hitsB) return hitsA < hitsB;
  return at(L.TRACK_KEY, a) > at(L.TRACK_KEY, b);
}

// @ts-ignore: decorator
@inline
function isEnding(row: i32): bool {
  return at(L.SWEEP_SURVIVOR, row) != 0;
}

function mark(goes: i32, stays: i32): void {
  assert(goes != stays && !isEnding(goes) && !isEnding(stays), "a row merges once, into one that stays");
  put(L.SWEEP_SURVIVOR, goes, <f64>(stays + 1));
}

// @ts-ignore: decorator
@inline
function chain(row: i32, bucket: i32): void {
  pushToBucket(L.SWEEP_MERGE_HEAD, L.SWEEP_MERGE_NEXT, bucket, row);
}

/** The row that stays keeps its key and takes the newer of the two states. Both are predicted to one time. */
function takeOver(stays: i32, goes: i32, timeUs: f64): void {
  put(L.TRACK_EXISTENCE, stays, Math.max(at(L.TRACK_EXISTENCE, stays), at(L.TRACK_EXISTENCE, goes)));
  put(L.TRACK_CLAIM_SCORE, stays, Math.max(at(L.TRACK_CLAIM_SCORE, stays), at(L.TRACK_CLAIM_SCORE, goes)));
  put(L.TRACK_HITS, stays, at(L.TRACK_HITS, stays) + at(L.TRACK_HITS, goes));
  put(L.TRACK_OWN_HITS, stays, at(L.TRACK_OWN_HITS, stays) + at(L.TRACK_OWN_HITS, goes));
  if (at(L.TRACK_LAST_US, goes) > at(L.TRACK_LAST_US, stays)) {
    put(L.TRACK_LAST_US, stays, at(L.TRACK_LAST_US, goes));
    memory.copy(modelOf(stays), modelOf(goes), L.MODEL_COUNT * 8);
    memory.copy(meanOf(stays, 0), meanOf(goes, 0), L.MODEL_COUNT * L.STATE_BYTES);
    memory.copy(covOf(stays, 0), covOf(goes, 0), L.MODEL_COUNT * L.COV_BYTES);
  }
  touch(stays);
  refreshStatus(stays, timeUs);
}

/** Takes the row out of its bucket; `before` is the row that links to it, negative at the head. */
function unchain(row: i32, before: i32, bucket: i32): void {
  const next = intAt(L.SWEEP_MERGE_NEXT, row);
  if (before < 0) putInt(L.SWEEP_MERGE_HEAD, bucket, next);
  else putInt(L.SWEEP_MERGE_NEXT, before, next);
}

/** Compares the row with those of its bucket that believe the same claim, until it ends. Buckets hold rows that stay. */
function mergeSameClaim(row: i32, claim: f64, timeUs: f64): void {
  const bucket = claimBucket(claim);
  let before = -1;
  for (let other = intAt(L.SWEEP_MERGE_HEAD, bucket); other >= 0; other = intAt(L.SWEEP_MERGE_NEXT, other)) {
    if (!spend(1)) return;
    if (at(L.TRACK_CLAIM, other) == claim) {
      if (!spend(SAME_AIRCRAFT_LOOKS)) return;
      if (isSameAircraft(row, other)) {
        const goes = isWeaker(row, other) ? row : other;
        const stays = goes == row ? other : row;
        takeOver(stays, goes, timeUs);
        mark(goes, stays);
        if (goes == row) return;
        unchain(other, before, bucket);
        continue;
      }
    }
    before = other;
  }
}

function markSameClaims(timeUs: f64): void {
  const tracks = trackCount();
  clearBuckets(L.SWEEP_MERGE_HEAD);
  openBudget(tracks, 0, MERGE_LOOKS_EACH);
  for (let row = 0; row < tracks; row++) {
    const claim = believedClaim(row);
    if (!(claim > 0)) continue;
    beginSearch(tracks - 1 - row);
    mergeSameClaim(row, claim, timeUs);
    if (!isEnding(row)) chain(row, claimBucket(claim));
  }
}

/** Compares the row with those of a bucket until it ends itself. */
function mergeNeighbours(row: i32, bucket: i32): void {
  let before = -1;
  for (let other = intAt(L.SWEEP_MERGE_HEAD, bucket); other >= 0; other = intAt(L.SWEEP_MERGE_NEXT, other)) {
    if (!spend(1)) return;
    if (!isDuplicate(row, other)) {
      before = other;
      continue;
    }
    if (isWeaker(row, other)) return mark(row, other);
    mark(other, row);
    unchain(other, before, bucket);
  }
}

function markNeighbours(): void {
  const tracks = trackCount();
  clearBuckets(L.SWEEP_MERGE_HEAD);
  openBudget(tracks, 0, MERGE_LOOKS_EACH);
  for (let row = 0; row < tracks; row++) {
    if (isEnding(row) || at(L.TRACK_RAY, row) != 0) continue;
    beginSearch(tracks - 1 - row);
    const cx = cellOf(get(meanOf(row, 0), 0));
    const cy = cellOf(get(meanOf(row, 0), 1));
    for (let dx = -1; dx <= 1 && !isEnding(row); dx++) {
      for (let dy = -1; dy <= 1 && !isEnding(row); dy++) mergeNeighbours(row, cellBucket(cx + dx, cy + dy));
    }
    if (!isEnding(row)) chain(row, cellBucket(cx, cy));
  }
}

/** Key of the track that a row ends in: the row that it merged into may itself have merged into another. */
function survivorOf(row: i32): f64 {
  let last = row;
  for (let steps = 0; isEnding(last); steps++) {
    assert(steps < trackCount(), "merging makes no circle");
    last = <i32>at(L.SWEEP_SURVIVOR, last) - 1;
  }
  return at(L.TRACK_KEY, last);
}

/** Finds duplicates and ends the weaker of each two. Every row is predicted to timeUs. */
export function mergeDuplicates(timeUs: f64): void {
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) put(L.SWEEP_SURVIVOR, row, 0);
  markSameClaims(timeUs);
  markNeighbours();
  // Removing a row moves another into its place, so the survivors' keys are read first.
  for (let row = 0; row < tracks; row++) put(L.SWEEP_SURVIVOR_KEY, row, isEnding(row) ? survivorOf(row) : 0.0);
  for (let row = tracks - 1; row >= 0; row--) {
    if (at(L.SWEEP_SURVIVOR_KEY, row) != 0) removeRow(row, L.ENDED_MERGED, at(L.SWEEP_SURVIVOR_KEY, row));
  }
}
