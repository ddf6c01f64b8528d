/** The counting rule of the catalogue (ADR 0061): 105 types, each with a public code or a stated difference from its neighbour. */
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { CatalogueTypes } from "../../src/domain/catalogue.ts";
import { SENSOR_MODELS } from "../../src/features/catalogue/sensorProfiles.ts";
import { CATALOGUE, DOMAIN_SCHEMAS, TYPE_BY_KEY, TYPES } from "../../src/features/catalogue/types/catalogueTypes.ts";
import { PROTOCOL_FAMILIES } from "../../src/features/catalogue/types/protocolFamilies.ts";
import { ADAPTERS } from "../../src/links/adapters.ts";

function count<T>(items: readonly T[], by: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[by(item)] = (counts[by(item)] ?? 0) + 1;
  return counts;
}
const fieldsOf = (domain: string) =>
  new Map(DOMAIN_SCHEMAS.find((one) => one.domain === domain)?.fields.map((field) => [field.name, field]));

test("[CA-4] the catalogue holds 105 types with keys of their own", () => {
  expect(TYPES).toHaveLength(105);
  expect(TYPE_BY_KEY.size).toBe(105);
  expect([...Compile(CatalogueTypes).Errors(CATALOGUE)]).toEqual([]);
});

test("[CA-4] each domain holds its number of types", () => {
  expect(count(TYPES, (type) => type.domain)).toEqual({
    air: 31,
    crewed_air: 11,
    contact: 3,
    ground: 7,
    maritime: 3,
    sensor: 35,
    effector: 8,
    payload: 4,
    infrastructure: 3,
  });
});

test("[CA-4] each kind holds its number of types", () => {
  expect(count(TYPES, (type) => type.kind)).toEqual({
    vehicle: 51,
    contact: 4,
    sensor: 35,
    effector: 8,
    payload: 4,
    infrastructure: 3,
  });
});

test("[CA-5] every type has a public anchor or says in which field it differs from which neighbour", () => {
  const basis = count(TYPES, ({ anchor }) =>
    anchor.some((one) => one.scheme === "own")
      ? "own"
      : anchor.every((one) => one.scheme === "public_source")
        ? "source"
        : "code",
  );
  expect(basis).toEqual({ code: 78, source: 6, own: 21 });
  for (const type of TYPES) expect(type.differs !== null, type.key).toBe(type.anchor[0]?.scheme === "own");
});

test("[CA-5] a type without a public code differs: the named fields have other defaults than the neighbour's", () => {
  for (const type of TYPES) {
    if (type.differs === null) continue;
    const neighbour = TYPE_BY_KEY.get(type.differs.from);
    expect(neighbour?.domain, type.key).toBe(type.domain);
    for (const name of type.differs.fields) {
      expect(type.required_fields, type.key).toContain(name);
      expect(type.defaults[name], `${type.key} ${name}`).toBeDefined();
      expect(type.defaults[name], `${type.key} ${name}`).not.toBe(neighbour?.defaults[name]);
    }
  }
});

test("[CA-5] a code of a public scheme is shared only by rows of different families", () => {
  const holders = new Map<string, string[]>();
  for (const type of TYPES)
    for (const { scheme, code } of type.anchor)
      if (scheme !== "own")
        holders.set(`${scheme}:${code}`, [...(holders.get(`${scheme}:${code}`) ?? []), type.family]);
  const shared = [...holders].filter(([, families]) => families.length > 1);
  expect(shared.map(([code]) => code).sort()).toEqual([
    "odid_ua_type:2",
    "sapient_node_type:15",
    "sapient_node_type:9",
  ]);
  for (const [, families] of shared) expect(new Set(families).size).toBe(families.length);
});

test("[CA-6] every default is a field of its domain's schema, of its type and inside its bounds", () => {
  for (const type of TYPES) {
    const fields = fieldsOf(type.domain);
    for (const [name, value] of Object.entries(type.defaults)) {
      const field = fields.get(name);
      expect(field?.type, `${type.key} ${name}`).toBe(typeof value);
      if (typeof value === "number") {
        expect(value, `${type.key} ${name}`).toBeGreaterThanOrEqual(field?.min ?? Number.NEGATIVE_INFINITY);
        expect(value, `${type.key} ${name}`).toBeLessThanOrEqual(field?.max ?? Number.POSITIVE_INFINITY);
      } else if (field?.enum) expect(field.enum, `${type.key} ${name}`).toContain(value);
    }
    for (const name of type.required_fields) expect(fields.has(name), `${type.key} ${name}`).toBe(true);
  }
});

test("[CA-7] there are 18 protocol families and only those with an adapter are called supported", () => {
  const keys = PROTOCOL_FAMILIES.map((family) => family.key);
  expect(new Set(keys).size).toBe(18);
  const supported = PROTOCOL_FAMILIES.filter((family) => family.status !== "planned").map((family) => family.key);
  expect(supported.sort()).toEqual(["rest_push", ...ADAPTERS.map(({ protocol }) => protocol)].sort());
  for (const type of TYPES) for (const key of type.protocol_families) expect(keys, type.key).toContain(key);
});

test("[CA-8] every sensor model has a catalogue type", () => {
  for (const { type, profile } of SENSOR_MODELS) expect(TYPE_BY_KEY.has(type), profile.id).toBe(true);
});

test("[CA-9] `generated` names the build and the content, not the time", () => {
  expect(CATALOGUE.generated).toMatch(/^0\.1\.0\+[0-9a-f]{16}$/);
});
