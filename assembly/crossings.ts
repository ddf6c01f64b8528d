/**
 * Passive triangulation: the bearings of two sensors at different places cross where a target may be. Most crossings of
 * several targets are ghosts; they are told apart by time, because later bearings do not confirm them.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, headAt, meanOf, measAt, put, sensorAt, set, trackCount } from "./arena";
import { keyOf, startContributor } from "./initiate";
import { P_EE, P_EN, P_NN, P_UU, V_EE, V_NN, V_UU } from "./linalg";
import { EL, isPresent, roomE, roomN, sensorEast, sensorNorth, sensorUp, toRoom } from "./measure";
import { dropForCapacity, newRow, noteOutcome } from "./rows";
import { spend, wasCut } from "./searchBudget";

/** A bearing closer to the vertical than this, as the length of its unit vector on the ground, has no line on the ground. */
const GROUND_MIN: f64 = 1e-3;
/** A crossing is solved when the determinant of its information is at least this share of its squared trace. */
const CONDITION_MIN: f64 = 1e-12;
/** Two lines cross no nearer than this before either sensor, m. */
const RANGE_MIN_M: f64 = 20.0;
/** Heights of two bearings agree within so many sums of their sigmas, with this added (m). */
const HEIGHT_SIGMAS: f64 = 3.0;
const HEIGHT_MARGIN_M: f64 = 5.0;
/** A crossing this near to a track is the track's: sigmas of the track, and m. */
const TAKEN_SIGMAS: f64 = 3.0;
const TAKEN_MARGIN_M: f64 = 40.0;

// @ts-ignore: decorator
@inline
function bearing(index: i32, field: i32): f64 {
  return get(<usize>L.BEARING + <usize>(index * L.BEARING_STRIDE * 8), field);
}

/** Ground ranges of the crossing from the scan's sensor (A) and from that of the stored bearing (B), m. */
let rangeA: f64 = 0;
let rangeB: f64 = 0;

/** Whether stored bearing b and azimuth az of the scan's sensor cross on the ground, at an angle, in range of both. */
function crosses(b: i32, az: f64, rangeMax: f64): bool {
  const de = bearing(b, L.BEARING_EAST_M) - sensorEast();
  const dn = bearing(b, L.BEARING_NORTH_M) - sensorNorth();
  toRoom(Math.sin(az), Math.cos(az), 0);
  const ae = roomE, an = roomN;
  const dirE = bearing(b, L.BEARING_DIR_E), dirN = bearing(b, L.BEARING_DIR_N);
  const ground = Math.sqrt(dirE * dirE + dirN * dirN);
  if (ground < GROUND_MIN) return false;
  const be = dirE / ground, bn = dirN / ground;
  const sinCross = ae * bn - an * be;
  if (Math.abs(sinCross) < PHYSICS.CROSSING_SIN_MIN) return false;
  rangeA = (de * bn - dn * be) / sinCross;
  rangeB = (de * an - dn * ae) / sinCross;
  return rangeA > RANGE_MIN_M && rangeB > RANGE_MIN_M && rangeA < rangeMax && rangeB < bearing(b, L.BEARING_RANGE_MAX_M);
}

// @ts-ignore: decorator
@inline
function groundOf(b: i32): f64 {
  return Math.sqrt(1.0 - bearing(b, L.BEARING_DIR_U) * bearing(b, L.BEARING_DIR_U));
}

/** Height of the crossing in the room, and its sigma, m: from an elevation where either sensor has one. */
let heightM: f64 = 0;
let heightSigmaM: f64 = 0;
function findHeight(b: i32, meas: i32): void {
  heightM = sensorUp() + PHYSICS.BIRTH_HEIGHT_M;
  heightSigmaM = PHYSICS.BIRTH_HEIGHT_SIGMA_M;
  if (isPresent(meas, EL)) {
    heightM = sensorUp() + rangeA * Math.tan(measAt(meas, L.MEAS_Z1));
    heightSigmaM = Math.max(rangeA * measAt(meas, L.MEAS_S1), 1.0) * 2.0;
  } else if (bearing(b, L.BEARING_HAS_EL) != 0) {
    heightM = bearing(b, L.BEARING_UP_M) + (rangeB * bearing(b, L.BEARING_DIR_U)) / groundOf(b);
    heightSigmaM = Math.max(rangeB * bearing(b, L.BEARING_SIGMA_EL_RAD), 1.0) * 2.0;
  }
}

/** Whether the two bearings agree in height at the crossing, as far as both measure it. */
function agreesInHeight(b: i32, meas: i32): bool {
  if (!isPresent(meas, EL) || bearing(b, L.BEARING_HAS_EL) == 0) return true;
  const upB = bearing(b, L.BEARING_UP_M) + (rangeB * bearing(b, L.BEARING_DIR_U)) / groundOf(b);
  const upA = sensorUp() + rangeA * Math.tan(measAt(meas, L.MEAS_Z1));
  const spread = rangeA * measAt(meas, L.MEAS_S1) + rangeB * bearing(b, L.BEARING_SIGMA_EL_RAD) + HEIGHT_MARGIN_M;
  return Math.abs(upA - upB) < HEIGHT_SIGMAS * spread;
}

/**
 * Whether a track is at the crossing already. Also true where the search budget ended before all tracks were compared: the
 * crossing is more likely a ghost, and if not, it comes again.
 */
function isTaken(e: f64, n: f64): bool {
  for (let row = 0; row < trackCount(); row++) {
    if (!spend(1)) return true;
    if (at(L.TRACK_RAY, row) != 0) continue;
    const de = get(meanOf(row, 0), 0) - e;
    const dn = get(meanOf(row, 0), 1) - n;
    const p = covOf(row, 0);
    const spread = TAKEN_SIGMAS * Math.sqrt(get(p, P_EE) + get(p, P_NN)) + TAKEN_MARGIN_M;
    if (de * de + dn * dn < spread * spread) return true;
  }
  return false;
}

/** Covariance on the ground of the last solved crossing, m^2. */
let crossingEE: f64 = 0;
let crossingEN: f64 = 0;
let crossingNN: f64 = 0;

/**
 * Covariance of the crossing of stored bearing b and measurement `meas` along (ae, an). Each line is known only across
 * itself, so the information of the two is added and inverted:
 *
 *   I = a a' / (rangeA sigmaA)^2 + b b' / ((rangeB sigmaB)^2 + lag^2),  P = I^-1
 *
 * with a and b the unit vectors across the lines and lag what a target may move between them. False when one line is so
 * vague beside the other that rounding leaves nothing of it.
 */
function solveCrossing(b: i32, meas: i32, timeUs: f64, ae: f64, an: f64): bool {
  const ground = groundOf(b);
  const be = bearing(b, L.BEARING_DIR_E) / ground, bn = bearing(b, L.BEARING_DIR_N) / ground;
  const lag = Math.abs(timeUs - bearing(b, L.BEARING_TIME_US)) * 1e-6 * PHYSICS.BIRTH_SPEED_H_MPS;
  const wa = 1.0 / (rangeA * rangeA * measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  const sb = rangeB * bearing(b, L.BEARING_SIGMA_AZ_RAD);
  const wb = 1.0 / (sb * sb + lag * lag);
  const iee = wa * an * an + wb * bn * bn;
  const ien = -(wa * ae * an + wb * be * bn);
  const inn = wa * ae * ae + wb * be * be;
  const det = iee * inn - ien * ien;
  if (!(det >= CONDITION_MIN * (iee + inn) * (iee + inn))) return false;
  crossingEE = inn / det;
  crossingEN = -ien / det;
  crossingNN = iee / det;
  return true;
}

/** Starts a track at the crossing of stored bearing b and measurement `meas`. */
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

/** Crosses measurement `meas`, whose key is `key`, with every recent bearing of other sensors. */
export function crossBearing(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const stored = <i32>headAt(L.HEAD_BEARING_COUNT);
  const rangeMax = sensorAt(slot, L.SENSOR_RANGE_MAX_M);
  for (let b = 0; b < stored; b++) {
    if (wasCut() || !spend(1)) return;
    if (<i32>bearing(b, L.BEARING_SLOT) == slot) continue;
    if (timeUs - bearing(b, L.BEARING_TIME_US) > PHYSICS.BEARING_CROSS_S * 1e6) continue;
    if (!crosses(b, measAt(meas, L.MEAS_Z0), rangeMax) || !agreesInHeight(b, meas)) continue;
    // One measurement may start several crossings, so the key of each follows from both of its bearings.
    startCrossing(b, meas, slot, timeUs, keyOf(key, <i32>(bearing(b, L.BEARING_KEY) % 1048576.0)));
  }
}
