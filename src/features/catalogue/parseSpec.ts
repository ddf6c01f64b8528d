/**
 * Parses a catalogue spec. Pure. The refusal names the member and the rule, because a person with a form reads it. Rules:
 * docs/interface.md#performance-and-payloads; for the free part `domain/freeObject.ts`.
 */
import { Compile } from "typebox/compile";
import { CatalogSpec, type CatalogueType, type SpecField } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { withTypeDefaults } from "./defaults.ts";
import { SENSOR_PROFILES } from "./sensorProfiles.ts";
import { DOMAIN_SCHEMAS, TYPE_BY_KEY } from "./types/catalogueTypes.ts";
import { PROTOCOL_FAMILIES } from "./types/protocolFamilies.ts";

const schema = Compile(CatalogSpec);
const PROFILE_IDS: ReadonlySet<string> = new Set(SENSOR_PROFILES.map((profile) => profile.id));
const FAMILY_KEYS: ReadonlySet<string> = new Set(PROTOCOL_FAMILIES.map((family) => family.key));

const no = (sentence: string): Refusal<"invalid_spec"> => refusal("invalid_spec", sentence);

function whyNotTrait(
  name: string,
  value: unknown,
  field: SpecField | undefined,
  type: CatalogueType,
): Refusal<"invalid_spec"> | null {
  if (field === undefined) return no(`spec.${name} is not a field of the domain ${type.domain}`);
  if (typeof value !== field.type) return no(`spec.${name} must be a ${field.type}`);
  if (field.enum !== null && !field.enum.includes(value as string))
    return no(`spec.${name} must be one of ${field.enum.join(", ")}`);
  if (typeof value === "number" && (value < (field.min ?? value) || value > (field.max ?? value)))
    return no(`spec.${name} must be between ${field.min} and ${field.max}`);
  return null;
}

/** The references of a spec, or of an asset with payloads or performance of its own. */
interface References {
  readonly sensor_profile_id?: string | null;
  readonly payloads?: CatalogSpec["payloads"];
  readonly performance?: CatalogSpec["performance"] | null;
  readonly protocol_families?: readonly string[];
}

/** A sentence that names the first reference that the catalogue does not have; null: it has all. */
export function whyNotReferences(spec: References): string | null {
  const profiles = [spec.sensor_profile_id, ...(spec.payloads ?? []).map((payload) => payload.sensor_profile_id)];
  for (const id of profiles) if (id != null && !PROFILE_IDS.has(id)) return `there is no sensor profile ${id}`;
  for (const payload of spec.payloads ?? [])
    if (!TYPE_BY_KEY.has(payload.type)) return `there is no catalogue type ${payload.type}, named by a payload`;
  const protocol = spec.performance?.control_protocol;
  for (const key of [...(spec.protocol_families ?? []), ...(protocol == null ? [] : [protocol])])
    if (!FAMILY_KEYS.has(key)) return `there is no protocol family ${key}`;
  return null;
}

function whyNotBands(bands: readonly (readonly number[])[]): string | null {
  const wrong = bands.find(([low = 0, high = 0]) => low > high);
  return wrong === undefined ? null : `spec.signature.rf_bands_hz: a band is [low, high], not [${wrong.join(", ")}]`;
}

/** The same spec, typed, or why it is none. Defaults are filled in when it is read, so what is stored is what was sent. */
export function parseCatalogSpec(input: unknown): CatalogSpec | Refusal<"invalid_spec"> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return no("spec must be an object");
  const shape = whyNotFree(input, "spec");
  if (shape !== null) return no(shape);
  const given = input as Record<string, unknown>;
  if (typeof given.type !== "string") return no("spec.type is missing: it names a type of GET /api/catalogue/types");
  const type = TYPE_BY_KEY.get(given.type);
  if (type === undefined) return no(`spec.type ${given.type} is not in the catalogue of types`);
  if (given.domain === undefined) return no(`spec.domain is missing: it is ${type.domain} for ${type.key}`);
  if (given.domain !== type.domain) return no(`spec.domain must be ${type.domain} for ${type.key}`);
  if (!schema.Check(input)) {
    const error = schema.Errors(input)[0];
    return no(`spec${(error?.instancePath ?? "").replaceAll("/", ".")} ${error?.message ?? "does not parse"}`);
  }
  const fields = new Map(
    DOMAIN_SCHEMAS.find((one) => one.domain === type.domain)?.fields.map((one) => [one.name, one]),
  );
  for (const [name, value] of Object.entries(input.traits ?? {})) {
    const refused = whyNotTrait(`traits.${name}`, value, fields.get(`traits.${name}`), type);
    if (refused !== null) return refused;
  }
  const why = whyNotBands(input.signature?.rf_bands_hz ?? []) ?? whyNotReferences(input);
  return why === null ? input : no(why);
}

/** A stored spec with the defaults of its type filled in. */
export function completeSpec(spec: CatalogSpec): CatalogSpec {
  const type = TYPE_BY_KEY.get(spec.type);
  return type === undefined ? spec : withTypeDefaults(spec, type);
}
