/**
 * Initiation: new tracks from measurements that no track explains. Position from the measurement, velocity from its range
 * rate or a wide prior, existence from how likely a new target is against a false alarm.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, meanOf, measAt, put, sensorAt, set } from "./arena";
import {
  EL, isPresent, jacobianRow, linearise, RATE, roomE, roomN, roomU, scanKind, sensorEast, sensorNorth, sensorUp, toRoom,
} from "./measure";
import { P_EE, P_EN, P_EU, P_NN, P_NU, P_UU, V_EE, V_NN, V_UU, variancePlace } from "./linalg";
import { dropForCapacity, newRow, noteOutcome } from "./rows";
import { birthsOf, falseAlarmsOf } from "./sensorStatistics";
import { startReflector } from "./fixedReflector";
import { updateScalar } from "./update";

const Z: usize = L.WORK_INITIATE; // 6
/** A plot without an elevation, nearer than the prior height, is taken to be no steeper than this. */
const PRIOR_SIN_EL_MAX: f64 = 0.7;

/**
 * Key of the track that a measurement starts, the same whenever the scan is fused (docs/adr/0011): 53 bits of a hash of the
 * scan's key and the measurement's number. Source of the mixer: Steele, Lea, Flood, OOPSLA 2014 (SplitMix64).
 */
export function keyOf(scanKey: f64, meas: i32): f64 {
  let h: u64 = <u64>scanKey ^ ((<u64>meas + 1) * 0x9e3779b97f4a7c15);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  h = h ^ (h >> 31);
  return <f64>((h >> 11) | 1);
}

/** P += variance v v' over the position, with v a unit vector in the room's axes. */
function addPositionVariance(p: usize, variance: f64, e: f64, n: f64, u: f64): void {
  set(p, P_EE, get(p, P_EE) + variance * e * e);
  set(p, P_EN, get(p, P_EN) + variance * e * n);
  set(p, P_EU, get(p, P_EU) + variance * e * u);
  set(p, P_NN, get(p, P_NN) + variance * n * n);
  set(p, P_NU, get(p, P_NU) + variance * n * u);
  set(p, P_UU, get(p, P_UU) + variance * u * u);
}

function putVelocityPrior(p: usize, horizontalMps: f64, verticalMps: f64): void {
  set(p, V_EE, horizontalMps * horizontalMps);
  set(p, V_NN, horizontalMps * horizontalMps);
  set(p, V_UU, verticalMps * verticalMps);
}

/**
 * State and covariance of a plot: its errors along the line of sight, across it and upwards, turned into the room's axes.
 * Without an elevation the height is a prior above the sensor.
 */
function fromSpherical(meas: i32, x: usize, p: usize): void {
  const az = measAt(meas, L.MEAS_Z0);
  const range = measAt(meas, L.MEAS_Z2);
  const hasElevation = isPresent(meas, EL);
  const priorEl = Math.asin(Math.min(PHYSICS.BIRTH_HEIGHT_M / Math.max(range, 1.0), PRIOR_SIN_EL_MAX));
  const el = hasElevation ? measAt(meas, L.MEAS_Z1) : priorEl;
  const sinA = Math.sin(az), cosA = Math.cos(az), sinE = Math.sin(el), cosE = Math.cos(el);
  toRoom(range * cosE * sinA, range * cosE * cosA, range * sinE);
  set(x, 0, sensorEast() + roomE);
  set(x, 1, sensorNorth() + roomN);
  set(x, 2, sensorUp() + roomU);
  const sigmaRange = measAt(meas, L.MEAS_S2);
  toRoom(cosE * sinA, cosE * cosA, sinE);
  addPositionVariance(p, sigmaRange * sigmaRange, roomE, roomN, roomU);
  const across = Math.max(range * cosE, 1.0) * measAt(meas, L.MEAS_S0);
  toRoom(cosA, -sinA, 0);
  addPositionVariance(p, across * across, roomE, roomN, roomU);
  const upward = hasElevation ? range * measAt(meas, L.MEAS_S1) : PHYSICS.BIRTH_HEIGHT_SIGMA_M;
  toRoom(-sinE * sinA, -sinE * cosA, cosE);
  addPositionVariance(p, upward * upward, roomE, roomN, roomU);
  putVelocityPrior(p, PHYSICS.BIRTH_SPEED_H_MPS, PHYSICS.BIRTH_SPEED_V_MPS);
  if (!isPresent(meas, RATE)) return;
  linearise(x, Z);
  const sigma = measAt(meas, L.MEAS_S3);
  updateScalar(x, p, jacobianRow(RATE), measAt(meas, L.MEAS_Z3) - get(Z, RATE), sigma * sigma);
}

/** State and covariance of a position report; without a height the height is a prior. */
function fromPosition(meas: i32, x: usize, p: usize): void {
  set(x, 0, measAt(meas, L.MEAS_Z0));
  set(x, 1, measAt(meas, L.MEAS_Z1));
  const hasHeight = isPresent(meas, 2);
  set(x, 2, hasHeight ? measAt(meas, L.MEAS_Z2) : PHYSICS.BIRTH_HEIGHT_M);
  const sin = Math.sin(measAt(meas, L.MEAS_ORIENTATION));
  const cos = Math.cos(measAt(meas, L.MEAS_ORIENTATION));
  addPositionVariance(p, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0), sin, cos, 0);
  addPositionVariance(p, measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1), cos, -sin, 0);
  const up = hasHeight ? measAt(meas, L.MEAS_S2) : PHYSICS.BIRTH_HEIGHT_SIGMA_M;
  addPositionVariance(p, up * up, 0, 0, 1);
  putVelocityPrior(p, PHYSICS.BIRTH_SPEED_H_MPS, PHYSICS.BIRTH_SPEED_V_MPS);
  for (let k = 3; k < 6; k++) {
    if (!isPresent(meas, k)) continue;
    const sigma = measAt(meas, L.MEAS_S3);
    set(x, k, measAt(meas, L.MEAS_Z0 + k));
    set(p, variancePlace(k), sigma * sigma);
  }
}

/** Starts a track of existence r from measurement `meas`; returns its row, or -1 when the table is full. */
function initiate(meas: i32, slot: i32, timeUs: f64, scanKey: f64, r: f64): i32 {
  assert(r > 0 && r <= 1, "existence is a probability");
  const row = newRow(keyOf(scanKey, meas), timeUs, slot);
  if (row < 0) return -1;
  put(L.TRACK_EXISTENCE, row, r);
  const x = meanOf(row, 0);
  const p = covOf(row, 0);
  if (scanKind == L.MEAS_KIND_POSITION) fromPosition(meas, x, p);
  else fromSpherical(meas, x, p);
  for (let k = 0; k < L.STATE_SIZE; k++) assert(get(p, variancePlace(k)) >= 0, "a new state has variances");
  memory.copy(meanOf(row, 1), x, L.STATE_BYTES);
  memory.copy(covOf(row, 1), p, L.COV_BYTES);
  const cooperative = sensorAt(slot, L.SENSOR_COOPERATIVE) != 0;
  put(L.TRACK_OWN_HITS, row, cooperative ? 0 : 1);
  put(L.TRACK_CLAIM, row, measAt(meas, L.MEAS_CLAIM));
  put(L.TRACK_CLAIM_SCORE, row, measAt(meas, L.MEAS_CLAIM) > 0 ? PHYSICS.CLAIM_SCORE_SHOWN : 0.0);
  put(L.TRACK_RCS_DBSM, row, measAt(meas, L.MEAS_RCS_DBSM));
  startContributor(row, slot, timeUs);
  // Only plots can be of a fixed reflector; a target that reports itself, or emits, flies.
  if (scanKind == L.MEAS_KIND_SPHERICAL) startReflector(row, x, p);
  else put(L.TRACK_REFLECTOR_LOGIT, row, PHYSICS.REFLECTOR_SETTLED - 1.0);
  return row;
}

/**
 * What no track explains may be a new target. Its existence is the probability of that,
 *   r = (1 - explained) births / (births + false alarms)
 */
export function initiateAll(slot: i32, timeUs: f64, scanKey: f64, count: i32): void {
  const births = birthsOf(slot);
  const share = births / (births + falseAlarmsOf(slot));
  for (let m = 0; m < count; m++) {
    const unexplained = 1.0 - at(L.MEAS_EXPLAINED, m);
    if (unexplained < PHYSICS.INITIATE_UNEXPLAINED_MIN) continue;
    const row = initiate(m, slot, timeUs, scanKey, Math.min(unexplained * share, PHYSICS.INITIATE_EXISTENCE_MAX));
    if (row < 0) dropForCapacity();
    else noteOutcome(m, L.OUTCOME_INITIATED, at(L.TRACK_KEY, row));
  }
}

/** The sensor in `slot` is the new row's first contributor. */
export function startContributor(row: i32, slot: i32, timeUs: f64): void {
  put(L.TRACK_CONTRIBUTOR_SLOT, row * L.CONTRIBUTORS_MAX, slot);
  put(L.TRACK_CONTRIBUTOR_LAST_US, row * L.CONTRIBUTORS_MAX, timeUs);
  put(L.TRACK_CONTRIBUTOR_HITS, row * L.CONTRIBUTORS_MAX, 1);
}
