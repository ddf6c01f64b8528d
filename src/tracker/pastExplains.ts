/**
 * Explains the last scans of one track after the fact. Nothing is recorded while nobody asks: the kernel is deterministic,
 * so a kernel of its own goes back to a kept state, runs the scans since again, and tells what it decided. The newest
 * stretch comes first, so that the last few scans of a track cost little. Works in slices between which others get their
 * turn. Decision: docs/adr/0016.
 */
import type { FusionExplain } from "../domain/fusionExplain.ts";
import type { FusedScan, TrackerEntry } from "./entries.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { runEntry } from "./runEntry.ts";
import { SweepingRun } from "./sweepingRun.ts";
import type { Stretch } from "./timeline.ts";

export interface TrackExplains {
  /** Oldest first. */
  readonly explains: readonly FusionExplain[];
  /** From this time on none is missing; microseconds since the epoch. */
  readonly completeSinceUs: number;
}

export interface PastQuestion {
  readonly trackKey: number;
  readonly sinceUs: number;
  /** Of several the newest are kept. */
  readonly limit: number;
}

interface PastExplainsOptions {
  readonly sweepPeriodUs: number;
  readonly quietUs: number;
  /** Cost of a slice, and of an answer: a measurement that is fused costs 1. */
  readonly sliceWeight: number;
  readonly answerWeight: number;
  readonly openKernel: () => Kernel;
  readonly describe: (kernel: Kernel, entry: FusedScan, trackKey: number) => FusionExplain | null;
}

interface Found {
  readonly timeUs: number;
  readonly explain: FusionExplain;
}

/** Saving, restoring or hashing this many bytes of state is taken to cost as much as fusing one measurement, 3 us. */
const BYTES_PER_WEIGHT = 2048;

export class PastExplains {
  readonly #options: PastExplainsOptions;
  #kernel: Kernel | null = null;
  /** Whose state the kernel holds: each answer in the making has its own token. */
  #holder: object | null = null;

  constructor(options: PastExplainsOptions) {
    this.#options = options;
  }

  /** `stretches`: oldest first. Yields when a slice is over; several answers may be in the making at a time. `limit` >= 1. */
  *answer(
    stretches: readonly Stretch<TrackerEntry>[],
    question: PastQuestion,
  ): Generator<undefined, TrackExplains, undefined> {
    // Stretches grow while we wait; what comes after the question is not part of the answer.
    const asked = stretches.map((stretch) => ({ ...stretch, entries: stretch.entries.slice() }));
    const budget = { slice: this.#options.sliceWeight, answer: this.#options.answerWeight };
    let found: Found[] = [];
    let reachedUs = question.sinceUs;
    for (const stretch of asked.reverse()) {
      const first = stretch.entries[0];
      if (first === undefined) continue;
      found = [...(yield* this.#explain(stretch, question, budget)), ...found];
      reachedUs = Math.max(first.timeUs, question.sinceUs);
      if (found.length >= question.limit || first.timeUs <= question.sinceUs || budget.answer <= 0) break;
    }
    if (found.length > question.limit) {
      found = found.slice(found.length - question.limit);
      reachedUs = found[0]!.timeUs;
    }
    return { explains: found.map(({ explain }) => explain), completeSinceUs: reachedUs };
  }

  *#explain(
    stretch: Stretch<TrackerEntry>,
    { trackKey, sinceUs }: PastQuestion,
    budget: { slice: number; answer: number },
  ): Generator<undefined, Found[], undefined> {
    const { describe } = this.#options;
    const token = {};
    const kernel = this.#take(token, stretch.saved);
    const run = new SweepingRun((timeUs) => kernel.sweep(timeUs), this.#options);
    run.goBackTo(stretch.last, stretch.sweptUs);
    spend(budget, stretch.saved.byteLength / BYTES_PER_WEIGHT);
    const found: Found[] = [];
    for (const entry of stretch.entries) {
      run.run(entry, () => runEntry(kernel, entry));
      spend(budget, 1 + entry.weight);
      if (entry.kind === "scan" && entry.timeUs >= sinceUs) {
        const explain = describe(kernel, entry, trackKey);
        if (explain !== null) {
          found.push({ timeUs: entry.timeUs, explain });
          spend(budget, stretch.saved.byteLength / BYTES_PER_WEIGHT);
        }
      }
      if (budget.slice > 0) continue;
      const saved = kernel.save();
      yield;
      budget.slice = this.#options.sliceWeight;
      if (this.#holder !== token) this.#take(token, saved);
    }
    return found;
  }

  /** The kernel in a saved state. One kernel is enough: whoever waited restores what it had. */
  #take(token: object, saved: Uint8Array): Kernel {
    this.#kernel ??= this.#options.openKernel();
    this.#kernel.restore(saved);
    this.#kernel.explainOn = true;
    this.#holder = token;
    return this.#kernel;
  }
}

function spend(budget: { slice: number; answer: number }, weight: number): void {
  budget.slice -= weight;
  budget.answer -= weight;
}
