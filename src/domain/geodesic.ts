/**
 * The shortest way over the WGS-84 ellipsoid. Source: T. Vincenty, "Direct and inverse solutions of geodesics on the
 * ellipsoid with application of nested equations", Survey Review 23(176), 1975. Tested against GeographicLib. Pure.
 */
import { WGS84_A_M, WGS84_F } from "./geodesy.ts";

const DEG = Math.PI / 180;
const B_M = WGS84_A_M * (1 - WGS84_F);
const ITERATIONS_MAX = 100;
/** IUGG mean radius; only for the pairs that Vincenty's iteration does not settle for. */
const MEAN_RADIUS_M = 6_371_008.8;

interface Place {
  readonly lat: number;
  readonly lon: number;
}

/**
 * Metres along the surface, good to a millimetre; heights do not count. Nearly antipodal pairs, where the iteration does
 * not settle, get the great circle of the mean sphere (within 0.6 %).
 */
export function geodesicDistanceM(a: Place, b: Place): number {
  if (a.lat === b.lat && a.lon === b.lon) return 0;
  const u1 = Math.atan((1 - WGS84_F) * Math.tan(a.lat * DEG));
  const u2 = Math.atan((1 - WGS84_F) * Math.tan(b.lat * DEG));
  const [sinU1, cosU1, sinU2, cosU2] = [Math.sin(u1), Math.cos(u1), Math.sin(u2), Math.cos(u2)];
  // Through the date line the short way.
  const difference = ((((b.lon - a.lon + 540) % 360) + 360) % 360) - 180;
  const l = difference * DEG;
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
    if (Math.abs(lambda - before) < 1e-12) return arcM(sigma, sinSigma, cosSigma, cos2Alpha, cos2SigmaM);
  }
  return haversineM(a, b);
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

function haversineM(a: Place, b: Place): number {
  const sinLat = Math.sin(((b.lat - a.lat) * DEG) / 2);
  const sinLon = Math.sin(((b.lon - a.lon) * DEG) / 2);
  const h = sinLat ** 2 + Math.cos(a.lat * DEG) * Math.cos(b.lat * DEG) * sinLon ** 2;
  return 2 * MEAN_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}
