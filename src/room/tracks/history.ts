/**
 * Past positions of each track: one point a second for an hour, in one ring of columns per track. Histories of ended tracks
 * are kept until the room's bounds drop those that ended first. When live tracks alone fill the bound on points, the longest
 * histories lose their older halves; every live track has a history. Points dropped before their hour is over are counted.
 */
import { ce90M } from "../../domain/geodesy.ts";
import { assert } from "../../lib/assert.ts";
import { TRACK_HISTORIES_POINTS_MAX, TRACK_HISTORY_PERIOD_MS, TRACK_HISTORY_POINTS_MAX } from "../../limits.ts";
import { TRACKS_LIVE_MAX } from "../../tracker/types.ts";
import type { LiveTrack } from "./liveTrack.ts";

const COLUMNS = 8;
/** Capacity of a new track's ring; each level doubles it. */
const FIRST_CAPACITY = 64;

interface HistoryPoint {
  readonly atMs: number;
  readonly lat: number;
  readonly lon: number;
  /** null: unknown. */
  readonly altHaeM: number | null;
  readonly velEnuMps: readonly [number, number, number];
  readonly ce90M: number;
}

class TrackHistory {
  #rows: Float64Array;
  #start = 0;
  count = 0;
  /** Its ring holds FIRST_CAPACITY << level points; the room's bound decides on the level. */
  level = 0;
  lastAtMs = 0;

  constructor(capacity: number) {
    this.#rows = new Float64Array(capacity * COLUMNS);
  }

  get capacity(): number {
    return this.#rows.length / COLUMNS;
  }

  /** In a full ring, in place of the oldest point. */
  add(track: LiveTrack, atMs: number, heightM: number | null): void {
    this.lastAtMs = atMs;
    const { capacity } = this;
    const at = ((this.#start + this.count) % capacity) * COLUMNS;
    if (this.count === capacity) this.#start = (this.#start + 1) % capacity;
    else this.count++;
    this.#rows.set(
      [
        atMs,
        track.lat,
        track.lon,
        heightM ?? Number.NaN,
        track.velEastMps,
        track.velNorthMps,
        track.velUpMps,
        ce90M(track.covPosM2),
      ],
      at,
    );
  }

  /** Keeps the newest points; returns the number of dropped ones. */
  resize(capacity: number): number {
    const lost = Math.max(0, this.count - capacity);
    const rows = new Float64Array(capacity * COLUMNS);
    for (let i = lost; i < this.count; i++) rows.set(this.#rowAt(i), (i - lost) * COLUMNS);
    this.#rows = rows;
    this.#start = 0;
    this.count -= lost;
    return lost;
  }

  *points(sinceMs: number): Iterable<HistoryPoint> {
    for (let i = 0; i < this.count; i++) {
      const p = this.#rowAt(i);
      if (p[0]! < sinceMs) continue;
      const altHaeM = Number.isNaN(p[3]!) ? null : p[3]!;
      yield { atMs: p[0]!, lat: p[1]!, lon: p[2]!, altHaeM, velEnuMps: [p[4]!, p[5]!, p[6]!], ce90M: p[7]! };
    }
  }

  /** The i-th oldest. */
  #rowAt(i: number): Float64Array {
    const at = ((this.#start + i) % this.capacity) * COLUMNS;
    return this.#rows.subarray(at, at + COLUMNS);
  }
}

interface HistoryBounds {
  /** Histories, those of ended tracks included; live tracks alone may exceed it. */
  readonly tracksMax: number;
  readonly pointsPerTrackMax: number;
  /** For all tracks together, 64 bytes per point. */
  readonly pointsMax: number;
  readonly periodMs: number;
}

export class Histories {
  readonly #live = new Map<string, TrackHistory>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, TrackHistory>();
  /** The live ones by level, so that the longest is found in constant time. */
  readonly #levels: Set<TrackHistory>[] = [];
  readonly #bounds: HistoryBounds;
  /** Capacity of all rings together, points. */
  #capacity = 0;
  /** Points that a bound of the room dropped before their hour was over. */
  pointsDropped = 0;

  /** `liveMax`: largest number of live tracks. */
  constructor(bounds: HistoryBounds, liveMax: number) {
    assert(liveMax * FIRST_CAPACITY <= bounds.pointsMax, "every live track has room for its first points");
    this.#bounds = bounds;
    for (let level = 0; level === 0 || this.#capacityAt(level - 1) < bounds.pointsPerTrackMax; level++)
      this.#levels.push(new Set());
  }

  /** `heightOf` is called only when a point is due. */
  add(track: LiveTrack, atMs: number, heightOf: (track: LiveTrack) => number | null): void {
    if (track.bearingOnly) return;
    const history = this.#live.get(track.id) ?? this.#begin(track.id);
    if (atMs - history.lastAtMs < this.#bounds.periodMs) return;
    if (history.count === history.capacity) this.#grow(history);
    history.add(track, atMs, heightOf(track));
  }

  /** The track ended; its history stays while there is room. */
  end(id: string): void {
    const history = this.#live.get(id);
    if (history === undefined) return;
    this.#live.delete(id);
    this.#levels[history.level]!.delete(history);
    this.#ended.set(id, history);
  }

  has(id: string): boolean {
    return this.#live.has(id) || this.#ended.has(id);
  }

  points(id: string, sinceMs: number): HistoryPoint[] {
    return [...((this.#live.get(id) ?? this.#ended.get(id))?.points(sinceMs) ?? [])];
  }

  /** A new history, or the kept one of a track that late data revived. */
  #begin(id: string): TrackHistory {
    let history = this.#ended.get(id);
    this.#ended.delete(id);
    if (history === undefined) {
      while (this.#ended.size > 0 && this.#live.size + this.#ended.size >= this.#bounds.tracksMax) this.#forgetOldest();
      const capacity = this.#capacityAt(0);
      const hasRoom = this.#makeRoom(capacity, 0);
      assert(hasRoom, "the bound on points has room for the first points of all live tracks");
      history = new TrackHistory(capacity);
      this.#capacity += capacity;
    }
    this.#live.set(id, history);
    this.#levels[history.level]!.add(history);
    return history;
  }

  /** Enlarges its ring by a level while there is room; otherwise the next point replaces the oldest. */
  #grow(history: TrackHistory): void {
    const level = history.level + 1;
    if (level === this.#levels.length) return;
    if (this.#makeRoom(this.#capacityAt(level) - history.capacity, level)) this.#setLevel(history, level);
    else this.pointsDropped++;
  }

  /** Drops ended histories first, then shortens live ones above the level. */
  #makeRoom(points: number, level: number): boolean {
    while (this.#capacity + points > this.#bounds.pointsMax) {
      if (this.#ended.size > 0) this.#forgetOldest();
      else if (!this.#shortenLongest(level)) return false;
    }
    return true;
  }

  #forgetOldest(): void {
    const [id, history] = this.#ended.entries().next().value!;
    this.#ended.delete(id);
    this.#capacity -= history.capacity;
    this.pointsDropped += history.count;
  }

  /** Shortens the oldest member of the highest level. False when none is above `level`. */
  #shortenLongest(level: number): boolean {
    for (let above = this.#levels.length - 1; above > level; above--) {
      const [longest] = this.#levels[above]!;
      if (longest === undefined) continue;
      this.#setLevel(longest, above - 1);
      return true;
    }
    return false;
  }

  #setLevel(history: TrackHistory, level: number): void {
    const before = history.capacity;
    this.pointsDropped += history.resize(this.#capacityAt(level));
    this.#capacity += history.capacity - before;
    this.#levels[history.level]!.delete(history);
    history.level = level;
    this.#levels[level]!.add(history);
  }

  #capacityAt(level: number): number {
    return Math.min(FIRST_CAPACITY << level, this.#bounds.pointsPerTrackMax);
  }
}

/** For a room of at most `tracksMax` tracks. */
export const roomHistories = (tracksMax: number): Histories =>
  new Histories(
    {
      tracksMax,
      pointsPerTrackMax: TRACK_HISTORY_POINTS_MAX,
      pointsMax: TRACK_HISTORIES_POINTS_MAX,
      periodMs: TRACK_HISTORY_PERIOD_MS,
    },
    TRACKS_LIVE_MAX,
  );
