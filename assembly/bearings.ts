/**
 * Directions without a range. A bearing that no track explains is kept for a while; when another sensor's bearing crosses
 * it, the crossing may be a target. Ghost crossings are told apart by time: the other sensors do not see them. A bearing
 * that nothing crosses feeds a ray track of its sensor, which never has a made-up range.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, headAt, intAt, meanOf, measAt, modelOf, put, putHead, putInt, sensorAt, set, trackCount } from "./arena";
import { beginSearch, CROSSING_LOOKS_EACH, openBudget, spend, wasCut } from "./searchBudget";
import { explainOn, explainRayAfter, explainRayBefore, explainRayFed, explainRaysEnd } from "./explain";
import { keyOf, startContributor } from "./initiate";
import { EL, isPresent, roomE, roomN, roomU, sensorEast, sensorNorth, sensorUp, toRoom, wrapAngle } from "./measure";
import { P_EE, P_EN, P_NN, P_UU, V_EE, V_NN, V_UU } from "./linalg";
import { predictTrack } from "./predict";
import { dropForCapacity, newRow, noteHit, noteOutcome, touch } from "./rows";
import { updateScalar } from "./update";

const ROW: usize = L.WORK_BEARINGS; // 6
/** A ray's state is (az, el, 0, az rate, el rate, 0): where its variances lie in the packed covariance. */
const RAY_VAR_AZ: i32 = P_EE;
const RAY_VAR_EL: i32 = P_NN;
const RAY_VAR_AZ_RATE: i32 = V_EE;
const RAY_VAR_EL_RATE: i32 = V_NN;
const RAY_RATE_SIGMA: f64 = 0.02;
const RAY_GATE: f64 = 9.0;

// @ts-ignore: decorator
@inline
function bearing(index: i32, field: i32): f64 {
  return get(<usize>L.BEARING + <usize>(index * L.BEARING_STRIDE * 8), field);
}

function removeBearing(index: i32): void {
  const last = <i32>headAt(L.HEAD_BEARING_COUNT) - 1;
  assert(index >= 0 && index <= last, "a bearing is inside its store");
  const size = <usize>(L.BEARING_STRIDE * 8);
  if (index != last) memory.copy(<usize>L.BEARING + <usize>index * size, <usize>L.BEARING + <usize>last * size, size);
  putHead(L.HEAD_BEARING_COUNT, last);
}

/** Drops what is too old to cross anything. */
export function forgetBearings(timeUs: f64): void {
  for (let b = <i32>headAt(L.HEAD_BEARING_COUNT) - 1; b >= 0; b--) {
    if (timeUs - bearing(b, L.BEARING_TIME_US) > PHYSICS.BEARING_KEEP_S * 1e6) removeBearing(b);
  }
}

/** A full store gives up its oldest entry. */
function placeForBearing(): i32 {
  const count = <i32>headAt(L.HEAD_BEARING_COUNT);
  if (count < L.BEARING_CAPACITY) {
    putHead(L.HEAD_BEARING_COUNT, count + 1);
    return count;
  }
  let oldest = 0;
  for (let b = 1; b < count; b++) if (bearing(b, L.BEARING_TIME_US) < bearing(oldest, L.BEARING_TIME_US)) oldest = b;
  return oldest;
}

function storeBearing(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const address = <usize>L.BEARING + <usize>(placeForBearing() * L.BEARING_STRIDE * 8);
  const el = isPresent(meas, EL) ? measAt(meas, L.MEAS_Z1) : 0.0;
  toRoom(Math.sin(measAt(meas, L.MEAS_Z0)) * Math.cos(el), Math.cos(measAt(meas, L.MEAS_Z0)) * Math.cos(el), Math.sin(el));
  set(address, L.BEARING_TIME_US, timeUs);
  set(address, L.BEARING_SLOT, slot);
  set(address, L.BEARING_EAST_M, sensorEast());
  set(address, L.BEARING_NORTH_M, sensorNorth());
  set(address, L.BEARING_UP_M, sensorUp());
  set(address, L.BEARING_DIR_E, roomE);
  set(address, L.BEARING_DIR_N, roomN);
  set(address, L.BEARING_DIR_U, roomU);
  set(address, L.BEARING_HAS_EL, isPresent(meas, EL) ? 1 : 0);
  set(address, L.BEARING_SIGMA_AZ_RAD, measAt(meas, L.MEAS_S0));
  set(address, L.BEARING_SIGMA_EL_RAD, isPresent(meas, EL) ? measAt(meas, L.MEAS_S1) : 0.0);
  set(address, L.BEARING_RANGE_MAX_M, sensorAt(slot, L.SENSOR_RANGE_MAX_M));
  set(address, L.BEARING_KEY, key);
}

/** A bearing closer to the vertical, as the length of its unit vector on the ground, has no line on the ground. */
const GROUND_MIN: f64 = 1e-3;
/** A crossing is solved when the determinant of its information is at least this share of its squared trace. */
const CROSSING_CONDITION_MIN: f64 = 1e-12;

/** Where the lines of bearing `b` and of measurement `meas` cross on the ground: ranges along each, m. */
let rangeA: f64 = 0;
let rangeB: f64 = 0;
let sinCross: f64 = 0;
function crosses(b: i32, az: f64, rangeMax: f64): bool {
  const de = bearing(b, L.BEARING_EAST_M) - sensorEast();
  const dn = bearing(b, L.BEARING_NORTH_M) - sensorNorth();
  toRoom(Math.sin(az), Math.cos(az), 0);
  const ae = roomE, an = roomN;
  const ground = Math.sqrt(bearing(b, L.BEARING_DIR_E) * bearing(b, L.BEARING_DIR_E) + bearing(b, L.BEARING_DIR_N) * bearing(b, L.BEARING_DIR_N));
  if (ground < GROUND_MIN) return false;
  const be = bearing(b, L.BEARING_DIR_E) / ground, bn = bearing(b, L.BEARING_DIR_N) / ground;
  sinCross = ae * bn - an * be;
  if (Math.abs(sinCross) < PHYSICS.CROSSING_SIN_MIN) return false;
  rangeA = (de * bn - dn * be) / sinCross;
  rangeB = (de * an - dn * ae) / sinCross;
  return rangeA > 20.0 && rangeB > 20.0 && rangeA < rangeMax && rangeB < bearing(b, L.BEARING_RANGE_MAX_M);
}

/** Height above the room's plane at the crossing, from an elevation if either sensor has one. */
let heightM: f64 = 0;
let heightSigmaM: f64 = 0;
function findHeight(b: i32, meas: i32): void {
  heightM = sensorUp() + PHYSICS.BIRTH_HEIGHT_M;
  heightSigmaM = PHYSICS.BIRTH_HEIGHT_SIGMA_M;
  if (isPresent(meas, EL)) {
    heightM = sensorUp() + rangeA * Math.tan(measAt(meas, L.MEAS_Z1));
    heightSigmaM = Math.max(rangeA * measAt(meas, L.MEAS_S1), 1.0) * 2.0;
  } else if (bearing(b, L.BEARING_HAS_EL) != 0) {
    const ground = Math.sqrt(1.0 - bearing(b, L.BEARING_DIR_U) * bearing(b, L.BEARING_DIR_U));
    heightM = bearing(b, L.BEARING_UP_M) + (rangeB * bearing(b, L.BEARING_DIR_U)) / ground;
    heightSigmaM = Math.max(rangeB * bearing(b, L.BEARING_SIGMA_EL_RAD), 1.0) * 2.0;
  }
}

/** True when both lines also agree in height, where both measure it. */
function agreesInHeight(b: i32, meas: i32): bool {
  if (!isPresent(meas, EL) || bearing(b, L.BEARING_HAS_EL) == 0) return true;
  const ground = Math.sqrt(1.0 - bearing(b, L.BEARING_DIR_U) * bearing(b, L.BEARING_DIR_U));
  const upB = bearing(b, L.BEARING_UP_M) + (rangeB * bearing(b, L.BEARING_DIR_U)) / ground;
  const upA = sensorUp() + rangeA * Math.tan(measAt(meas, L.MEAS_Z1));
  const spread = rangeA * measAt(meas, L.MEAS_S1) + rangeB * bearing(b, L.BEARING_SIGMA_EL_RAD) + 5.0;
  return Math.abs(upA - upB) < 3.0 * spread;
}

/**
 * Whether a track lies at the crossing already (to three of its own sigmas or 40 m). Where there was no time to look at
 * all of them, too: a crossing is a ghost more often than a target, and comes again.
 */
function isTaken(e: f64, n: f64): bool {
  for (let row = 0; row < trackCount(); row++) {
    if (!spend(1)) return true;
    if (at(L.TRACK_RAY, row) != 0) continue;
    const de = get(meanOf(row, 0), 0) - e;
    const dn = get(meanOf(row, 0), 1) - n;
    const spread = 3.0 * Math.sqrt(get(covOf(row, 0), P_EE) + get(covOf(row, 0), P_NN)) + 40.0;
    if (de * de + dn * dn < spread * spread) return true;
  }
  return false;
}

/** Covariance on the ground of the last solved crossing, m^2. */
let crossingEE: f64 = 0;
let crossingEN: f64 = 0;
let crossingNN: f64 = 0;

/**
 * Covariance of the crossing of bearing `b` and measurement `meas` along (ae, an). Each line is known only across itself,
 * so the information of the two is added and inverted:
 *   I = a a' / (rangeA sigmaA)^2 + b b' / ((rangeB sigmaB)^2 + lag^2),  P = I^-1,  a and b the unit vectors across the lines
 * False when one line is so vague beside the other that rounding leaves nothing of it.
 */
function solveCrossing(b: i32, meas: i32, timeUs: f64, ae: f64, an: f64): bool {
  const ground = Math.sqrt(1.0 - bearing(b, L.BEARING_DIR_U) * bearing(b, L.BEARING_DIR_U));
  const be = bearing(b, L.BEARING_DIR_E) / ground, bn = bearing(b, L.BEARING_DIR_N) / ground;
  const lag = Math.abs(timeUs - bearing(b, L.BEARING_TIME_US)) * 1e-6 * PHYSICS.BIRTH_SPEED_H_MPS;
  const wa = 1.0 / (rangeA * rangeA * measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  const sb = rangeB * bearing(b, L.BEARING_SIGMA_AZ_RAD);
  const wb = 1.0 / (sb * sb + lag * lag);
  const iee = wa * an * an + wb * bn * bn;
  const ien = -(wa * ae * an + wb * be * bn);
  const inn = wa * ae * ae + wb * be * be;
  const det = iee * inn - ien * ien;
  if (!(det >= CROSSING_CONDITION_MIN * (iee + inn) * (iee + inn))) return false;
  crossingEE = inn / det;
  crossingEN = -ien / det;
  crossingNN = iee / det;
  return true;
}

/** Starts a track at the crossing of bearing `b` and measurement `meas`. Its covariance is that of the two lines. */
function startCrossing(b: i32, meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const az = measAt(meas, L.MEAS_Z0);
  toRoom(Math.sin(az), Math.cos(az), 0);
  const ae = roomE, an = roomN;
  const e = sensorEast() + rangeA * ae;
  const n = sensorNorth() + rangeA * an;
  if (isTaken(e, n) || !solveCrossing(b, meas, timeUs, ae, an)) return;
  findHeight(b, meas);
  const row = newRow(key, timeUs, slot);
  if (row < 0) return dropForCapacity();
  const x = meanOf(row, 0);
  const p = covOf(row, 0);
  set(x, 0, e);
  set(x, 1, n);
  set(x, 2, heightM);
  set(p, P_EE, crossingEE);
  set(p, P_EN, crossingEN);
  set(p, P_NN, crossingNN);
  set(p, P_UU, heightSigmaM * heightSigmaM);
  set(p, V_EE, PHYSICS.BIRTH_SPEED_H_MPS * PHYSICS.BIRTH_SPEED_H_MPS);
  set(p, V_NN, PHYSICS.BIRTH_SPEED_H_MPS * PHYSICS.BIRTH_SPEED_H_MPS);
  set(p, V_UU, PHYSICS.BIRTH_SPEED_V_MPS * PHYSICS.BIRTH_SPEED_V_MPS);
  memory.copy(meanOf(row, 1), x, L.STATE_BYTES);
  memory.copy(covOf(row, 1), p, L.COV_BYTES);
  put(L.TRACK_EXISTENCE, row, PHYSICS.CROSSING_EXISTENCE);
  put(L.TRACK_OWN_HITS, row, 1);
  put(L.TRACK_REFLECTOR_LOGIT, row, PHYSICS.REFLECTOR_SETTLED - 1.0);
  startContributor(row, slot, timeUs);
  noteOutcome(meas, L.OUTCOME_INITIATED, key);
}

function crossAll(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const stored = <i32>headAt(L.HEAD_BEARING_COUNT);
  const rangeMax = sensorAt(slot, L.SENSOR_RANGE_MAX_M);
  for (let b = 0; b < stored; b++) {
    if (wasCut() || !spend(1)) return;
    if (<i32>bearing(b, L.BEARING_SLOT) == slot || timeUs - bearing(b, L.BEARING_TIME_US) > PHYSICS.BEARING_CROSS_S * 1e6) continue;
    if (!crosses(b, measAt(meas, L.MEAS_Z0), rangeMax) || !agreesInHeight(b, meas)) continue;
    // One measurement may start several crossings: each key follows from both bearings.
    startCrossing(b, meas, slot, timeUs, keyOf(key, <i32>(bearing(b, L.BEARING_KEY) % 1048576.0)));
  }
}

/** Ray tracks of the scan's sensor, predicted to the scan's time: RAYS_ROW. */
let rayCount: i32 = 0;
/** Of these so many were there before the scan; those behind it started. */
let listedCount: i32 = 0;

function addRay(row: i32): void {
  putInt(L.RAYS_ROW, rayCount++, row);
}

function listRays(slot: i32, timeUs: f64): void {
  rayCount = 0;
  for (let row = 0; row < trackCount(); row++) {
    if (at(L.TRACK_RAY, row) == 0 || <i32>at(L.TRACK_SLOT, row) != slot) continue;
    predictTrack(row, timeUs);
    if (explainOn) explainRayBefore(rayCount, row);
    addRay(row);
  }
  listedCount = rayCount;
}

/** Feeds the ray track of this sensor in that direction, or starts one. */
function feedRay(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const az = measAt(meas, L.MEAS_Z0);
  const variance = measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0);
  let best = -1;
  let bestRay = -1;
  let nearest = RAY_GATE;
  for (let i = 0; i < rayCount && spend(1); i++) {
    const row = intAt(L.RAYS_ROW, i);
    const d = wrapAngle(az - get(meanOf(row, 0), 0));
    const d2 = (d * d) / (get(covOf(row, 0), RAY_VAR_AZ) + variance);
    if (d2 < nearest) {
      nearest = d2;
      best = row;
      bestRay = i;
    }
  }
  // A search that was cut short may have missed its ray.
  if (best < 0 && wasCut()) return;
  if (best < 0) return startRay(meas, slot, timeUs, key);
  const x = meanOf(best, 0);
  if (explainOn && bestRay < listedCount) explainRayFed(bestRay, best, meas, nearest, RAY_GATE, get(covOf(best, 0), RAY_VAR_AZ) + variance);
  memory.fill(ROW, 0, L.STATE_BYTES);
  set(ROW, 0, 1.0);
  updateScalar(x, covOf(best, 0), ROW, wrapAngle(az - get(x, 0)), variance);
  if (isPresent(meas, EL)) {
    memory.fill(ROW, 0, L.STATE_BYTES);
    set(ROW, 1, 1.0);
    updateScalar(x, covOf(best, 0), ROW, measAt(meas, L.MEAS_Z1) - get(x, 1), measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1));
  }
  set(x, 0, wrapAngle(get(x, 0)));
  put(L.TRACK_EXISTENCE, best, Math.min(1.0 - (1.0 - at(L.TRACK_EXISTENCE, best)) * 0.4, PHYSICS.EXISTENCE_MAX));
  noteHit(best, slot, timeUs, false);
  touch(best);
  noteOutcome(meas, L.OUTCOME_UPDATED, at(L.TRACK_KEY, best));
}

function startRay(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const row = newRow(key, timeUs, slot);
  if (row < 0) return dropForCapacity();
  addRay(row);
  put(L.TRACK_RAY, row, 1);
  put(L.TRACK_EXISTENCE, row, 0.1);
  put(L.TRACK_OWN_HITS, row, 1);
  set(modelOf(row), 0, 1.0);
  set(modelOf(row), 1, 0.0);
  const p = covOf(row, 0);
  set(meanOf(row, 0), 0, wrapAngle(measAt(meas, L.MEAS_Z0)));
  set(meanOf(row, 0), 1, isPresent(meas, EL) ? measAt(meas, L.MEAS_Z1) : 0.0);
  set(p, RAY_VAR_AZ, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, RAY_VAR_EL, isPresent(meas, EL) ? measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1) : 1.0);
  set(p, RAY_VAR_AZ_RATE, RAY_RATE_SIGMA * RAY_RATE_SIGMA);
  set(p, RAY_VAR_EL_RATE, RAY_RATE_SIGMA * RAY_RATE_SIGMA);
  startContributor(row, slot, timeUs);
}

/** Rays of this sensor that this scan did not feed lose existence: the sensor looked and saw nothing there. */
function missRays(timeUs: f64): void {
  for (let i = 0; i < rayCount; i++) {
    const row = intAt(L.RAYS_ROW, i);
    const missed = at(L.TRACK_LAST_US, row) < timeUs;
    if (missed) put(L.TRACK_EXISTENCE, row, at(L.TRACK_EXISTENCE, row) * 0.6);
    if (explainOn && i < listedCount) explainRayAfter(i, row, missed);
  }
  if (explainOn) explainRaysEnd(listedCount);
}

/** What is left of a scan of bearings after the tracks took theirs. */
export function rememberBearings(slot: i32, timeUs: f64, scanKey: f64, count: i32): void {
  listRays(slot, timeUs);
  openBudget(count, trackCount(), CROSSING_LOOKS_EACH);
  for (let meas = 0; meas < count; meas++) {
    const unexplained = 1.0 - at(L.MEAS_EXPLAINED, meas);
    if (unexplained < PHYSICS.INITIATE_UNEXPLAINED_MIN) continue;
    const key = keyOf(scanKey, meas);
    beginSearch(count - 1 - meas);
    crossAll(meas, slot, timeUs, key);
    storeBearing(meas, slot, timeUs, key);
    feedRay(meas, slot, timeUs, key);
  }
  missRays(timeUs);
}
