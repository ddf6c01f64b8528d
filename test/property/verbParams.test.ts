/** Parameters of verbs: the schema that clients read decides what is taken, and says what its numbers mean. */
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import type { Params, ParamsSchema } from "../../src/domain/verbParams.ts";
import { normalParams, paramsSchemaOf, VERB_TABLE, VERB_TYPES, whyNotParams } from "../../src/domain/verbs.ts";

const NO_MODES = { modes: null };
const MODES = { modes: ["LOITER", "Night watch"] };

const number = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0.5, 1, 8, 45) },
  { weight: 2, arbitrary: fc.constantFrom(-1, 0, 91, 181, 401, 10_001, 90_000) },
  { weight: 1, arbitrary: fc.double() },
);
const altitude = { alt_m: number, alt_ref: fc.constantFrom("hae", "agl", "rel_home", "msl") };
const place = fc.record({ lat: number, lon: number, ...altitude }, { requiredKeys: ["lat", "lon"] });
/** Every member that some verb takes, with values that fit and some that do not. */
const MEMBERS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  lat: number,
  lon: number,
  ...altitude,
  radius_m: number,
  speed_mps: number,
  yaw_deg: number,
  direction: fc.constantFrom("clockwise", "up"),
  track_id: fc.oneof(fc.string({ maxLength: 70 }), number),
  standoff_m: number,
  alt_offset_m: number,
  az_deg: number,
  el_deg: number,
  hfov_deg: number,
  mode: fc.constantFrom("LOITER", "loiter", "Night watch", "", 7),
  detection: fc.constantFrom("low", "lowest"),
  classification: fc.constantFrom("high"),
  report_rate: fc.constantFrom("medium", 1),
  s: number,
  region_id: fc.constantFrom("reg_1", ""),
  loop: fc.boolean(),
  points: fc.array(place, { maxLength: 3 }),
};

type Form = { readonly properties: Readonly<Record<string, unknown>>; readonly required: readonly string[] };

/** Params made for one form of a verb: its members, most of those that it asks for, and now and then one of another. */
function paramsFor({ properties, required }: Form): fc.Arbitrary<Params> {
  const own = Object.keys(properties).filter((name) => name !== "kind");
  const kind = fc.constantFrom((properties.kind as { const: string }).const, "colour", null);
  const valuesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, MEMBERS[name]!]));
  const asked = fc.record({ kind, ...valuesOf(own) }, { requiredKeys: ["kind", ...required] as never[] });
  const some = fc.record({ kind, ...valuesOf(own) }, { requiredKeys: [] });
  const odd = fc
    .tuple(asked, fc.constantFrom(...Object.keys(MEMBERS)))
    .map(([given, name]) => ({ ...given, [name]: 1 }));
  return fc.oneof({ weight: 6, arbitrary: asked }, { weight: 1, arbitrary: some }, { weight: 1, arbitrary: odd });
}

test("[TK-81] a verb takes exactly the params that fit the params_schema which clients read", () => {
  const taken = new Set<string>();
  for (const traits of [NO_MODES, MODES])
    for (const row of VERB_TABLE.values()) {
      // As it comes over the wire, so that nothing but the schema's text is compared.
      const read = JSON.parse(JSON.stringify(paramsSchemaOf(row, traits)));
      const fits = Compile(read);
      const params = fc.oneof(...((read.anyOf ?? [read]) as Form[]).map(paramsFor));
      fc.assert(
        fc.property(params, (given) => {
          const isTaken = whyNotParams(row, given, traits) === null;
          if (isTaken) taken.add(row.verb);
          expect(isTaken, row.verb).toBe(fits.Check(given));
        }),
        { numRuns: 300 },
      );
    }
  expect(taken).toEqual(new Set(VERB_TABLE.keys()));
});

test("[TK-82] every number in a params_schema has its unit", () => {
  const unitless: string[] = [];
  const look = (schema: ParamsSchema, path: string): void => {
    if ((schema.type === "number" || schema.type === "integer") && typeof schema["x-unit"] !== "string")
      unitless.push(path);
    for (const [name, part] of Object.entries(schema))
      if (typeof part === "object" && part !== null) look(part as ParamsSchema, `${path}.${name}`);
  };
  for (const { name, params_schema } of VERB_TYPES) look(params_schema, name);
  expect(unitless).toEqual([]);
  expect(paramsSchemaOf(VERB_TABLE.get("orbit")!, NO_MODES)).toMatchObject({
    properties: { radius_m: { "x-unit": "m" }, speed_mps: { "x-unit": "m/s" }, lat: { "x-unit": "deg" } },
  });
});

test("[TK-80] a mode is taken in any spelling of the modes that the asset lists, and kept in the asset's", () => {
  const row = VERB_TABLE.get("set_mode")!;
  for (const mode of ["Night watch", "NIGHT WATCH", "night watch"]) {
    const normal = normalParams(row, { kind: "mode", mode }, MODES);
    expect(normal).toEqual({ kind: "mode", mode: "Night watch" });
    expect(whyNotParams(row, normal, MODES)).toBeNull();
  }
  const other = normalParams(row, { kind: "mode", mode: "day" }, MODES);
  expect(whyNotParams(row, other, MODES)).toMatchObject({
    code: "invalid_input",
    sentence: "params.mode of set_mode must be one of LOITER, Night watch",
  });
  // A platform that lists none may have it.
  expect(whyNotParams(row, normalParams(row, { kind: "mode", mode: "day" }, NO_MODES), NO_MODES)).toBeNull();
});

test("[TK-25] the sentence names what is wrong: the kind, the member, the place, the missing reference", () => {
  const whyNot = (verb: string, given: Params) => {
    const wrong = whyNotParams(VERB_TABLE.get(verb)!, given, NO_MODES);
    return wrong && [wrong.code, wrong.sentence];
  };
  const point = { kind: "point", lat: 50, lon: 8 };
  expect(whyNot("investigate", { kind: "none" })).toEqual([
    "params_kind_mismatch",
    'investigate takes params of kind track or point; "none"',
  ]);
  expect(whyNot("goto", {})).toEqual(["params_kind_mismatch", "goto takes params of kind point; none was given"]);
  expect(whyNot("goto", { ...point, lon: -181 })).toEqual([
    "invalid_position",
    "the longitude -181 in the params of goto is not on the earth",
  ]);
  expect(
    whyNot("patrol", { kind: "path", points: [point, { lat: 95, lon: 8 }].map(({ lat, lon }) => ({ lat, lon })) }),
  ).toEqual(["invalid_position", "the latitude 95 in the params of patrol is not on the earth"]);
  expect(whyNot("orbit", { ...point, radius_m: 50, alt_m: 40 })).toEqual([
    "invalid_input",
    "alt_m of orbit needs alt_ref: hae, agl or rel_home",
  ]);
  expect(whyNot("takeoff", { kind: "point", alt_m: 40 })).toBeNull();
  expect(whyNot("goto", { ...point, hight_m: 5 })).toEqual(["invalid_input", "goto takes no params.hight_m"]);
});
