/** Distances over the ellipsoid, against GeographicLib. */
import geodesic from "geographiclib-geodesic";
import { expect, test } from "vitest";
import { geodesicDistanceM } from "../../src/domain/geodesic.ts";

const oracle = (a: { lat: number; lon: number }, b: { lat: number; lon: number }): number =>
  geodesic.Geodesic.WGS84.Inverse(a.lat, a.lon, b.lat, b.lon).s12!;

/** A small seeded generator, so that a failure can be repeated. */
function* places(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (;;) yield { lat: (next() - 0.5) * 180, lon: (next() - 0.5) * 360 };
}

test("[GD-1] distances equal GeographicLib's to a millimetre, near and far, over the date line and the poles", () => {
  const random = places(7);
  let checked = 0;
  for (let i = 0; i < 2000; i++) {
    const a = random.next().value!;
    const far = random.next().value!;
    const b =
      i % 2 === 0 ? far : { lat: Math.max(-90, Math.min(90, a.lat + far.lat / 1e4)), lon: a.lon + far.lon / 1e4 };
    const expected = oracle(a, b);
    checked++;
    expect(Math.abs(geodesicDistanceM(a, b) - expected), `${JSON.stringify([a, b])}`).toBeLessThan(1e-3);
  }
  expect(checked).toBeGreaterThan(1900);
  const pairs = [
    [
      { lat: 10, lon: 179.999 },
      { lat: 10, lon: -179.999 },
    ],
    [
      { lat: 90, lon: 0 },
      { lat: -90, lon: 0 },
    ],
    [
      { lat: 89.9999, lon: 0 },
      { lat: 89.9999, lon: 180 },
    ],
    [
      { lat: 0, lon: 0 },
      { lat: 0, lon: 1 },
    ],
    [
      { lat: 0, lon: -45 },
      { lat: 0, lon: 90 },
    ],
    [
      { lat: 90, lon: 0 },
      { lat: 10, lon: 20 },
    ],
  ] as const;
  for (const [a, b] of pairs) {
    expect(Math.abs(geodesicDistanceM(a, b) - oracle(a, b)), `${JSON.stringify([a, b])}`).toBeLessThan(1e-3);
  }
  for (let i = 0; i < 200; i++) {
    const p = random.next().value!;
    const q = random.next().value!;
    const overDateLine = [
      { lat: p.lat, lon: 180 - Math.abs(p.lon) / 1e3 },
      { lat: q.lat, lon: -180 + Math.abs(q.lon) / 1e3 },
    ] as const;
    // Both within 0.9 degrees of the north pole, on any meridians.
    const overPole = [
      { lat: 90 - Math.abs(p.lat) / 100, lon: p.lon },
      { lat: 90 - Math.abs(q.lat) / 100, lon: q.lon },
    ] as const;
    for (const [a, b] of [overDateLine, overPole])
      expect(Math.abs(geodesicDistanceM(a, b) - oracle(a, b)), `${JSON.stringify([a, b])}`).toBeLessThan(1e-3);
  }
});

test("[GD-2] distances of nearly antipodal points equal GeographicLib's to a millimetre", () => {
  for (const lat of [0, 0.2, -0.4]) {
    const [a, b] = [
      { lat, lon: 0 },
      { lat: -lat + 0.1, lon: 179.9 },
    ];
    expect(Math.abs(geodesicDistanceM(a, b) - oracle(a, b))).toBeLessThan(1e-3);
  }
  const random = places(11);
  for (let i = 0; i < 500; i++) {
    const a = random.next().value!;
    const off = random.next().value!;
    // Every tenth is the antipode itself, the others up to half a degree beside it.
    const size = i % 10 === 0 ? 0 : 1 / 180;
    const b = {
      lat: Math.max(-90, Math.min(90, -a.lat + off.lat * size)),
      lon: (a.lon <= 0 ? a.lon + 180 : a.lon - 180) + (off.lon * size) / 2,
    };
    expect(Math.abs(geodesicDistanceM(a, b) - oracle(a, b)), `${JSON.stringify([a, b])}`).toBeLessThan(1e-3);
  }
});

test("[GD-3] the distance from B to A is that from A to B, and a point is at distance zero from itself", () => {
  const random = places(13);
  for (let i = 0; i < 500; i++) {
    const a = random.next().value!;
    const b = random.next().value!;
    expect(Math.abs(geodesicDistanceM(b, a) - geodesicDistanceM(a, b)), `${JSON.stringify([a, b])}`).toBeLessThan(1e-6);
    expect(geodesicDistanceM(a, { ...a })).toBe(0);
  }
  const antipodes = [
    { lat: 0, lon: 0 },
    { lat: 0.1, lon: 179.9 },
  ] as const;
  expect(geodesicDistanceM(antipodes[1], antipodes[0])).toBeCloseTo(geodesicDistanceM(...antipodes), 6);
  for (const lat of [90, -90, 0]) expect(geodesicDistanceM({ lat, lon: 4 }, { lat, lon: 4 })).toBe(0);
  // Longitudes 180 and -180 are the same meridian, and every longitude at a pole is the same point.
  expect(geodesicDistanceM({ lat: 5, lon: 180 }, { lat: 5, lon: -180 })).toBe(0);
  expect(geodesicDistanceM({ lat: 90, lon: 0 }, { lat: 90, lon: 50 })).toBeLessThan(1e-6);
});
