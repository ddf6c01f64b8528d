/** WGS-84 against GeographicLib and hand values. */

import geographiclib from "geographiclib-geodesic";
import { expect, test } from "vitest";
import { EnuFrame, ecefToGeodetic, geodeticToEcef, WGS84_A_M, WGS84_F } from "../../src/domain/geodesy.ts";

const PLACES = [
  [51.1846, -1.7311, 118],
  [-33.9, 151.2, 40],
  [0, 0, 0],
  [0, 180, 1000],
  [12.5, -179.9999, -20],
  [90, 0, 10],
  [-90, 45, 3000],
  [89.999999, 123, 500],
] as const;

test("[TH-30] geodetic to ECEF and back is the identity to a micrometre of arc and height", () => {
  for (const [lat, lon, alt] of PLACES) {
    const [lat2, lon2, alt2] = ecefToGeodetic(...geodeticToEcef(lat, lon, alt));
    expect(Math.abs(lat2 - lat) * 111_000).toBeLessThan(1e-6);
    if (Math.abs(lat) < 90)
      expect(Math.abs((((lon2 - lon + 540) % 360) - 180) * 111_000 * Math.cos((lat * Math.PI) / 180))).toBeLessThan(
        1e-6,
      );
    expect(Math.abs(alt2 - alt)).toBeLessThan(1e-6);
  }
});

test("[TH-30] known points: equator, pole", () => {
  expect(geodeticToEcef(0, 0, 0)).toEqual([WGS84_A_M, 0, 0]);
  const pole = geodeticToEcef(90, 0, 0);
  expect(pole[2]).toBeCloseTo(WGS84_A_M * (1 - WGS84_F), 6);
});

test("[TH-30] short distances and bearings agree with GeographicLib, over the antimeridian too", () => {
  const geodesic = geographiclib.Geodesic.WGS84;
  for (const [lat, lon] of PLACES.filter(([lat]) => Math.abs(lat) < 80)) {
    const frame = new EnuFrame({ lat, lon, alt_hae_m: 0 });
    for (const azimuth of [0, 37, 90, 200, 359]) {
      const there = geodesic.Direct(lat, lon, azimuth, 100);
      const [e, n] = frame.toEnu(there.lat2!, there.lon2!, 0);
      // 100 m along the ellipsoid are 100 m in the tangent plane but for some nanometres.
      expect(Math.abs(Math.hypot(e, n) - 100)).toBeLessThan(1e-6);
      expect(Math.abs((((Math.atan2(e, n) * 180) / Math.PI - azimuth + 540) % 360) - 180)).toBeLessThan(1e-3);
    }
  }
});

test("[TH-30] the local frame there and back, 50 km out", () => {
  const frame = new EnuFrame({ lat: 51, lon: 179.9, alt_hae_m: 100 });
  for (const [e, n, u] of [
    [50_000, -20_000, 3000],
    [-1, 2, -3],
    [0, 0, 0],
  ] as const) {
    const [lat, lon, alt] = frame.toGeodetic(e, n, u);
    const back = frame.toEnu(lat, lon, alt);
    for (const [i, value] of [e, n, u].entries()) expect(Math.abs(back[i]! - value)).toBeLessThan(1e-6);
  }
});

test("[TH-30] rotationFrom turns another frame's axes into ours: orthonormal, and the identity for ourselves", () => {
  const here = new EnuFrame({ lat: 51, lon: 0, alt_hae_m: 0 });
  const there = new EnuFrame({ lat: 51.5, lon: 0.7, alt_hae_m: 0 });
  const r = here.rotationFrom(there);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      let dot = 0;
      for (let k = 0; k < 3; k++) dot += r[3 * i + k]! * r[3 * j + k]!;
      expect(dot).toBeCloseTo(i === j ? 1 : 0, 12);
    }
  }
  expect(here.rotationFrom(here).map((value) => Math.round(value * 1e12) / 1e12 + 0)).toEqual([
    1, 0, 0, 0, 1, 0, 0, 0, 1,
  ]);
});
