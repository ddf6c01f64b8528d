/**
 * The room's tracker: takes scans in any order within the lag window, gives the picture at a time. The only thing that
 * `room/` uses of this folder. It joins the kernel (state and arithmetic), the timeline (order, late data) and the
 * sensor slots; it knows no wire form, no clock and no SQL.
 *
 * State depends on the set of scans and on the order of `setSensor` calls, never on the order of arrival of scans.
 */
import { SENSOR_CAPACITY } from "../../assembly/layout.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { FusionExplain } from "../domain/fusionExplain.ts";
import type { EnuFrame } from "../domain/geodesy.ts";
import type { Scan } from "../domain/scan.ts";
import type { SensorProfile } from "../domain/sensorProfile.ts";
import { assert } from "../lib/assert.ts";
import { KEPT_STATE_BYTES_MAX, KEPT_STATES_MAX, REPLAY_MEASUREMENTS_MAX } from "../limits.ts";
import { EndedTracks } from "./endedTracks.ts";
import {
  type FusedScan,
  mergeEntry,
  type Step,
  scanEntry,
  splitEntry,
  type TrackEdit,
  type TrackerEntry,
} from "./entries.ts";
import { Explains } from "./explains.ts";
import { TrackerFault } from "./fault.ts";
import type { KernelBuild } from "./kernel/build.ts";
import { Kernel } from "./kernel/kernel.ts";
import type { TrackExplains } from "./pastExplains.ts";
import { runEntry } from "./runEntry.ts";
import { SensorSlots } from "./sensorSlots.ts";
import { type SnapshotRefusal, type TrackerSnapshot, whyNotRestore } from "./snapshot.ts";
import { Timeline, type TimelineSnapshot } from "./timeline.ts";
import type { EndedTrack, TrackerConfig, TrackerHealth, TrackSplit, TracksMerged, TrackTable } from "./types.ts";

interface TrackerOptions {
  readonly kernel: KernelBuild;
  readonly frame: EnuFrame;
  readonly config: TrackerConfig;
  readonly tracksMax: number;
  /** How the room writes a track's key in explain payloads. */
  readonly trackIdOf?: (key: number) => string;
}

type EditRefusal = Refusal<"invalid_input" | "not_found" | "invalid_state">;

/** How often tracks are retired, merged and let coast: a few times in the shortest sensor period. */
const SWEEP_PERIOD_US = 500_000;
/**
 * Sweeping waits this long for scans that are on their way, so that ordinary latency does not make each sweep a rewind.
 * When all sensors fall silent, tracks end that much later.
 */
const SWEEP_HOLDBACK_US = 1_000_000;
/** Longer than anything that ends a track; after such a silence there is nothing left to sweep. */
const QUIET_US = 600_000_000;
const REBUILD_ATTEMPTS = 8;

export class Tracker {
  /** Whether each scan's decisions are recorded; costs time, so only while somebody watches. */
  explainOn = false;
  readonly #options: TrackerOptions;
  readonly #sensors: SensorSlots;
  readonly #ended = new EndedTracks();
  #kernel: Kernel;
  #timeline: Timeline<TrackerEntry>;
  #fault: TrackerFault | null = null;
  #running: TrackerEntry | null = null;
  readonly #explains: Explains;
  #tick = 0;
  #step: Step = { tick: 0, atUs: 0, scans: 0, rewinds: [] };
  readonly #rewoundTicks = new Set<number>();
  #fusedSinceRead = false;
  #touchedBeforeRewind = new Set<number>();
  #scansFused = 0;
  #observationsFused = 0;
  #scansWithoutSlot = 0;
  #nowUs = Number.NEGATIVE_INFINITY;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#sensors = new SensorSlots(options.frame, SENSOR_CAPACITY);
    this.#kernel = this.#openKernel();
    this.#timeline = this.#newTimeline();
    this.#explains = new Explains({
      frame: options.frame,
      trackIdOf: (key) => this.#idOf(key),
      hashOf: (kernel) => kernel.hash(this.#salt),
      openKernel: () => this.#openKernel(),
      sweepPeriodUs: SWEEP_PERIOD_US,
      quietUs: QUIET_US,
    });
  }

  /**
   * Says what a source can do, before each of its scans. While more sources report at once than the kernel has slots, the
   * last of them get none: their scans are counted instead of fused.
   */
  setSensor(sourceId: string, profile: SensorProfile): void {
    this.#sensors.set(sourceId, profile, this.#timeline.newestUs, this.#options.config.maxLagS * 1e6);
  }

  sensorIdOfSlot(slot: number): string {
    return this.#sensors.sourceIdOf(slot);
  }

  /**
   * Fuses scans in canonical order; late ones restore a kept state and run again what came after. Then sweeps up to
   * `nowUs`, less the time that scans take to arrive.
   */
  advance(scans: readonly Scan[], nowUs: number): void {
    this.#beginStep(nowUs);
    const entries = scans.map((scan) => this.#toEntry(scan)).filter((entry) => entry !== null);
    this.#scansWithoutSlot += scans.length - entries.length;
    this.#runStep(entries, nowUs - SWEEP_HOLDBACK_US);
  }

  /**
   * The operator says that the other tracks are the kept one's object, from `atUs` on: they end in it, now and whenever
   * late data makes the kernel run that time again. State and evidence are combined (docs/adr/0015).
   */
  mergeTracks(keptKey: number, otherKeys: readonly number[], atUs: number): TracksMerged | EditRefusal {
    if (otherKeys.length === 0 || new Set([keptKey, ...otherKeys]).size !== otherKeys.length + 1)
      return refusal("invalid_input", "A merge names the track to keep and at least one other, each of them once.");
    const why = this.#edit(mergeEntry(keptKey, otherKeys, atUs), [keptKey, ...otherKeys]);
    return why ?? { keptKey, endedKeys: otherKeys.filter((key) => this.#kernel.firstSeenUs(key) === null) };
  }

  /**
   * The operator says that the track is two objects, from `atUs` on. It keeps its key and its claimed identity for one of
   * them; the other is a new track, as sure as the first, whose key is the same in every replay (docs/adr/0015).
   */
  splitTrack(key: number, atUs: number): TrackSplit | EditRefusal {
    const entry = splitEntry(key, atUs);
    const why = this.#edit(entry, [key]);
    if (why !== null) return why;
    if (this.#kernel.firstSeenUs(entry.newKey) !== null) return { keptKey: key, newKeys: [entry.newKey] };
    return refusal("invalid_state", "The track table is full: there is no place for a second track.");
  }

  /** Puts an edit in its place and runs what comes after it; null when that was done. */
  #edit(edit: TrackEdit, keys: readonly number[]): EditRefusal | null {
    assert(Number.isSafeInteger(edit.timeUs), "the time of an edit is in whole microseconds");
    for (const key of keys) {
      const firstUs = this.#guard(() => this.#kernel.firstSeenUs(key));
      if (firstUs === null) return refusal("not_found", `There is no track ${this.#idOf(key)}.`);
      if (firstUs > edit.timeUs)
        return refusal("invalid_state", `Track ${this.#idOf(key)} was not there yet at the time of the edit.`);
    }
    if (!this.#timeline.reaches(edit))
      return refusal("invalid_state", "The time of the edit is longer ago than late data may be.");
    this.#beginStep(edit.timeUs);
    this.#runStep([edit], Number.NEGATIVE_INFINITY);
    return null;
  }

  /** The picture at a time, without changing the state. Valid until the next call. */
  readTracks(atUs: number): TrackTable {
    const table = this.#guard(() => this.#kernel.read(atUs));
    if (this.#touchedBeforeRewind.size > 0) {
      for (let row = 0; row < table.count; row++)
        if (this.#touchedBeforeRewind.has(table.key[row]!)) table.touched[row] = 1;
      this.#touchedBeforeRewind.clear();
    }
    this.#fusedSinceRead = false;
    this.#ended.show(table);
    return table;
  }

  /** Tracks that earlier reads showed and that are no more, each once; what late data unmade is `revised`. */
  takeEnded(): readonly EndedTrack[] {
    return this.#ended.take();
  }

  takeExplains(): readonly FusionExplain[] {
    return this.#explains.take();
  }

  /**
   * How the last scans of one track were fused, as a watcher of the stream would have been told: what the track gated or
   * took, and every track that gates one of these measurements. Reaches back over the lag window and EXPLAIN_PAST_MS, less
   * in a room with more than EXPLAIN_PAST_BYTES_MAX of them. Runs them again, in slices: call `next()` until it is done,
   * with other work between. Changes nothing.
   */
  explainsOf(trackKey: number, sinceUs: number, limit: number): Generator<undefined, TrackExplains, undefined> {
    assert(limit >= 1, "an answer has room for one explained scan at least");
    return this.#explains.answer(this.#timeline.stretches(), { trackKey, sinceUs, limit });
  }

  /** 16 hex digits over everything that affects the future. */
  stateHash(): string {
    return this.#guard(() => this.#kernel.hash(this.#salt));
  }

  /** Bytes kept of the past, states and scans: for late data, and for explaining after the fact. */
  keptBytes(): number {
    let bytes = this.#timeline.keptBytes + this.#explains.keptBytes;
    for (const entry of this.#timeline.entries())
      if (entry.kind === "scan") bytes += entry.scan.measurements.byteLength;
    return bytes;
  }

  health(): TrackerHealth {
    const kernel = this.#guard(() => this.#kernel.health());
    const { counts } = this.#timeline;
    return {
      tentative: kernel.tentative,
      confirmed: kernel.confirmed,
      coasting: kernel.coasting,
      scansFused: this.#scansFused,
      observationsFused: this.#observationsFused,
      rewinds: counts.rewinds,
      scansReplayed: counts.scansReplayed,
      duplicateScans: counts.duplicates,
      tooLateScans: counts.tooLate,
      scansWithoutSlot: this.#scansWithoutSlot,
      lagWindowsShortened: counts.windowShortened,
      explainsDropped: this.#explains.dropped,
      droppedForCapacity: kernel.droppedForCapacity,
      searchesCut: kernel.searchesCut,
      sensors: kernel.sensors
        .filter((s) => s.slot < this.#sensors.count)
        .map(({ slot, ...report }) => ({ sourceId: this.#sensors.sourceIdOf(slot), ...report })),
      buildHash: this.#kernel.buildHash,
    };
  }

  /** The oldest kept state and the scans since: enough to go on elsewhere, late data included. */
  snapshot(): TrackerSnapshot {
    return this.#snapshotOf(this.#timeline.snapshot());
  }

  /** The oldest kept state alone, for a reader that has the scans since from a log. */
  baseSnapshot(): TrackerSnapshot {
    return this.#snapshotOf(this.#timeline.baseSnapshot());
  }

  /** Goes on from a snapshot of this or of another process; null when it does. */
  restore(snapshot: TrackerSnapshot): SnapshotRefusal | null {
    const why = whyNotRestore(snapshot, this.#kernel.buildHash, this.#options.frame.origin);
    if (why !== null) return why;
    this.#sensors.restore(snapshot.sensors);
    this.#tick = snapshot.tick;
    this.#explains.forgetPast();
    this.#fault = null;
    this.#startAnew();
    this.#guard(() => this.#timeline.restore(snapshot.timeline));
    return null;
  }

  /**
   * After a fault: a new kernel instance, the oldest kept state, and the scans since without the one that trapped.
   * When even that traps, the picture starts empty. Returns false in that case.
   */
  rebuild(): boolean {
    const fault = this.#fault;
    assert(fault !== null, "rebuild is for a tracker whose kernel trapped");
    let timeline = this.#running === null ? this.#timeline.snapshot() : this.#timeline.without(this.#running);
    for (let attempt = 0; attempt < REBUILD_ATTEMPTS; attempt++) {
      this.#fault = null;
      this.#startAnew();
      try {
        this.#guard(() => this.#timeline.restore(timeline));
        return true;
      } catch (error) {
        if (!(error instanceof TrackerFault)) throw error;
        if (this.#running === null) break;
        timeline = this.#timeline.without(this.#running);
      }
    }
    this.#fault = null;
    this.#startAnew();
    return false;
  }

  // ---------------------------------------------------------------- inside

  #idOf(key: number): string {
    return this.#options.trackIdOf?.(key) ?? String(key);
  }

  /** The frame is part of the state: the same numbers about another origin are other places. */
  get #salt(): Float64Array {
    const { lat, lon, alt_hae_m } = this.#options.frame.origin;
    return Float64Array.of(lat, lon, alt_hae_m);
  }

  #snapshotOf(timeline: TimelineSnapshot<TrackerEntry>): TrackerSnapshot {
    const { lat, lon, alt_hae_m } = this.#options.frame.origin;
    return {
      buildHash: this.#kernel.buildHash,
      origin: { lat, lon, alt_hae_m },
      sensors: this.#sensors.snapshot(),
      timeline,
      tick: this.#tick,
    };
  }

  #newTimeline(): Timeline<TrackerEntry> {
    return new Timeline<TrackerEntry>(
      {
        run: (entry, replayed) => this.#run(entry, replayed),
        sweep: (timeUs) => this.#kernel.sweep(timeUs),
        save: () => this.#kernel.save(),
        restore: (saved) => this.#kernel.restore(saved),
      },
      {
        maxLagUs: this.#options.config.maxLagS * 1e6,
        sweepPeriodUs: SWEEP_PERIOD_US,
        quietUs: QUIET_US,
        keptStatesMax: KEPT_STATES_MAX,
        keptBytesMax: KEPT_STATE_BYTES_MAX,
        weightMax: REPLAY_MEASUREMENTS_MAX,
      },
      (forgotten) => this.#explains.keep(forgotten),
    );
  }

  #openKernel(): Kernel {
    return new Kernel(this.#options.kernel, this.#options.config, this.#options.tracksMax);
  }

  /** A kernel as new; the room's counters stay. Sensors come back with a restored state or with their next scan. */
  #startAnew(): void {
    this.#kernel = this.#openKernel();
    this.#running = null;
    this.#timeline = this.#newTimeline();
  }

  #beginStep(nowUs: number): void {
    this.#tick++;
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
    this.#step = { tick: this.#tick, atUs: this.#nowUs, scans: 0, rewinds: [] };
  }

  #runStep(entries: readonly TrackerEntry[], sweepLimitUs: number): void {
    this.#explains.beginStep();
    this.#rewoundTicks.clear();
    this.#guard(() => {
      this.#timeline.advance(entries, sweepLimitUs, () => this.#beforeRewind());
      this.#ended.note(this.#kernel.takeEnded());
    });
    if (entries.length > 0) this.#fusedSinceRead = true;
    this.#step.rewinds = [...this.#rewoundTicks].sort((a, b) => a - b).map((tick) => ({ tick }));
    this.#explains.endStep(this.#step);
  }

  /** Null for a source without a slot: all are busy, or its sensor was removed while the scan waited. */
  #toEntry(scan: Scan): FusedScan | null {
    const sensor = this.#sensors.sensorOf(scan.sourceId);
    if (sensor === undefined) return null;
    this.#sensors.used(sensor.slot, scan.measuredAtUs);
    return scanEntry(scan, sensor, this.#sensors.poseOf(sensor.slot, scan.pose), this.#step);
  }

  #run(entry: TrackerEntry, replayed: boolean): void {
    this.#running = entry;
    this.#kernel.explainOn = this.explainOn;
    runEntry(this.#kernel, entry);
    this.#running = null;
    if (entry.kind === "scan") this.#noteScan(entry, replayed);
  }

  #noteScan(entry: FusedScan, replayed: boolean): void {
    entry.step = this.#step;
    this.#step.scans++;
    if (replayed) this.#rewoundTicks.add(entry.tick);
    else {
      this.#scansFused++;
      this.#observationsFused += entry.scan.count;
    }
    this.#explains.note(this.#kernel, entry);
  }

  /** Restoring loses what was touched since the last read, so it is noted first. */
  #beforeRewind(): void {
    if (!this.#fusedSinceRead) return;
    const table = this.#kernel.read(this.#nowUs);
    for (let row = 0; row < table.count; row++)
      if (table.touched[row] === 1) this.#touchedBeforeRewind.add(table.key[row]!);
  }

  /** Whatever the kernel throws is a fault of this room only. */
  #guard<T>(work: () => T): T {
    if (this.#fault !== null) throw this.#fault;
    try {
      return work();
    } catch (error) {
      this.#fault = new TrackerFault(this.#running, error);
      throw this.#fault;
    }
  }
}
