/** Resolving catalogue names, and the figures of the built-in platforms. */
import { expect, test } from "vitest";
import { profileOf } from "../../src/app/openRoom.ts";
import type { CatalogEntry, CatalogSpec } from "../../src/domain/catalogue.ts";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { isRefusal } from "../../src/domain/errors.ts";
import { BUILTINS } from "../../src/features/catalogue/builtins.ts";
import { parseCatalogSpec } from "../../src/features/catalogue/parseSpec.ts";
import { resolveProducts } from "../../src/features/catalogue/products.ts";
import { nameKey, resolveModel } from "../../src/features/catalogue/resolveModel.ts";
import { SENSOR_MODELS, SENSOR_PROFILES } from "../../src/features/catalogue/sensorProfiles.ts";
import { TYPE_BY_KEY, TYPES } from "../../src/features/catalogue/types/catalogueTypes.ts";

const at = "2026-01-01T00:00:00.000Z";
function entry(name: string, spec: CatalogSpec): CatalogEntry {
  return { id: "00000000-0000-4000-8000-000000000000", kind: "vehicle", name, spec, created_at: at, updated_at: at };
}
const deployment = { host: "127.0.0.1", port: 8077, publicUrl: null, mavlinkUdp: "127.0.0.1:14550" };

test("[CA-10] the built-in platforms are the nine multirotors and five contrast platforms, with specs that parse", () => {
  const families = BUILTINS.map(({ spec }) => TYPE_BY_KEY.get(spec.type)!);
  expect(
    families
      .filter((type) => type.family === "multirotor")
      .map((type) => type.key)
      .sort(),
  ).toEqual(
    TYPES.filter((type) => type.family === "multirotor")
      .map((type) => type.key)
      .sort(),
  );
  expect(families.filter((type) => type.contrast).map((type) => type.key)).toEqual([
    "fixed_wing_propeller",
    "rotorcraft",
    "light_aircraft",
    "bird",
    "bird_flock",
  ]);
  expect(BUILTINS).toHaveLength(14);
  for (const { name, spec } of BUILTINS) expect([name, parseCatalogSpec(spec)]).toEqual([name, spec]);
});

test("[CA-10] platforms that cannot be ours have no verbs; a multirotor has goto and hold", () => {
  const verbsOf = (type: string) => BUILTINS.find(({ spec }) => spec.type === type)?.capability.verbs;
  for (const type of ["rotorcraft", "light_aircraft", "bird", "bird_flock"]) expect(verbsOf(type), type).toEqual([]);
  expect(verbsOf("quadrotor")).toEqual(expect.arrayContaining(["goto", "hold", "return_home", "abort"]));
});

test("[CA-11] every name resolves to itself, in the catalogue's own spelling", () => {
  for (const { name } of BUILTINS) expect(resolveModel(name, [])).toMatchObject({ origin: "builtin", name });
  for (const { id } of SENSOR_PROFILES)
    expect(resolveModel(id, [])).toMatchObject({
      origin: "sensor_profile",
      name: id,
      kind: "sensor",
      spec: { sensor_profile_id: id, domain: expect.any(String) },
    });
  const shadowed = new Set([...BUILTINS.map(({ name }) => name), ...SENSOR_PROFILES.map(({ id }) => id)].map(nameKey));
  for (const type of TYPES) {
    const found = resolveModel(type.key, []);
    expect(found?.spec.type, type.key).toBe(type.key);
    if (!shadowed.has(nameKey(type.key))) expect(found?.kind, type.key).toBe(type.kind);
  }
});

test.each([
  ["QUAD ROTOR", "Quadrotor"],
  ["quad-rotor", "Quadrotor"],
  ["  quadrotor fpv ", "Quadrotor FPV"],
  ["Quadcopter", "Quadrotor"],
  ["Radar 3D Short", "radar-3d-short"],
  ["Radar Doppler Only", "radar_doppler_only"],
])("[CA-11] %s is %s", (asked, name) => {
  expect(resolveModel(asked, [])?.name).toBe(name);
});

test.each(["", " ", "-", "quadrotors", "no such thing"])("[CA-11] %j resolves to nothing", (asked) => {
  expect(resolveModel(asked, [])).toBeNull();
});

test("[CA-12] a workspace's entry comes before the built-in of its name, and an alias never captures a name", () => {
  const mine = entry("Quadrotor", { type: "quadrotor", domain: "air", performance: { max_mps: 25 } });
  expect(resolveModel("quad rotor", [mine])).toMatchObject({
    origin: "entry",
    spec: { performance: { max_mps: 25, endurance_s: 1800 } },
  });
  const thief = entry("Thief", { type: "tricopter", domain: "air", aliases: ["Quadrotor"] });
  expect(resolveModel("Quadrotor", [thief, mine])?.spec.type).toBe("quadrotor");
});

const valid: CatalogSpec = { type: "quadrotor", domain: "air" };
test.each<[string, unknown, RegExp]>([
  ["no object", [], /must be an object/],
  ["null", null, /must be an object/],
  ["no type", { domain: "air" }, /spec\.type is missing/],
  ["an unknown type", { ...valid, type: "ufo" }, /ufo is not in the catalogue/],
  ["no domain", { type: "quadrotor" }, /spec\.domain is missing: it is air/],
  ["another domain", { ...valid, domain: "sensor" }, /must be air/],
  ["a number over its maximum", { ...valid, performance: { max_mps: 5000 } }, /performance\.max_mps/],
  ["a number under its minimum", { ...valid, performance: { endurance_s: -1 } }, /performance\.endurance_s/],
  ["a number as a string", { ...valid, performance: { max_mps: "20" } }, /performance\.max_mps/],
  ["a number that is none", { ...valid, performance: { max_mps: Number.NaN } }, /performance\.max_mps/],
  ["an unknown performance member", { ...valid, performance: { warp: 9 } }, /performance/],
  ["an unknown trait", { ...valid, traits: { warp: 9 } }, /traits\.warp is not a field/],
  ["a trait of the wrong type", { ...valid, traits: { tail: "yes" } }, /traits\.tail must be a boolean/],
  ["a trait out of bounds", { ...valid, traits: { tether_m: -1 } }, /traits\.tether_m must be between/],
  ["a trait that is no choice", { ...valid, traits: { propulsion: "magic" } }, /must be one of/],
  ["an unknown sensor profile", { ...valid, sensor_profile_id: "eye" }, /no sensor profile eye/],
  ["a payload of an unknown type", { ...valid, payloads: [{ type: "ray" }] }, /no catalogue type ray/],
  [
    "a band upside down",
    {
      ...valid,
      signature: {
        rf_bands_hz: [
          [1, 1],
          [2, 1],
        ],
      },
    },
    /rf_bands_hz.*\[2, 1\]/,
  ],
  ["an unknown protocol", { ...valid, protocol_families: ["telepathy"] }, /no protocol family telepathy/],
  ["a prototype key", JSON.parse('{"type":"quadrotor","domain":"air","x":{"__proto__":{}}}'), /__proto__/],
  ["too many members", { ...valid, notes: Array.from({ length: 1001 }, () => 0) }, /more than 1000 members/],
  ["too much text", { ...valid, notes: "x".repeat(70_000) }, /larger than/],
])("[CA-13] a spec with %s is refused with the rule", (_, spec, rule) => {
  const parsed = parseCatalogSpec(spec);
  expect(isRefusal(parsed) && parsed.code).toBe("invalid_spec");
  expect(isRefusal(parsed) && parsed.sentence).toMatch(rule);
});

test("[CA-13] a spec nested deeper than the limit is refused", () => {
  let deep: object = {};
  for (let i = 0; i < 20; i++) deep = { deep };
  expect(parseCatalogSpec({ ...valid, deep })).toMatchObject({
    code: "invalid_spec",
    sentence: expect.stringMatching(/deeper/),
  });
});

test("[CA-13] unknown top-level members of a spec are kept as they were sent", () => {
  const spec = { ...valid, tail_number: "X-1" };
  expect(parseCatalogSpec(spec)).toEqual(spec);
});

test("[CA-14] every product resolves in the catalogue, and its recipes name the settings that filled them", () => {
  const products = resolveProducts(deployment);
  for (const { catalog_name } of products) expect(resolveModel(catalog_name, []), catalog_name).not.toBeNull();
  const recipes = products.flatMap((product) => product.recipes);
  expect(new Set(recipes.map((one) => one.id)).size).toBe(recipes.length);
  const url = recipes.find((one) => one.id === "radar-3d-rest")?.fields.find((one) => one.name === "url");
  expect(url).toMatchObject({ value: "http://127.0.0.1:8077/api/signals", resolved_from: "HOST, PORT" });
});

test("[CA-14] a public address comes before the listening one, and an unknown port stays empty", () => {
  const urlOf = (published: Parameters<typeof resolveProducts>[0]) =>
    resolveProducts(published)[0]?.recipes[0]?.fields.find((one) => one.name === "url");
  expect(urlOf({ ...deployment, publicUrl: "https://c2.example.org/" })).toMatchObject({
    value: "https://c2.example.org/api/signals",
    resolved_from: "PUBLIC_URL",
  });
  expect(urlOf({ ...deployment, port: 0 })).toMatchObject({ value: null, resolved_from: null });
});

test("[CA-14] every recipe of every product is over a protocol that this build speaks", () => {
  const recipes = resolveProducts(deployment).flatMap((product) => product.recipes);
  const unusable = recipes.filter(({ status }) => status !== "supported" && status !== "listen_only");
  expect(unusable.map(({ id, protocol, status }) => [id, protocol, status])).toEqual([]);
  expect(recipes.filter(({ steps, test_route }) => steps.length === 0 || test_route === null)).toEqual([]);
});

test("[CA-18] a sensor registered by its type, or by an entry of that type, measures what its type measures", () => {
  const named = new Set(
    SENSOR_MODELS.map(({ type }) => type).filter((type) => TYPE_BY_KEY.get(type)!.kind === "sensor"),
  );
  expect(named.size).toBeGreaterThan(20);
  for (const type of named) {
    const { profile } = SENSOR_MODELS.find((model) => model.type === type)!;
    expect(resolveModel(type, [])!.capability.modalities, type).toEqual([profile.modality]);
    const spec = { type, domain: TYPE_BY_KEY.get(type)!.domain } as CatalogSpec;
    const mine: CatalogEntry = { ...entry(`My ${type}`, spec), kind: "sensor" };
    const found = resolveModel(mine.name, [mine])!;
    expect(profileOf(found)?.modality, type).toBe(profile.modality);
    expect(found.capability.verbs.includes("look_at"), type).toBe(profile.scan === "steerable");
  }
});

test("[CA-21] the generic model of each modality resolves by its name, measures that modality, and is the generic profile", () => {
  for (const profile of Object.values(DEFAULT_PROFILE)) {
    const found = resolveModel(profile.id.toUpperCase(), []);
    expect(found, profile.id).toMatchObject({ name: profile.id, kind: "sensor" });
    expect(found!.capability.modalities).toEqual([profile.modality]);
    expect(profileOf(found)).toBe(profile);
  }
  expect(resolveModel("generic-radar", [])!.capability.verbs).toContain("set_mode");
});
