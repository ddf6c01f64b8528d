/**
 * Small dense algebra on packed symmetric matrices, without allocation. Knows nothing of tracks or sensors.
 *
 * Packed upper, row by row. For 6x6:
 *    0  1  2  3  4  5
 *       6  7  8  9 10
 *         11 12 13 14
 *            15 16 17
 *               18 19
 *                  20
 */
import { get, set } from "./arena";

/** Position of (i, j), i <= j, in a packed upper matrix of order n. */
// @ts-ignore: decorator
@inline
export function packed(n: i32, i: i32, j: i32): i32 {
  return i * n - ((i * (i - 1)) >> 1) + (j - i);
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
 * Solves for the Mahalanobis distance and the determinant of a packed n x n S by Cholesky.
 * In: s packed upper (destroyed: holds the factor), y (destroyed: whitened). Returns |L^-1 y|^2; the determinant of S
 * is left in the file-wide `choleskyDeterminant`. Returns +Infinity when S is not positive definite.
 */
export let choleskyDeterminant: f64 = 0;
export function whiten(n: i32, s: usize, y: usize): f64 {
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
