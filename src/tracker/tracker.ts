/**
 * The door of the tracker: takes scans in any order within the lag window and operators' edits of tracks, gives the table of
 * tracks at a time. Joins the kernel (state and arithmetic), the timeline (order, late data) and the sensor slots; knows no
 * wire form, no clock and no SQL.
 *
 * The state depends on the set of scans and edits, each scan with the profile that its sensor had when it arrived; it does
 * not depend on the order of arrival. After a TrackerFault every call throws it again until `rebuild` was called.
 */
import { SENSOR_CAPACITY } from "../../assembly/layout.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { FusionExplain } from "../domain/fusionExplain.ts";
import type { EnuFrame } from "../domain/geodesy.ts";
import type { Scan } from "../domain/scan.ts";
import type { SensorProfile } from "../domain/sensorProfile.ts";
import { assert } from "../lib/assert.ts";
import { KEPT_STATE_BYTES_MAX, KEPT_STATES_MAX, REPLAY_MEASUREMENTS_MAX } from "../limits.ts";
import type { TrackerConfig } from "./config.ts";
import { EndedTracks } from "./endedTracks.ts";
import {
  assertScan,
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
import { TouchedTracks } from "./touchedTracks.ts";
import type { EndedTrack, TrackerHealth, TrackSplit, TracksMerged, TrackTable } from "./types.ts";

interface TrackerOptions {
  readonly kernel: KernelBuild;
  readonly frame: EnuFrame;
  readonly config: TrackerConfig;
  readonly tracksMax: number;
  /** A track's key as clients see it, for explains and refusals. */
  readonly trackIdOf?: (key: number) => string;
}

type EditRefusal = Refusal<"invalid_input" | "not_found" | "invalid_state">;
const TABLE_FULL = refusal("invalid_state", "The track table is full: there is no place for a second track.");

/** Between sweeps, which end, merge and coast tracks: a few of them in the shortest sensor period. */
const SWEEP_PERIOD_US = 500_000;
/**
 * Sweeps stay this far behind the clock, so that a scan with ordinary latency does not come before a sweep that was run and
 * cause a rewind. When all sensors fall silent, tracks end that much later.
 */
const SWEEP_HOLDBACK_US = 1_000_000;
/** After such a silence every track has ended, so sweeping stops. */
const QUIET_US = 600_000_000;
const REBUILD_ATTEMPTS = 8;

export class Tracker {
  /** Whether every scan is explained; costs time, so only while a stream asks for it. */
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
  readonly #touched = new TouchedTracks();
  #scansFused = 0;
  #observationsFused = 0;
  #scansReplayed = 0;
  #scansWithoutSlot = 0;
  #nowUs = Number.NEGATIVE_INFINITY;

  constructor(options: TrackerOptions) {
    const { config, tracksMax } = options;
    assert(tracksMax >= 1, "the table has room for a track");
    assert(config.maxLagS > 0, "the lag window is longer than nothing");
    assert(config.confirmM <= config.confirmN, "a rule of m hits in n looks has no more hits than looks");
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
   * Sets what a source can do; call it before each of its scans. While more sources report at once than the kernel has
   * slots, the last of them get none: their scans are counted instead of fused.
   */
  setSensor(sourceId: string, profile: SensorProfile): void {
    assert(sourceId !== "", "a source has an id");
    this.#sensors.set(sourceId, profile, this.#timeline.newestUs, this.#options.config.maxLagS * 1e6);
  }

  sensorIdOfSlot(slot: number): string {
    return this.#sensors.sourceIdOf(slot);
  }

  /**
   * Fuses scans in canonical order; for a late one a kept state is restored and what came after it runs again. Then sweeps
   * up to `nowUs`, less the time that scans take to arrive.
   */
  advance(scans: readonly Scan[], nowUs: number): void {
    assert(Number.isFinite(nowUs), "the time of a step is a number");
    for (const scan of scans) assertScan(scan);
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
    if (this.#guard(() => this.#kernel.isFull)) return TABLE_FULL;
    const entry = splitEntry(key, atUs);
    const why = this.#edit(entry, [key]);
    if (why !== null) return why;
    // It was full at that time.
    if (this.#kernel.firstSeenUs(entry.newKey) === null) return TABLE_FULL;
    return { keptKey: key, newKeys: [entry.newKey] };
  }

  /** Puts an edit in its place and runs what comes after it. Null when that was done, else why not. */
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

  /** The table of tracks predicted to a time; the state does not change. Valid until the next call. */
  readTracks(atUs: number): TrackTable {
    assert(Number.isFinite(atUs), "the time of the picture is a number");
    const table = this.#guard(() => this.#kernel.read(atUs));
    this.#touched.markIn(table);
    this.#ended.show(table);
    return table;
  }

  /** Tracks that earlier reads showed and the last one did not, each once. */
  takeEnded(): readonly EndedTrack[] {
    return this.#ended.take();
  }

  takeExplains(): readonly FusionExplain[] {
    return this.#explains.take();
  }

  /**
   * How the last scans of one track were fused, as the stream tells it to those who watch: the measurements that the track
   * gated or took, and every track that gates one of them. Reaches back over the lag window and EXPLAIN_PAST_MS, less far in
   * a room whose scans exceed EXPLAIN_PAST_BYTES_MAX. Works in slices of a few milliseconds: call `next()` until it is done,
   * with other work between. Changes nothing. Of more than `limit` scans it keeps the newest.
   */
  explainsOf(trackKey: number, sinceUs: number, limit: number): Generator<undefined, TrackExplains, undefined> {
    assert(!Number.isNaN(sinceUs), "since is a time");
    assert(limit >= 1, "an answer may have at least one explained scan");
    return this.#explains.answer(this.#timeline.stretches(), { trackKey, sinceUs, limit });
  }

  /** 16 hex digits over everything that later results depend on. */
  stateHash(): string {
    return this.#guard(() => this.#kernel.hash(this.#salt));
  }

  /** Bytes of states and scans kept for late data and for explaining after the fact. */
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
      scansReplayed: this.#scansReplayed,
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

  /** The oldest kept state and the scans and edits since: enough for another process to go on, late data included. */
  snapshot(): TrackerSnapshot {
    return this.#snapshotOf(this.#timeline.snapshot());
  }

  /** The oldest kept state alone, for a process that has the scans and edits since in a log. */
  baseSnapshot(): TrackerSnapshot {
    return this.#snapshotOf(this.#timeline.baseSnapshot());
  }

  /** Goes on from a snapshot of this or of another process. Null when it does, else why not. */
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
   * After a fault: a new kernel instance, the oldest kept state, and the entries since without the one that trapped. When
   * that traps again and again, the tracker starts empty; false then.
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

  /** A new kernel and an empty timeline. Sensors come back with a restored state or with their next scan. */
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
      const onRewind = () => this.#touched.noteRewind(() => this.#kernel.read(this.#nowUs));
      this.#timeline.advance(entries, sweepLimitUs, onRewind);
      this.#ended.note(this.#kernel.takeEnded());
    });
    if (entries.length > 0) this.#touched.noteRun();
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
    if (replayed) {
      this.#scansReplayed++;
      this.#rewoundTicks.add(entry.tick);
    } else {
      this.#scansFused++;
      this.#observationsFused += entry.scan.count;
    }
    this.#explains.note(this.#kernel, entry);
  }

  /** Turns whatever the kernel throws into a fault of this room alone. */
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
