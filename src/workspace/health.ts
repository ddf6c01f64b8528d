/**
 * The tracker's self-report (`fusion_health`, contract §14): how the room keeps up and what it dropped. Every limit that
 * bites in a room is a counter here.
 */
import { type Static, Type } from "typebox";
import { Shape } from "../domain/shape.ts";
import type { TrackerHealth } from "../tracker/types.ts";

const Count = Type.Integer({ minimum: 0 });
const Percentiles = Type.Object({ p50: Type.Number(), p99: Type.Number() });

export const FusionHealth = Shape("FusionHealth", {
  state: Type.Enum(["nominal", "degraded", "overloaded", "stalled"] as const),
  tick: Count,
  tick_ms: Percentiles,
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
      az_deg: Type.Union([Type.Number(), Type.Null()]),
      range_m: Type.Union([Type.Number(), Type.Null()]),
      corrected: Type.Boolean(),
    }),
  ),
  build_hash: Type.String(),
  config_hash: Type.String(),
});
export type FusionHealth = Static<typeof FusionHealth>;

const SAMPLES = 256;
/** A step that takes longer than this share of its period means that the room cannot keep up for long. */
const OVERLOAD_SHARE = 0.9;
const DEGRADED_SHARE = 0.5;

/** The last step times, and rates by the second. No clock of its own. */
export class StepMeter {
  readonly #tookMs = new Float64Array(SAMPLES);
  #samples = 0;
  #secondStartedAtMs = 0;
  #scansThisSecond = 0;
  scansPerSecond = 0;

  add(tookMs: number, scans: number, nowMs: number): void {
    this.#tookMs[this.#samples++ % SAMPLES] = tookMs;
    this.#scansThisSecond += scans;
    const elapsedMs = nowMs - this.#secondStartedAtMs;
    if (elapsedMs < 1000) return;
    this.scansPerSecond = Math.round((this.#scansThisSecond * 1000) / elapsedMs);
    this.#scansThisSecond = 0;
    this.#secondStartedAtMs = nowMs;
  }

  percentiles(): { p50: number; p99: number } {
    const n = Math.min(this.#samples, SAMPLES);
    if (n === 0) return { p50: 0, p99: 0 };
    const sorted = this.#tookMs.slice(0, n).sort();
    const at = (q: number) => Math.round(sorted[Math.min(n - 1, Math.floor(q * n))]! * 1000) / 1000;
    return { p50: at(0.5), p99: at(0.99) };
  }
}

export interface RoomCounters {
  observationsIn: number;
  late: number;
  quarantined: number;
  duplicates: number;
  rejected: number;
  kernelRestarts: number;
}

export interface HealthInput {
  readonly tick: number;
  readonly meter: StepMeter;
  readonly stepPeriodMs: number;
  readonly queue: number;
  readonly queueMax: number;
  readonly counters: RoomCounters;
  readonly callsRefusedFull: number;
  readonly sourcesRefusedFull: number;
  readonly historyPointsDropped: number;
  readonly tracker: TrackerHealth | null;
  readonly configHash: string;
}

function stateOf(input: HealthInput, p99Ms: number): FusionHealth["state"] {
  if (input.queue >= input.queueMax) return "stalled";
  if (p99Ms > input.stepPeriodMs * OVERLOAD_SHARE || input.queue > input.queueMax / 2) return "overloaded";
  return p99Ms > input.stepPeriodMs * DEGRADED_SHARE ? "degraded" : "nominal";
}

export function fusionHealthOf(input: HealthInput): FusionHealth {
  const { counters, tracker } = input;
  const tickMs = input.meter.percentiles();
  const nis: Record<string, number> = {};
  const offset: Record<string, number> = {};
  const bias: FusionHealth["bias"] = {};
  for (const sensor of tracker?.sensors ?? []) {
    if (sensor.nisMean !== null) nis[sensor.sourceId] = sensor.nisMean;
    if (sensor.clockOffsetMs !== null) offset[sensor.sourceId] = sensor.clockOffsetMs;
    if (sensor.azBiasDeg !== null || sensor.rangeBiasM !== null)
      bias[sensor.sourceId] = { az_deg: sensor.azBiasDeg, range_m: sensor.rangeBiasM, corrected: sensor.corrected };
  }
  return {
    state: stateOf(input, tickMs.p99),
    tick: input.tick,
    tick_ms: tickMs,
    scans_ps: input.meter.scansPerSecond,
    queue: input.queue,
    obs_in: counters.observationsIn,
    obs_dropped: counters.late + counters.quarantined,
    dropped: {
      late: counters.late,
      quarantined: counters.quarantined,
      duplicates: counters.duplicates,
      rejected: counters.rejected,
      calls_refused_full: input.callsRefusedFull,
      sources_refused_full: input.sourcesRefusedFull,
      tracks_for_capacity: tracker?.droppedForCapacity ?? 0,
      scans_for_capacity: tracker?.scansWithoutSlot ?? 0,
      searches_cut: tracker?.searchesCut ?? 0,
      history_points: input.historyPointsDropped,
      kernel_restarts: counters.kernelRestarts,
    },
    rewinds: tracker?.rewinds ?? 0,
    tracks: {
      tentative: tracker?.tentative ?? 0,
      confirmed: tracker?.confirmed ?? 0,
      coasting: tracker?.coasting ?? 0,
    },
    nis,
    offset_ms: offset,
    bias,
    build_hash: tracker?.buildHash ?? "",
    config_hash: input.configHash,
  };
}
