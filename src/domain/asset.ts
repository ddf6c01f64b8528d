/**
 * The fused read shape of everything of ours (docs/interface.md#asset-views): vehicles, placed sensors and observed
 * sources. One shape for GET, picture, `fleet_slice` and `sensor_slice`.
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

const VerbView = Shape("Verb", {
  name: Type.String(),
  title: Type.String(),
  params_kind: Type.String({ description: "`params.kind` of the command" }),
  params_kinds: Type.Array(Type.String(), { description: "every kind that it takes; the first is params_kind" }),
  params_schema: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of `params`" }),
  available: Type.Boolean(),
  unavailable_reason: nullable(Type.String()),
  unavailable_rule: nullable(Type.String()),
  requires_approval: Type.Boolean(),
  requires_confirm: Type.Boolean(),
  max_rate_s: Finite,
});

const Commitment = Shape("Commitment", {
  threat_id: nullable(Type.String()),
  plan_id: nullable(Type.String()),
  task_id: nullable(Type.String()),
  since_at: UtcTime,
});

/** Where a sensor stands and looks. Whether it is on the earth is a rule with a code of its own. */
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

const Connection = Shape("AssetConnection", {
  address: nullable(Type.String()),
  protocol: nullable(Type.String()),
  port: nullable(Type.Integer()),
  system_id: nullable(Type.String()),
  link_id: nullable(Type.String()),
  secret_ref: nullable(Type.String()),
});

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
});
export type AssetView = Static<typeof AssetView>;
