/**
 * Health of the service (docs/interface.md#health) and of a workspace's tracker (`fusion_health`, docs/interface.md#slices).
 */
import { type Static, Type } from "typebox";
import { nullable, Shape, UtcTime } from "./shape.ts";

/** `degraded` is in the body; the status is 200 while the service answers. */
export const HealthReport = Shape("HealthReport", {
  status: Type.Enum(["ok", "degraded", "down"] as const),
  version: Type.String(),
  build: Type.String(),
  uptime_s: Type.Integer(),
  at: UtcTime,
  checks: Type.Object({ db: Type.String(), tracker: Type.String(), mail: Type.String(), disk: Type.String() }),
  latency_ms: Type.Object({ p50: Type.Number(), p99: Type.Number() }),
  streams: Type.Integer(),
});
export type HealthReport = Static<typeof HealthReport>;

const Count = Type.Integer({ minimum: 0 });
const Counted = (description: string) => Type.Integer({ minimum: 0, description });
const Percentiles = Type.Object({ p50: Type.Number(), p99: Type.Number() });

/** How a room keeps up. Every limit that is reached in a room is counted here. */
export const FusionHealth = Shape("FusionHealth", {
  state: Type.Enum(["nominal", "degraded", "overloaded", "stalled"] as const),
  tick: Count,
  tick_ms: Percentiles,
  phase_ms: Type.Object(
    { fuse: Percentiles, follow: Percentiles, identify: Percentiles, remember: Percentiles, tell: Percentiles },
    { description: "of a step, what each phase took" },
  ),
  scans_ps: Type.Number(),
  queue: Count,
  obs_in: Count,
  obs_dropped: Count,
  dropped: Type.Object({
    late: Count,
    quarantined: Count,
    duplicates: Count,
    rejected: Count,
    calls_refused_full: Count,
    sources_refused_full: Count,
    platforms_refused_full: Count,
    alerts_refused_full: Count,
    writes_refused_full: Count,
    streams_refused_full: Count,
    streams_closed_slow: Count,
    stream_events: Counted("events of streams that fell behind, told by resync"),
    id_windows_shortened: Counted("times that ids came too fast to be remembered for their whole window"),
    lag_windows_shortened: Counted("times that measurements came too fast to be kept for the whole lag window"),
    scans_too_late: Counted("scans that the lag window let in and the tracker could not go back to"),
    scans_repeated: Counted("scans that the tracker had fused already"),
    explains_for_capacity: Count,
    tracks_for_capacity: Count,
    scans_for_capacity: Count,
    searches_cut: Count,
    history_points: Count,
    kernel_restarts: Count,
  }),
  rewinds: Count,
  tracks: Type.Object({ tentative: Count, confirmed: Count, coasting: Count }),
  nis: Type.Record(Type.String(), Type.Number()),
  offset_ms: Type.Record(Type.String(), Type.Number()),
  bias: Type.Record(
    Type.String(),
    Type.Object({
      az_deg: nullable(Type.Number()),
      range_m: nullable(Type.Number()),
      corrected: Type.Boolean(),
    }),
  ),
  build_hash: Type.String(),
  config_hash: Type.String(),
});
export type FusionHealth = Static<typeof FusionHealth>;
