/**
 * Ray tracks: a direction from one sensor, without a range. They are rows of the track table whose mean is (az, el, 0,
 * az rate, el rate, 0) in the sensor's frame, of one motion model, and they are never shown as a position.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, intAt, meanOf, measAt, modelOf, put, putInt, set, trackCount } from "./arena";
import { explainOn, explainRayAfter, explainRayBefore, explainRayFed, explainRaysEnd } from "./explain";
import { startContributor } from "./initiate";
import { P_EE, P_NN, V_EE, V_NN } from "./linalg";
import { EL, isPresent, wrapAngle } from "./measure";
import { predictTrack } from "./predict";
import { dropForCapacity, newRow, noteHit, noteOutcome, touch } from "./rows";
import { spend, wasCut } from "./searchBudget";
import { updateScalar } from "./update";

const ROW: usize = L.WORK_RAYS; // 6
/** Places of a ray's variances in the packed covariance. */
const VAR_AZ: i32 = P_EE;
const VAR_EL: i32 = P_NN;
const VAR_AZ_RATE: i32 = V_EE;
const VAR_EL_RATE: i32 = V_NN;
/** Spread of a new ray's angle rates, rad/s, and of an elevation that is not measured, rad^2. */
const RATE_SIGMA: f64 = 0.02;
const UNKNOWN_EL_VARIANCE: f64 = 1.0;
/** Squared normalised distance in azimuth inside which a bearing is of the ray. */
const GATE_D2: f64 = 9.0;
/** Existence of a new ray; share of the doubt that stays after a bearing; share of existence that stays after none. */
const NEW_EXISTENCE: f64 = 0.1;
const HIT_DOUBT: f64 = 0.4;
const MISS_FACTOR: f64 = 0.6;

/** Ray tracks of the scan's sensor, predicted to the scan's time: RAYS_ROW. */
let rayCount: i32 = 0;
/** So many of them existed before the scan; those behind them started in it. */
let listedCount: i32 = 0;

function addRay(row: i32): void {
  assert(rayCount < L.TRACK_CAPACITY, "the rays fit their table");
  putInt(L.RAYS_ROW, rayCount++, row);
}

export function listRays(slot: i32, timeUs: f64): void {
  rayCount = 0;
  for (let row = 0; row < trackCount(); row++) {
    if (at(L.TRACK_RAY, row) == 0 || <i32>at(L.TRACK_SLOT, row) != slot) continue;
    predictTrack(row, timeUs);
    if (explainOn) explainRayBefore(rayCount, row);
    addRay(row);
  }
  listedCount = rayCount;
}

function updateAngle(row: i32, component: i32, residual: f64, variance: f64): void {
  memory.fill(ROW, 0, L.STATE_BYTES);
  set(ROW, component, 1.0);
  updateScalar(meanOf(row, 0), covOf(row, 0), ROW, residual, variance);
}

function updateRay(row: i32, meas: i32, slot: i32, timeUs: f64): void {
  const x = meanOf(row, 0);
  const sigmaAz = measAt(meas, L.MEAS_S0), sigmaEl = measAt(meas, L.MEAS_S1);
  updateAngle(row, 0, wrapAngle(measAt(meas, L.MEAS_Z0) - get(x, 0)), sigmaAz * sigmaAz);
  if (isPresent(meas, EL)) updateAngle(row, 1, measAt(meas, L.MEAS_Z1) - get(x, 1), sigmaEl * sigmaEl);
  set(x, 0, wrapAngle(get(x, 0)));
  put(L.TRACK_EXISTENCE, row, Math.min(1.0 - (1.0 - at(L.TRACK_EXISTENCE, row)) * HIT_DOUBT, PHYSICS.EXISTENCE_MAX));
  noteHit(row, slot, timeUs, false);
  touch(row);
  noteOutcome(meas, L.OUTCOME_UPDATED, at(L.TRACK_KEY, row));
}

function startRay(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const row = newRow(key, timeUs, slot);
  if (row < 0) return dropForCapacity();
  addRay(row);
  put(L.TRACK_RAY, row, 1);
  put(L.TRACK_EXISTENCE, row, NEW_EXISTENCE);
  put(L.TRACK_OWN_HITS, row, 1);
  set(modelOf(row), 0, 1.0);
  set(modelOf(row), 1, 0.0);
  const p = covOf(row, 0);
  set(meanOf(row, 0), 0, wrapAngle(measAt(meas, L.MEAS_Z0)));
  set(meanOf(row, 0), 1, isPresent(meas, EL) ? measAt(meas, L.MEAS_Z1) : 0.0);
  set(p, VAR_AZ, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, VAR_EL, isPresent(meas, EL) ? measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1) : UNKNOWN_EL_VARIANCE);
  set(p, VAR_AZ_RATE, RATE_SIGMA * RATE_SIGMA);
  set(p, VAR_EL_RATE, RATE_SIGMA * RATE_SIGMA);
  startContributor(row, slot, timeUs);
}

/** Updates the nearest ray in the direction of measurement `meas`, or starts one with the key `key`. */
export function feedRay(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const az = measAt(meas, L.MEAS_Z0);
  const variance = measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0);
  let best = -1; // place in RAYS_ROW
  let nearest = GATE_D2;
  for (let i = 0; i < rayCount && spend(1); i++) {
    const row = intAt(L.RAYS_ROW, i);
    const d = wrapAngle(az - get(meanOf(row, 0), 0));
    const d2 = (d * d) / (get(covOf(row, 0), VAR_AZ) + variance);
    if (d2 < nearest) {
      nearest = d2;
      best = i;
    }
  }
  if (best < 0) {
    // A search that was cut short may have missed the ray, so it starts no second one.
    if (!wasCut()) startRay(meas, slot, timeUs, key);
    return;
  }
  const row = intAt(L.RAYS_ROW, best);
  const spread = get(covOf(row, 0), VAR_AZ) + variance;
  if (explainOn && best < listedCount) explainRayFed(best, row, meas, nearest, GATE_D2, spread);
  updateRay(row, meas, slot, timeUs);
}

/** The sensor looked, and a ray of it that got no bearing loses existence. */
export function missRays(timeUs: f64): void {
  for (let i = 0; i < rayCount; i++) {
    const row = intAt(L.RAYS_ROW, i);
    const missed = at(L.TRACK_LAST_US, row) < timeUs;
    if (missed) put(L.TRACK_EXISTENCE, row, at(L.TRACK_EXISTENCE, row) * MISS_FACTOR);
    if (explainOn && i < listedCount) explainRayAfter(i, row, missed);
  }
  if (explainOn) explainRaysEnd(listedCount);
}
