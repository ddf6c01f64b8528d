/** Distances over the ellipsoid, against GeographicLib. */
import geodesic from "geographiclib-geodesic";
import { expect, test } from "vitest";
import { geodesicDistanceM } from "../../src/domain/geodesic.ts";

const oracle = (a: { lat: number; lon: number }, b: { lat: number; lon: number }): number =>
  geodesic.Geodesic.WGS84.Inverse(a.lat, a.lon, b.lat, b.lon).s12!;

/** A small generator of its own, so that a failure comes back. */
function* places(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (;;) yield { lat: (next() - 0.5) * 180, lon: (next() - 0.5) * 360 };
}

test("[GD-1] distances are GeographicLib's to a millimetre, near and far, over the date line and the poles", () => {
  const random = places(7);
  for (let i = 0; i < 2000; i++) {
    const a = random.next().value!;
    const far = random.next().value!;
    const b =
      i % 2 === 0 ? far : { lat: Math.max(-90, Math.min(90, a.lat + far.lat / 1e4)), lon: a.lon + far.lon / 1e4 };
    const expected = oracle(a, b);
    // Beyond this Vincenty's iteration may not settle.
    if (expected > 19_900_000) continue;
    expect(Math.abs(geodesicDistanceM(a, b) - expected), `${JSON.stringify([a, b])}`).toBeLessThan(1e-3);
  }
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
  ] as const;
  for (const [a, b] of pairs) {
    expect(geodesicDistanceM(a, b)).toBeCloseTo(oracle(a, b), 2);
    expect(geodesicDistanceM(b, a)).toBeCloseTo(geodesicDistanceM(a, b), 6);
  }
  expect(geodesicDistanceM({ lat: 3, lon: 4 }, { lat: 3, lon: 4 })).toBe(0);
});

test("[GD-2] nearly antipodal pairs are right to 0.6 %", () => {
  for (const lat of [0, 0.2, -0.4]) {
    const [a, b] = [
      { lat, lon: 0 },
      { lat: -lat + 0.1, lon: 179.9 },
    ];
    expect(geodesicDistanceM(a, b) / oracle(a, b)).toBeCloseTo(1, 2);
  }
});
