/**
 * Compares the tables of the ingest path with the compiled schemas that they are derived from. Method: start from a valid
 * observation, put arbitrary values (good, bad, magic, absent) at its members, and check that both decide alike. They share
 * the schema and no code of the check. Pinned seeds: none failed yet.
 */
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { describe, expect, test } from "vitest";
import { MODALITIES, type Modality } from "../../src/domain/modality.ts";
import { DETECTION_SCHEMAS, OBSERVATION_SCHEMAS } from "../../src/domain/observation.ts";
import { findFault, rulesOf } from "../../src/measurement/observationRules.ts";
import { parseRfc3339Us } from "../../src/measurement/time.ts";

const VALID: Record<Modality, Record<string, unknown>> = {
  radar: { az_deg: 10, el_deg: 5, range_m: 900, range_rate_mps: -3 },
  rf: { az_deg: 10, protocol: "x" },
  rf_fix: { lat: 51, lon: -1, sigma_major_m: 30 },
  eo: { az_deg: 1, el_deg: 2 },
  ir: { az_deg: 1, el_deg: 2, range_m: 400 },
  acoustic: { az_deg: 1, propagation_delay_s: 0.3 },
  lidar: { az_deg: 1, el_deg: 2, range_m: 40 },
  remote_id: { uas_id: "1581F", lat: 51, lon: -1, alt_hae_m: -1000, accuracy: { h_m: 10 } },
  adsb: { icao: "4ca123", lat: 51, lon: -1 },
  blue_force: { asset_key: "a", lat: 51, lon: -1 },
  human: { az_deg: 90, text: "a drone" },
};
const COMMON = { source_id: "s", measured_at: "2026-03-01T10:00:00.25Z" };

const numbers = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1e-320,
    90,
    -90,
    91,
    180,
    181,
    360,
    361,
    255,
    63,
    -1000,
    -1,
    999_999,
    9_999_999,
    2 ** 53 + 1,
    1e308,
  ),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.double({ noNaN: false }),
  fc.integer({ min: -1200, max: 70_000 }),
);
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ minLength: 15, maxLength: 140 }),
  fc.constantFrom(
    "",
    "\u0000",
    "a\nb",
    "\ud800",
    "\ud83d\ude00",
    "serial",
    "ground",
    "12",
    "live",
    "2026-03-01T10:00:00Z",
    "4CA123",
    "~4ca123",
  ),
);
const value = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 3, arbitrary: texts },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.array(numbers, { maxLength: 5 }),
      fc.record({ type: texts, confidence: numbers }, { requiredKeys: [] }),
      fc.array(
        fc.record(
          { type: texts, confidence: numbers, sub_class: fc.array(texts, { maxLength: 2 }) },
          { requiredKeys: ["type"] },
        ),
        { maxLength: 3 },
      ),
      fc.record(
        { lat: numbers, lon: numbers, alt_hae_m: numbers, yaw_deg: numbers, kind: texts, h_m: numbers, v_m: numbers },
        { requiredKeys: [] },
      ),
    ),
  },
);

describe.each(MODALITIES)("%s", (modality) => {
  const flavours = [
    { what: "observation", schema: OBSERVATION_SCHEMAS[modality], base: { ...COMMON, modality, ...VALID[modality] } },
    { what: "detection", schema: DETECTION_SCHEMAS[modality], base: VALID[modality] },
  ];
  test.each(flavours)("[SG-12] table and schema agree on every $what", ({ schema, base }) => {
    const compiled = Compile(schema);
    const rules = rulesOf(schema);
    const names = Object.keys(schema.properties).filter((name) => name !== "raw");
    expect(compiled.Check(base)).toBe(true);
    const change = fc.record({ name: fc.constantFrom(...names), value: fc.option(value, { nil: undefined, freq: 8 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const wire: Record<string, unknown> = structuredClone(base);
        for (const { name, value } of changes)
          if (value === undefined) delete wire[name];
          else wire[name] = structuredClone(value);
        const verdict = compiled.Check(wire);
        const fault = findFault(structuredClone(wire), rules, { unknown: 0 });
        expect(fault?.sentence ?? "taken", JSON.stringify(wire)).toEqual(
          verdict ? "taken" : expect.stringMatching(/./),
        );
        expect(fault === null).toBe(verdict);
      }),
      { numRuns: 400 },
    );
  });
});

test("[SG-13] a time is read as Date reads it, to the microsecond", () => {
  const date = fc.date({
    min: new Date(Date.UTC(2000, 0, 1)),
    max: new Date(Date.UTC(2199, 11, 31)),
    noInvalidDate: true,
  });
  const offset = fc.tuple(fc.constantFrom("+", "-"), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
  fc.assert(
    fc.property(date, fc.option(offset, { nil: null }), (at, zone) => {
      const two = (n: number) => String(n).padStart(2, "0");
      const suffix = zone === null ? "Z" : `${zone[0]}${two(zone[1])}:${two(zone[2])}`;
      const text = at.toISOString().replace("Z", suffix);
      expect(parseRfc3339Us(text)).toBe(Date.parse(text) * 1000);
    }),
    { numRuns: 2000 },
  );
});
