/**
 * Explained scans that wait for whoever watches the stream: bounded, what does not fit is counted. The scans of one step
 * are completed together, because only its end tells which earlier scans it ran again.
 */
import type { FusionExplain } from "../domain/fusionExplain.ts";
import { EXPLAINS_WAITING_MAX } from "../limits.ts";

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

  /** `rewoundTicks`: the steps whose scans this step ran again. */
  endStep(rewoundTicks: ReadonlySet<number>): void {
    const ofStep = this.#waiting.slice(this.#stepFrom);
    const rewinds = [...rewoundTicks].sort((a, b) => a - b).map((tick) => ({ tick }));
    for (const explain of ofStep) {
      explain.rewinds = rewinds;
      explain.coalesced = ofStep.length > 1;
    }
  }

  take(): readonly FusionExplain[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#stepFrom = 0;
    return taken;
  }
}
