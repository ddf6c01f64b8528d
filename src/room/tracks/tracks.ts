/**
 * The live tracks of one room by id, kept equal to the kernel's table. Knows rows and numbers; no stream, no wire encoding
 * (trackWire.ts) and no SQL.
 */
import type { EnuFrame } from "../../domain/geodesy.ts";
import type { TrackRemovedReason } from "../../domain/track.ts";
import { type EndedTrack, TRACK_STATUS, type TrackTable } from "../../tracker/types.ts";
import { LiveTrack, trackIdOf } from "./liveTrack.ts";
import { TrackNumbers } from "./trackNumbers.ts";

/** A track is shown from its second measurement on, or when it is confirmed. */
const SHOWN_HITS_MIN = 2;
const TENTATIVE = TRACK_STATUS.indexOf("tentative");

export interface RemovedTrack {
  readonly track: LiveTrack;
  readonly reason: TrackRemovedReason;
  readonly mergedInto: string | null;
}

export interface TrackChanges {
  readonly updated: readonly LiveTrack[];
  readonly removed: readonly RemovedTrack[];
}

export class Tracks {
  readonly #byKey = new Map<number, LiveTrack>();
  readonly #byId = new Map<string, LiveTrack>();
  readonly #numbers = new TrackNumbers();
  #tick = 0;
  /** Bumped with every change of a track or of its wire form, so that encoded forms can be reused while it stays. */
  version = 0;
  /** Time of that change, milliseconds since the epoch. */
  changedAtMs = 0;

  get(id: string): LiveTrack | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<LiveTrack> {
    return this.#byId.values();
  }

  get count(): number {
    return this.#byId.size;
  }

  noteChanged(nowMs: number): void {
    this.version++;
    this.changedAtMs = nowMs;
  }

  /** The tracker is gone, and with it the kernel slots that the tracks name. */
  forgetSensors(): void {
    for (const track of this.all()) track.forgetSensors();
  }

  /** Copies the kernel's table. `receivedAtMs` gives the arrival of the scan with this measurement time. */
  applyScan(
    table: TrackTable,
    ended: readonly EndedTrack[],
    frame: EnuFrame,
    nowMs: number,
    receivedAtMs: (measuredAtUs: number) => number,
    everyTrack: boolean,
  ): TrackChanges {
    this.#tick++;
    const updated: LiveTrack[] = [];
    for (let row = 0; row < table.count; row++) {
      const track = this.#trackOf(table, row, nowMs);
      if (track === null) continue;
      const isNew = track.lastSeenTick === 0;
      track.lastSeenTick = this.#tick;
      if (table.touched[row] === 0 && !isNew && !everyTrack) continue;
      track.readRow(table, row, frame, nowMs);
      track.receivedAtMs = receivedAtMs(track.measuredAtUs);
      updated.push(track);
    }
    const removed = this.#removeUnseen(ended, nowMs);
    if (updated.length > 0 || removed.length > 0) this.noteChanged(nowMs);
    return { updated, removed };
  }

  #trackOf(table: TrackTable, row: number, nowMs: number): LiveTrack | null {
    const key = table.key[row]!;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (table.status[row] === TENTATIVE && table.hits[row]! < SHOWN_HITS_MIN) return null;
    const track = new LiveTrack(key, this.#numbers.take(nowMs));
    this.#byKey.set(key, track);
    this.#byId.set(track.id, track);
    return track;
  }

  /** Removes tracks that the table no longer has: ended by the kernel, or undone when late data rewrote the past. */
  #removeUnseen(ended: readonly EndedTrack[], nowMs: number): RemovedTrack[] {
    const removed: RemovedTrack[] = [];
    const reasons = new Map(ended.map((e) => [e.key, e]));
    for (const track of this.#byKey.values()) {
      if (track.lastSeenTick === this.#tick) continue;
      const end = reasons.get(track.key);
      removed.push({
        track,
        reason: reasonOf(end),
        mergedInto: end && end.mergedInto > 0 ? trackIdOf(end.mergedInto) : null,
      });
      this.#byKey.delete(track.key);
      this.#byId.delete(track.id);
      this.#numbers.release(track.number, nowMs);
    }
    for (const { track, mergedInto } of removed) {
      const survivor = mergedInto === null ? undefined : this.#byId.get(mergedInto);
      if (survivor === undefined) continue;
      survivor.mergedFrom = [...survivor.mergedFrom.slice(-15), track.id];
      survivor.changedMembers.add("merged_from");
    }
    return removed;
  }
}

function reasonOf(end: EndedTrack | undefined): TrackRemovedReason {
  return end?.reason === "merged" ? "merged" : "stale";
}
