/**
 * The room: the only writer of one workspace's live state. Everything enters by four verbs: `accept` takes scans, `commit`
 * a change (`changes.ts`), `step` fuses up to a time and `flush` sends to the streams. It knows no HTTP, no SQL and no
 * timers, and its clock is an option, so that a simulation, a replay or an evaluation can run it.
 *
 *     accept ──► admission ─► inbox ─┐
 *                                    ▼
 *     step ────► own positions ─► fuse ─► follow ─► identify ─► remember ─► tell ──┐
 *                                 (tracker) (tracks)  (claims)  (histories)         ▼
 *     commit ──► the part of the change ─► its events ─► listeners               announcer ─► hub ─► streams
 *                                                                                   ▲
 *     flush ───► parts apply changes that time alone makes ─────────────────────────┘
 */
import { BUILTIN_DECISION_CONFIG, type DecisionConfig } from "../domain/decisionConfig.ts";
import type { Refusal } from "../domain/errors.ts";
import type { EnuFrame } from "../domain/geodesy.ts";
import type { FusionHealth } from "../domain/health.ts";
import { DECIDED } from "../domain/latency.ts";
import type { Environment } from "../domain/modality.ts";
import { OWN_POSITIONS_SOURCE } from "../domain/platformReport.ts";
import type { Track } from "../domain/track.ts";
import { assert } from "../lib/assert.ts";
import { toRfc3339 } from "../lib/clock.ts";
import { INBOX_OBSERVATIONS_MAX, OWN_POSITIONS_PERIOD_MS, STEP_PERIOD_MS } from "../limits.ts";
import { reportsHeight } from "../measurement/convert.ts";
import { Hub } from "../stream/hub.ts";
import { type NumberBlock, Numbering, unkeptNumbers } from "../stream/numbering.ts";
import type { Session, StreamOwner } from "../stream/session.ts";
import type { Sink } from "../stream/sink.ts";
import type { Tracker } from "../tracker/tracker.ts";
import type { Alerts } from "./alerts/alerts.ts";
import type { Change, ChangeOf, Op } from "./changes.ts";
import type { Accepted, DoorEntry, PublishedPicture, RoomFace, RoomListener, RoomStart } from "./face.ts";
import type { ForcesView } from "./forces/forcesView.ts";
import { ownScanOf, reportOf } from "./forces/telemetry.ts";
import type { Claims } from "./identity/claims.ts";
import { assertAllCounted, assertScan } from "./intake/assertScan.ts";
import type { ScanInput } from "./intake/inbox.ts";
import { type RoomOptions, startOf } from "./options.ts";
import type { Applies, Part, RoomEvent } from "./part.ts";
import type { Sensors } from "./sensors/sensors.ts";
import { Steps } from "./steps.ts";
import type { Ledger } from "./tasks/ledger.ts";
import { Announcer } from "./telling/announcer.ts";
import { EncodedPicture } from "./telling/encodedPicture.ts";
import { fusionHealthOf } from "./telling/fusionHealth.ts";
import { publishedOf } from "./telling/published.ts";
import { TrackEdits } from "./trackEdits.ts";
import { type Histories, roomHistories } from "./tracks/history.ts";
import type { LiveTrack } from "./tracks/liveTrack.ts";
import type { Tracks } from "./tracks/tracks.ts";
import { knownHeightM, toWire, type WireContext } from "./tracks/trackWire.ts";
import { buildWings, type Wings } from "./wings.ts";
import { WriteQueue } from "./writeQueue.ts";

const TIME_IS_FINITE = "an entry through the door has a finite time";

/** Versions of the other wings that the wire form of tracks depends on. */
interface Surroundings {
  readonly fleet: number;
  readonly sensors: number;
}

export class Room implements RoomFace {
  readonly id: string;
  readonly ownerEpoch: number;
  readonly name: string;
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  readonly openedAtMs: number;
  readonly start: RoomStart;
  readonly tracks: Tracks;
  readonly sensors: Sensors;
  readonly alerts: Alerts;
  readonly tasks: Ledger;
  readonly forces: ForcesView;
  readonly claims: Claims;
  readonly histories: Histories;
  readonly encoded: EncodedPicture;
  readonly hub: Hub;
  readonly writes = new WriteQueue();
  /** In the order of the picture's members and of a stream's opening slices. */
  readonly parts: readonly Part[];
  readonly #wings: Wings;
  readonly #steps: Steps;
  readonly #announcer: Announcer;
  readonly #listeners = new Set<RoomListener>();
  #ownPositionsAtMs = 0;
  #lastUsedAtMs: number;
  /** At the last entry through the door. */
  #generationSeen = 0;

  constructor(options: RoomOptions) {
    const { clock } = options;
    this.id = options.id;
    this.ownerEpoch = options.ownerEpoch ?? 0;
    this.name = options.name;
    this.environment = options.environment ?? "live";
    this.openedAtMs = clock.nowMs();
    this.#lastUsedAtMs = this.openedAtMs;
    this.decisionConfig = options.decisionConfig ?? BUILTIN_DECISION_CONFIG;
    const numbers = options.numbers ?? unkeptNumbers(Math.floor(this.openedAtMs));
    const onReserved = (block: NumberBlock) => void this.commit({ op: "numbers_reserved", ...block }, clock.nowMs());
    const numbering = new Numbering({ ...numbers, onReserved });
    const wings = buildWings(options, {
      environment: this.environment,
      decisionConfig: this.decisionConfig,
      wireContext: (nowMs) => this.wireContext(nowMs),
      fusionHealth: () => this.fusionHealth(),
      onAdmitted: (input, nowMs) => this.#noteAdmitted(input, nowMs),
      edits: new TrackEdits({
        wings: () => this.#wings,
        follow: (nowMs) => this.#steps.followEdit(nowMs),
        noteChanged: (tracks, nowMs) => this.#noteEdited(tracks, nowMs),
      }),
      takeNumbers: (block) => numbering.take(block),
    });
    this.#wings = wings;
    this.tracks = wings.tracks;
    this.sensors = wings.sensors;
    this.alerts = wings.alerts;
    this.tasks = wings.tasks;
    this.forces = wings.forces;
    this.claims = wings.claims;
    this.parts = wings.parts;
    this.histories = roomHistories(options.tracksMax);
    this.start = startOf(options, this, numbers.first);
    this.encoded = new EncodedPicture(this, wings.encodedForces);
    this.hub = new Hub({
      sessionsMax: options.streamsMax,
      numbering,
      environment: this.environment,
      ...this.encoded.opening,
    });
    this.#announcer = new Announcer(this);
    this.#steps = new Steps({
      clock,
      inbox: wings.admission.inbox,
      fusion: wings.fusion,
      claims: this.claims,
      histories: this.histories,
      announcer: this.#announcer,
      hub: this.hub,
      wireContext: (nowMs) => this.wireContext(nowMs),
    });
    wings.fleet.apply({ op: "assets_saved", rows: options.registry?.assets ?? [] }, this.openedAtMs);
  }

  get generation(): number {
    return this.hub.generation;
  }

  get tick(): number {
    return this.#steps.count;
  }

  get frame(): EnuFrame | null {
    return this.#wings.fusion.frame;
  }

  get tracker(): Tracker | null {
    return this.#wings.fusion.tracker;
  }

  /** When data arrived last. Rooms that are idle for long are closed. */
  get lastUsedAtMs(): number {
    return this.#lastUsedAtMs;
  }

  listen(listener: RoomListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ---- accept: scans arrive

  hasRoomFor(observations: number): boolean {
    return !this.writes.isEnded && this.#wings.admission.inbox.hasRoomFor(observations);
  }

  hasSeen(sensorId: string, observationId: string): boolean {
    return this.#wings.admission.hasSeen(sensorId, observationId);
  }

  /** Puts scans into the inbox; late, future and repeated ones are only counted. Call hasRoomFor first. */
  accept(scans: readonly ScanInput[], nowMs: number): Accepted {
    for (const input of scans) assertScan(input);
    this.#entered({ verb: "accept", nowMs, scans });
    this.#lastUsedAtMs = nowMs;
    const admitted = this.#wings.admission.take(scans, nowMs, this.#wings.fusion.newestUs);
    assertAllCounted(scans, admitted);
    return { ...admitted, tick: this.tick + 1 };
  }

  #noteAdmitted({ scan, wire }: ScanInput, nowMs: number): void {
    const channel = this.sensors.channel(scan.sourceId);
    if (channel !== undefined && scan.count > 0 && channel.reportsHeight !== reportsHeight(scan)) {
      channel.reportsHeight = !channel.reportsHeight;
      this.tracks.noteChanged(nowMs);
    }
    const sensor = channel?.sensor;
    sensor?.noteScan(scan.count, nowMs);
    if (sensor && scan.pose !== null) sensor.lastPose = scan.pose;
    if (scan.modality !== "blue_force" || scan.sourceId === OWN_POSITIONS_SOURCE) return;
    // A pushed position is a report of its platform, like the telemetry of a link.
    for (const observation of wire) {
      const report = reportOf(observation, this.#wings.fleet.fleet, nowMs);
      this.#apply({ op: "platform_reported", report }, nowMs);
    }
  }

  // ---- commit: all other changes

  commit(change: Change, nowMs: number): boolean {
    this.#entered({ verb: "commit", nowMs, change });
    if (change.op === "platform_reported") this.#lastUsedAtMs = nowMs;
    return this.#apply(change, nowMs);
  }

  #apply<O extends Op>(change: ChangeOf<O>, nowMs: number): boolean {
    const before = this.#surroundings();
    const applier = this.#wings.appliers[change.op as O] as Applies<O>;
    const events = applier.apply(change, nowMs);
    if (events === null) return false;
    this.#publish(events, nowMs);
    this.#noteSurroundings(before, nowMs);
    for (const { changed } of this.#listeners) changed?.(change, nowMs);
    return true;
  }

  #publish(events: readonly RoomEvent[], nowMs: number): void {
    const stamp = { at: toRfc3339(nowMs), env: this.environment, lat_ms: DECIDED };
    for (const event of events) {
      // `never`: the compiler cannot tie this event's name to its body; RoomEvent does.
      this.hub.publish(event.name, { ...stamp, ...event.body } as never, nowMs);
      for (const { published } of this.#listeners) published?.(event, nowMs);
    }
  }

  #surroundings(): Surroundings {
    return { fleet: this.#wings.fleet.fleet.version, sensors: this.sensors.version };
  }

  /**
   * Whether a track is a friend depends on the registry, and whether its height is known on its sensors, so a change of
   * either changes every reader's picture at once.
   */
  #noteSurroundings(before: Surroundings, nowMs: number): void {
    const { fleet, sensors } = this.#surroundings();
    if (fleet === before.fleet && sensors === before.sensors) return;
    if (fleet !== before.fleet) this.#announcer.noteChanged(this.claims.link(this.tracks.all()));
    this.tracks.noteChanged(nowMs);
  }

  /** An operator changed these tracks: links their claims again. */
  #noteEdited(tracks: readonly LiveTrack[], nowMs: number): void {
    this.#announcer.noteChanged([...this.claims.link(tracks), ...tracks]);
    this.tracks.noteChanged(nowMs);
  }

  // ---- step: time passes and waiting scans are fused

  /**
   * Fuses the waiting scans, in order, and advances the picture to `nowMs`. Cheap when there is nothing to do. Returns the
   * number of fused scans; a replay passes that number as `scansMax`.
   */
  step(nowMs: number, scansMax: number | null = null): number {
    return this.#step(nowMs, scansMax, false);
  }

  /** A step that also predicts tracks without an update; in the live picture that is left to the clients. */
  predictAll(nowMs: number, scansMax: number | null = null): number {
    return this.#step(nowMs, scansMax, true);
  }

  #step(nowMs: number, scansMax: number | null, everyTrack: boolean): number {
    assert(Number.isFinite(nowMs), TIME_IS_FINITE);
    this.#takeOwnPositions(nowMs);
    const { tick } = this;
    const isDue = everyTrack || this.#steps.isDue(nowMs);
    const scans = isDue ? this.#steps.run(nowMs, scansMax, everyTrack) : 0;
    assert(this.tick === tick || (isDue && this.tick === tick + 1), "a step counts once, and only when it is due");
    this.#entered({ verb: "step", nowMs, scans, everyTrack });
    return scans;
  }

  /** Adds the reported positions of our platforms as one scan per period. */
  #takeOwnPositions(nowMs: number): void {
    if (nowMs - this.#ownPositionsAtMs < OWN_POSITIONS_PERIOD_MS) return;
    this.#ownPositionsAtMs = nowMs;
    const own = ownScanOf(this.#wings.fleet.fleet, this.sensors, this.frame, nowMs);
    if (own === null) return;
    if (!this.hasRoomFor(own.input.scan.count)) {
      this.#wings.admission.inbox.refused++;
      return;
    }
    this.#wings.fusion.setOrigin(own.frame.origin);
    this.#wings.admission.take([own.input], nowMs, this.#wings.fusion.newestUs);
  }

  // ---- flush: events go to the streams

  flush(nowMs: number): void {
    this.#entered({ verb: "flush", nowMs });
    this.#announcer.announce(nowMs);
    this.hub.flush(nowMs);
  }

  /** Lets every part apply changes that time alone makes. Once a second, by the announcer. */
  refresh(nowMs: number): void {
    const before = this.#surroundings();
    this.sensors.refresh(nowMs);
    for (const part of this.parts) this.#publish(part.refresh(nowMs), nowMs);
    this.#noteSurroundings(before, nowMs);
  }

  whyNotStream(): ReturnType<Hub["whyNotAttach"]> {
    return this.hub.whyNotAttach();
  }

  openStream(sink: Sink, kindsMask: number, owner: StreamOwner, nowMs: number): Session | Refusal {
    return this.hub.attach(sink, kindsMask, owner, nowMs);
  }

  #entered(entry: DoorEntry): void {
    assert(Number.isFinite(entry.nowMs), TIME_IS_FINITE);
    assert(this.generation >= this.#generationSeen, "the generation never goes back");
    this.#generationSeen = this.generation;
    for (const { entered } of this.#listeners) entered?.(entry);
  }

  // ---- views

  wireContext(nowMs: number): WireContext {
    return {
      environment: this.environment,
      nowMs,
      endAfterMs: this.decisionConfig.end_after_s * 1000,
      channelOfSlot: this.#wings.fusion.channelOfSlot,
    };
  }

  viewOfTrack(track: LiveTrack, nowMs: number): Track {
    return toWire(track, this.wireContext(nowMs));
  }

  heightOfTrack(track: LiveTrack): number | null {
    return knownHeightM(track, this.wireContext(0));
  }

  explainsOf(track: LiveTrack, sinceUs: number, limit: number): ReturnType<RoomFace["explainsOf"]> {
    return this.tracker?.explainsOf(track.key, sinceUs, limit) ?? null;
  }

  published(nowMs: number): PublishedPicture {
    return publishedOf(this, nowMs);
  }

  /** Without a frame no step fuses the waiting scans, which are empty then. */
  get isFused(): boolean {
    return this.#wings.admission.inbox.isEmpty || this.frame === null;
  }

  /** Half of the inbox is full. Cheap enough for every health check. */
  get overloaded(): boolean {
    return this.#wings.admission.inbox.observations > INBOX_OBSERVATIONS_MAX / 2;
  }

  fusionHealth(): FusionHealth {
    return fusionHealthOf({
      room: this,
      admission: this.#wings.admission,
      inboxMax: INBOX_OBSERVATIONS_MAX,
      meter: this.#steps.meter,
      stepPeriodMs: STEP_PERIOD_MS,
      kernelRestarts: this.#wings.fusion.kernelRestarts,
      tracker: this.#wings.fusion.tracker?.health() ?? null,
      configHash: this.#wings.configHash,
    });
  }

  serially<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    return this.writes.run(work, isUrgent);
  }
}
