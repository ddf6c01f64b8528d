/**
 * The room: the only writer of one workspace's live state. Observations come in through `enqueue`, happen in order in
 * `step`, and go out through the hub in `flush`. It knows no HTTP, no SQL, no timers and no wall clock of its own, so a
 * simulation or an evaluation runs it bare.
 */
import { BUILTIN_DECISION_CONFIG, type DecisionConfig } from "../domain/decisionConfig.ts";
import type { Refusal } from "../domain/errors.ts";
import { EnuFrame, type Geodetic } from "../domain/geodesy.ts";
import type { FusionHealth } from "../domain/health.ts";
import type { Environment, Modality } from "../domain/modality.ts";
import type { PlatformReport } from "../domain/platformReport.ts";
import type { SensorPose, SensorProfile } from "../domain/sensorProfile.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/ids.ts";
import {
  FUTURE_TOLERANCE_MS,
  INBOX_OBSERVATIONS_MAX,
  OWN_POSITIONS_PERIOD_MS,
  SEEN_IDS_PER_WORKSPACE_MAX,
  SEEN_IDS_WINDOW_MS,
  SOURCES_PER_WORKSPACE_MAX,
  STEP_PERIOD_MS,
} from "../limits.ts";
import { Hub } from "../stream/hub.ts";
import { type NumberSupply, unkeptNumbers } from "../stream/numbering.ts";
import { trackerConfigOf } from "../tracker/config.ts";
import type { KernelBuild } from "../tracker/kernel/build.ts";
import { Tracker, TrackerFault } from "../tracker/tracker.ts";
import { Forces, type ForcesOptions } from "./forces/forces.ts";
import { OWN_POSITIONS_SOURCE, ownPositionsOf } from "./forces/ownPositions.ts";
import { Claims } from "./identity/claims.ts";
import { fuseWaiting } from "./intake/fuseWaiting.ts";
import { type Enqueued, Inbox, type ScanInput } from "./intake/inbox.ts";
import { SeenIds } from "./intake/seenIds.ts";
import type { LiveRoom } from "./liveRoom.ts";
import { type Source, Sources } from "./sensors/sensors.ts";
import { Announcer } from "./telling/announcer.ts";
import { PictureBodies } from "./telling/encodedPicture.ts";
import { fusionHealthOf, type RoomCounters, StepMeter } from "./telling/fusionHealth.ts";
import { type Histories, roomHistories } from "./tracks/history.ts";
import { trackIdOf } from "./tracks/liveTrack.ts";
import { motionOfTrack } from "./tracks/trackMotion.ts";
import { Picture } from "./tracks/tracks.ts";
import { knownHeightM, type WireContext } from "./tracks/trackWire.ts";
import { WriteQueue } from "./writeQueue.ts";

interface RoomOptions {
  readonly id: string;
  /** The room names it in its writes to the database, see RoomWriter (default 0). */
  readonly ownerEpoch?: number;
  /** The numbers of its events (default: from the clock, kept by nobody). */
  readonly numbers?: NumberSupply;
  readonly name: string;
  readonly clock: Clock;
  readonly kernel: KernelBuild;
  /** null: the first sensor pose or position becomes the origin of the local frame. */
  readonly origin: Geodetic | null;
  readonly tracksMax: number;
  readonly streamsMax: number;
  readonly decisionConfig?: DecisionConfig;
  /** Told of a kernel that had to be rebuilt; the room goes on. */
  readonly onFault: (fault: unknown) => void;
  /** The registry as the room opens. */
  readonly forces?: ForcesOptions;
  /** The way of POST /api/signals, for what the room itself observes: where its own platforms are. */
  readonly observe?: (room: Room, observations: readonly object[], nowMs: number) => void;
}

/** An idle room steps this often all the same, so that tracks age and end without data. */
const IDLE_STEP_PERIOD_MS = 250;

export class Room implements LiveRoom {
  readonly id: string;
  readonly ownerEpoch: number;
  readonly name: string;
  readonly environment: Environment = "live";
  readonly picture = new Picture();
  readonly hub: Hub;
  readonly writes = new WriteQueue();
  readonly sources = new Sources(SOURCES_PER_WORKSPACE_MAX);
  readonly forces: Forces;
  readonly claims: Claims;
  readonly histories: Histories;
  readonly bodies: PictureBodies;
  readonly decisionConfig: DecisionConfig;
  readonly openedAtMs: number;
  readonly #options: RoomOptions;
  readonly #configHash: string;
  readonly #inbox = new Inbox(INBOX_OBSERVATIONS_MAX);
  readonly #seenObservations = new SeenIds(SEEN_IDS_PER_WORKSPACE_MAX, SEEN_IDS_WINDOW_MS);
  readonly #seenScans = new SeenIds(SEEN_IDS_PER_WORKSPACE_MAX, SEEN_IDS_WINDOW_MS);
  readonly #meter = new StepMeter();
  readonly #announcer: Announcer;
  readonly #counters: RoomCounters = {
    observationsIn: 0,
    late: 0,
    quarantined: 0,
    duplicates: 0,
    rejected: 0,
    kernelRestarts: 0,
  };
  #frame: EnuFrame | null;
  #tracker: Tracker | null = null;
  #tick = 0;
  #lastStepAtMs = 0;
  #ownPositionsAtMs = 0;
  #lastUsedAtMs: number;
  #newestUs = 0;
  /** Scans of the step by measurement time, to tell when the data of an update came in. */
  readonly #receivedAtMs = new Map<number, number>();

  constructor(options: RoomOptions) {
    this.#options = options;
    this.id = options.id;
    this.ownerEpoch = options.ownerEpoch ?? 0;
    this.name = options.name;
    this.openedAtMs = options.clock.nowMs();
    this.#lastUsedAtMs = this.openedAtMs;
    this.decisionConfig = options.decisionConfig ?? BUILTIN_DECISION_CONFIG;
    this.#configHash = sha256(JSON.stringify(this.decisionConfig)).toString("hex").slice(0, 16);
    this.#frame = options.origin === null ? null : new EnuFrame(options.origin);
    this.histories = roomHistories(options.tracksMax);
    this.bodies = new PictureBodies(this);
    this.hub = new Hub({
      sessionsMax: options.streamsMax,
      numbers: options.numbers ?? unkeptNumbers(Math.floor(this.openedAtMs)),
      ...this.bodies.opening,
    });
    this.#announcer = new Announcer(this, this.bodies);
    this.forces = new Forces(
      {
        environment: this.environment,
        decisionConfig: this.decisionConfig,
        sources: this.sources,
        hub: this.hub,
        motionOfTrack: (id) => motionOfTrack(this.picture.get(id), this.wireContext(options.clock.nowMs())),
        relinkTracks: () => this.#relinkTracks(),
        trackedSensors: () => this.#tracker?.health().sensors ?? [],
      },
      options.forces,
    );
    this.claims = new Claims(this.forces.fleet, (id) => this.picture.get(id), this.#sensorOfSlot);
  }

  get generation(): number {
    return this.hub.generation;
  }

  get tick(): number {
    return this.#tick;
  }

  get frame(): EnuFrame | null {
    return this.#frame;
  }

  get tracker(): Tracker | null {
    return this.#tracker;
  }

  /** When data last came in. Rooms idle for long are closed. */
  get lastUsedAtMs(): number {
    return this.#lastUsedAtMs;
  }

  // ---- observations in

  /** The local frame; made at the first point when the registry names no origin. */
  frameAt(first: Geodetic): EnuFrame {
    this.#frame ??= new EnuFrame(first);
    return this.#frame;
  }

  /** The source as known, or a new observed source of this modality. */
  source(id: string, modality: Modality): Source | Refusal {
    return this.sources.resolve(id, modality);
  }

  /** Gives a source its sensor model and place: scenario sensors and, from the registry, placed ones. */
  registerSensor(id: string, profile: SensorProfile, pose: SensorPose | null): void {
    this.sources.register(id, profile, pose);
  }

  /** A link heard a platform. False: dropped, because the table of platforms is full. */
  hear(report: PlatformReport): boolean {
    this.#lastUsedAtMs = report.atMs;
    return this.forces.hear(report);
  }

  /** True the first time this observation id of this source is seen within the window. */
  firstSight(sourceId: string, observationId: string): boolean {
    return this.#seenObservations.first(`${sourceId}\u0000${observationId}`, this.#options.clock.nowMs());
  }

  /** The number by which the tracker knows what an observation claims to be; 0 for nothing. */
  intern(identity: string, observation: object, measuredAtUs: number): number {
    return this.claims.intern(identity, observation, measuredAtUs);
  }

  hasRoomFor(observations: number): boolean {
    return this.#inbox.hasRoomFor(observations);
  }

  /** Into the inbox; late, future and repeated scans are counted instead. Call hasRoomFor first. */
  enqueue(inputs: readonly ScanInput[], nowMs: number): Enqueued {
    this.#lastUsedAtMs = nowMs;
    let accepted = 0;
    let late = 0;
    let quarantined = 0;
    let duplicates = 0;
    const oldestUs = Math.max(nowMs * 1000, this.#newestUs) - this.decisionConfig.max_lag_s * 1e6;
    const futureUs = (nowMs + FUTURE_TOLERANCE_MS) * 1000;
    for (const input of inputs) {
      const { scan } = input;
      const source = this.sources.get(scan.sourceId)?.sensor;
      if (scan.scanId !== null && !this.#seenScans.first(`${scan.sourceId}\u0000${scan.scanId}`, nowMs)) {
        duplicates += scan.count;
        if (source) source.duplicates += scan.count;
      } else if (scan.measuredAtUs < oldestUs) {
        late += scan.count;
        if (source) source.late += scan.count;
      } else if (scan.measuredAtUs > futureUs) {
        quarantined += scan.count;
        if (source) source.quarantined += scan.count;
      } else {
        accepted += scan.count;
        this.#inbox.push(input);
        source?.heard(scan.count, nowMs);
        if (scan.modality === "blue_force" && scan.sourceId !== OWN_POSITIONS_SOURCE)
          this.forces.hearPushed(input.wire, nowMs);
        if (source && scan.pose !== null) source.lastPose = scan.pose;
      }
    }
    this.#counters.observationsIn += accepted;
    this.#counters.late += late;
    this.#counters.quarantined += quarantined;
    this.#counters.duplicates += duplicates;
    return { accepted, late, quarantined, duplicates, tick: this.#tick + 1 };
  }

  /** Counts what the signals slice turned away, by source, for fusion_health and sensor_slice. */
  countRejected(sourceId: string | null, count: number): void {
    this.#counters.rejected += count;
    const source = sourceId === null ? undefined : this.sources.get(sourceId);
    if (source) source.rejected += count;
  }

  countDuplicates(sourceId: string, count: number): void {
    this.#counters.duplicates += count;
    const source = this.sources.get(sourceId);
    if (source) source.duplicates += count;
  }

  // ---- the step

  /**
   * What waits is fused, in order, and the picture moves on to `nowMs`. Cheap when there is nothing to do.
   * `everyTrack` predicts also those that nothing updated (evaluation); the live picture leaves that to its clients.
   */
  step(nowMs: number, everyTrack = false): void {
    this.#observeOwn(nowMs);
    // Without a frame nothing can be placed; what waits then is empty scans.
    if (this.#frame === null) return;
    const idle = this.#inbox.isEmpty && nowMs - this.#lastStepAtMs < IDLE_STEP_PERIOD_MS;
    if (idle && !everyTrack) return;
    this.#lastStepAtMs = nowMs;
    const startedMs = this.#options.clock.monotonicMs();
    this.#tick++;
    const tracker = (this.#tracker ??= this.#openTracker(this.#frame));
    tracker.explainOn = this.hub.wants("fusion_explain");
    const nowUs = Math.round(nowMs * 1000);
    const now = { clock: this.#options.clock, tracks: this.picture.count, nowUs, newestUs: this.#newestUs };
    this.#receivedAtMs.clear();
    let inputs: readonly ScanInput[] = [];
    try {
      inputs = fuseWaiting(this.#inbox, tracker, now, (piece) => this.#noteInputs(piece));
      const table = tracker.readTracks(Math.max(nowUs, this.#newestUs));
      const receivedAtMs = (atUs: number) => this.#receivedAtMs.get(atUs) ?? nowMs;
      const changes = this.picture.applyScan(table, tracker.takeEnded(), this.#frame, nowMs, receivedAtMs, everyTrack);
      this.claims.link(changes.updated);
      for (const { track } of changes.removed) {
        this.claims.unlink(track);
        this.histories.end(track.id);
      }
      const context = this.wireContext(nowMs);
      for (const track of changes.updated) this.histories.add(track, nowMs, (one) => knownHeightM(one, context));
      this.#announcer.noteStep(inputs, changes, nowMs);
    } catch (fault) {
      this.#rebuildTracker(fault);
      // What was noted of these scans is of no step any more.
      this.claims.link([]);
    }
    this.#meter.add(this.#options.clock.monotonicMs() - startedMs, inputs.length, nowMs);
  }

  /** Our platforms say where they are: one scan for all of them. */
  #observeOwn(nowMs: number): void {
    if (this.#options.observe === undefined || nowMs - this.#ownPositionsAtMs < OWN_POSITIONS_PERIOD_MS) return;
    this.#ownPositionsAtMs = nowMs;
    const observations = ownPositionsOf(this.forces.fleet, nowMs);
    if (observations.length > 0 && this.#inbox.hasRoomFor(observations.length))
      this.#options.observe(this, observations, nowMs);
  }

  /** Who is a friend is derived from the registry, so a change of it is a change of every reader's picture at once. */
  #relinkTracks(): void {
    const changed = this.claims.link(this.picture.tracks());
    if (changed.length === 0) return;
    this.picture.version++;
    this.#announcer.noteChanged(changed);
  }

  /** Tells the stream what changed since the last flush. */
  flush(nowMs: number): void {
    this.#announcer.announce(nowMs);
    this.hub.flush(nowMs);
  }

  #noteInputs(inputs: readonly ScanInput[]): void {
    for (const input of inputs) {
      const { scan } = input;
      if (scan.measuredAtUs > this.#newestUs) this.#newestUs = scan.measuredAtUs;
      this.#receivedAtMs.set(scan.measuredAtUs, scan.receivedAtUs / 1000);
      this.claims.note(input);
      // Slots are few and go to who reports; an unchanged profile costs a look-up.
      this.#tracker?.setSensor(scan.sourceId, this.sources.profileOf(scan.sourceId, scan.modality));
    }
  }

  #openTracker(frame: EnuFrame): Tracker {
    return new Tracker({
      kernel: this.#options.kernel,
      frame,
      trackIdOf,
      tracksMax: this.#options.tracksMax,
      config: trackerConfigOf(this.decisionConfig),
    });
  }

  /**
   * A trap never takes the process: the tracker goes back to a kept state without the scan that it
   * could not take; if that fails too, the next step starts an empty one.
   */
  #rebuildTracker(fault: unknown): void {
    this.#counters.kernelRestarts++;
    if (!(fault instanceof TrackerFault) || this.#tracker?.rebuild() !== true) this.#tracker = null;
    this.#options.onFault(fault);
  }

  // ---- views

  wireContext(nowMs: number): WireContext {
    return {
      environment: this.environment,
      nowMs,
      endAfterMs: this.decisionConfig.end_after_s * 1000,
      sensorOfSlot: this.#sensorOfSlot,
    };
  }

  /** A contributor of a track, by the kernel's number for it. */
  readonly #sensorOfSlot = (slot: number): Source | undefined =>
    slot < 0 ? undefined : this.sources.get(this.#tracker?.sensorIdOfSlot(slot) ?? "");

  /** What waits without a frame has no place: no step will take it. */
  get isFused(): boolean {
    return this.#inbox.isEmpty || this.#frame === null;
  }

  /** Cheap enough for every health check. */
  get overloaded(): boolean {
    return this.#inbox.observations > INBOX_OBSERVATIONS_MAX / 2;
  }

  fusionHealth(): FusionHealth {
    return fusionHealthOf({
      room: this,
      inbox: this.#inbox,
      inboxMax: INBOX_OBSERVATIONS_MAX,
      seenIds: [this.#seenObservations, this.#seenScans],
      meter: this.#meter,
      stepPeriodMs: STEP_PERIOD_MS,
      counters: this.#counters,
      tracker: this.#tracker?.health() ?? null,
      configHash: this.#configHash,
    });
  }

  /** Write journeys queue behind each other; what is urgent goes before what has not begun. */
  serially<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    return this.writes.run(work, isUrgent);
  }
}
