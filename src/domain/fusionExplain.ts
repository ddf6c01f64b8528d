/**
 * How the tracker fused one scan (`fusion-explain.v1`, docs/interface.md#explain). The state vector is east, north, up and
 * their rates in m and m/s; that of the model `ray` is azimuth and elevation in the sensor's frame, 0, and their rates, in rad
 * and rad/s. Covariances are upper triangles, row by row. Filled in by `tracker/explain.ts`.
 */
import { type Static, Type } from "typebox";
import { MODALITIES } from "./modality.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";
import { TRACK_STATUSES } from "./track.ts";

const NumberOrNull = nullable(Type.Number());
/** null: the kernel's figure is not finite. */
const Vector = Type.Array(NumberOrNull);
const Status = nullable(Type.Enum(TRACK_STATUSES));

export const ExplainedMeasurement = Shape("ExplainedMeasurement", {
  obs_id: nullable(Type.String()),
  measured_at: UtcTime,
  kind: Type.Enum(["position", "spherical", "bearing"] as const),
  z: Type.Array(Type.Number()),
  z_units: Type.Array(Type.String()),
  r: Type.Array(Type.Number(), { description: "covariance of z" }),
  pd: NumberOrNull,
  gates: Type.Array(Type.Object({ track_id: Type.String(), d2: NumberOrNull, limit: NumberOrNull })),
  likelihoods: Type.Array(Type.Object({ track_id: Type.String(), log_l: NumberOrNull })),
  outcome: Type.Enum(["updated", "initiated", "clutter"] as const),
  track_id: nullable(Type.String()),
  reason: Type.String(),
});
export type ExplainedMeasurement = Static<typeof ExplainedMeasurement>;

export const ExplainedTrack = Shape("ExplainedTrack", {
  track_id: Type.String(),
  model: Type.Enum(["ray", "imm_cv2"] as const),
  p_model: Vector,
  x_before: Vector,
  p_before: Vector,
  x_after: Vector,
  p_after: Vector,
  nis: NumberOrNull,
  existence_before: NumberOrNull,
  existence_after: NumberOrNull,
  status_before: Status,
  status_after: Status,
  missed: Type.Boolean(),
});
export type ExplainedTrack = Static<typeof ExplainedTrack>;

export const FusionExplain = Shape("FusionExplain", {
  schema: Type.Literal("fusion-explain.v1"),
  tick: Type.Integer(),
  scan_id: nullable(Type.String()),
  sensor_id: Type.String(),
  modality: Type.Enum(MODALITIES),
  scan_at: UtcTime,
  fused_at: UtcTime,
  coalesced: Type.Boolean({ description: "the step fused other scans too" }),
  replayed: Type.Boolean({
    description: "run again because late data came before it; the earlier record of the same scan no longer holds",
  }),
  rewinds: Type.Array(Type.Object({ tick: Type.Integer() })),
  frame: Type.Object({
    origin: Type.Object({ lat: Type.Number(), lon: Type.Number(), alt_hae_m: Type.Number() }),
    axes: Type.Literal("enu"),
  }),
  measurements: Type.Array(ExplainedMeasurement),
  tracks: Type.Array(ExplainedTrack),
  state_hash: Type.String(),
});
export type FusionExplain = Static<typeof FusionExplain>;
