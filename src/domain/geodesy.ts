/**
 * WGS-84 geometry: geodetic <-> ECEF <-> local east-north-up. Pure.
 *
 * A frame is a tangent plane at an origin, reached through ECEF, so that a point 50 km away is still right: the earth's
 * curvature is in `u`. Tested against GeographicLib to 1e-6 m. Source: Zhu, "Conversion of Earth-centered Earth-fixed
 * coordinates to geodetic coordinates", IEEE TAES 30(3), 1994 (the closed form `ecefToGeodetic` uses is Bowring's 1985
 * iteration, run to convergence).
 */
import { RAD_PER_DEG } from "../lib/angles.ts";
export interface Geodetic {
  readonly lat: number; // degrees
  readonly lon: number; // degrees
  readonly alt_hae_m: number;
}

type Vec3 = readonly [number, number, number];

export const WGS84_A_M = 6_378_137;
export const WGS84_F = 1 / 298.257223563;
const WGS84_E2 = WGS84_F * (2 - WGS84_F);

export function geodeticToEcef(latDeg: number, lonDeg: number, altHaeM: number): [number, number, number] {
  const lat = latDeg * RAD_PER_DEG;
  const lon = lonDeg * RAD_PER_DEG;
  const sinLat = Math.sin(lat);
  const cosLat = Math.cos(lat);
  const n = WGS84_A_M / Math.sqrt(1 - WGS84_E2 * sinLat * sinLat);
  const r = (n + altHaeM) * cosLat;
  return [r * Math.cos(lon), r * Math.sin(lon), (n * (1 - WGS84_E2) + altHaeM) * sinLat];
}

export function ecefToGeodetic(x: number, y: number, z: number): [number, number, number] {
  const p = Math.hypot(x, y);
  const lon = Math.atan2(y, x);
  let lat = Math.atan2(z, p * (1 - WGS84_E2));
  let n = WGS84_A_M;
  for (let i = 0; i < 6; i++) {
    const s = Math.sin(lat);
    n = WGS84_A_M / Math.sqrt(1 - WGS84_E2 * s * s);
    const next = Math.atan2(z + WGS84_E2 * n * s, p);
    if (Math.abs(next - lat) < 1e-14) {
      lat = next;
      break;
    }
    lat = next;
  }
  const s = Math.sin(lat);
  const c = Math.cos(lat);
  n = WGS84_A_M / Math.sqrt(1 - WGS84_E2 * s * s);
  // Stable at the poles, where p / cos(lat) is 0 / 0.
  const alt = p * c + z * s - WGS84_A_M * Math.sqrt(1 - WGS84_E2 * s * s);
  return [lat / RAD_PER_DEG, lon / RAD_PER_DEG, alt];
}

/** A local tangent frame: its origin in ECEF and the rows of the rotation ECEF -> ENU. */
export class EnuFrame {
  readonly origin: Geodetic;
  readonly ecef: Vec3;
  /** Row-major 3x3: east, north, up axes in ECEF. */
  readonly rotation: readonly number[];

  constructor(origin: Geodetic) {
    this.origin = origin;
    this.ecef = geodeticToEcef(origin.lat, origin.lon, origin.alt_hae_m);
    const sLat = Math.sin(origin.lat * RAD_PER_DEG);
    const cLat = Math.cos(origin.lat * RAD_PER_DEG);
    const sLon = Math.sin(origin.lon * RAD_PER_DEG);
    const cLon = Math.cos(origin.lon * RAD_PER_DEG);
    this.rotation = [-sLon, cLon, 0, -sLat * cLon, -sLat * sLon, cLat, cLat * cLon, cLat * sLon, sLat];
  }

  toEnu(latDeg: number, lonDeg: number, altHaeM: number): [number, number, number] {
    const p = geodeticToEcef(latDeg, lonDeg, altHaeM);
    return this.rotateToEnu(p[0] - this.ecef[0], p[1] - this.ecef[1], p[2] - this.ecef[2]);
  }

  toGeodetic(e: number, n: number, u: number): [number, number, number] {
    const r = this.rotation;
    return ecefToGeodetic(
      this.ecef[0] + r[0]! * e + r[3]! * n + r[6]! * u,
      this.ecef[1] + r[1]! * e + r[4]! * n + r[7]! * u,
      this.ecef[2] + r[2]! * e + r[5]! * n + r[8]! * u,
    );
  }

  /** An ECEF difference as ENU components. */
  rotateToEnu(dx: number, dy: number, dz: number): [number, number, number] {
    const r = this.rotation;
    return [
      r[0]! * dx + r[1]! * dy + r[2]! * dz,
      r[3]! * dx + r[4]! * dy + r[5]! * dz,
      r[6]! * dx + r[7]! * dy + r[8]! * dz,
    ];
  }

  /** Row-major 3x3 that turns a vector of `from`'s axes into this frame's axes. */
  rotationFrom(from: EnuFrame): number[] {
    const a = this.rotation;
    const b = from.rotation;
    const out: number[] = [];
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++)
        out.push(a[3 * i]! * b[3 * j]! + a[3 * i + 1]! * b[3 * j + 1]! + a[3 * i + 2]! * b[3 * j + 2]!);
    return out;
  }
}

/**
 * CE90 over sigma: the radius of the horizontal circle that holds the object with probability 0.9 (circular normal) is
 * sqrt(-2 ln 0.1) sigmas.
 */
export const CE90_PER_SIGMA = 2.145966;

/** CE90, m, of a position with this packed covariance (east, north, up, m^2). */
export function ce90M(covPosM2: ArrayLike<number>): number {
  return CE90_PER_SIGMA * Math.sqrt((covPosM2[0]! + covPosM2[3]!) / 2);
}
