/**
 * The registry row, and the read shapes of everything of ours (docs/interface.md#asset-views): vehicles, placed sensors and
 * observed sources. One whole shape for a single asset, one shorter shape for lists, the picture and the slices.
 */
import { type Static, Type } from "typebox";
import { BLIND_SECTORS_MAX } from "../limits.ts";
import { CATALOGUE_DOMAINS, PayloadSpec, PlatformPerformance } from "./catalogue.ts";
import { ALT_MAX_M, ALT_MIN_M, maybe, maybeNumber } from "./members.ts";
import { ENVIRONMENTS } from "./modality.ts";
import { HEALTH_LEVELS, LANDED_STATES, LINK_STATES, POWER_STATES } from "./platformStates.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

const Finite = nullable(Type.Number());

const LinkView = Shape("AssetLink", {
  state: Type.Enum(LINK_STATES),
  since_at: nullable(UtcTime),
  last_heard_at: nullable(UtcTime),
  protocol: nullable(Type.String()),
  address: nullable(Type.String()),
  rssi_dbm: Finite,
  loss_pct: Finite,
  rtt_ms: Finite,
  rate_hz: Finite,
});

const HealthView = Shape("AssetHealth", {
  level: Type.Enum(HEALTH_LEVELS),
  components: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      level: Type.Enum(HEALTH_LEVELS),
      message: Type.String(),
      code: nullable(Type.String()),
      updated_at: UtcTime,
    }),
  ),
  messages: Type.Array(Type.String()),
  armable: nullable(Type.Boolean()),
  updated_at: nullable(UtcTime),
});

const SensorView = Shape("AssetSensor", {
  profile_id: Type.String(),
  operational: Type.Enum(["off", "non_operational", "degraded", "operational", "denied"] as const),
  mode: nullable(Type.String()),
  coverage: nullable(Type.Array(Type.Array(Type.Number()))),
  last_detection_at: nullable(UtcTime),
  detections_per_min: Type.Number(),
  time_offset_ms: Finite,
});

const MotionView = Shape("Motion", {
  lat: Type.Number(),
  lon: Type.Number(),
  alt_hae_m: Finite,
  alt_rel_m: Finite,
  vel_enu_mps: nullable(Type.Array(Type.Number())),
  speed_mps: Finite,
  course_deg: Finite,
  heading_deg: Finite,
  climb_mps: Finite,
  at: UtcTime,
  source: Type.String(),
});

const PowerView = Shape("Power", {
  percent: Finite,
  voltage_v: Finite,
  current_a: Finite,
  remaining_s: Finite,
  state: nullable(Type.Enum(POWER_STATES)),
});

const NavView = Shape("Navigation", {
  gps_fix: nullable(Type.String()),
  sats: Finite,
  hdop: Finite,
  landed: Type.Enum(LANDED_STATES),
  armed: nullable(Type.Boolean()),
  mode: nullable(Type.String()),
  home: nullable(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt_hae_m: Finite })),
});

/** Why a verb is not available now, by the rule that objects; all null where the verb is available. */
const Reason = {
  unavailable_reason: nullable(Type.String({ description: "the rule's sentence, which names the verb" })),
  reason_code: nullable(Type.String({ description: "what kind of rule objects" })),
  rule_id: nullable(Type.String()),
  value: nullable(Type.Union([Type.Number(), Type.String()], { description: "what the rule looked at" })),
  limit: nullable(Type.Number({ description: "what `value` is compared with, where the rule compares" })),
  unit: nullable(Type.String({ description: "of value and limit" })),
  text: nullable(Type.String({ description: "the sentence again, without the verb" })),
};

/** What is the same for every asset that has the verb is also in GET /api/catalogue/verbs. */
const VerbView = Shape("Verb", {
  name: Type.String(),
  title: Type.String(),
  params_kind: Type.String({ description: "`params.kind` of the command" }),
  params_kinds: Type.Array(Type.String(), { description: "every kind that it takes; the first is params_kind" }),
  schema_id: Type.String({ description: "its row in GET /api/catalogue/verbs: the verb's name" }),
  params_schema: Type.Record(Type.String(), Type.Unknown(), {
    description: "JSON Schema of `params`, as narrow as this asset needs it; `x-unit` is the unit of a number",
  }),
  available: Type.Boolean(),
  ...Reason,
  unavailable_rule: nullable(Type.String({ description: "as rule_id", deprecated: true })),
  requires_approval: Type.Boolean(),
  requires_confirm: Type.Boolean(),
  max_rate_s: Finite,
});
export type VerbView = Static<typeof VerbView>;

const { name: _name, available: _available, ...MORE_OF_A_VERB } = VerbView.properties;
const VerbInList = Shape(
  "VerbInList",
  { name: Type.String(), available: Type.Boolean(), ...Type.Partial(Type.Object(MORE_OF_A_VERB)).properties },
  {
    description:
      "an available verb has its name only, another one also why not; the rest is in GET /api/catalogue/verbs under its name, " +
      "and here where `include=params_schema` asks for it",
  },
);

const Commitment = Shape("Commitment", {
  threat_id: nullable(Type.String()),
  plan_id: nullable(Type.String()),
  task_id: nullable(Type.String()),
  since_at: UtcTime,
});

/** Position and direction of a sensor. A rule with a code of its own checks that it is on the earth. */
export const Placement = Shape(
  "Placement",
  {
    lat: Type.Number(),
    lon: Type.Number(),
    alt_hae_m: maybeNumber(ALT_MIN_M, ALT_MAX_M),
    height_agl_m: maybeNumber(ALT_MIN_M, ALT_MAX_M),
    yaw_deg: Type.Optional(Type.Number({ minimum: -360, maximum: 360, description: "boresight, from true north" })),
    pitch_deg: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
    roll_deg: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
    mobile: Type.Optional(Type.Boolean()),
    host_asset_id: maybe(Type.String({ maxLength: 64, description: "carried on this asset" })),
    surveyed: Type.Optional(Type.Boolean()),
    sigma_m: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
    north_sigma_deg: Type.Optional(Type.Number({ minimum: 0, maximum: 180 })),
    blind_sectors: Type.Optional(
      Type.Array(
        Type.Object({
          az_from_deg: Type.Number({ minimum: 0, maximum: 360 }),
          az_to_deg: Type.Number({ minimum: 0, maximum: 360 }),
          el_max_deg: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
          kind: Type.Enum(["blind", "blanked"] as const),
        }),
        {
          maxItems: BLIND_SECTORS_MAX,
          description: "what lies in them below el_max_deg (all, when absent) is not seen",
        },
      ),
    ),
    valid_from_at: Type.Optional(Type.String({ format: "date-time" })),
  },
  { description: "Where a sensor stands and looks" },
);
export type Placement = Static<typeof Placement>;

const Switch = (description: string) => Type.Optional(Type.Boolean({ description }));
export const AssetSwitches = Shape("AssetSwitches", {
  enabled: Switch("off: it takes no command but abort"),
  taskable: Switch("off: it takes no task"),
  auto_respond: Switch("plans may include it without asking first; approval is needed all the same"),
  emit: Switch("active sensing allowed"),
  share: Switch("shown to connected systems"),
  simulated_twin: Switch("has a simulated twin"),
});
export type AssetSwitches = Static<typeof AssetSwitches>;

const CONNECTION_WITHOUT_SECRETS = {
  address: nullable(Type.String()),
  protocol: nullable(Type.String()),
  port: nullable(Type.Integer()),
  system_id: nullable(Type.String()),
  link_id: nullable(Type.String()),
};
const Connection = Shape("AssetConnection", { ...CONNECTION_WITHOUT_SECRETS, secret_ref: nullable(Type.String()) });

/** The registry row. `spec` is free beside `model` and `remote_id_serial`. */
export const Asset = Shape("Asset", {
  id: Type.String(),
  kind: Type.Enum(["vehicle", "sensor"] as const),
  name: Type.String(),
  domain: Type.Enum(CATALOGUE_DOMAINS),
  spec: Type.Record(Type.String(), Type.Unknown()),
  remote_id_serial: nullable(Type.String()),
  performance: nullable(PlatformPerformance),
  placement: nullable(Placement),
  payloads: Type.Union([Type.Array(PayloadSpec), Type.Null()], {
    description: "a list: the full fit; []: it carries nothing; null: what its model carries",
  }),
  switches: AssetSwitches,
  connection: nullable(Connection),
  created_at: UtcTime,
  updated_at: UtcTime,
  version: Type.Integer({ minimum: 1 }),
});
export type Asset = Static<typeof Asset>;

/** The row as a form edits it, without secrets; null where there is no row. Only where one asset is answered. */
const Registration = Shape("AssetRegistration", {
  catalog_name: nullable(Type.String({ description: "the model, in the catalogue's spelling; null: none is named" })),
  spec: Asset.properties.spec,
  connection: nullable(Type.Object(CONNECTION_WITHOUT_SECRETS)),
  placement: Asset.properties.placement,
  payloads: Asset.properties.payloads,
  version: Type.Integer({ description: "for `expected_version` of an edit" }),
});

export const AssetView = Shape("AssetView", {
  id: Type.String(),
  key: nullable(Type.String()),
  name: Type.String(),
  kind: Type.Enum(["vehicle", "sensor"] as const),
  domain: Type.String(),
  model: nullable(Type.String()),
  class_type: nullable(Type.String()),
  origin: Type.Enum(["registry", "discovered", "sim_twin"] as const),
  remote_id_serial: nullable(Type.String()),
  link: LinkView,
  health: HealthView,
  motion: nullable(MotionView),
  power: nullable(PowerView),
  nav: nullable(NavView),
  track_id: nullable(Type.String()),
  verbs: Type.Array(VerbView),
  commitment: nullable(Commitment),
  payloads: Type.Array(PayloadSpec),
  payload_source: Type.Enum(["own", "model", "none"] as const),
  performance: nullable(PlatformPerformance),
  switches: Type.Optional(AssetSwitches),
  sensor: nullable(SensorView),
  distance_m: Type.Optional(Type.Number()),
  env: Type.Enum(ENVIRONMENTS),
  version: Type.Integer(),
  registration: Type.Optional(nullable(Registration)),
});
export type AssetView = Static<typeof AssetView>;

/** What lists leave out, as a query asks for it back. */
export const LIST_INCLUDES = ["params_schema", "performance", "payloads", "components"] as const;
export type ListInclude = (typeof LIST_INCLUDES)[number];

const {
  verbs: _verbs,
  performance: _performance,
  payloads: _payloads,
  registration: _registration,
  ...MEMBERS_IN_LISTS
} = AssetView.properties;
export const AssetInList = Shape(
  "AssetInList",
  {
    ...MEMBERS_IN_LISTS,
    verbs: Type.Array(VerbInList),
    performance: Type.Optional(AssetView.properties.performance),
    payloads: Type.Optional(AssetView.properties.payloads),
  },
  { description: "an AssetView without what only a write changes; of the health components those that are not ok" },
);
export type AssetInList = Static<typeof AssetInList>;
