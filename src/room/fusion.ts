/**
 * The tracker of a room: opens it once a first position is known, fuses the waiting scans, hands its table to the tracks,
 * and rebuilds it after a fault. Knows no stream.
 */
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import { isRefusal, type Refusal } from "../domain/errors.ts";
import { EnuFrame, type Geodetic } from "../domain/geodesy.ts";
import type { Clock } from "../lib/clock.ts";
import { trackerConfigOf } from "../tracker/config.ts";
import { TrackerFault } from "../tracker/fault.ts";
import type { KernelBuild } from "../tracker/kernel/build.ts";
import { Tracker } from "../tracker/tracker.ts";
import { fuseWaiting } from "./intake/fuseWaiting.ts";
import type { Inbox, ScanInput } from "./intake/inbox.ts";
import type { Channel } from "./sensors/sensor.ts";
import type { Sensors } from "./sensors/sensors.ts";
import { type LiveTrack, trackIdOf } from "./tracks/liveTrack.ts";
import type { TrackChanges, Tracks } from "./tracks/tracks.ts";

interface FusionParts {
  readonly kernel: KernelBuild;
  readonly clock: Clock;
  readonly origin: Geodetic | null;
  readonly tracksMax: number;
  readonly decisionConfig: DecisionConfig;
  readonly sensors: Sensors;
  readonly tracks: Tracks;
  /** Called with each scan right before it is fused. */
  readonly onFusing: (input: ScanInput) => void;
  /** Called when the kernel had to be rebuilt; the room goes on. */
  readonly onFault: (fault: unknown) => void;
}

export class Fusion {
  readonly #parts: FusionParts;
  #frame: EnuFrame | null;
  #tracker: Tracker | null = null;
  /** Time of the newest measurement that was fused. */
  #newestUs = 0;
  /** When the scans of this step arrived, by measurement time; for the latency of the updates. */
  readonly #receivedAtMs = new Map<number, number>();
  /** Scans that the last step took from the inbox, including those that the kernel failed to fuse. */
  #taken: ScanInput[] = [];
  kernelRestarts = 0;

  constructor(parts: FusionParts) {
    this.#parts = parts;
    this.#frame = parts.origin === null ? null : new EnuFrame(parts.origin);
  }

  get frame(): EnuFrame | null {
    return this.#frame;
  }

  get tracker(): Tracker | null {
    return this.#tracker;
  }

  get newestUs(): number {
    return this.#newestUs;
  }

  get taken(): readonly ScanInput[] {
    return this.#taken;
  }

  /** A frame that exists is kept. */
  setOrigin(origin: Geodetic): void {
    this.#frame ??= new EnuFrame(origin);
  }

  /** The tracker; null while no position is known. */
  open(): Tracker | null {
    if (this.#frame === null) return null;
    this.#tracker ??= new Tracker({
      kernel: this.#parts.kernel,
      frame: this.#frame,
      trackIdOf,
      tracksMax: this.#parts.tracksMax,
      config: trackerConfigOf(this.#parts.decisionConfig),
    });
    return this.#tracker;
  }

  /** Fuses the waiting scans up to `nowMs`; `scansMax` as in `fuseWaiting`. */
  fuse(tracker: Tracker, inbox: Inbox, nowMs: number, scansMax: number | null): void {
    const { clock, tracks } = this.#parts;
    const now = { clock, tracks: tracks.count, nowUs: Math.round(nowMs * 1000), newestUs: this.#newestUs };
    this.#receivedAtMs.clear();
    this.#taken = [];
    fuseWaiting(inbox, tracker, now, (piece) => this.#noteInputs(piece), scansMax);
  }

  #noteInputs(inputs: readonly ScanInput[]): void {
    const { sensors, onFusing } = this.#parts;
    for (const input of inputs) {
      const { scan } = input;
      this.#taken.push(input);
      if (scan.measuredAtUs > this.#newestUs) this.#newestUs = scan.measuredAtUs;
      this.#receivedAtMs.set(scan.measuredAtUs, scan.receivedAtUs / 1000);
      onFusing(input);
      // Kernel slots are few, so a sensor gets one when it reports. An unchanged profile costs a look-up.
      this.#tracker?.setSensor(scan.sourceId, sensors.profileOf(scan.sourceId, scan.modality));
    }
  }

  /** Copies the tracker's table into the tracks. `everyTrack`: predicts also those that no measurement updated. */
  follow(tracker: Tracker, nowMs: number, everyTrack: boolean): TrackChanges {
    const table = tracker.readTracks(Math.max(Math.round(nowMs * 1000), this.#newestUs));
    const receivedAtMs = (atUs: number) => this.#receivedAtMs.get(atUs) ?? nowMs;
    return this.#parts.tracks.applyScan(table, tracker.takeEnded(), this.#frame!, nowMs, receivedAtMs, everyTrack);
  }

  /** An operator's merge at `nowMs`; false: the tracker refused it. */
  merge(kept: LiveTrack, others: readonly LiveTrack[], nowMs: number): boolean {
    const keys = others.map(({ key }) => key);
    const merged = this.#edit((tracker) => tracker.mergeTracks(kept.key, keys, this.#editAtUs(nowMs)));
    return merged !== null;
  }

  /** The ids of the new tracks; null: the tracker refused it. */
  split(track: LiveTrack, nowMs: number): readonly string[] | null {
    const split = this.#edit((tracker) => tracker.splitTrack(track.key, this.#editAtUs(nowMs)));
    return split === null ? null : split.newKeys.map(trackIdOf);
  }

  #edit<T>(edit: (tracker: Tracker) => T | Refusal): T | null {
    if (this.#tracker === null) return null;
    try {
      const done = edit(this.#tracker);
      return isRefusal(done) ? null : done;
    } catch (fault) {
      this.rebuild(fault);
      return null;
    }
  }

  /** After everything that was fused, including scans that a fast sensor clock stamped a moment ahead of now. */
  #editAtUs(nowMs: number): number {
    return Math.max(Math.round(nowMs * 1000), this.#newestUs);
  }

  /**
   * A trap in the kernel does not end the process: the tracker restores a kept state and leaves out the scan that failed, or
   * starts empty where that fails too. After any other fault the next step opens a new tracker. The next step publishes
   * `track_removed` for lost tracks.
   */
  rebuild(fault: unknown): void {
    this.kernelRestarts++;
    if (fault instanceof TrackerFault) this.#tracker?.rebuild();
    else {
      this.#tracker = null;
      this.#parts.tracks.forgetSensors();
    }
    this.#parts.onFault(fault);
  }

  /** A contributor of a track, by its kernel slot. */
  readonly channelOfSlot = (slot: number): Channel | undefined =>
    slot < 0 ? undefined : this.#parts.sensors.channel(this.#tracker?.sensorIdOfSlot(slot) ?? "");
}
