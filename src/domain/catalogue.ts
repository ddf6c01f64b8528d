/**
 * The shapes of the catalogue (docs/interface.md#performance-and-payloads, #catalogue-types): what a platform can do, what it
 * carries, which types exist and how a product is connected. These bounds are published in the domain schemas and checked in
 * entries; there is no second list. The data is in `features/catalogue/`.
 */
import { type Static, Type } from "typebox";
import { PAYLOADS_PER_ASSET_MAX } from "../limits.ts";
import { maybe } from "./members.ts";
import { MODALITIES } from "./modality.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

const Text = (description: string) => Type.String({ maxLength: 200, description });

/** A quantity with its unit and its bounds; null or absent means inherited. */
function quantity(unit: string, minimum: number, maximum: number, description: string) {
  return maybe(Type.Number({ minimum, maximum, description, "x-unit": unit }));
}

export const CATALOGUE_DOMAINS = [
  "air",
  "crewed_air",
  "contact",
  "ground",
  "maritime",
  "sensor",
  "effector",
  "payload",
  "infrastructure",
] as const;
export type CatalogueDomain = (typeof CATALOGUE_DOMAINS)[number];

const TYPE_KINDS = ["vehicle", "sensor", "effector", "payload", "infrastructure", "contact"] as const;

/** The verbs of docs/interface.md#verbs. */
export const VERBS = [
  "hold",
  "goto",
  "patrol",
  "orbit",
  "follow",
  "investigate",
  "return_home",
  "land",
  "takeoff",
  "arm",
  "disarm",
  "set_speed",
  "look_at",
  "set_mode",
  "set_threshold",
  "set_region",
  "start",
  "stop",
  "pause",
  "record",
  "respond",
  "abort",
] as const;
export type Verb = (typeof VERBS)[number];

const CLOSED = { additionalProperties: false } as const;

export const PlatformPerformance = Shape(
  "PlatformPerformance",
  {
    cruise_mps: quantity("m/s", 0, 400, "economic ground speed in still air"),
    max_mps: quantity("m/s", 0, 1000, "maximum ground speed in still air"),
    min_mps: quantity("m/s", 0, 150, "stall speed; 0 for what can hover"),
    climb_mps: quantity("m/s", 0, 400, "maximum climb"),
    descent_mps: quantity("m/s", 0, 400, "maximum descent"),
    accel_mps2: quantity("m/s2", 0, 200, "manoeuvre limit"),
    turn_rate_dps: quantity("deg/s", 0, 720, "manoeuvre limit"),
    hover: maybe(Type.Boolean({ description: "can hold a point" })),
    endurance_s: quantity("s", 0, 31_536_000, "full charge, nominal payload"),
    range_m: quantity("m", 0, 20_000_000, "full charge, nominal payload"),
    reserve_pct: quantity("%", 0, 100, "never planned below"),
    ceiling_m: quantity("m", -500, 30_000, "top of the operating band, above the ellipsoid"),
    floor_m: quantity("m", -11_000, 30_000, "bottom of the operating band, above the ellipsoid"),
    wind_max_mps: quantity("m/s", 0, 60, "launch is refused above"),
    mass_kg: quantity("kg", 0, 1_000_000, "without payload"),
    payload_max_kg: quantity("kg", 0, 500_000, "largest payload"),
    launch_time_s: quantity("s", 0, 86_400, "from order to airborne"),
    recharge_s: quantity("s", 0, 604_800, "empty to full"),
    turnaround_s: quantity("s", 0, 604_800, "landing to ready"),
    control_protocol: maybe(Type.String({ maxLength: 64, description: "protocol family key" })),
    position_sigma_m: quantity("m", 0, 10_000, "own-position accuracy"),
  },
  {
    ...CLOSED,
    description: "A model's performance; on an asset, what differs from its model. Null or absent: inherited.",
  },
);
export type PlatformPerformance = Static<typeof PlatformPerformance>;

const PAYLOAD_OPERATIONAL = ["off", "non_operational", "degraded", "operational", "out_of_service", "unknown"] as const;

const Mount = Type.Object(
  {
    yaw_deg: quantity("deg", -360, 360, "boresight against the host's nose"),
    pitch_deg: quantity("deg", -90, 90, "boresight"),
    roll_deg: quantity("deg", -180, 180, "boresight"),
    az_min_deg: quantity("deg", -360, 360, "gimbal limit"),
    az_max_deg: quantity("deg", -360, 360, "gimbal limit"),
    el_min_deg: quantity("deg", -90, 90, "gimbal limit"),
    el_max_deg: quantity("deg", -90, 90, "gimbal limit"),
    slew_dps: quantity("deg/s", 0, 720, "gimbal rate"),
  },
  CLOSED,
);

export const PayloadSpec = Shape(
  "PayloadSpec",
  {
    id: Type.Optional(Text("unique in the fit")),
    type: Text("key of a catalogue type"),
    name: Type.Optional(Text("for display")),
    count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, description: "fitted" })),
    uses_left: maybe(Type.Integer({ minimum: 0, maximum: 1_000_000, description: "remaining uses; null: unlimited" })),
    mass_kg: quantity("kg", 0, 500_000, "of one"),
    operational: Type.Optional(Type.Enum(PAYLOAD_OPERATIONAL)),
    sensor_profile_id: maybe(Text("makes the payload a carried sensor")),
    effective_domains: Type.Optional(Type.Array(Type.Enum(["air", "ground", "surface"] as const), { maxItems: 3 })),
    range_m: quantity("m", 0, 1_000_000, "usable range"),
    min_range_m: quantity("m", 0, 1_000_000, "nearest usable range"),
    cone_deg: quantity("deg", 0, 360, "usable cone"),
    cooldown_s: quantity("s", 0, 86_400, "between uses"),
    power_w: quantity("W", 0, 10_000_000, "electrical load"),
    mount: maybe(Mount),
  },
  CLOSED,
);
export type PayloadSpec = Static<typeof PayloadSpec>;

const CAPABILITY_ROLES = ["detect", "track", "identify", "observe", "respond", "relay", "host"] as const;
const EFFECT_CLASSES = ["none", "kinetic", "jammer", "cyber", "laser", "rf_energy", "net"] as const;

export const CapabilityProfile = Shape(
  "CapabilityProfile",
  {
    roles: Type.Array(Type.Enum(CAPABILITY_ROLES), { maxItems: 16, description: "what it is for" }),
    modalities: Type.Array(Type.Enum(MODALITIES), { maxItems: 16, description: "what it can report" }),
    verbs: Type.Array(Type.Enum(VERBS), { maxItems: 32, description: "what it may advertise when linked" }),
    effect_classes: Type.Array(Type.Enum(EFFECT_CLASSES), { maxItems: 8, description: "coarse class only" }),
    autonomy: Type.Enum(["manual", "assisted", "autonomous"] as const),
    concurrent_tasks: Type.Integer({ minimum: 0, maximum: 1000 }),
    settle_s: Type.Number({ minimum: 0, maximum: 86_400, "x-unit": "s", description: "to settle into a mode" }),
    reaction_s: Type.Number({ minimum: 0, maximum: 86_400, "x-unit": "s", description: "to first effect" }),
    requires_approval: Type.Boolean(),
    constraints: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64, description: "rule ids" }),
  },
  CLOSED,
);
export type CapabilityProfile = Static<typeof CapabilityProfile>;

/** How large and loud it is to a simulated sensor. */
export const Signature = Shape(
  "Signature",
  {
    rcs_dbsm: quantity("dBsm", -80, 80, "radar cross-section"),
    rf_bands_hz: maybe(
      Type.Array(Type.Tuple([Type.Number({ minimum: 0, maximum: 3e11 }), Type.Number({ minimum: 0, maximum: 3e11 })]), {
        maxItems: 64,
        description: "bands it emits in, low and high",
      }),
    ),
    acoustic_db_at_1m: quantity("dB", 0, 200, "sound pressure, re 20 uPa at 1 m"),
    size_m: quantity("m", 0, 1000, "largest dimension"),
  },
  CLOSED,
);
export type Signature = Static<typeof Signature>;

/** Values of the fields that only some types have; each domain's schema lists them as `traits.<name>`. */
const Traits = Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean(), Type.String()]));

/** Open at its top level: an operator may keep notes beside the members that are checked. */
export const CatalogSpec = Shape(
  "CatalogSpec",
  {
    type: Text("key of a catalogue type"),
    domain: Type.Enum(CATALOGUE_DOMAINS),
    model: Type.Optional(Text("model name")),
    aliases: Type.Optional(Type.Array(Text("further name"), { maxItems: 64 })),
    manufacturer: maybe(Text("for display")),
    performance: Type.Optional(PlatformPerformance),
    payloads: maybe(Type.Array(PayloadSpec, { maxItems: PAYLOADS_PER_ASSET_MAX })),
    sensor_profile_id: maybe(Text("id of a sensor profile")),
    capability: Type.Optional(CapabilityProfile),
    signature: Type.Optional(Signature),
    traits: Type.Optional(Traits),
    protocol_families: Type.Optional(Type.Array(Text("protocol family key"), { maxItems: 32 })),
    source: Type.Optional(
      Type.Object(
        { kind: Type.Enum(["standard", "public", "operator"] as const), ref: Text("where the figures are from") },
        CLOSED,
      ),
    ),
  },
  { additionalProperties: true },
);
export type CatalogSpec = Static<typeof CatalogSpec>;

export const BuiltinPlatform = Shape("BuiltinPlatform", {
  name: Type.String(),
  kind: Type.String(),
  spec: CatalogSpec,
  capability: CapabilityProfile,
});
export type BuiltinPlatform = Static<typeof BuiltinPlatform>;

export const CatalogEntry = Shape("CatalogEntry", {
  id: Type.String({ format: "uuid" }),
  kind: Type.String(),
  name: Type.String(),
  spec: CatalogSpec,
  created_at: UtcTime,
  updated_at: UtcTime,
});
export type CatalogEntry = Static<typeof CatalogEntry>;

const ANCHOR_SCHEMES = [
  "mav_type",
  "odid_ua_type",
  "adsb_emitter_category",
  "sapient_node_type",
  "asterix_item",
  "lattice_sensor_type",
  "public_source",
  "own",
] as const;

export const Anchor = Type.Object({ scheme: Type.Enum(ANCHOR_SCHEMES), code: Type.String() });
export type Anchor = Static<typeof Anchor>;

export const CatalogueType = Shape("CatalogueType", {
  key: Type.String(),
  title: Type.String(),
  domain: Type.Enum(CATALOGUE_DOMAINS),
  family: Type.String(),
  kind: Type.Enum(TYPE_KINDS),
  anchor: Type.Array(Anchor, {
    minItems: 1,
    description: "codes of public schemes, or `own` with the differing field",
  }),
  differs: nullable(
    Type.Object(
      { from: Type.String(), fields: Type.Array(Type.String(), { minItems: 1 }) },
      { description: "for `own` rows: the nearest neighbour and the fields whose defaults are not the same" },
    ),
  ),
  required_fields: Type.Array(Type.String(), { description: "a spec has them, from itself or from `defaults`" }),
  defaults: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Boolean(), Type.String()]), {
    description: "by field name of the domain's schema",
  }),
  protocol_families: Type.Array(Type.String()),
  contrast: Type.Boolean({ description: "there to be told apart from small uncrewed aircraft" }),
  description: Type.String(),
});
export type CatalogueType = Static<typeof CatalogueType>;

const FAMILY_STATUSES = ["supported", "listen_only", "planned"] as const;

export const ProtocolFamily = Shape("ProtocolFamily", {
  key: Type.String(),
  title: Type.String(),
  transport: Type.Array(
    Type.Enum(["udp", "tcp", "tls", "ws", "http", "https", "serial", "broadcast", "multicast"] as const),
  ),
  direction: Type.Enum(["in", "out", "both"] as const),
  default_port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 })),
  auth: Type.Enum(["none", "api_key", "signing_key", "client_certificate", "oauth2"] as const),
  spec_ref: Type.String(),
  status: Type.Enum(FAMILY_STATUSES, { description: "`supported` only when this build has the adapter" }),
  modalities: Type.Array(Type.Enum(MODALITIES)),
});
export type ProtocolFamily = Static<typeof ProtocolFamily>;

export const SpecField = Type.Object({
  name: Type.String({ description: "path in the spec, e.g. performance.cruise_mps" }),
  type: Type.Enum(["number", "integer", "boolean", "string", "array", "object"] as const),
  unit: nullable(Type.String()),
  min: nullable(Type.Number()),
  max: nullable(Type.Number()),
  enum: nullable(Type.Array(Type.String())),
  required: Type.Boolean(),
  default: nullable(Type.Union([Type.Number(), Type.Boolean(), Type.String()])),
  help: Type.String(),
});
export type SpecField = Static<typeof SpecField>;

export const DomainSpecSchema = Shape("DomainSpecSchema", {
  domain: Type.Enum(CATALOGUE_DOMAINS),
  version: Type.Integer({ minimum: 1 }),
  fields: Type.Array(SpecField),
});
export type DomainSpecSchema = Static<typeof DomainSpecSchema>;

export const CatalogueTypes = Shape("CatalogueTypes", {
  generated: Type.String({ description: "build stamp and hash of the lists; the same build answers the same" }),
  types: Type.Array(CatalogueType),
  protocol_families: Type.Array(ProtocolFamily),
  schema: Type.Array(DomainSpecSchema),
});
export type CatalogueTypes = Static<typeof CatalogueTypes>;

const RecipeValue = nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

export const RecipeField = Shape("RecipeField", {
  name: Type.String(),
  label: Type.String(),
  type: Type.Enum(["text", "number", "url", "secret", "choice"] as const),
  required: Type.Boolean(),
  default: RecipeValue,
  value: RecipeValue,
  options: Type.Array(Type.String()),
  resolved_from: nullable(
    Type.String({ description: "the published setting that filled `value`; null: the operator fills it" }),
  ),
});
export type RecipeField = Static<typeof RecipeField>;

export const Recipe = Shape("Recipe", {
  id: Type.String(),
  protocol: Type.String({ description: "protocol family key" }),
  title: Type.String(),
  direction: Type.Enum(["in", "out", "both"] as const),
  status: Type.Enum(["supported", "listen_only"] as const, { description: "of the protocol family in this build" }),
  fields: Type.Array(RecipeField),
  steps: Type.Array(Type.String()),
  test_route: nullable(Type.String()),
});
export type Recipe = Static<typeof Recipe>;

export const ProductView = Shape("ProductView", {
  id: Type.String(),
  name: Type.String(),
  vendor: Type.String(),
  catalog_name: Type.String({ description: "resolves in POST /api/assets" }),
  kind: Type.String(),
  recipes: Type.Array(Recipe),
});
export type ProductView = Static<typeof ProductView>;

/** A catalogue name, resolved. */
export interface ResolvedModel {
  readonly origin: "entry" | "builtin" | "sensor_profile" | "type";
  /** In the catalogue's spelling. */
  readonly name: string;
  /** Kind of its type; `kindOf` (features/assets) derives the asset's from it. */
  readonly kind: string;
  readonly spec: CatalogSpec;
  readonly capability: CapabilityProfile;
}
