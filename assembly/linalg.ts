/**
 * Small dense algebra on states and packed symmetric matrices, without allocation. Knows nothing of tracks or sensors.
 *
 * A state is (e, n, u, ve, vn, vu). Symmetric matrices keep their upper triangle, row by row; a covariance of a state:
 *
 *         e    n    u    ve   vn   vu
 *    e    0    1    2    3    4    5        P_EE P_EN P_EU   C_EE C_EN C_EU
 *    n         6    7    8    9   10             P_NN P_NU   C_NE C_NN C_NU
 *    u             11   12   13   14                  P_UU   C_UE C_UN C_UU
 *    ve                 15   16   17                         V_EE V_EN V_EU
 *    vn                      18   19                              V_NN V_NU
 *    vu                           20                                   V_UU
 */
import { STATE_SIZE } from "./layout";
import { get, set } from "./arena";

/** Position, m^2. */
export const P_EE: i32 = 0;
export const P_EN: i32 = 1;
export const P_EU: i32 = 2;
export const P_NN: i32 = 6;
export const P_NU: i32 = 7;
export const P_UU: i32 = 11;
/** Position against velocity, m^2/s: C_EN is cov(e, vn). */
export const C_EE: i32 = 3;
export const C_EN: i32 = 4;
export const C_EU: i32 = 5;
export const C_NE: i32 = 8;
export const C_NN: i32 = 9;
export const C_NU: i32 = 10;
export const C_UE: i32 = 12;
export const C_UN: i32 = 13;
export const C_UU: i32 = 14;
/** Velocity, m^2/s^2. */
export const V_EE: i32 = 15;
export const V_EN: i32 = 16;
export const V_EU: i32 = 17;
export const V_NN: i32 = 18;
export const V_NU: i32 = 19;
export const V_UU: i32 = 20;
/** ln(2 pi), of the Gaussian density. */
export const LN_2PI: f64 = 1.8378770664093453;

/** Position of (i, j), i <= j, in a packed upper matrix of order n. */
// @ts-ignore: decorator
@inline
export function packed(n: i32, i: i32, j: i32): i32 {
  return i * n - ((i * (i - 1)) >> 1) + (j - i);
}

/** Place of the variance of component i (0..5: e n u ve vn vu) in a covariance of a state. */
// @ts-ignore: decorator
@inline
export function variancePlace(i: i32): i32 {
  return packed(STATE_SIZE, i, i);
}

/** Value between a (w = 0) and b (w = 1): the mean of a mixture of two. */
// @ts-ignore: decorator
@inline
export function mix(a: f64, b: f64, w: f64): f64 {
  return a + w * (b - a);
}

/**
 * Moment match of a mixture of two Gaussians, 1 - w of (x0, P0) and w of (x1, P1), into x, P (not in place):
 *   x = (1 - w) x0 + w x1
 *   P = (1 - w) P0 + w P1 + w (1 - w) (x1 - x0)(x1 - x0)'
 * Source: Bar-Shalom, Li, Kirubarajan, Wiley 2001, ch. 1 (moments of a Gaussian mixture).
 */
export function combine(w: f64, x0: usize, p0: usize, x1: usize, p1: usize, x: usize, p: usize): void {
  assert(w >= 0 && w <= 1, "a weight of a mixture is a share");
  for (let i = 0; i < STATE_SIZE; i++) set(x, i, mix(get(x0, i), get(x1, i), w));
  let k = 0;
  for (let i = 0; i < STATE_SIZE; i++) {
    for (let j = i; j < STATE_SIZE; j++, k++) {
      const spread = w * (1.0 - w) * (get(x1, i) - get(x0, i)) * (get(x1, j) - get(x0, j));
      set(p, k, mix(get(p0, k), get(p1, k), w) + spread);
    }
  }
}

/** y = P x for a packed 6x6 P. 36 multiplications. */
export function multiply6(p: usize, x: usize, y: usize): void {
  const x0 = get(x, 0), x1 = get(x, 1), x2 = get(x, 2), x3 = get(x, 3), x4 = get(x, 4), x5 = get(x, 5);
  set(y, 0, get(p, 0) * x0 + get(p, 1) * x1 + get(p, 2) * x2 + get(p, 3) * x3 + get(p, 4) * x4 + get(p, 5) * x5);
  set(y, 1, get(p, 1) * x0 + get(p, 6) * x1 + get(p, 7) * x2 + get(p, 8) * x3 + get(p, 9) * x4 + get(p, 10) * x5);
  set(y, 2, get(p, 2) * x0 + get(p, 7) * x1 + get(p, 11) * x2 + get(p, 12) * x3 + get(p, 13) * x4 + get(p, 14) * x5);
  set(y, 3, get(p, 3) * x0 + get(p, 8) * x1 + get(p, 12) * x2 + get(p, 15) * x3 + get(p, 16) * x4 + get(p, 17) * x5);
  set(y, 4, get(p, 4) * x0 + get(p, 9) * x1 + get(p, 13) * x2 + get(p, 16) * x3 + get(p, 18) * x4 + get(p, 19) * x5);
  set(y, 5, get(p, 5) * x0 + get(p, 10) * x1 + get(p, 14) * x2 + get(p, 17) * x3 + get(p, 19) * x4 + get(p, 20) * x5);
}

// @ts-ignore: decorator
@inline
export function dot6(a: usize, b: usize): f64 {
  return (
    get(a, 0) * get(b, 0) + get(a, 1) * get(b, 1) + get(a, 2) * get(b, 2) +
    get(a, 3) * get(b, 3) + get(a, 4) * get(b, 4) + get(a, 5) * get(b, 5)
  );
}

/**
 * Squared Mahalanobis distance y' S^-1 y of a packed n x n S, by its factorisation L D L'. Destroys s and y; leaves |S| in
 * `choleskyDeterminant`. Infinity when S is not positive definite.
 * Source: Golub & Van Loan, "Matrix Computations", ch. 4 (LDL' without square roots).
 */
export let choleskyDeterminant: f64 = 0;
export function whiten(n: i32, s: usize, y: usize): f64 {
  assert(n >= 1 && n <= STATE_SIZE, "a system has 1..6 equations");
  let determinant = 1.0;
  let distance = 0.0;
  for (let i = 0; i < n; i++) {
    const ii = packed(n, i, i);
    const d = get(s, ii);
    if (!(d > 0)) {
      choleskyDeterminant = 0;
      return Infinity;
    }
    determinant *= d;
    const inverse = 1.0 / d;
    const yi = get(y, i);
    distance += yi * yi * inverse;
    for (let j = i + 1; j < n; j++) {
      const f = get(s, ii + (j - i)) * inverse;
      const jj = packed(n, j, j);
      for (let k = j; k < n; k++) set(s, jj + (k - j), get(s, jj + (k - j)) - f * get(s, ii + (k - i)));
      set(y, j, get(y, j) - f * yi);
    }
  }
  choleskyDeterminant = determinant;
  return distance;
}
