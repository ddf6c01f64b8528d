/**
 * The shortest way over the WGS-84 ellipsoid. Source: T. Vincenty, "Direct and inverse solutions of geodesics on the
 * ellipsoid with application of nested equations", Survey Review 23(176), 1975. Tested against GeographicLib. Pure.
 */
import { RAD_PER_DEG } from "../lib/angles.ts";
import { WGS84_A_M, WGS84_F } from "./geodesy.ts";

const B_M = WGS84_A_M * (1 - WGS84_F);
const ITERATIONS_MAX = 100;
/** For near antipodes: points tried on the dividing circle, and steps that narrow the best of them down. */
const CROSSINGS = 24;
const REFINEMENTS = 26;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Place {
  readonly lat: number;
  readonly lon: number;
}

/** Metres along the surface, good to a millimetre; heights do not count. */
export function geodesicDistanceM(a: Place, b: Place): number {
  return vincentyM(a, b) ?? overTheMiddleM(a, b);
}

/** null: the iteration does not converge, which happens between near antipodes only. */
function vincentyM(a: Place, b: Place): number | null {
  if (a.lat === b.lat && a.lon === b.lon) return 0;
  const u1 = Math.atan((1 - WGS84_F) * Math.tan(a.lat * RAD_PER_DEG));
  const u2 = Math.atan((1 - WGS84_F) * Math.tan(b.lat * RAD_PER_DEG));
  const [sinU1, cosU1, sinU2, cosU2] = [Math.sin(u1), Math.cos(u1), Math.sin(u2), Math.cos(u2)];
  // Across the antimeridian where that is shorter.
  const difference = ((((b.lon - a.lon + 540) % 360) + 360) % 360) - 180;
  const l = difference * RAD_PER_DEG;
  let lambda = l;
  for (let i = 0; i < ITERATIONS_MAX; i++) {
    const sinLambda = Math.sin(lambda);
    const cosLambda = Math.cos(lambda);
    const sinSigma = Math.hypot(cosU2 * sinLambda, cosU1 * sinU2 - sinU1 * cosU2 * cosLambda);
    if (sinSigma === 0) return 0;
    const cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda;
    const sigma = Math.atan2(sinSigma, cosSigma);
    const sinAlpha = (cosU1 * cosU2 * sinLambda) / sinSigma;
    const cos2Alpha = 1 - sinAlpha * sinAlpha;
    // On the equator every point is its own vertex.
    const cos2SigmaM = cos2Alpha === 0 ? 0 : cosSigma - (2 * sinU1 * sinU2) / cos2Alpha;
    const c = (WGS84_F / 16) * cos2Alpha * (4 + WGS84_F * (4 - 3 * cos2Alpha));
    const before = lambda;
    lambda =
      l +
      (1 - c) *
        WGS84_F *
        sinAlpha *
        (sigma + c * sinSigma * (cos2SigmaM + c * cosSigma * (2 * cos2SigmaM * cos2SigmaM - 1)));
    // Beyond the antipode it may converge to a path that is not the shortest.
    if (Math.abs(lambda) > Math.PI) return null;
    if (Math.abs(lambda - before) < 1e-12) return arcM(sigma, sinSigma, cosSigma, cos2Alpha, cos2SigmaM);
  }
  return null;
}

function arcM(sigma: number, sinSigma: number, cosSigma: number, cos2Alpha: number, cos2SigmaM: number): number {
  const uSquared = (cos2Alpha * (WGS84_A_M ** 2 - B_M ** 2)) / B_M ** 2;
  const a = 1 + (uSquared / 16_384) * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)));
  const b = (uSquared / 1024) * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)));
  const deltaSigma =
    b *
    sinSigma *
    (cos2SigmaM +
      (b / 4) *
        (cosSigma * (2 * cos2SigmaM ** 2 - 1) -
          (b / 6) * cos2SigmaM * (4 * sinSigma ** 2 - 3) * (4 * cos2SigmaM ** 2 - 3)));
  return B_M * a * (sigma - deltaSigma);
}

/**
 * Every path from a to its near antipode b crosses the great circle a quarter turn from a. The shortest crosses it where the
 * sum of its halves is least; each half is far from antipodal, so Vincenty is exact for it.
 */
function overTheMiddleM(a: Place, b: Place): number {
  const viaM = (turn: number) => {
    const middle = quarterFrom(a, turn);
    return (vincentyM(a, middle) ?? Infinity) + (vincentyM(middle, b) ?? Infinity);
  };
  const step = (2 * Math.PI) / CROSSINGS;
  const coarse = Array.from({ length: CROSSINGS }, (_, i) => viaM(i * step));
  let best = Infinity;
  for (let i = 0; i < CROSSINGS; i++) {
    const [before, here, after] = [coarse.at(i - 1)!, coarse[i]!, coarse[(i + 1) % CROSSINGS]!];
    // Two paths may be nearly equally long, such as one over each pole.
    if (here <= before && here <= after) best = Math.min(best, leastBetween(viaM, (i - 1) * step, (i + 1) * step));
  }
  return best;
}

/** Golden-section search: `of` has one minimum between the two. */
function leastBetween(of: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - (high - low) * GOLDEN, low + (high - low) * GOLDEN];
  let [atLeft, atRight] = [of(left), of(right)];
  for (let i = 0; i < REFINEMENTS; i++) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - (high - low) * GOLDEN;
      atLeft = of(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + (high - low) * GOLDEN;
      atRight = of(right);
    }
  }
  return Math.min(atLeft, atRight);
}

/** The point a quarter turn of the sphere from `a`, in the direction `turn`. */
function quarterFrom({ lat, lon }: Place, turn: number): Place {
  const sinLat = Math.sin(lat * RAD_PER_DEG);
  const cosLat = Math.cos(lat * RAD_PER_DEG);
  const east = Math.atan2(Math.sin(turn), -sinLat * Math.cos(turn));
  return { lat: Math.asin(cosLat * Math.cos(turn)) / RAD_PER_DEG, lon: lon + east / RAD_PER_DEG };
}
