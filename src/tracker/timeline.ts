/**
 * The last `maxLagUs` of a room: entries (scans, and edits of tracks) in canonical order, and kept kernel states between
 * them. A late entry restores the state before it and runs the rest again, so that the kernel's state depends on the set of
 * entries and not on their order of arrival. Knows the kernel as four functions; no profiles, no wire, no clock.
 *
 * Canonical order: time, then source id, then the entry's identity. Sweeps between them: sweepingRun.ts.
 */
import { assert } from "../lib/assert.ts";
import { SweepingRun, type TimelinePlace } from "./sweepingRun.ts";

export interface TimelineEntry extends TimelinePlace {
  /** Measurements in the scan, 0 for an edit: the cost of running it again. */
  readonly weight: number;
  /** Set by the timeline after its first run; every further run is a replay. */
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
  /** Silence after which sweeping stops until the next entry: every track has ended by then. */
  readonly quietUs: number;
  readonly keptStatesMax: number;
  readonly keptBytesMax: number;
  /** Measurements kept for replays; beyond it the lag window becomes shorter. */
  readonly weightMax: number;
}

/** A state of the kernel, the entry that was run last before it, and the time of the last sweep before it. */
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
  duplicates: number;
  /** Refused: older than the window reaches. */
  tooLate: number;
  /** Times that `weightMax` ended the window before its age did. */
  windowShortened: number;
}

/** A kept state and every entry after it. Plain data: another process can go on from it. */
export interface TimelineSnapshot<E> {
  readonly saved: Uint8Array;
  /** What was run last before `saved`. */
  readonly last: TimelinePlace | null;
  readonly sweptUs: number;
  readonly entries: readonly E[];
  readonly newestUs: number;
  readonly sweepLimitUs: number;
}

/** Time between kept states while entries come in order; late data makes it shorter (see `#keepIfDue`). */
const KEEP_PERIOD_US = 500_000;
/** How long after a late entry states are kept at shorter intervals. */
const DENSE_HOLD_US = 10_000_000;
/** Bytes of state whose saving costs as much as fusing one measurement: 64 KiB (100 tracks) take 25 us, a measurement 3 us. */
const BYTES_PER_WEIGHT = 4096;
/** Weight of two radar looks with a hundred plots each: running so little again is cheaper than saving a state before it. */
const DENSE_WEIGHT_MIN = 200;

function compare(a: TimelinePlace, b: TimelinePlace): number {
  if (a.timeUs !== b.timeUs) return a.timeUs < b.timeUs ? -1 : 1;
  if (a.sourceId !== b.sourceId) return a.sourceId < b.sourceId ? -1 : 1;
  if (a.identity !== b.identity) return a.identity < b.identity ? -1 : 1;
  return 0;
}

export class Timeline<E extends TimelineEntry> {
  readonly counts: TimelineCounts = { rewinds: 0, duplicates: 0, tooLate: 0, windowShortened: 0 };
  readonly #kernel: TimelineKernel<E>;
  readonly #options: TimelineOptions;
  readonly #onForgotten: (stretch: Stretch<E>) => void;
  /** In canonical order; those before #run have been run. */
  #entries: E[] = [];
  #run = 0;
  #weight = 0;
  /** Oldest first. Every entry that is still accepted comes after the first of them. */
  #kept: KeptState[];
  #keptBytes: number;
  readonly #now: SweepingRun;
  #sweepLimitUs = Number.NEGATIVE_INFINITY;
  #newestUs = Number.NEGATIVE_INFINITY;
  #weightSinceKept = 0;
  #denseUntilUs = Number.NEGATIVE_INFINITY;

  /** `onForgotten` gets what leaves the window: no accepted entry can come before it any more, so it is final. */
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

  /** Time of the newest entry that was run, -Infinity before the first. */
  get newestUs(): number {
    return this.#newestUs;
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /**
   * Takes entries in any order, goes back at most once for those that are late, runs what is to be run, and sweeps up to
   * `sweepLimitUs`. `onRewind` is called right before it goes back.
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

  /** Whether an entry at this place is still accepted. */
  reaches(place: TimelinePlace): boolean {
    const base = this.#kept[0]!;
    if (place.timeUs < this.#newestUs - this.#options.maxLagUs) return false;
    return (base.last === null || compare(base.last, place) < 0) && place.timeUs >= base.sweptUs;
  }

  /** The oldest kept state and every entry since: enough for another process to go on, late data included. */
  snapshot(): TimelineSnapshot<E> {
    const { saved, last, sweptUs } = this.#kept[0]!;
    const entries = this.#entries.slice(last === null ? 0 : this.#indexAfter(last));
    return { saved, last, sweptUs, entries, newestUs: this.#newestUs, sweepLimitUs: this.#sweepLimitUs };
  }

  /**
   * The oldest kept state alone, for a process that has the entries since in a log. Nothing older is accepted any more, so
   * the state is final; restored from it, the timeline accepts all that came after it.
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

  /** A snapshot without an entry that the kernel cannot take, for the caller to restore. */
  without(entry: E): TimelineSnapshot<E> {
    const snapshot = this.snapshot();
    return { ...snapshot, entries: snapshot.entries.filter((other) => other !== entry) };
  }

  *entries(): Iterable<E> {
    yield* this.#entries;
  }

  // ---------------------------------------------------------------- taking entries in

  /** Puts the entries in their places. Returns the earliest that comes before something already run, or null. */
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

  /** Index of the first entry after this place. Most entries are the newest, so the last one is compared first. */
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
      assert(this.#kept.length > 0, "a kept state lies before every accepted entry");
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
      entry.ran = true;
      this.#weightSinceKept += 1 + entry.weight;
      if (entry.timeUs > this.#newestUs) this.#newestUs = entry.timeUs;
    }
  }

  // ---------------------------------------------------------------- keeping and forgetting

  /**
   * Keeps the state before an entry every half second of measured time; while data comes late also as soon as running
   * again what came since would cost clearly more than saving the state.
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

  /** Over the bounds, drops the state whose loss leaves the smallest gap in proportion to its age. */
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

  /** Drops the states and entries that no accepted entry can come before. */
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

  /** The window in stretches from each kept state to the next, oldest first. */
  stretches(): Stretch<E>[] {
    return this.#kept.map((state, i) => {
      const next = this.#kept[i + 1];
      const from = state.last === null ? 0 : this.#indexAfter(state.last);
      const to = next === undefined ? this.#run : next.last === null ? 0 : this.#indexAfter(next.last);
      return { ...state, entries: this.#entries.slice(from, to) };
    });
  }
}

/** An entry must be later than this to be run after the state. */
function timeOf(state: KeptState): number {
  return Math.max(state.last === null ? Number.NEGATIVE_INFINITY : state.last.timeUs, state.sweptUs);
}
