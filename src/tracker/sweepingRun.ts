/**
 * Entries run one after another, and the sweeps that are due between them: at every whole multiple of the sweep period,
 * before the first entry at or past it. The timeline and whoever runs a piece of the past again share this one rule.
 */

/** A place in the canonical order. */
export interface TimelinePlace {
  readonly timeUs: number;
  readonly sourceId: string;
  /** Distinguishes entries of one source and time; an entry with an equal one is a repeat. */
  readonly identity: string;
}

interface SweepOptions {
  readonly sweepPeriodUs: number;
  /** Silence after which sweeping stops until the next entry: everything has ended by then. */
  readonly quietUs: number;
}

export class SweepingRun {
  readonly #sweep: (timeUs: number) => void;
  readonly #options: SweepOptions;
  #last: TimelinePlace | null = null;
  #sweptUs = Number.NEGATIVE_INFINITY;

  constructor(sweep: (timeUs: number) => void, options: SweepOptions) {
    this.#sweep = sweep;
    this.#options = options;
  }

  /** What was run last, null before the first. */
  get last(): TimelinePlace | null {
    return this.#last;
  }

  /** Time of the last sweep that was run; -Infinity before the first. */
  get sweptUs(): number {
    return this.#sweptUs;
  }

  /** The kernel was restored to a state in which this was run last. */
  goBackTo(last: TimelinePlace | null, sweptUs: number): void {
    this.#last = last;
    this.#sweptUs = sweptUs;
  }

  /** Sweeps up to the entry's time, then runs it. */
  run<E extends TimelinePlace>(entry: E, run: (entry: E) => void): void {
    this.sweepTo(entry.timeUs);
    this.#skipQuiet(entry.timeUs);
    run(entry);
    this.#last = entry;
  }

  /** Every sweep up to `limitUs`, as long as the last entry is not so old that nothing can be left to sweep. */
  sweepTo(limitUs: number): void {
    if (this.#last === null) return;
    const { sweepPeriodUs, quietUs } = this.#options;
    const lastUs = this.#last.timeUs;
    const end = Math.min(limitUs, lastUs + quietUs);
    let next = Math.max(this.#sweptUs + sweepPeriodUs, (Math.floor(lastUs / sweepPeriodUs) + 1) * sweepPeriodUs);
    for (; next <= end; next += sweepPeriodUs) this.#sweepAt(next);
  }

  /** After a silence longer than `quietUs` one sweep stands for all that were skipped. */
  #skipQuiet(timeUs: number): void {
    if (this.#last === null || timeUs - this.#last.timeUs <= this.#options.quietUs) return;
    const { sweepPeriodUs } = this.#options;
    const at = Math.floor(timeUs / sweepPeriodUs) * sweepPeriodUs;
    if (at > this.#sweptUs) this.#sweepAt(at);
  }

  #sweepAt(timeUs: number): void {
    this.#sweep(timeUs);
    this.#sweptUs = timeUs;
  }
}
