/**
 * Constant errors of a sensor: azimuth bias, range bias, clock offset. Learnt against anchors, which are cooperative
 * emitters followed on their own reports alone, so that a biased sensor is never judged against itself. Corrected when
 * confident. Source: Bar-Shalom, Willett, Tian, "Tracking and Data Fusion", YBS 2011 (sensor registration).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, headAt, isRow, measAt, putHead, putSensor, sensorAt, set } from "./arena";
import { AZ, isPresent, jacobianRow, linearise, RANGE, scanKind, wrapAngle } from "./measure";
import { dot6, multiply6, P_EE, P_NN, P_UU, packed, variancePlace } from "./linalg";
import { moveConstantVelocity } from "./predict";
import { updateGaussian } from "./update";

const X: usize = L.WORK_REGISTRATION; // 6
const P: usize = L.WORK_REGISTRATION + 8 * 8; // 21
const Z: usize = L.WORK_REGISTRATION + 32 * 8; // 6
const PH: usize = L.WORK_REGISTRATION + 40 * 8; // 6

/** Components of a bias (3 values and their packed covariance). */
const BIAS_AZ: i32 = 0;
const BIAS_RANGE: i32 = 1;
const BIAS_CLOCK: i32 = 2;

// @ts-ignore: decorator
@inline
function biasOf(slot: i32, component: i32): f64 {
  return sensorAt(slot, L.SENSOR_BIAS + component);
}

// @ts-ignore: decorator
@inline
function biasVariancePlace(component: i32): i32 {
  return L.SENSOR_BIAS_COV + packed(3, component, component);
}

// @ts-ignore: decorator
@inline
function anchorAt(index: i32): usize {
  return <usize>L.ANCHOR + <usize>(index * L.ANCHOR_STRIDE * 8);
}

function findAnchor(claim: f64): i32 {
  const count = <i32>headAt(L.HEAD_ANCHOR_COUNT);
  for (let i = 0; i < count; i++) if (get(anchorAt(i), L.ANCHOR_CLAIM) == claim) return i;
  return -1;
}

/** A new anchor's row, or that of the anchor heard longest ago. */
function placeForAnchor(): i32 {
  const count = <i32>headAt(L.HEAD_ANCHOR_COUNT);
  if (count < L.ANCHOR_CAPACITY) {
    putHead(L.HEAD_ANCHOR_COUNT, count + 1);
    return count;
  }
  let oldest = 0;
  for (let i = 1; i < count; i++) if (get(anchorAt(i), L.ANCHOR_TIME_US) < get(anchorAt(oldest), L.ANCHOR_TIME_US)) oldest = i;
  return oldest;
}

/** The reports of a scan move their anchors on. */
export function moveAnchors(timeUs: f64, count: i32): void {
  for (let meas = 0; meas < count; meas++) {
    const claim = measAt(meas, L.MEAS_CLAIM);
    if (!(claim > 0) || !isPresent(meas, 2)) continue;
    let index = findAnchor(claim);
    if (index >= 0 && Math.abs(timeUs - get(anchorAt(index), L.ANCHOR_TIME_US)) < PHYSICS.ANCHOR_GAP_S * 1e6) {
      const a = anchorAt(index);
      const dtS = (timeUs - get(a, L.ANCHOR_TIME_US)) * 1e-6;
      const x = a + L.ANCHOR_MEAN * 8;
      const p = a + L.ANCHOR_COV * 8;
      moveConstantVelocity(x, p, Math.max(dtS, 0), PHYSICS.ANCHOR_PSD, PHYSICS.ANCHOR_PSD);
      updateGaussian(x, p, meas);
      set(a, L.ANCHOR_TIME_US, timeUs);
      set(a, L.ANCHOR_REPORTS, get(a, L.ANCHOR_REPORTS) + 1);
      continue;
    }
    if (index < 0) index = placeForAnchor();
    startAnchor(anchorAt(index), claim, timeUs, meas);
  }
}

function startAnchor(a: usize, claim: f64, timeUs: f64, meas: i32): void {
  memory.fill(a, 0, L.ANCHOR_STRIDE * 8);
  set(a, L.ANCHOR_CLAIM, claim);
  set(a, L.ANCHOR_TIME_US, timeUs);
  set(a, L.ANCHOR_REPORTS, 1);
  const x = a + L.ANCHOR_MEAN * 8;
  const p = a + L.ANCHOR_COV * 8;
  for (let k = 0; k < 3; k++) set(x, k, measAt(meas, L.MEAS_Z0 + k));
  set(p, P_EE, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, P_NN, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, P_UU, measAt(meas, L.MEAS_S2) * measAt(meas, L.MEAS_S2));
  for (let k = 3; k < 6; k++) {
    const known = isPresent(meas, k);
    set(x, k, known ? measAt(meas, L.MEAS_Z0 + k) : 0.0);
    set(p, variancePlace(k), known ? measAt(meas, L.MEAS_S3) * measAt(meas, L.MEAS_S3) : 100.0);
  }
}

/** One scalar of the bias filter: residual = h . bias + noise. h has three entries. */
function updateBias(slot: i32, h0: f64, h1: f64, h2: f64, residual: f64, variance: f64): void {
  const b = <usize>L.SENSOR + <usize>((slot * L.SENSOR_STRIDE + L.SENSOR_BIAS) * 8);
  const c = <usize>L.SENSOR + <usize>((slot * L.SENSOR_STRIDE + L.SENSOR_BIAS_COV) * 8);
  const g0 = get(c, 0) * h0 + get(c, 1) * h1 + get(c, 2) * h2;
  const g1 = get(c, 1) * h0 + get(c, 3) * h1 + get(c, 4) * h2;
  const g2 = get(c, 2) * h0 + get(c, 4) * h1 + get(c, 5) * h2;
  const s = h0 * g0 + h1 * g1 + h2 * g2 + variance;
  assert(s > 0, "a residual has a variance");
  const y = residual - (h0 * get(b, 0) + h1 * get(b, 1) + h2 * get(b, 2));
  if (y * y > 16.0 * s) return; // an outlier says nothing of a constant error
  set(b, 0, get(b, 0) + (g0 / s) * y);
  set(b, 1, get(b, 1) + (g1 / s) * y);
  set(b, 2, get(b, 2) + (g2 / s) * y);
  set(c, 0, get(c, 0) - (g0 * g0) / s);
  set(c, 1, get(c, 1) - (g0 * g1) / s);
  set(c, 2, get(c, 2) - (g0 * g2) / s);
  set(c, 3, get(c, 3) - (g1 * g1) / s);
  set(c, 4, get(c, 4) - (g1 * g2) / s);
  set(c, 5, get(c, 5) - (g2 * g2) / s);
}

function openBias(slot: i32): void {
  putSensor(slot, biasVariancePlace(BIAS_AZ), PHYSICS.BIAS_AZ_SIGMA_RAD * PHYSICS.BIAS_AZ_SIGMA_RAD);
  putSensor(slot, biasVariancePlace(BIAS_RANGE), PHYSICS.BIAS_RANGE_SIGMA_M * PHYSICS.BIAS_RANGE_SIGMA_M);
  putSensor(slot, biasVariancePlace(BIAS_CLOCK), PHYSICS.BIAS_CLOCK_SIGMA_S * PHYSICS.BIAS_CLOCK_SIGMA_S);
}

/** Compares a radar's plot of a claimed track with where its anchor was. */
export function learnRegistration(row: i32, slot: i32, meas: i32): void {
  assert(isRow(row), "a row is inside the track table");
  if (scanKind != L.MEAS_KIND_SPHERICAL) return;
  const claim = at(L.TRACK_CLAIM, row);
  if (!(claim > 0) || at(L.TRACK_CLAIM_SCORE, row) < 3.0) return;
  const index = findAnchor(claim);
  if (index < 0 || get(anchorAt(index), L.ANCHOR_REPORTS) < 4) return;
  const a = anchorAt(index);
  const dtS = (at(L.TRACK_TIME_US, row) - get(a, L.ANCHOR_TIME_US)) * 1e-6;
  if (dtS < 0 || dtS > PHYSICS.ANCHOR_AGE_MAX_S) return;
  if (sensorAt(slot, L.SENSOR_BIAS_COUNT) == 0) openBias(slot);
  memory.copy(X, a + L.ANCHOR_MEAN * 8, L.STATE_BYTES);
  memory.copy(P, a + L.ANCHOR_COV * 8, L.COV_BYTES);
  moveConstantVelocity(X, P, dtS, PHYSICS.ANCHOR_PSD, PHYSICS.ANCHOR_PSD);
  linearise(X, Z);
  const corrected = sensorAt(slot, L.SENSOR_BIAS_CORRECTED) != 0;
  // What was taken off before is put back: the filter learns the whole error.
  const azTaken = corrected ? biasOf(slot, BIAS_AZ) : 0.0;
  const rangeTaken = corrected ? biasOf(slot, BIAS_RANGE) : 0.0;
  const clockTaken = corrected ? biasOf(slot, BIAS_CLOCK) : 0.0;
  const velocity = X + 24;
  for (let k = AZ; k <= RANGE; k += RANGE - AZ) {
    const h = jacobianRow(k);
    const rate = get(h, 0) * get(velocity, 0) + get(h, 1) * get(velocity, 1) + get(h, 2) * get(velocity, 2);
    multiply6(P, h, PH);
    const sigma = measAt(meas, L.MEAS_S0 + k);
    const difference = measAt(meas, L.MEAS_Z0 + k) - get(Z, k);
    const residual = (k == AZ ? wrapAngle(difference) + azTaken : difference + rangeTaken) - rate * clockTaken;
    updateBias(slot, k == AZ ? 1.0 : 0.0, k == AZ ? 0.0 : 1.0, -rate, residual, dot6(h, PH) + sigma * sigma);
  }
  putSensor(slot, L.SENSOR_BIAS_COUNT, sensorAt(slot, L.SENSOR_BIAS_COUNT) + 1);
  decide(slot);
}

/** Corrected once the errors are known well and at least one of them is no chance. */
function decide(slot: i32): void {
  const azVariance = sensorAt(slot, biasVariancePlace(BIAS_AZ));
  const rangeVariance = sensorAt(slot, biasVariancePlace(BIAS_RANGE));
  const clockVariance = sensorAt(slot, biasVariancePlace(BIAS_CLOCK));
  const az = biasOf(slot, BIAS_AZ);
  const range = biasOf(slot, BIAS_RANGE);
  const clock = biasOf(slot, BIAS_CLOCK);
  const known = sensorAt(slot, L.SENSOR_BIAS_COUNT) >= PHYSICS.BIAS_SAMPLES_MIN;
  const marked = az * az > 9.0 * azVariance || range * range > 9.0 * rangeVariance || clock * clock > 9.0 * clockVariance;
  putSensor(slot, L.SENSOR_BIAS_CORRECTED, known && marked ? 1 : 0);
}

/** Takes the learnt azimuth and range errors off the scan's measurements; the clock offset is in the measurement model. */
export function takeOffBias(slot: i32, count: i32): void {
  if (sensorAt(slot, L.SENSOR_BIAS_CORRECTED) == 0 || scanKind == L.MEAS_KIND_POSITION) return;
  const az = biasOf(slot, BIAS_AZ);
  const range = biasOf(slot, BIAS_RANGE);
  for (let meas = 0; meas < count; meas++) {
    const row = <usize>L.MEAS + <usize>(meas * L.MEAS_STRIDE * 8);
    set(row, L.MEAS_Z0, wrapAngle(get(row, L.MEAS_Z0) - az));
    if (scanKind == L.MEAS_KIND_SPHERICAL) set(row, L.MEAS_Z2, get(row, L.MEAS_Z2) - range);
  }
}
