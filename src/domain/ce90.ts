/** CE90: the radius of the horizontal circle that holds the object with probability 0.9 (circular normal). */

/** Over sigma: sqrt(-2 ln 0.1). */
export const CE90_PER_SIGMA = 2.145966;

/** Of a position's packed covariance, east, north, up, in m^2. */
export function ce90M(covPosM2: ArrayLike<number>): number {
  return CE90_PER_SIGMA * Math.sqrt((covPosM2[0]! + covPosM2[3]!) / 2);
}
