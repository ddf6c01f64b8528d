/**
 * Gating: which measurements of the scan may be of which track. An index gives the near ones, chi-square on the innovation
 * decides: the squared Mahalanobis distance d^2 = y' S^-1 y must lie under a quantile that the configuration sets. Cost
 * grows with the number of near pairs. Writes the tables CAND_* and PAIR_*; changes no track.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import {
  at, covOf, get, intAt, isRow, likelihoodOf, meanOf, measAt, modelOf, put, putInt, putLikelihood, sensorAt, trackCount,
  tuneAt,
} from "./arena";
import { cellBucket } from "./buckets";
import { believedClaim, firstClaiming, nextClaiming } from "./claim";
import { detectionProbability } from "./detection";
import { choleskyDeterminant, LN_2PI, packed, variancePlace, whiten } from "./linalg";
import {
  AZ, componentCount, EL, innovationOf, innovationSystem, isPresent, lastRange, PAIR_INNOVATION, PAIR_SYSTEM, project, RANGE,
  scanKind, sigmaOf, wrapAngle,
} from "./measure";
import { cellSize, noiseAngle, noiseX } from "./measurementIndex";
import { beginSearch, cutSearch, GATE_LOOKS_EACH, openBudget, PAIR_LOOKS, spend, wasCut } from "./searchBudget";

/** Pairs that each track leaves to every track after it; one of them is for a report of its own claim. */
const PAIRS_KEPT_EACH: i32 = L.PAIRS_MAX / L.TRACK_CAPACITY;
/** After a search that was cut short: reports of its claim that a track still gates, and entries of their bucket. */
const OWN_REPORTS_MAX: i32 = 8;
const OWN_LOOKS_MAX: i32 = 64;
/** A cell number beyond every place on earth, and well inside what an i32 holds. */
const CELL_FARTHEST: f64 = 1e9;
/** From this squared distance on a model's likelihood counts as 0. */
const NEGLIGIBLE_D2: f64 = 60.0;
/** What the curvature of the earth and a clock offset may move a target within the index, m. */
const INDEX_MARGIN_M: f64 = 2.0;
/** A track that is detected with less than this and has no pair is no candidate; and the least pd of a candidate. */
const CANDIDATE_PD_MIN: f64 = 0.01;
const PD_MIN: f64 = 0.02;

export let candCount: i32 = 0;
let pairCount: i32 = 0;
let pairsEnd: i32 = 0; // of the candidate that is being searched
let hasClaims: bool = false;
let limitMax: f64 = 0; // no gate is wider: the limit of six components and room for rounding
let searchSigmas: f64 = 0; // half-width of a search

/** The largest d^2 inside the gate for 1..6 components: the configured chi-square quantile (docs/adr/0013). */
export function gateLimit(dof: i32): f64 {
  assert(dof >= 1 && dof <= L.STATE_SIZE, "a gate has 1..6 degrees of freedom");
  return tuneAt(L.TUNE_GATE_LIMIT + dof - 1);
}

/** To be called before the first track of a scan is gated. `claims`: the scan's claims are indexed. */
export function resetCandidates(count: i32, claims: bool): void {
  candCount = 0;
  pairCount = 0;
  hasClaims = claims;
  limitMax = gateLimit(6) + 0.1;
  searchSigmas = Math.max(PHYSICS.SEARCH_SIGMAS, Math.sqrt(gateLimit(componentCount())));
  openBudget(trackCount(), count, GATE_LOOKS_EACH);
}

// @ts-ignore: decorator
@inline
function candZ(cand: i32, model: i32): usize {
  return <usize>L.CAND_Z + <usize>((cand * L.MODEL_COUNT + model) * (L.PROJECTED_SIZE * 8));
}

// @ts-ignore: decorator
@inline
function candS(cand: i32, model: i32): usize {
  return <usize>L.CAND_S + <usize>((cand * L.MODEL_COUNT + model) * L.COV_BYTES);
}

/**
 * Whether one component alone puts the pair outside the gate under every model: y_k^2 > limit S_kk. Exact, because d^2 is at
 * least y_k^2 / S_kk. One multiplication instead of a factorisation for most of what a cell holds.
 */
// @ts-ignore: decorator
@inline
function isOutside(cand: i32, meas: i32, component: i32, diagonal: i32): bool {
  if (!isPresent(meas, component)) return false;
  const variance = varianceOf(meas, component);
  for (let m = 0; m < L.MODEL_COUNT; m++) {
    const y = innovationOf(meas, component, get(candZ(cand, m), component));
    if (y * y <= limitMax * (get(candS(cand, m), diagonal) + variance)) return false;
  }
  return true;
}

/** R_kk of a component; for an ellipse the larger of its axes, an upper bound in any direction. */
// @ts-ignore: decorator
@inline
function varianceOf(meas: i32, component: i32): f64 {
  const sigma = sigmaOf(meas, component);
  if (scanKind != L.MEAS_KIND_POSITION || component > 1) return sigma * sigma;
  const widest = Math.max(measAt(meas, L.MEAS_S0), measAt(meas, L.MEAS_S1));
  return widest * widest;
}

/** Whether a single component shows the pair to be outside the gate. The one that separates most is tried first. */
// @ts-ignore: decorator
@inline
function isFar(cand: i32, meas: i32): bool {
  if (scanKind == L.MEAS_KIND_BEARING) return isOutside(cand, meas, AZ, 0);
  const n = componentCount();
  if (scanKind == L.MEAS_KIND_SPHERICAL)
    return isOutside(cand, meas, RANGE, packed(n, RANGE, RANGE)) || isOutside(cand, meas, AZ, 0);
  if (isOutside(cand, meas, 0, 0)) return true;
  return isOutside(cand, meas, 1, packed(n, 1, 1)) || isOutside(cand, meas, 2, packed(n, 2, 2));
}

/** Adds the pair when it is inside the gate. False when the candidate's search has used up its share and must end. */
// @ts-ignore: decorator
@inline
function tryPair(cand: i32, row: i32, meas: i32): bool {
  if (isFar(cand, meas)) return true;
  if (pairCount >= pairsEnd) {
    cutSearch();
    return false;
  }
  if (!spend(PAIR_LOOKS)) return false;
  solvePair(cand, row, meas);
  return true;
}

/**
 * The pair's distance and likelihood under each model m,
 *   l_m = exp(-d_m^2 / 2) / sqrt((2 pi)^n |S_m|)
 * It is inside the gate when any model says so. Its weight in association is the average over the model probabilities,
 * times a factor where track and measurement both claim an identity: far more for the same, far less for another.
 */
function solvePair(cand: i32, row: i32, meas: i32): void {
  let nearest = Infinity;
  let weighted = 0.0;
  let dof = 0;
  const pair = pairCount;
  assert(pair < L.PAIRS_MAX, "the pair fits the table");
  const models = modelOf(row);
  for (let m = 0; m < L.MODEL_COUNT; m++) {
    dof = innovationSystem(meas, candZ(cand, m), candS(cand, m));
    const d2 = whiten(dof, PAIR_SYSTEM, PAIR_INNOVATION);
    nearest = Math.min(nearest, d2);
    const l = d2 < NEGLIGIBLE_D2 ? Math.exp(-0.5 * (d2 + <f64>dof * LN_2PI)) / Math.sqrt(choleskyDeterminant) : 0.0;
    putLikelihood(pair, m, l);
    weighted += get(models, m) * l;
  }
  if (!(nearest <= gateLimit(dof)) || !(weighted > 0)) return;
  const claim = measAt(meas, L.MEAS_CLAIM);
  const own = at(L.TRACK_CLAIM, row);
  if (claim > 0 && own > 0) weighted *= claim == own ? PHYSICS.CLAIM_SAME_FACTOR : PHYSICS.CLAIM_OTHER_FACTOR;
  putInt(L.PAIR_MEAS, pair, meas);
  put(L.PAIR_D2, pair, nearest);
  put(L.PAIR_W, pair, weighted);
  pairCount = pair + 1;
}

/** Likelihood density of a pair, averaged over the track's models. */
export function averageLikelihood(row: i32, pair: i32): f64 {
  let sum = 0.0;
  for (let m = 0; m < L.MODEL_COUNT; m++) sum += get(modelOf(row), m) * likelihoodOf(pair, m);
  return sum;
}

/** Tries every measurement of the scan. */
function searchAll(cand: i32, row: i32, count: i32): void {
  for (let meas = 0; meas < count; meas++) {
    if (!spend(1)) return;
    if (!tryPair(cand, row, meas)) return;
  }
}

/** Tries the measurements of the cells within reach of (x, y); all of the scan where that would be more cells. */
function searchCells(cand: i32, row: i32, count: i32, x: f64, y: f64, reachX: f64, reachY: f64): void {
  const west = Math.floor((x - reachX) / cellSize);
  const east = Math.floor((x + reachX) / cellSize);
  const south = Math.floor((y - reachY) / cellSize);
  const north = Math.floor((y + reachY) / cellSize);
  // Compared before the cast: an i32 saturates at its end, and a loop up to its largest value would never end.
  const isCounted = Math.min(west, south) > -CELL_FARTHEST && Math.max(east, north) < CELL_FARTHEST;
  const cells = (east - west + 1.0) * (north - south + 1.0);
  if (!isCounted || cells > Math.min(<f64>PHYSICS.SEARCH_CELLS_MAX, <f64>count)) return searchAll(cand, row, count);
  const x0 = <i32>west, x1 = <i32>east;
  const y0 = <i32>south, y1 = <i32>north;
  for (let cx = x0; cx <= x1; cx++) {
    for (let cy = y0; cy <= y1; cy++) {
      for (let meas = intAt(L.INDEX_HEAD, cellBucket(cx, cy)); meas >= 0; meas = intAt(L.MEAS_NEXT, meas)) {
        if (!spend(1)) return;
        if (intAt(L.MEAS_CELL_X, meas) == cx && intAt(L.MEAS_CELL_Y, meas) == cy && !tryPair(cand, row, meas)) return;
      }
    }
  }
}

/** Variance of the position along east (0) or north (1) under the wider model, m^2. */
function varianceAlongM2(row: i32, axis: i32): f64 {
  let variance = 0.0;
  for (let m = 0; m < L.MODEL_COUNT; m++) variance = Math.max(variance, get(covOf(row, m), variancePlace(axis)));
  return variance;
}

/** Finds the candidate's pairs: within so many sigmas of either model's prediction, the noise of the scan added. */
function search(cand: i32, row: i32, count: i32): void {
  if (scanKind == L.MEAS_KIND_BEARING) {
    const z = get(candZ(cand, 0), 0);
    let variance = 0.0;
    for (let m = 0; m < L.MODEL_COUNT; m++) variance = Math.max(variance, get(candS(cand, m), 0));
    const reach = searchSigmas * Math.sqrt(variance + noiseX * noiseX) + Math.abs(wrapAngle(get(candZ(cand, 1), 0) - z));
    if (reach + Math.abs(z) > Math.PI) return searchAll(cand, row, count);
    return searchCells(cand, row, count, z, 0.0, reach, 0.0);
  }
  const x0 = meanOf(row, 0);
  const x1 = meanOf(row, 1);
  const across = scanKind == L.MEAS_KIND_POSITION ? 0.0 : lastRange * noiseAngle;
  const noise2 = noiseX * noiseX + across * across;
  const apartX = Math.abs(get(x1, 0) - get(x0, 0)), apartY = Math.abs(get(x1, 1) - get(x0, 1));
  const reachX = searchSigmas * Math.sqrt(varianceAlongM2(row, 0) + noise2) + apartX + INDEX_MARGIN_M;
  const reachY = searchSigmas * Math.sqrt(varianceAlongM2(row, 1) + noise2) + apartY + INDEX_MARGIN_M;
  searchCells(cand, row, count, get(x0, 0), get(x0, 1), reachX, reachY);
}

/** Whether the pair is one of the candidate's already. */
function isPaired(cand: i32, meas: i32): bool {
  for (let p = intAt(L.CAND_PAIR, cand); p < pairCount; p++) if (intAt(L.PAIR_MEAS, p) == meas) return true;
  return false;
}

/** After a search that was cut short: gates reports that repeat the track's claim, so that a crowd cannot hide them. */
function searchOwn(cand: i32, row: i32): void {
  const claim = believedClaim(row);
  if (!(claim > 0)) return;
  let reports = 0;
  let looks = 0;
  for (let meas = firstClaiming(claim); meas >= 0 && looks < OWN_LOOKS_MAX; meas = nextClaiming(meas), looks++) {
    if (measAt(meas, L.MEAS_CLAIM) != claim || isPaired(cand, meas)) continue;
    const before = pairCount;
    solvePair(cand, row, meas);
    if (pairCount > before || ++reports >= OWN_REPORTS_MAX) return;
  }
}

/** Rounding may leave H P H' below 0 where a track is known exactly across its line of sight and not at all along it. */
// @ts-ignore: decorator
@inline
function sigmaOfVariance(variance: f64): f64 {
  return Math.sqrt(Math.max(variance, 0.0));
}

/**
 * Makes the row a candidate, with its predicted measurements, its probability of detection and its pairs. A track outside
 * the sensor's view is searched as well: a report of it is still a report.
 */
export function gateTrack(row: i32, count: i32, slot: i32): void {
  const cand = candCount;
  assert(isRow(row) && cand <= row, "a row becomes a candidate once");
  assert(at(L.TRACK_RAY, row) == 0, "a ray has no position to gate");
  for (let m = 1; m >= 0; m--) project(meanOf(row, m), covOf(row, m), candZ(cand, m), candS(cand, m));
  let pd = sensorAt(slot, L.SENSOR_PD_P0);
  if (scanKind != L.MEAS_KIND_POSITION) {
    const s = candS(cand, 0);
    const n = componentCount();
    const rangeVariance = scanKind == L.MEAS_KIND_SPHERICAL ? get(s, packed(n, RANGE, RANGE)) : 0.0;
    const sigmaEl = sigmaOfVariance(get(s, packed(n, EL, EL)));
    pd = detectionProbability(sigmaOfVariance(get(s, AZ)), sigmaEl, sigmaOfVariance(rangeVariance));
  }
  putInt(L.CAND_PAIR, cand, pairCount);
  const later = trackCount() - 1 - row;
  beginSearch(later);
  pairsEnd = L.PAIRS_MAX - PAIRS_KEPT_EACH * later - 1;
  search(cand, row, count);
  if (wasCut() && hasClaims) searchOwn(cand, row);
  if (pd < CANDIDATE_PD_MIN && pairCount == intAt(L.CAND_PAIR, cand)) return;
  putInt(L.CAND_ROW, cand, row);
  put(L.CAND_PD, cand, Math.max(pd, PD_MIN));
  candCount = cand + 1;
  putInt(L.CAND_PAIR, candCount, pairCount);
}
