/**
 * Explained scans that wait for whoever watches the stream: bounded, what does not fit is counted. The scans of one step
 * are completed together, because only its end tells which earlier scans it ran again.
 */
import type { FusionExplain } from "../domain/fusionExplain.ts";
import { EXPLAINS_WAITING_MAX } from "../limits.ts";
import type { Step } from "./entries.ts";

export class LiveExplains {
  #waiting: FusionExplain[] = [];
  /** Those of the step in hand are behind this place. */
  #stepFrom = 0;
  dropped = 0;

  beginStep(): void {
    this.#stepFrom = this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= EXPLAINS_WAITING_MAX;
  }

  add(explain: FusionExplain): void {
    this.#waiting.push(explain);
  }

  endStep({ scans, rewinds }: Step): void {
    for (const explain of this.#waiting.slice(this.#stepFrom)) {
      explain.rewinds = [...rewinds];
      explain.coalesced = scans > 1;
    }
  }

  take(): readonly FusionExplain[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#stepFrom = 0;
    return taken;
  }
}
