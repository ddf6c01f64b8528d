/**
 * Decides which changes of a room go out on the stream, and when (docs/interface.md#events): tracks by `trackTeller.ts`,
 * each part's slice by a `sliceTeller.ts`, health by `healthTeller.ts`. The hub encodes.
 */
import type { SliceMembers } from "../../domain/events.ts";
import type { FusionHealth } from "../../domain/health.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { Part } from "../part.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";
import type { TrackChanges } from "../tracks/tracks.ts";
import { stamped } from "./encodedPicture.ts";
import { HealthTeller } from "./healthTeller.ts";
import { SLICE_PERIOD_MS, SliceTeller } from "./sliceTeller.ts";
import { TrackTeller, type TrackTellerRoom } from "./trackTeller.ts";

interface AnnouncerRoom extends TrackTellerRoom {
  readonly parts: readonly Part[];
  fusionHealth(): FusionHealth;
  /** Lets every part apply changes that time alone makes. */
  refresh(nowMs: number): void;
}

export class Announcer {
  readonly #room: AnnouncerRoom;
  readonly #tracks: TrackTeller;
  readonly #slices: readonly { readonly name: NonNullable<Part["slice"]>; readonly teller: SliceTeller }[];
  readonly #health = new HealthTeller();
  #refreshedAtMs = 0;
  #wasQuiet = true;
  #hadClients = false;

  constructor(room: AnnouncerRoom) {
    this.#room = room;
    this.#tracks = new TrackTeller(room);
    this.#slices = room.parts.flatMap((part) =>
      // `live_state` is sent by the HealthTeller.
      part.slice === null || part.slice === "live_state" ? [] : [{ name: part.slice, teller: new SliceTeller(part) }],
    );
  }

  noteStep(inputs: readonly ScanInput[], changes: TrackChanges, nowMs: number): void {
    this.#tracks.noteStep(inputs, changes, nowMs);
  }

  noteChanged(tracks: readonly LiveTrack[]): void {
    this.#tracks.noteChanged(tracks);
  }

  /** Publishes all that is due now. Called before each flush. */
  announce(nowMs: number): void {
    const isLull = this.#tracks.isQuiet && !this.#wasQuiet;
    this.#wasQuiet = this.#tracks.isQuiet;
    this.#tracks.publish(nowMs);
    const isDue = nowMs - this.#refreshedAtMs >= SLICE_PERIOD_MS;
    if (isDue) {
      this.#refreshedAtMs = nowMs;
      this.#room.refresh(nowMs);
    }
    const { hub } = this.#room;
    const hadClients = this.#hadClients;
    this.#hadClients = hub.sessions > 0;
    if (!this.#hadClients) return;
    // The first client after a time without any: the hub sends it all slices after this flush, so mark them as sent.
    if (!hadClients) this.#noteOpening(nowMs);
    for (const { name, teller } of this.#slices) {
      const json = teller.take(nowMs, isLull);
      if (json !== null) hub.publishSlice(name, stamped(json, this.#room.environment, nowMs));
    }
    if (isDue || this.#health.isSilent(nowMs)) this.#sendHealth(nowMs);
  }

  #noteOpening(nowMs: number): void {
    for (const { teller } of this.#slices) teller.noteSent(nowMs);
    this.#health.noteSent(this.#room.fusionHealth(), nowMs);
  }

  #sendHealth(nowMs: number): void {
    const health = this.#room.fusionHealth();
    if (!this.#health.isDue(health, nowMs)) return;
    const json = stamped(
      JSON.stringify({ fusion_health: health } satisfies SliceMembers<"live_state">),
      this.#room.environment,
      nowMs,
    );
    this.#room.hub.publishSlice("live_state", json);
  }
}
