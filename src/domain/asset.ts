/**
 * The fused read shape of everything of ours (spec §2.3, contract §4): vehicles, placed sensors and observed sources.
 * One shape for GET, picture, `fleet_slice` and `sensor_slice`.
 */
import { type Static, type TSchema, Type } from "typebox";
import { ENVIRONMENTS } from "./modality.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ format: "date-time" });
const Finite = nullable(Type.Number());

export const LINK_STATES = ["never_heard", "connecting", "up", "degraded", "lost", "closed"] as const;
export const HEALTH_LEVELS = ["ok", "warn", "fail", "not_ready", "unknown"] as const;
export type LinkState = (typeof LINK_STATES)[number];
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

export const LinkView = Type.Object({
  state: Type.Enum(LINK_STATES),
  since_at: nullable(Time),
  last_heard_at: nullable(Time),
  protocol: nullable(Type.String()),
  address: nullable(Type.String()),
  rssi_dbm: Finite,
  loss_pct: Finite,
  rtt_ms: Finite,
  rate_hz: Finite,
});

export const HealthView = Type.Object({
  level: Type.Enum(HEALTH_LEVELS),
  components: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      level: Type.Enum(HEALTH_LEVELS),
      message: Type.String(),
      code: nullable(Type.String()),
      updated_at: Time,
    }),
  ),
  messages: Type.Array(Type.String()),
  armable: nullable(Type.Boolean()),
  updated_at: nullable(Time),
});

export const SensorView = Type.Object({
  profile_id: Type.String(),
  operational: Type.Enum(["off", "non_operational", "degraded", "operational", "denied"] as const),
  mode: nullable(Type.String()),
  coverage: nullable(Type.Array(Type.Array(Type.Number()))),
  last_detection_at: nullable(Time),
  detections_per_min: Type.Number(),
  time_offset_ms: Finite,
});

export const MotionView = Type.Object({
  lat: Type.Number(),
  lon: Type.Number(),
  alt_hae_m: Finite,
  alt_rel_m: Finite,
  vel_enu_mps: nullable(Type.Array(Type.Number())),
  speed_mps: Finite,
  course_deg: Finite,
  heading_deg: Finite,
  climb_mps: Finite,
  at: Time,
  source: Type.String(),
});

export const AssetView = Type.Object({
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
  power: nullable(Type.Record(Type.String(), Type.Unknown())),
  nav: nullable(Type.Record(Type.String(), Type.Unknown())),
  track_id: nullable(Type.String()),
  verbs: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  commitment: nullable(Type.Record(Type.String(), Type.Unknown())),
  payloads: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  payload_source: Type.Enum(["own", "model", "none"] as const),
  performance: nullable(Type.Record(Type.String(), Type.Unknown())),
  sensor: nullable(SensorView),
  distance_m: Type.Optional(Type.Number()),
  env: Type.Enum(ENVIRONMENTS),
  version: Type.Integer(),
});
export type AssetView = Static<typeof AssetView>;
