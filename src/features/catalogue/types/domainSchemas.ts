/**
 * The fields of a spec in each domain, for clients that build a form. The common fields come from the schemas in
 * `domain/catalogue.ts`, so that what is published is what is checked; only the traits are written here.
 */
import {
  CATALOGUE_DOMAINS,
  type CatalogueDomain,
  type DomainSpecSchema,
  PlatformPerformance,
  Signature,
  type SpecField,
} from "../../../domain/catalogue.ts";

type Choices = readonly string[];

function field(name: string, type: SpecField["type"], help: string, more: Partial<SpecField> = {}): SpecField {
  return { name, type, unit: null, min: null, max: null, enum: null, required: false, default: null, help, ...more };
}
const number = (name: string, unit: string, min: number, max: number, help: string) =>
  field(`traits.${name}`, "number", help, { unit, min, max });
const flag = (name: string, help: string) => field(`traits.${name}`, "boolean", help);
const choice = (name: string, choices: Choices, help: string) =>
  field(`traits.${name}`, "string", help, { enum: [...choices] });

const EMITS = flag("emits", "transmits in order to sense");
const CREWED = flag("crewed", "people on board");
const STEERING = choice("steering", ["ackermann", "skid", "legged"], "how it turns");
const USES = number("uses", "", 0, 1000, "before it must be reloaded");
const PROPULSION = choice("propulsion", ["electric", "piston", "turbine", "rocket", "none"], "what drives it");

const TRAITS: Readonly<Record<CatalogueDomain, readonly SpecField[]>> = {
  air: [
    PROPULSION,
    choice("control_link", ["radio", "manual_radio", "cellular", "satellite", "fibre", "none"], "how it is commanded"),
    choice("video_link", ["digital", "analog", "fibre", "none"], "how its pictures come down"),
    flag("tail", "has a tail"),
    choice("turn_model", ["coordinated", "elevon", "skid"], "how it turns"),
    flag("returns", "can be ordered home"),
    flag("lands", "can land and be used again"),
    number("ir_signature_w_sr", "W/sr", 0, 100_000, "radiant intensity, 3 to 5 um"),
    number("tether_m", "m", 0, 10_000, "length of its line"),
    number("flap_hz", "Hz", 0, 100, "wing beat"),
  ],
  crewed_air: [CREWED],
  contact: [
    number("flap_hz", "Hz", 0, 100, "wing beat"),
    number("count", "", 1, 100_000, "objects that make one echo"),
    number("extent_m", "m", 0, 10_000, "size of the group"),
    flag("fixed", "never moves"),
  ],
  ground: [CREWED, STEERING, number("grade_max_deg", "deg", 0, 90, "steepest slope")],
  maritime: [CREWED],
  sensor: [
    choice(
      "output",
      ["plot", "bearing", "position", "range", "range_rate", "presence", "occupancy", "identity", "claim"],
      "what it delivers",
    ),
    number("scan_period_s", "s", 0, 3600, "between two looks at the same place; 0: looks all the time"),
    number("min_range_m", "m", 0, 100_000, "blind range"),
    choice("measures_first", ["range", "range_rate"], "its most exact quantity"),
    flag("elevation", "measures elevation"),
    choice("medium", ["air", "maritime"], "whom it hears"),
    choice("spectral_band", ["visible", "swir", "mwir", "lwir", "visible_lwir"], "light it sees"),
    number("startup_s", "s", 0, 86_400, "from power to pictures"),
    flag("steerable", "can be pointed"),
    flag("cued", "needs another sensor to point it"),
    EMITS,
  ],
  effector: [
    choice("effect", ["kinetic", "jammer", "cyber", "laser", "rf_energy", "net"], "coarse class"),
    choice("host", ["fixed", "vehicle"], "what it is mounted on"),
    flag("expendable", "is spent by its use"),
    USES,
    number("range_m", "m", 0, 100_000, "usable range"),
  ],
  payload: [number("power_w", "W", 0, 1_000_000, "electrical load"), USES],
  infrastructure: [number("slots", "", 0, 10_000, "clients at once"), number("operators", "", 0, 1000, "seats")],
};

/** TypeBox writes a nullable number as `anyOf: [{type, minimum, …}, {type: "null"}]`. */
interface BuiltSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly "x-unit"?: string;
  readonly anyOf?: readonly BuiltSchema[];
}

function fieldsOf(prefix: string, schema: { readonly properties: object }): SpecField[] {
  return Object.entries(schema.properties as Record<string, BuiltSchema>).map(([name, built]) => {
    const inner = built.anyOf?.find((one) => one.type !== "null") ?? built;
    return field(`${prefix}.${name}`, inner.type as SpecField["type"], inner.description ?? "", {
      unit: inner["x-unit"] ?? null,
      min: inner.minimum ?? null,
      max: inner.maximum ?? null,
    });
  });
}

const MOVING: readonly CatalogueDomain[] = ["air", "crewed_air", "contact", "ground", "maritime", "effector"];
const VERSION = 1;

export function domainSchemas(typeKeysOf: (domain: CatalogueDomain) => string[]): DomainSpecSchema[] {
  return CATALOGUE_DOMAINS.map((domain) => ({
    domain,
    version: VERSION,
    fields: [
      field("type", "string", "key of a catalogue type", { required: true, enum: typeKeysOf(domain) }),
      field("domain", "string", "domain of that type", { required: true, enum: [domain] }),
      field("model", "string", "model name"),
      field("aliases", "array", "further names it is found by"),
      field("manufacturer", "string", "for display"),
      field("payloads", "array", "what it carries"),
      field("sensor_profile_id", "string", "id of a sensor profile, for sensors and carriers of one"),
      field("capability", "object", "what it is for and what it may be told"),
      field("protocol_families", "array", "how it can be connected"),
      ...(MOVING.includes(domain)
        ? [...fieldsOf("performance", PlatformPerformance), ...fieldsOf("signature", Signature)]
        : []),
      ...TRAITS[domain],
    ],
  }));
}
