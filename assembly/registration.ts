/**
 * Sensor registration: the constant errors of a radar (azimuth bias, range bias, clock offset) are learnt against anchors,
 * reported, and corrected once they are certain. Knows sensors and anchors.
 * Source: Bar-Shalom, Willett, Tian, "Tracking and Data Fusion", YBS 2011 (sensor registration).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { anchorStateAt } from "./anchors";
import { at, get, isRow, measAt, putSensor, sensorAt, set } from "./arena";
import { dot6, multiply6, packed } from "./linalg";
import { AZ, jacobianRow, linearise, RANGE, scanKind, wrapAngle } from "./measure";

const X: usize = L.WORK_REGISTRATION; // 6
const P: usize = L.WORK_REGISTRATION + 8 * 8; // 21
const Z: usize = L.WORK_REGISTRATION + 32 * 8; // 6
const PH: usize = L.WORK_REGISTRATION + 40 * 8; // 6, P h'

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

/**
 * One scalar into the Kalman filter of a sensor's errors b = (azimuth, range, clock) with covariance C:
 *   y = residual - h b,  s = h C h' + R,  b' = b + C h' y / s,  C' = C - C h' h C / s
 * A residual beyond four sigmas is an outlier, and no sign of a constant error.
 */
function updateBias(slot: i32, h0: f64, h1: f64, h2: f64, residual: f64, variance: f64): void {
  const b = <usize>L.SENSOR + <usize>((slot * L.SENSOR_STRIDE + L.SENSOR_BIAS) * 8);
  const c = <usize>L.SENSOR + <usize>((slot * L.SENSOR_STRIDE + L.SENSOR_BIAS_COV) * 8);
  const g0 = get(c, 0) * h0 + get(c, 1) * h1 + get(c, 2) * h2;
  const g1 = get(c, 1) * h0 + get(c, 3) * h1 + get(c, 4) * h2;
  const g2 = get(c, 2) * h0 + get(c, 4) * h1 + get(c, 5) * h2;
  const s = h0 * g0 + h1 * g1 + h2 * g2 + variance;
  assert(s > 0, "a residual has a variance");
  const y = residual - (h0 * get(b, 0) + h1 * get(b, 1) + h2 * get(b, 2));
  if (y * y > PHYSICS.BIAS_OUTLIER_D2 * s) return;
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
  putSensor(slot, biasVariancePlace(L.BIAS_AZ), PHYSICS.BIAS_AZ_SIGMA_RAD * PHYSICS.BIAS_AZ_SIGMA_RAD);
  putSensor(slot, biasVariancePlace(L.BIAS_RANGE), PHYSICS.BIAS_RANGE_SIGMA_M * PHYSICS.BIAS_RANGE_SIGMA_M);
  putSensor(slot, biasVariancePlace(L.BIAS_CLOCK), PHYSICS.BIAS_CLOCK_SIGMA_S * PHYSICS.BIAS_CLOCK_SIGMA_S);
}

/**
 * Compares a radar's plot of a track that is certain of its claim with where that claim's anchor was. A sensor whose clock
 * is off by tau and whose component k (azimuth or range) is off by b_k measures, of an anchor at p with velocity v,
 *   z_k = h_k(p - tau v) + b_k + noise,  so  z_k - h_k(p) = b_k - tau H_k v + noise,  R = H_k P H_k' + sigma_k^2
 * What was corrected of z and h already is added back, so that the filter learns the whole error.
 */
export function learnRegistration(row: i32, slot: i32, meas: i32): void {
  assert(isRow(row), "a row is inside the track table");
  if (scanKind != L.MEAS_KIND_SPHERICAL) return;
  const claim = at(L.TRACK_CLAIM, row);
  if (!(claim > 0) || at(L.TRACK_CLAIM_SCORE, row) < PHYSICS.BIAS_CLAIM_SCORE_MIN) return;
  if (!anchorStateAt(claim, at(L.TRACK_TIME_US, row), X, P)) return;
  if (sensorAt(slot, L.SENSOR_BIAS_COUNT) == 0) openBias(slot);
  linearise(X, Z);
  const corrected = sensorAt(slot, L.SENSOR_BIAS_CORRECTED) != 0;
  const azTaken = corrected ? biasOf(slot, L.BIAS_AZ) : 0.0;
  const rangeTaken = corrected ? biasOf(slot, L.BIAS_RANGE) : 0.0;
  const clockTaken = corrected ? biasOf(slot, L.BIAS_CLOCK) : 0.0;
  const velocity = X + 3 * 8;
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
  decideCorrection(slot);
}

/** The errors are corrected after enough samples, when at least one of them is beyond three sigmas. */
function decideCorrection(slot: i32): void {
  const azVariance = sensorAt(slot, biasVariancePlace(L.BIAS_AZ));
  const rangeVariance = sensorAt(slot, biasVariancePlace(L.BIAS_RANGE));
  const clockVariance = sensorAt(slot, biasVariancePlace(L.BIAS_CLOCK));
  const az = biasOf(slot, L.BIAS_AZ);
  const range = biasOf(slot, L.BIAS_RANGE);
  const clock = biasOf(slot, L.BIAS_CLOCK);
  const known = sensorAt(slot, L.SENSOR_BIAS_COUNT) >= PHYSICS.BIAS_SAMPLES_MIN;
  const limit = PHYSICS.BIAS_CERTAIN_D2;
  const isOff = az * az > limit * azVariance || range * range > limit * rangeVariance;
  const certain = isOff || clock * clock > limit * clockVariance;
  putSensor(slot, L.SENSOR_BIAS_CORRECTED, known && certain ? 1 : 0);
}

/** Takes the learnt azimuth and range errors off the scan's measurements; `linearise` has the clock offset. */
export function takeOffBias(slot: i32, count: i32): void {
  if (sensorAt(slot, L.SENSOR_BIAS_CORRECTED) == 0 || scanKind == L.MEAS_KIND_POSITION) return;
  const az = biasOf(slot, L.BIAS_AZ);
  const range = biasOf(slot, L.BIAS_RANGE);
  for (let meas = 0; meas < count; meas++) {
    const row = <usize>L.MEAS + <usize>(meas * L.MEAS_STRIDE * 8);
    set(row, L.MEAS_Z0, wrapAngle(get(row, L.MEAS_Z0) - az));
    if (scanKind == L.MEAS_KIND_SPHERICAL) set(row, L.MEAS_Z2, get(row, L.MEAS_Z2) - range);
  }
}
