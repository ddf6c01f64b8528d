/**
 * The phases of a step, each timed in `fusion_health`; and the phases after fusing alone, for an operator's edit of tracks.
 * `room.ts` decides when they run.
 */
import type { Clock } from "../lib/clock.ts";
import type { Hub } from "../stream/hub.ts";
import type { Tracker } from "../tracker/tracker.ts";
import type { Fusion } from "./fusion.ts";
import type { Claims } from "./identity/claims.ts";
import type { Inbox, ScanInput } from "./intake/inbox.ts";
import type { Announcer } from "./telling/announcer.ts";
import { StepMeter, type StepPhase } from "./telling/fusionHealth.ts";
import type { Histories } from "./tracks/history.ts";
import type { TrackChanges } from "./tracks/tracks.ts";
import { knownHeightM, type WireContext } from "./tracks/trackWire.ts";

/** An idle room still steps this often, so that tracks age and end without data. */
const IDLE_STEP_PERIOD_MS = 250;

interface SteppedRoom {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly fusion: Fusion;
  readonly claims: Claims;
  readonly histories: Histories;
  readonly announcer: Announcer;
  readonly hub: Hub;
  wireContext(nowMs: number): WireContext;
}

export class Steps {
  readonly meter = new StepMeter();
  readonly #room: SteppedRoom;
  #count = 0;
  #lastAtMs = 0;

  constructor(room: SteppedRoom) {
    this.#room = room;
  }

  /** Number of steps so far. */
  get count(): number {
    return this.#count;
  }

  isDue(nowMs: number): boolean {
    return !this.#room.inbox.isEmpty || nowMs - this.#lastAtMs >= IDLE_STEP_PERIOD_MS;
  }

  /** Returns the number of scans taken from the inbox, including those that the kernel failed to fuse. */
  run(nowMs: number, scansMax: number | null, everyTrack: boolean): number {
    const { clock, inbox, fusion, claims, hub } = this.#room;
    const tracker = fusion.open();
    // No position is known yet, so only empty scans can be waiting.
    if (tracker === null) return 0;
    tracker.explainOn = hub.wants("fusion_explain");
    this.#lastAtMs = nowMs;
    this.#count++;
    this.meter.begin(clock.monotonicMs());
    const phase = <T>(name: StepPhase, work: () => T): T => {
      const result = work();
      this.meter.endPhase(name, clock.monotonicMs());
      return result;
    };
    try {
      phase("fuse", () => fusion.fuse(tracker, inbox, nowMs, scansMax));
      const changes = phase("follow", () => fusion.follow(tracker, nowMs, everyTrack));
      phase("identify", () => this.#identify(changes));
      phase("remember", () => this.#remember(changes, nowMs));
      phase("tell", () => this.#noteForStreams(tracker, fusion.taken, changes, nowMs));
    } catch (fault) {
      fusion.rebuild(fault);
      // Drops the claims that were noted for the failed step.
      claims.link([]);
    }
    this.meter.end(fusion.taken.length, clock.monotonicMs(), nowMs);
    return fusion.taken.length;
  }

  /** The tracker's table changed outside of a step. */
  followEdit(nowMs: number): void {
    const { fusion } = this.#room;
    if (fusion.tracker === null) return;
    const changes = fusion.follow(fusion.tracker, nowMs, false);
    this.#identify(changes);
    this.#remember(changes, nowMs);
    this.#noteForStreams(fusion.tracker, [], changes, nowMs);
  }

  #identify({ updated, removed }: TrackChanges): void {
    const { claims } = this.#room;
    claims.link(updated);
    for (const { track } of removed) claims.unlink(track);
  }

  #remember({ updated, removed }: TrackChanges, nowMs: number): void {
    const { histories } = this.#room;
    for (const { track } of removed) histories.end(track.id);
    const context = this.#room.wireContext(nowMs);
    for (const track of updated) histories.add(track, nowMs, (one) => knownHeightM(one, context));
  }

  #noteForStreams(tracker: Tracker, fused: readonly ScanInput[], changes: TrackChanges, nowMs: number): void {
    const { announcer, hub } = this.#room;
    announcer.noteStep(fused, changes, nowMs);
    if (!hub.wants("fusion_explain")) return;
    for (const explain of tracker.takeExplains()) hub.publishExplain({ explain });
  }
}
