/**
 * How scans were fused, told in two ways: every scan to those who watch the stream while they watch, and the last scans of
 * one track to whoever asks afterwards. Costs nothing in the kernel while nobody does either.
 */
import type { FusionExplain } from "../domain/fusionExplain.ts";
import type { EnuFrame } from "../domain/geodesy.ts";
import {
  EXPLAIN_ANSWER_MEASUREMENTS_MAX,
  EXPLAIN_PAST_BYTES_MAX,
  EXPLAIN_PAST_MS,
  EXPLAIN_SLICE_MEASUREMENTS_MAX,
} from "../limits.ts";
import type { FusedScan, Step, TrackerEntry } from "./entries.ts";
import { describeScan, type ExplainContext } from "./explain.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { LiveExplains } from "./liveExplains.ts";
import { PastExplains, type PastQuestion, type TrackExplains } from "./pastExplains.ts";
import { PastStretches } from "./pastStretches.ts";
import type { Stretch } from "./timeline.ts";

interface ExplainsOptions {
  readonly frame: EnuFrame;
  readonly trackIdOf: (key: number) => string;
  readonly hashOf: (kernel: Kernel) => string;
  readonly openKernel: () => Kernel;
  readonly sweepPeriodUs: number;
  readonly quietUs: number;
}

export class Explains {
  readonly #options: ExplainsOptions;
  readonly #live = new LiveExplains();
  readonly #stretches = new PastStretches({ keepUs: EXPLAIN_PAST_MS * 1000, bytesMax: EXPLAIN_PAST_BYTES_MAX });
  readonly #past: PastExplains;

  constructor(options: ExplainsOptions) {
    this.#options = options;
    const { sweepPeriodUs, quietUs, openKernel } = options;
    this.#past = new PastExplains({
      sweepPeriodUs,
      quietUs,
      openKernel,
      sliceWeight: EXPLAIN_SLICE_MEASUREMENTS_MAX,
      answerWeight: EXPLAIN_ANSWER_MEASUREMENTS_MAX,
      describe: (kernel, entry, trackKey) => {
        const raw = kernel.takeExplainOf(trackKey);
        return raw === null ? null : describeScan(entry, raw, this.#contextOf(kernel));
      },
    });
  }

  #contextOf(kernel: Kernel): ExplainContext {
    const { frame, trackIdOf, hashOf } = this.#options;
    return { frame, trackIdOf, stateHash: hashOf(kernel) };
  }

  // ---- while somebody watches

  beginStep(): void {
    this.#live.beginStep();
  }

  /** The kernel has run the scan; nothing is noted when it was not explaining. */
  note(kernel: Kernel, entry: FusedScan): void {
    const raw = kernel.takeExplain();
    if (raw === null) return;
    if (this.#live.isFull) this.#live.dropped++;
    else this.#live.add(describeScan(entry, raw, this.#contextOf(kernel)));
  }

  endStep(step: Step): void {
    this.#live.endStep(step);
  }

  take(): readonly FusionExplain[] {
    return this.#live.take();
  }

  /** Records that did not fit their queue. */
  get dropped(): number {
    return this.#live.dropped;
  }

  // ---- after the fact

  /** Keeps what the timeline forgot. */
  keep(stretch: Stretch<TrackerEntry>): void {
    this.#stretches.add(stretch);
  }

  get keptBytes(): number {
    return this.#stretches.bytes;
  }

  forgetPast(): void {
    this.#stretches.clear();
  }

  /** `recent`: what the timeline still holds, oldest first. */
  answer(
    recent: readonly Stretch<TrackerEntry>[],
    question: PastQuestion,
  ): Generator<undefined, TrackExplains, undefined> {
    return this.#past.answer([...this.#stretches.stretches, ...recent], question);
  }
}
