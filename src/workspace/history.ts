/**
 * Where each track was: one point a second, the last hour, in one ring of columns a track. Kept for ended tracks until
 * the room's bound pushes the oldest out.
 */
import type { LiveTrack } from "./liveTrack.ts";

const COLUMNS = 8;
const FIRST_CAPACITY = 64;

export interface HistoryPoint {
  readonly atMs: number;
  readonly lat: number;
  readonly lon: number;
  /** null: nobody measured or told it. */
  readonly altHaeM: number | null;
  readonly velEnuMps: readonly [number, number, number];
  readonly ce90M: number;
}

class TrackHistory {
  #rows = new Float64Array(FIRST_CAPACITY * COLUMNS);
  #count = 0;
  #start = 0;
  readonly #pointsMax: number;
  lastAtMs = 0;

  constructor(pointsMax: number) {
    this.#pointsMax = pointsMax;
  }

  add(track: LiveTrack, atMs: number, heightM: number | null): void {
    this.lastAtMs = atMs;
    const capacity = this.#rows.length / COLUMNS;
    if (this.#count === capacity && capacity < this.#pointsMax) this.#grow(Math.min(capacity * 2, this.#pointsMax));
    const rows = this.#rows.length / COLUMNS;
    const at = ((this.#start + this.#count) % rows) * COLUMNS;
    if (this.#count === rows) this.#start = (this.#start + 1) % rows;
    else this.#count++;
    const ce90M = 2.145966 * Math.sqrt((track.covPosM2[0]! + track.covPosM2[3]!) / 2);
    this.#rows.set(
      [atMs, track.lat, track.lon, heightM ?? Number.NaN, track.velEastMps, track.velNorthMps, track.velUpMps, ce90M],
      at,
    );
  }

  *points(sinceMs: number): Iterable<HistoryPoint> {
    const rows = this.#rows.length / COLUMNS;
    for (let i = 0; i < this.#count; i++) {
      const p = this.#rows.subarray(((this.#start + i) % rows) * COLUMNS);
      if (p[0]! < sinceMs) continue;
      const altHaeM = Number.isNaN(p[3]!) ? null : p[3]!;
      yield { atMs: p[0]!, lat: p[1]!, lon: p[2]!, altHaeM, velEnuMps: [p[4]!, p[5]!, p[6]!], ce90M: p[7]! };
    }
  }

  #grow(capacity: number): void {
    const next = new Float64Array(capacity * COLUMNS);
    next.set(this.#rows);
    this.#rows = next;
  }
}

export class Histories {
  readonly #byId = new Map<string, TrackHistory>();
  readonly #tracksMax: number;
  readonly #pointsMax: number;
  readonly #periodMs: number;

  constructor(tracksMax: number, pointsMax: number, periodMs: number) {
    this.#tracksMax = tracksMax;
    this.#pointsMax = pointsMax;
    this.#periodMs = periodMs;
  }

  /** `heightOf` is asked when a point is due: the filter has a height for every track, not all of them are known. */
  add(track: LiveTrack, atMs: number, heightOf: (track: LiveTrack) => number | null): void {
    if (track.bearingOnly) return;
    let history = this.#byId.get(track.id);
    if (history === undefined) {
      if (this.#byId.size >= this.#tracksMax) this.#byId.delete(this.#byId.keys().next().value!);
      history = new TrackHistory(this.#pointsMax);
      this.#byId.set(track.id, history);
    }
    if (atMs - history.lastAtMs >= this.#periodMs) history.add(track, atMs, heightOf(track));
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  points(id: string, sinceMs: number): HistoryPoint[] {
    return [...(this.#byId.get(id)?.points(sinceMs) ?? [])];
  }
}
