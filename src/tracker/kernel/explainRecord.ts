/** What the kernel noted of one scan while explaining was on, read out of its memory: all of it, or what concerns a track. */
import * as L from "../../../assembly/layout.ts";
import { EXPLAIN_PAIRS_OF_SCAN_MAX, EXPLAIN_TRACKS_OF_SCAN_MAX } from "../../limits.ts";
import type { Outcome, RawExplain } from "../explain.ts";

type Measurement = RawExplain["measurements"][number];
type Pair = RawExplain["pairs"][number];
type Track = RawExplain["tracks"][number];

interface Counts {
  readonly measurements: number;
  readonly pairs: number;
  readonly tracks: number;
}

const OUTCOMES: Readonly<Record<number, Outcome>> = {
  [L.OUTCOME_CLUTTER]: "clutter",
  [L.OUTCOME_UPDATED]: "updated",
  [L.OUTCOME_INITIATED]: "initiated",
};

export class ExplainRecord {
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #counts: Counts;

  constructor(memory: ArrayBuffer, counts: Counts) {
    this.#f64 = new Float64Array(memory);
    this.#i32 = new Int32Array(memory);
    this.#counts = counts;
  }

  /** The whole scan; of a crowd no more than one event can tell. */
  ofScan(): RawExplain {
    const { measurements, pairs, tracks } = this.#counts;
    return {
      measurements: Array.from({ length: measurements }, (_, row) => this.#measurement(row)),
      pairs: Array.from({ length: Math.min(pairs, EXPLAIN_PAIRS_OF_SCAN_MAX) }, (_, i) => this.#pair(i)),
      tracks: Array.from({ length: Math.min(tracks, EXPLAIN_TRACKS_OF_SCAN_MAX) }, (_, i) => this.#track(i)),
    };
  }

  /** Measurements in the track's gate or taken by it, and every track that gates one of them; null when there is nothing. */
  ofTrack(key: number): RawExplain | null {
    const rows = this.#rowsOf(key);
    const pairs: Pair[] = [];
    const keys = new Set([key]);
    for (let i = 0; i < this.#counts.pairs; i++) {
      if (!rows.has(this.#pairMeasurement(i))) continue;
      const pair = this.#pair(i);
      pairs.push(pair);
      keys.add(pair.trackKey);
    }
    const tracks: Track[] = [];
    for (let i = 0; i < this.#counts.tracks; i++) if (keys.has(this.#trackKey(i))) tracks.push(this.#track(i));
    if (rows.size === 0 && tracks.length === 0) return null;
    return { measurements: [...rows].sort((a, b) => a - b).map((row) => this.#measurement(row)), pairs, tracks };
  }

  #rowsOf(key: number): Set<number> {
    const rows = new Set<number>();
    for (let row = 0; row < this.#counts.measurements; row++) if (this.#takenBy(row) === key) rows.add(row);
    for (let i = 0; i < this.#counts.pairs; i++) if (this.#pairTrackKey(i) === key) rows.add(this.#pairMeasurement(i));
    return rows;
  }

  #takenBy(row: number): number {
    return this.#f64[L.MEAS_TRACK_KEY / 8 + row]!;
  }

  #measurement(row: number): Measurement {
    return { row, outcome: OUTCOMES[this.#i32[L.MEAS_OUTCOME / 4 + row]!]!, trackKey: this.#takenBy(row) };
  }

  #pairField(i: number, field: number): number {
    return this.#f64[L.EXPLAIN_PAIR / 8 + i * L.EXPLAIN_PAIR_STRIDE + field]!;
  }

  #pairMeasurement(i: number): number {
    return this.#pairField(i, L.EXPLAIN_PAIR_MEAS);
  }

  #pairTrackKey(i: number): number {
    return this.#pairField(i, L.EXPLAIN_PAIR_TRACK_KEY);
  }

  #pair(i: number): Pair {
    return {
      measurement: this.#pairMeasurement(i),
      trackKey: this.#pairTrackKey(i),
      d2: this.#pairField(i, L.EXPLAIN_PAIR_D2),
      limit: this.#pairField(i, L.EXPLAIN_PAIR_LIMIT),
      logL: this.#pairField(i, L.EXPLAIN_PAIR_LOG_L),
      pd: this.#pairField(i, L.EXPLAIN_PAIR_PD),
    };
  }

  #trackKey(i: number): number {
    return this.#f64[L.EXPLAIN_TRACK / 8 + i * L.EXPLAIN_TRACK_STRIDE + L.EXPLAIN_KEY]!;
  }

  #track(i: number): Track {
    const at = L.EXPLAIN_TRACK / 8 + i * L.EXPLAIN_TRACK_STRIDE;
    const value = (field: number) => this.#f64[at + field]!;
    const values = (from: number, length: number) => Array.from(this.#f64.subarray(at + from, at + from + length));
    return {
      key: value(L.EXPLAIN_KEY),
      nis: value(L.EXPLAIN_NIS),
      existenceBefore: value(L.EXPLAIN_EXISTENCE_BEFORE),
      existenceAfter: value(L.EXPLAIN_EXISTENCE_AFTER),
      statusBefore: value(L.EXPLAIN_STATUS_BEFORE),
      statusAfter: value(L.EXPLAIN_STATUS_AFTER),
      missed: value(L.EXPLAIN_MISSED) === 1,
      ray: value(L.EXPLAIN_RAY) === 1,
      modelBefore: values(L.EXPLAIN_MODELS_BEFORE, L.MODEL_COUNT),
      modelAfter: values(L.EXPLAIN_MODELS_AFTER, L.MODEL_COUNT),
      meanBefore: values(L.EXPLAIN_MEAN_BEFORE, L.STATE_SIZE),
      covBefore: values(L.EXPLAIN_COV_BEFORE, L.COV_SIZE),
      meanAfter: values(L.EXPLAIN_MEAN_AFTER, L.STATE_SIZE),
      covAfter: values(L.EXPLAIN_COV_AFTER, L.COV_SIZE),
    };
  }
}
