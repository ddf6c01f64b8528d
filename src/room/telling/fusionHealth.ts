/**
 * The tracker's self-report (`fusion_health`, docs/interface.md#slices): the room's load and its drops. Every limit that
 * refuses or drops something in a room has a counter here.
 */
import type { FusionHealth } from "../../domain/health.ts";
import type { HubCounts } from "../../stream/hub.ts";
import type { TrackerHealth } from "../../tracker/types.ts";
import type { Admission } from "../intake/admission.ts";

/** Number of steps that percentiles are taken over. */
const SAMPLES = 256;
/** Share of the step period above which the room cannot keep up for long. */
const OVERLOAD_SHARE = 0.9;
const DEGRADED_SHARE = 0.5;

/** The phases of a step, in order. */
export type StepPhase = keyof FusionHealth["phase_ms"];

/** A ring of durations, milliseconds. */
class Durations {
  readonly #tookMs = new Float64Array(SAMPLES);
  #samples = 0;

  add(tookMs: number): void {
    this.#tookMs[this.#samples++ % SAMPLES] = tookMs;
  }

  percentiles(): { p50: number; p99: number } {
    const n = Math.min(this.#samples, SAMPLES);
    if (n === 0) return { p50: 0, p99: 0 };
    const sorted = this.#tookMs.slice(0, n).sort();
    const at = (q: number) => Math.round(sorted[Math.min(n - 1, Math.floor(q * n))]! * 1000) / 1000;
    return { p50: at(0.5), p99: at(0.99) };
  }
}

/** Durations of the last steps and of their phases, and scans per second. It has no clock of its own. */
export class StepMeter {
  readonly #steps = new Durations();
  readonly #phases: Readonly<Record<StepPhase, Durations>> = {
    fuse: new Durations(),
    follow: new Durations(),
    identify: new Durations(),
    remember: new Durations(),
    tell: new Durations(),
  };
  #startedMs = 0;
  #phaseStartedMs = 0;
  #secondStartedAtMs = 0;
  #scansThisSecond = 0;
  scansPerSecond = 0;

  begin(monotonicMs: number): void {
    this.#startedMs = monotonicMs;
    this.#phaseStartedMs = monotonicMs;
  }

  endPhase(phase: StepPhase, monotonicMs: number): void {
    this.#phases[phase].add(monotonicMs - this.#phaseStartedMs);
    this.#phaseStartedMs = monotonicMs;
  }

  end(scans: number, monotonicMs: number, nowMs: number): void {
    this.#steps.add(monotonicMs - this.#startedMs);
    this.#scansThisSecond += scans;
    const elapsedMs = nowMs - this.#secondStartedAtMs;
    if (elapsedMs < 1000) return;
    this.scansPerSecond = Math.round((this.#scansThisSecond * 1000) / elapsedMs);
    this.#scansThisSecond = 0;
    this.#secondStartedAtMs = nowMs;
  }

  percentiles(): { p50: number; p99: number } {
    return this.#steps.percentiles();
  }

  phasePercentiles(): Record<StepPhase, { p50: number; p99: number }> {
    const { fuse, follow, identify, remember, tell } = this.#phases;
    return {
      fuse: fuse.percentiles(),
      follow: follow.percentiles(),
      identify: identify.percentiles(),
      remember: remember.percentiles(),
      tell: tell.percentiles(),
    };
  }
}

/** The parts of a room that count their refusals. */
interface Bounded {
  readonly tick: number;
  readonly sensors: { readonly refusedFull: number };
  readonly forces: { readonly fleet: { readonly refusedFull: number } };
  readonly alerts: { readonly refusedFull: number };
  readonly writes: { readonly refusedFull: number };
  readonly hub: { readonly counts: HubCounts };
  readonly histories: { readonly pointsDropped: number };
}

interface HealthInput {
  readonly room: Bounded;
  readonly admission: Pick<Admission, "inbox" | "counters" | "idWindowsShortened">;
  readonly inboxMax: number;
  readonly meter: StepMeter;
  readonly stepPeriodMs: number;
  readonly kernelRestarts: number;
  readonly tracker: TrackerHealth | null;
  readonly configHash: string;
}

function stateOf({ admission: { inbox }, inboxMax, stepPeriodMs }: HealthInput, p99Ms: number): FusionHealth["state"] {
  if (inbox.observations >= inboxMax) return "stalled";
  if (p99Ms > stepPeriodMs * OVERLOAD_SHARE || inbox.observations > inboxMax / 2) return "overloaded";
  return p99Ms > stepPeriodMs * DEGRADED_SHARE ? "degraded" : "nominal";
}

function droppedOf({ room, admission, kernelRestarts, tracker }: HealthInput): FusionHealth["dropped"] {
  const { counts: streams } = room.hub;
  const { counters, inbox } = admission;
  return {
    late: counters.late,
    quarantined: counters.quarantined,
    duplicates: counters.duplicates,
    rejected: counters.rejected,
    calls_refused_full: inbox.refused,
    sources_refused_full: room.sensors.refusedFull,
    platforms_refused_full: room.forces.fleet.refusedFull,
    alerts_refused_full: room.alerts.refusedFull,
    writes_refused_full: room.writes.refusedFull,
    streams_refused_full: streams.refused,
    streams_closed_slow: streams.closedSlow,
    stream_events: streams.dropped,
    id_windows_shortened: admission.idWindowsShortened,
    lag_windows_shortened: tracker?.lagWindowsShortened ?? 0,
    scans_too_late: tracker?.tooLateScans ?? 0,
    scans_repeated: tracker?.duplicateScans ?? 0,
    explains_for_capacity: tracker?.explainsDropped ?? 0,
    tracks_for_capacity: tracker?.droppedForCapacity ?? 0,
    scans_for_capacity: tracker?.scansWithoutSlot ?? 0,
    searches_cut: tracker?.searchesCut ?? 0,
    history_points: room.histories.pointsDropped,
    kernel_restarts: kernelRestarts,
  };
}

export function fusionHealthOf(input: HealthInput): FusionHealth {
  const { tracker } = input;
  const { counters, inbox } = input.admission;
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
    tick: input.room.tick,
    tick_ms: tickMs,
    phase_ms: input.meter.phasePercentiles(),
    scans_ps: input.meter.scansPerSecond,
    queue: inbox.observations,
    obs_in: counters.observationsIn,
    obs_dropped: counters.late + counters.quarantined,
    dropped: droppedOf(input),
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
