/**
 * The room's tracker: takes scans in any order within the lag window, gives the picture at a time. The only thing that
 * `room/` uses of this folder. It joins the kernel (state and arithmetic), the timeline (order, late data) and the
 * sensor slots; it knows no wire form, no clock and no SQL.
 *
 * State depends on the set of scans and on the order of `setSensor` calls, never on the order of arrival of scans.
 */
import { MEAS_STRIDE, SENSOR_CAPACITY } from "../../assembly/layout.ts";
import type { FusionExplain } from "../domain/fusionExplain.ts";
import type { EnuFrame, Geodetic } from "../domain/geodesy.ts";
import type { Scan } from "../domain/scan.ts";
import type { SensorProfile } from "../domain/sensorProfile.ts";
import { assert } from "../lib/assert.ts";
import { EXPLAINS_WAITING_MAX, KEPT_STATE_BYTES_MAX, KEPT_STATES_MAX, REPLAY_MEASUREMENTS_MAX } from "../limits.ts";
import { EndedTracks } from "./endedTracks.ts";
import { describeScan } from "./explain.ts";
import { hash53, hash53OfValues } from "./hash53.ts";
import type { KernelBuild } from "./kernel/build.ts";
import { Kernel } from "./kernel/kernel.ts";
import type { KernelPose } from "./kernel/pose.ts";
import { isWhole } from "./kernel/state.ts";
import { SensorSlots, type SensorSnapshot, type SlotSensor } from "./sensorSlots.ts";
import { Timeline, type TimelineEntry, type TimelineSnapshot } from "./timeline.ts";
import type { EndedTrack, TrackerConfig, TrackerHealth, TrackTable } from "./types.ts";

interface TrackerOptions {
  readonly kernel: KernelBuild;
  readonly frame: EnuFrame;
  readonly config: TrackerConfig;
  readonly tracksMax: number;
  /** How the room writes a track's key in explain payloads. */
  readonly trackIdOf?: (key: number) => string;
}

interface FusedScan extends TimelineEntry {
  readonly scan: Scan;
  readonly sensor: SlotSensor;
  readonly pose: KernelPose | null;
  readonly scanKey: number;
  /** The advance that fused it first. */
  readonly tick: number;
}

/** Plain data, for another process: `structuredClone` and any binary form keep it. */
export interface TrackerSnapshot {
  readonly buildHash: string;
  /** Of the local frame that all positions are in. The tracker that takes the snapshot must have been opened with it. */
  readonly origin: Geodetic;
  readonly sensors: readonly SensorSnapshot[];
  readonly timeline: TimelineSnapshot<FusedScan>;
  readonly tick: number;
}

/** Why a snapshot cannot be taken; the tracker is as it was before. */
interface SnapshotRefusal {
  readonly code: "other_build" | "other_origin" | "damaged";
  readonly sentence: string;
}

/** The kernel trapped. The tracker refuses further use until `rebuild` has been called. */
export class TrackerFault extends Error {
  override name = "TrackerFault";
  /** The scan that it could not take, null when a sweep or a read trapped. */
  readonly scan: Scan | null;
  constructor(scan: Scan | null, cause: unknown) {
    const where = scan === null ? "between scans" : `in a scan of ${scan.sourceId} measured at ${scan.measuredAtUs} us`;
    super(`the tracker kernel trapped ${where}`, { cause });
    this.scan = scan;
  }
}

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
  #timeline: Timeline<FusedScan>;
  #fault: TrackerFault | null = null;
  #running: FusedScan | null = null;
  #explains: FusionExplain[] = [];
  #explainsDropped = 0;
  #tick = 0;
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
    this.#kernel = new Kernel(options.kernel, options.config, options.tracksMax);
    this.#timeline = this.#newTimeline();
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
    this.#tick++;
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
    const entries = scans.map((scan) => this.#toEntry(scan)).filter((entry) => entry !== null);
    this.#scansWithoutSlot += scans.length - entries.length;
    const explained = this.#explains.length;
    this.#rewoundTicks.clear();
    this.#guard(() => {
      this.#timeline.advance(entries, nowUs - SWEEP_HOLDBACK_US, () => this.#beforeRewind());
      this.#ended.note(this.#kernel.takeEnded());
    });
    if (entries.length > 0) this.#fusedSinceRead = true;
    this.#discloseStep(explained);
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
    const taken = this.#explains;
    this.#explains = [];
    return taken;
  }

  /** 16 hex digits over everything that affects the future. */
  stateHash(): string {
    return this.#guard(() => this.#kernel.hash(this.#salt));
  }

  /** Bytes kept for late data: states and scans. */
  keptBytes(): number {
    let bytes = this.#timeline.keptBytes;
    for (const entry of this.#timeline.entries()) bytes += entry.scan.measurements.byteLength;
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
      explainsDropped: this.#explainsDropped,
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
    const why = this.#whyNotRestore(snapshot);
    if (why !== null) return why;
    this.#sensors.restore(snapshot.sensors);
    this.#tick = snapshot.tick;
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

  /** The frame is part of the state: the same numbers about another origin are other places. */
  get #salt(): Float64Array {
    const { lat, lon, alt_hae_m } = this.#options.frame.origin;
    return Float64Array.of(lat, lon, alt_hae_m);
  }

  #snapshotOf(timeline: TimelineSnapshot<FusedScan>): TrackerSnapshot {
    const { lat, lon, alt_hae_m } = this.#options.frame.origin;
    return {
      buildHash: this.#kernel.buildHash,
      origin: { lat, lon, alt_hae_m },
      sensors: this.#sensors.snapshot(),
      timeline,
      tick: this.#tick,
    };
  }

  #whyNotRestore({ buildHash, origin, timeline }: TrackerSnapshot): SnapshotRefusal | null {
    const own = this.#kernel.buildHash;
    if (buildHash !== own)
      return { code: "other_build", sentence: `the snapshot is of kernel ${buildHash}, this is kernel ${own}` };
    const { lat, lon, alt_hae_m } = this.#options.frame.origin;
    if (origin.lat !== lat || origin.lon !== lon || origin.alt_hae_m !== alt_hae_m)
      return {
        code: "other_origin",
        sentence: "the snapshot is about another origin than this tracker was opened with",
      };
    if (!isWhole(timeline.saved)) return { code: "damaged", sentence: "the kernel state in the snapshot is not whole" };
    return null;
  }

  #newTimeline(): Timeline<FusedScan> {
    return new Timeline<FusedScan>(
      {
        runScan: (entry, replayed) => this.#runScan(entry, replayed),
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
    );
  }

  /** A kernel as new; the room's counters stay. Sensors come back with a restored state or with their next scan. */
  #startAnew(): void {
    this.#kernel = new Kernel(this.#options.kernel, this.#options.config, this.#options.tracksMax);
    this.#running = null;
    this.#timeline = this.#newTimeline();
  }

  /** Null for a source without a slot: all are busy, or its sensor was removed while the scan waited. */
  #toEntry(scan: Scan): FusedScan | null {
    const sensor = this.#sensors.sensorOf(scan.sourceId);
    if (sensor === undefined) return null;
    this.#sensors.used(sensor.slot, scan.measuredAtUs);
    const identity = identityOf(scan);
    return {
      timeUs: scan.measuredAtUs,
      sourceId: scan.sourceId,
      identity,
      weight: scan.count,
      ran: false,
      scan,
      sensor,
      pose: this.#sensors.poseOf(sensor.slot, scan.pose),
      scanKey: hash53(`${scan.sourceId}\n${scan.measuredAtUs}\n${identity}`),
      tick: this.#tick,
    };
  }

  #runScan(entry: FusedScan, replayed: boolean): void {
    this.#running = entry;
    this.#kernel.explainOn = this.explainOn;
    // In its place in the order, not when the profile changed: a replay of earlier scans has the earlier profile again.
    const { slot, key, profile } = entry.sensor;
    if (this.#kernel.sensorKeyAt(slot) !== key) this.#kernel.setSensor(slot, profile, key);
    this.#kernel.scan(slot, entry.timeUs, entry.scanKey, entry.pose, entry.scan);
    this.#running = null;
    if (replayed) this.#rewoundTicks.add(entry.tick);
    else {
      this.#scansFused++;
      this.#observationsFused += entry.scan.count;
    }
    if (this.explainOn) this.#explain(entry, replayed);
  }

  #explain(entry: FusedScan, replayed: boolean): void {
    const raw = this.#kernel.takeExplain();
    if (raw === null) return;
    if (this.#explains.length >= EXPLAINS_WAITING_MAX) {
      this.#explainsDropped++;
      return;
    }
    this.#explains.push(
      describeScan(entry.scan, raw, {
        tick: this.#tick,
        fusedAtUs: this.#nowUs,
        replayed,
        frame: this.#options.frame,
        trackIdOf: this.#options.trackIdOf ?? String,
        stateHash: this.#kernel.hash(this.#salt),
      }),
    );
  }

  /** Each scan of a step says whether it shared it, and names the steps whose scans ran again. */
  #discloseStep(from: number): void {
    const own = this.#explains.slice(from);
    const rewinds = [...this.#rewoundTicks].sort((a, b) => a - b).map((tick) => ({ tick }));
    for (const explain of own) {
      explain.rewinds = rewinds;
      explain.coalesced = own.length > 1;
    }
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
      this.#fault = new TrackerFault(this.#running?.scan ?? null, error);
      throw this.#fault;
    }
  }
}

/** The scan's own id, else its first observation's, else what it says: two equal reports without ids are one. */
function identityOf(scan: Scan): string {
  if (scan.scanId !== null) return `s${scan.scanId}`;
  const first = scan.observationIds[0];
  if (first !== undefined) return `o${first}`;
  return `c${hash53OfValues(scan.measurements.subarray(0, scan.count * MEAS_STRIDE))}`;
}
