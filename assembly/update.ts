/**
 * One measurement into one Gaussian, and the moment match of several hypotheses. Knows states, not clusters.
 * The components of a measurement are taken one after another as scalars about one linearisation: the result equals the
 * batch update of the extended Kalman filter, the covariance stays symmetric, and no matrix is inverted.
 * Sources: Bar-Shalom, Li, Kirubarajan, Wiley 2001, ch. 5 and 10; Bierman, "Factorization Methods for Discrete Sequential
 * Estimation", Academic Press 1977 (scalar processing).
 */
import * as L from "./layout";
import { get, measAt, set } from "./arena";
import { dot6, multiply6 } from "./linalg";
import { componentCount, innovationOf, isPresent, jacobianRow, linearise, scanKind, sigmaOf } from "./measure";

const PREDICTED_Z: usize = L.WORK_UPDATE; // 6
const GAIN: usize = L.WORK_UPDATE + 8 * 8; // 6, P h'
const PREDICTED_X: usize = L.WORK_UPDATE + 16 * 8; // 6
const ROW: usize = L.WORK_UPDATE + 24 * 8; // 6

/**
 * x, P updated by one scalar with gradient h (a row of 6), residual y about the current x, and noise variance R:
 *   s = h P h' + R,  x' = x + P h' y / s,  P' = P - P h' h P / s
 * Returns y^2 / s.
 */
export function updateScalar(x: usize, p: usize, row: usize, residual: f64, variance: f64): f64 {
  multiply6(p, row, GAIN);
  const known = dot6(row, GAIN);
  // h P h' falls under 0 by rounding alone, where P is far narrower along h than elsewhere. Then the gain's limit is 0.
  if (known < 0) return 0;
  const s = known + variance;
  assert(variance > 0 && s > 0, "an innovation has a variance");
  const inverse = 1.0 / s;
  const step = residual * inverse;
  for (let i = 0; i < L.STATE_SIZE; i++) set(x, i, get(x, i) + get(GAIN, i) * step);
  let k = 0;
  for (let i = 0; i < L.STATE_SIZE; i++) {
    const g = get(GAIN, i) * inverse;
    for (let j = i; j < L.STATE_SIZE; j++, k++) set(p, k, get(p, k) - g * get(GAIN, j));
  }
  return residual * residual * inverse;
}

/**
 * x (6), P (21) updated in place by measurement `meas` of the scan. With H and z^ of the predicted x0, component k is
 *   y_k = z_k - z^_k - h_k (x - x0)
 * the residual about x as the components before k have left it, so that their order does not matter. Returns the sum of
 * the normalised squares, the squared Mahalanobis distance of the measurement.
 */
export function updateGaussian(x: usize, p: usize, meas: i32): f64 {
  linearise(x, PREDICTED_Z);
  const n = componentCount();
  for (let i = 0; i < L.STATE_SIZE; i++) set(PREDICTED_X, i, get(x, i));
  let distance = 0.0;
  const turned = scanKind == L.MEAS_KIND_POSITION && measAt(meas, L.MEAS_S0) != measAt(meas, L.MEAS_S1);
  for (let k = 0; k < n; k++) {
    if (!isPresent(meas, k)) continue;
    let row = jacobianRow(k);
    let residual = innovationOf(meas, k, get(PREDICTED_Z, k));
    if (turned && k < 2) {
      // The errors along the ellipse's axes are uncorrelated: the major one points (sin, cos), the minor one (cos, -sin).
      const sin = Math.sin(measAt(meas, L.MEAS_ORIENTATION));
      const cos = Math.cos(measAt(meas, L.MEAS_ORIENTATION));
      const a = k == 0 ? sin : cos;
      const b = k == 0 ? cos : -sin;
      for (let i = 0; i < L.STATE_SIZE; i++) set(ROW, i, a * get(jacobianRow(0), i) + b * get(jacobianRow(1), i));
      row = ROW;
      residual = a * innovationOf(meas, 0, get(PREDICTED_Z, 0)) + b * innovationOf(meas, 1, get(PREDICTED_Z, 1));
    }
    let moved = 0.0;
    for (let i = 0; i < L.STATE_SIZE; i++) moved += get(row, i) * (get(x, i) - get(PREDICTED_X, i));
    const sigma = sigmaOf(meas, k);
    distance += updateScalar(x, p, row, residual - moved, sigma * sigma);
  }
  return distance;
}

/** Adds hypothesis (x, P) of weight w to sums of the first and second moments about `origin`, against cancellation. */
export function addMoment(origin: usize, x: usize, p: usize, w: f64, sumX: usize, sumP: usize): void {
  assert(w > 0, "a hypothesis has a weight");
  let k = 0;
  for (let i = 0; i < L.STATE_SIZE; i++) {
    const di = get(x, i) - get(origin, i);
    set(sumX, i, get(sumX, i) + w * di);
    for (let j = i; j < L.STATE_SIZE; j++, k++) {
      set(sumP, k, get(sumP, k) + w * (get(p, k) + di * (get(x, j) - get(origin, j))));
    }
  }
}

/** The mean and covariance of which `addMoment` made the sums; `weight` is the sum of the weights. */
export function closeMoments(origin: usize, weight: f64, sumX: usize, sumP: usize, x: usize, p: usize): void {
  assert(weight > 0, "the hypotheses have a weight");
  const inverse = 1.0 / weight;
  for (let i = 0; i < L.STATE_SIZE; i++) set(sumX, i, get(sumX, i) * inverse);
  let k = 0;
  for (let i = 0; i < L.STATE_SIZE; i++) {
    for (let j = i; j < L.STATE_SIZE; j++, k++) set(p, k, get(sumP, k) * inverse - get(sumX, i) * get(sumX, j));
  }
  for (let i = 0; i < L.STATE_SIZE; i++) set(x, i, get(origin, i) + get(sumX, i));
}
