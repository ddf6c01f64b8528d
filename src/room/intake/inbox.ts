/**
 * Scans waiting for the next step: bounded in observations, in order of arrival. A call that does not fit is refused as a
 * whole (docs/interface.md#limits).
 */
import type { Scan } from "../../domain/scan.ts";

/** A scan and the wire observations of its rows (for obs events and claims); dropped after the step. */
export interface ScanInput {
  readonly scan: Scan;
  readonly wire: readonly object[];
}

export class Inbox {
  readonly #observationsMax: number;
  #waiting: ScanInput[] = [];
  #observations = 0;
  #isSorted = false;
  /** Calls refused because it was full. */
  refused = 0;

  constructor(observationsMax: number) {
    this.#observationsMax = observationsMax;
  }

  get observations(): number {
    return this.#observations;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  hasRoomFor(observations: number): boolean {
    return this.#observations + observations <= this.#observationsMax;
  }

  /** An empty scan counts as one observation, so that a flood of empty scans is bounded too. */
  push(input: ScanInput): void {
    this.#waiting.push(input);
    this.#isSorted = false;
    this.#observations += Math.max(1, input.scan.count);
  }

  /**
   * Takes `scansMax` scans, or all late ones if those are more. It takes the oldest first, so that the rest does not become
   * late. Late ones are taken together, because a rewind costs the same for one as for many.
   */
  take(scansMax: number, lateBeforeUs = Number.NEGATIVE_INFINITY): readonly ScanInput[] {
    if (this.#waiting.length <= scansMax) {
      const all = this.#waiting;
      this.#waiting = [];
      this.#observations = 0;
      return all;
    }
    if (!this.#isSorted) this.#waiting.sort((a, b) => a.scan.measuredAtUs - b.scan.measuredAtUs);
    this.#isSorted = true;
    const onTime = this.#waiting.findIndex(({ scan }) => scan.measuredAtUs >= lateBeforeUs);
    const taken = this.#waiting.splice(0, Math.max(scansMax, onTime === -1 ? this.#waiting.length : onTime));
    for (const { scan } of taken) this.#observations -= Math.max(1, scan.count);
    return taken;
  }

  /** Time of the oldest scan that the last `take` left; infinity when it left none. */
  get earliestUs(): number {
    return this.#waiting[0]?.scan.measuredAtUs ?? Number.POSITIVE_INFINITY;
  }
}
