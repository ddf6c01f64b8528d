/**
 * A recording put through the door of a fresh room. The room lives as it did: at the recorded times, with as many scans
 * taken in each step. What it cannot take from the recording, because it is measured or comes from outside, is in
 * docs/adr/0100-a-recording-is-what-entered.md.
 */
import type { Change } from "../room/changes.ts";
import type { DoorEntry, RoomStart, ScanInput } from "../room/face.ts";

/** The door of a room. */
interface Door {
  accept(scans: readonly ScanInput[], nowMs: number): unknown;
  commit(change: Change, nowMs: number): unknown;
  step(nowMs: number, scansMax: number): number;
  predictAll(nowMs: number, scansMax: number): number;
  flush(nowMs: number): void;
}

/** A step that took another number of scans than the recorded one: the rooms are not the same any more. */
interface Divergence {
  /** Place of the entry in the recording, from 0. */
  readonly index: number;
  readonly nowMs: number;
  readonly recorded: number;
  readonly replayed: number;
}

/** What the fresh room is opened with, besides a kernel of the same build, a clock that stands at `openedAtMs`, and verbs. */
export function openingOf(start: RoomStart) {
  const { openedAtMs: _at, buildHash: _build, numbers, ...rest } = start;
  // The next blocks of numbers are in the recording.
  return { ...rest, numbers: { first: numbers, reserve: () => new Promise<never>(() => undefined) } };
}

/**
 * Puts the entries in, in order; `clock` is the room's. Goes on to the end, or to the first divergence. `each` is called
 * after each entry.
 */
export function replay(
  entries: Iterable<DoorEntry>,
  room: Door,
  clock: { set(nowMs: number): void },
  each?: (entry: DoorEntry, index: number) => void,
): Divergence | null {
  let index = 0;
  for (const entry of entries) {
    clock.set(entry.nowMs);
    const taken = enter(entry, room);
    if (entry.verb === "step" && taken !== entry.scans)
      return { index, nowMs: entry.nowMs, recorded: entry.scans, replayed: taken };
    each?.(entry, index);
    index++;
  }
  return null;
}

/** Puts one entry in. Returns how many scans a step took; 0 for other entries. */
function enter(entry: DoorEntry, room: Door): number {
  const { nowMs } = entry;
  switch (entry.verb) {
    case "accept":
      room.accept(entry.scans, nowMs);
      return 0;
    case "commit":
      room.commit(entry.change, nowMs);
      return 0;
    case "step":
      return entry.everyTrack ? room.predictAll(nowMs, entry.scans) : room.step(nowMs, entry.scans);
    case "flush":
      room.flush(nowMs);
      return 0;
  }
}
