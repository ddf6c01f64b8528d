/**
 * The room's measured past: the scans of the last `maxLagUs` in canonical order and kept kernel states between them.
 * A late scan restores the state before it and runs the rest again, so that what the kernel holds depends only on the set
 * of scans, not on their order of arrival. Knows the kernel as five functions; no profiles, no wire, no clock.
 *
 * Canonical order: measured time, then source id, then the scan's identity. A sweep is an implied event at every whole
 * multiple of the sweep period, before the first scan at or past it.
 */
import { assert } from "../lib/assert.ts";
import { SweepingRun, type TimelinePlace } from "./sweepingRun.ts";

export interface TimelineEntry extends TimelinePlace {
  /** Measurements in the scan: what replaying it costs. */
  readonly weight: number;
  /** Set by the timeline once the kernel has taken it; a second run is a replay. */
  ran: boolean;
}

export interface TimelineKernel<E> {
  run(entry: E, replayed: boolean): void;
  sweep(timeUs: number): void;
  save(): Uint8Array;
  restore(saved: Uint8Array): void;
}

interface TimelineOptions {
  readonly maxLagUs: number;
  readonly sweepPeriodUs: number;
  /** Silence after which sweeping stops until the next scan: everything has ended by then. */
  readonly quietUs: number;
  readonly keptStatesMax: number;
  readonly keptBytesMax: number;
  /** Measurements remembered for replay; beyond it the lag window becomes shorter. */
  readonly weightMax: number;
}

/** A state of the kernel and what had been run when it was taken. */
interface KeptState {
  readonly saved: Uint8Array;
  readonly last: TimelinePlace | null;
  readonly sweptUs: number;
}

/** A piece of the past that can be run again: a kept state and the entries behind it, in canonical order. */
export interface Stretch<E> extends KeptState {
  readonly entries: readonly E[];
}

interface TimelineCounts {
  rewinds: number;
  scansReplayed: number;
  duplicates: number;
  /** Refused: older than the window reaches. */
  tooLate: number;
  /** Times that `weightMax`, not age, ended the window. */
  windowShortened: number;
}

/** A kept state and every scan after it. Plain data: another process goes on from it. */
export interface TimelineSnapshot<E> {
  readonly saved: Uint8Array;
  /** What was run last before `saved`. */
  readonly last: TimelinePlace | null;
  readonly sweptUs: number;
  readonly entries: readonly E[];
  readonly newestUs: number;
  readonly sweepLimitUs: number;
}

/** Between kept states while scans come in order; late data makes them denser (see `#keepIfDue`). */
const KEEP_PERIOD_US = 500_000;
/** How long a late scan keeps the states dense. */
const DENSE_HOLD_US = 10_000_000;
/** Saving this many bytes is taken to cost as much as fusing one measurement: 64 KiB (100 tracks) about 25 us, of 3 us each. */
const BYTES_PER_WEIGHT = 4096;
/** Two looks of a radar with a hundred plots: saving more often than that costs more than running them again. */
const DENSE_WEIGHT_MIN = 200;

function compare(a: TimelinePlace, b: TimelinePlace): number {
  if (a.timeUs !== b.timeUs) return a.timeUs < b.timeUs ? -1 : 1;
  if (a.sourceId !== b.sourceId) return a.sourceId < b.sourceId ? -1 : 1;
  if (a.identity !== b.identity) return a.identity < b.identity ? -1 : 1;
  return 0;
}

export class Timeline<E extends TimelineEntry> {
  readonly counts: TimelineCounts = { rewinds: 0, scansReplayed: 0, duplicates: 0, tooLate: 0, windowShortened: 0 };
  readonly #kernel: TimelineKernel<E>;
  readonly #options: TimelineOptions;
  readonly #onForgotten: (stretch: Stretch<E>) => void;
  /** Canonical order; [0, #run) has been run. */
  #entries: E[] = [];
  #run = 0;
  #weight = 0;
  /** Oldest first. The first one is older than anything that is still accepted. */
  #kept: KeptState[];
  #keptBytes: number;
  readonly #now: SweepingRun;
  #sweepLimitUs = Number.NEGATIVE_INFINITY;
  #newestUs = Number.NEGATIVE_INFINITY;
  #weightSinceKept = 0;
  #denseUntilUs = Number.NEGATIVE_INFINITY;

  /** `onForgotten` gets what no accepted entry can come before any more: it is final. */
  constructor(
    kernel: TimelineKernel<E>,
    options: TimelineOptions,
    onForgotten: (stretch: Stretch<E>) => void = () => {},
  ) {
    assert(options.keptStatesMax >= 2, "the timeline keeps at least the base and one recent state");
    this.#kernel = kernel;
    this.#options = options;
    this.#onForgotten = onForgotten;
    this.#now = new SweepingRun((timeUs) => kernel.sweep(timeUs), options);
    const saved = kernel.save();
    this.#kept = [{ saved, last: null, sweptUs: Number.NEGATIVE_INFINITY }];
    this.#keptBytes = saved.byteLength;
  }

  /** Time of the newest scan that was run, -Infinity before the first. */
  get newestUs(): number {
    return this.#newestUs;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /**
   * Takes scans in any order, runs what is new and, once, what they disturb; then sweeps up to `sweepLimitUs`.
   * `onRewind` is called before the one restore.
   */
  advance(entries: readonly E[], sweepLimitUs: number, onRewind: () => void): void {
    const earliest = this.#insertAll(entries);
    if (sweepLimitUs > this.#sweepLimitUs) this.#sweepLimitUs = sweepLimitUs;
    if (earliest !== null) {
      onRewind();
      this.#rewindBefore(earliest);
    }
    this.#runEntries();
    this.#now.sweepTo(this.#sweepLimitUs);
    this.#prune();
  }

  /** True when an entry can still be put in this place. */
  reaches(place: TimelinePlace): boolean {
    const base = this.#kept[0]!;
    if (place.timeUs < this.#newestUs - this.#options.maxLagUs) return false;
    return (base.last === null || compare(base.last, place) < 0) && place.timeUs >= base.sweptUs;
  }

  /** The oldest kept state and every scan since: enough to go on elsewhere, late data included. */
  snapshot(): TimelineSnapshot<E> {
    const { saved, last, sweptUs } = this.#kept[0]!;
    const entries = this.#entries.slice(last === null ? 0 : this.#indexAfter(last));
    return { saved, last, sweptUs, entries, newestUs: this.#newestUs, sweepLimitUs: this.#sweepLimitUs };
  }

  /**
   * The oldest kept state alone, for a reader that has the scans since from a log: nothing older is accepted any more, so
   * the state is final, and it reads as if those scans were yet to come.
   */
  baseSnapshot(): TimelineSnapshot<E> {
    const { saved, last, sweptUs } = this.#kept[0]!;
    const newestUs = last === null ? Number.NEGATIVE_INFINITY : last.timeUs;
    return { saved, last, sweptUs, entries: [], newestUs, sweepLimitUs: sweptUs };
  }

  restore(snapshot: TimelineSnapshot<E>): void {
    const { saved, last, sweptUs } = snapshot;
    this.#kernel.restore(saved);
    this.#kept = [{ saved, last, sweptUs }];
    this.#keptBytes = saved.byteLength;
    this.#entries = [...snapshot.entries];
    this.#weight = snapshot.entries.reduce((sum, entry) => sum + 1 + entry.weight, 0);
    this.#run = 0;
    this.#now.goBackTo(last, sweptUs);
    this.#newestUs = snapshot.newestUs;
    this.#sweepLimitUs = snapshot.sweepLimitUs;
    this.#weightSinceKept = 0;
    this.#runEntries();
    this.#now.sweepTo(this.#sweepLimitUs);
  }

  /** Forgets an entry (one that the kernel cannot take). The state must be restored by the caller afterwards. */
  without(entry: E): TimelineSnapshot<E> {
    const snapshot = this.snapshot();
    return { ...snapshot, entries: snapshot.entries.filter((other) => other !== entry) };
  }

  *entries(): Iterable<E> {
    yield* this.#entries;
  }

  // ---------------------------------------------------------------- taking scans in

  /** Puts the entries in their places; the earliest one that comes before something already run, or null. */
  #insertAll(entries: readonly E[]): E | null {
    const fresh: E[] = [];
    for (const entry of entries) {
      if (this.reaches(entry)) fresh.push(entry);
      else this.counts.tooLate++;
    }
    fresh.sort(compare);
    let earliest: E | null = null;
    for (const entry of fresh) {
      const index = this.#indexAfter(entry);
      const before = this.#entries[index - 1];
      if (before !== undefined && compare(before, entry) === 0) {
        this.counts.duplicates++;
        continue;
      }
      if (index === this.#entries.length) this.#entries.push(entry);
      else this.#entries.splice(index, 0, entry);
      this.#weight += 1 + entry.weight;
      if (index >= this.#run && entry.timeUs >= this.#now.sweptUs) continue;
      if (index < this.#run) this.#run++;
      earliest ??= entry;
    }
    return earliest;
  }

  /** Index of the first entry after `entry` in canonical order. Most scans are the newest, so it looks from the end. */
  #indexAfter(entry: TimelinePlace): number {
    const entries = this.#entries;
    if (entries.length === 0 || compare(entries[entries.length - 1]!, entry) <= 0) return entries.length;
    let low = 0;
    let high = entries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(entries[middle]!, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // ---------------------------------------------------------------- running

  #rewindBefore(entry: E): void {
    this.counts.rewinds++;
    this.#denseUntilUs = this.#newestUs + DENSE_HOLD_US;
    const fits = (state: KeptState) =>
      (state.last === null || compare(state.last, entry) < 0) && state.sweptUs <= entry.timeUs;
    while (!fits(this.#kept[this.#kept.length - 1]!)) {
      this.#keptBytes -= this.#kept.pop()!.saved.byteLength;
      assert(this.#kept.length > 0, "a kept state must lie before every accepted scan");
    }
    const state = this.#kept[this.#kept.length - 1]!;
    this.#kernel.restore(state.saved);
    this.#now.goBackTo(state.last, state.sweptUs);
    this.#run = state.last === null ? 0 : this.#indexAfter(state.last);
    this.#weightSinceKept = 0;
  }

  #runEntries(): void {
    for (; this.#run < this.#entries.length; this.#run++) {
      const entry = this.#entries[this.#run]!;
      this.#keepIfDue(entry.timeUs);
      this.#now.run(entry, () => this.#kernel.run(entry, entry.ran));
      if (entry.ran) this.counts.scansReplayed++;
      entry.ran = true;
      this.#weightSinceKept += 1 + entry.weight;
      if (entry.timeUs > this.#newestUs) this.#newestUs = entry.timeUs;
    }
  }

  // ---------------------------------------------------------------- keeping and forgetting

  /**
   * Keeps the state before a scan: every half second of measured time; and, while data comes late, as soon as running
   * again what came since would cost clearly more than saving does.
   */
  #keepIfDue(timeUs: number): void {
    const newest = this.#kept[this.#kept.length - 1]!;
    const { last, sweptUs } = this.#now;
    if (last === null || this.#weightSinceKept === 0) return;
    const periodDue = newest.last === null || timeUs - newest.last.timeUs >= KEEP_PERIOD_US;
    const dense = timeUs < this.#denseUntilUs;
    const weightDue = Math.max(DENSE_WEIGHT_MIN, (2 * newest.saved.byteLength) / BYTES_PER_WEIGHT);
    if (!periodDue && !(dense && this.#weightSinceKept >= weightDue)) return;
    const saved = this.#kernel.save();
    this.#kept.push({ saved, last, sweptUs });
    this.#keptBytes += saved.byteLength;
    this.#weightSinceKept = 0;
    this.#thin(timeUs);
  }

  /** Over the bound, drops the state whose loss hurts least: the smallest gap in proportion to its age. */
  #thin(nowUs: number): void {
    const { keptStatesMax, keptBytesMax } = this.#options;
    while (this.#kept.length > 2 && (this.#kept.length > keptStatesMax || this.#keptBytes > keptBytesMax)) {
      let worst = 1;
      let least = Number.POSITIVE_INFINITY;
      for (let i = 1; i < this.#kept.length - 1; i++) {
        const gap = timeOf(this.#kept[i + 1]!) - timeOf(this.#kept[i - 1]!);
        const loss = gap / (nowUs - timeOf(this.#kept[i]!) + KEEP_PERIOD_US);
        if (loss < least) {
          least = loss;
          worst = i;
        }
      }
      this.#keptBytes -= this.#kept.splice(worst, 1)[0]!.saved.byteLength;
    }
  }

  /** Drops what no accepted scan can come before. */
  #prune(): void {
    const horizonUs = this.#newestUs - this.#options.maxLagUs;
    let drop = 0;
    while (drop + 1 < this.#kept.length && timeOf(this.#kept[drop + 1]!) < horizonUs) drop++;
    if (drop === 0 && this.#weight > this.#options.weightMax && this.#kept.length > 1) {
      drop = 1;
      this.counts.windowShortened++;
    }
    if (drop === 0) return;
    const states = this.#kept.splice(0, drop);
    for (const state of states) this.#keptBytes -= state.saved.byteLength;
    const base = this.#kept[0]!;
    const gone = this.#entries.splice(0, base.last === null ? 0 : this.#indexAfter(base.last));
    for (const entry of gone) this.#weight -= 1 + entry.weight;
    this.#run -= gone.length;
    this.#onForgotten({ ...states[0]!, entries: gone });
  }

  /** The window in pieces, oldest first: each from a kept state to the next. */
  stretches(): Stretch<E>[] {
    return this.#kept.map((state, i) => {
      const next = this.#kept[i + 1];
      const from = state.last === null ? 0 : this.#indexAfter(state.last);
      const to = next === undefined ? this.#run : next.last === null ? 0 : this.#indexAfter(next.last);
      return { ...state, entries: this.#entries.slice(from, to) };
    });
  }
}

/** A late scan must lie after this to be put behind the state. */
function timeOf(state: KeptState): number {
  return Math.max(state.last === null ? Number.NEGATIVE_INFINITY : state.last.timeUs, state.sweptUs);
}
