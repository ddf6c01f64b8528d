/**
 * Short operator numbers (docs/interface.md#tracks): a number is used again 24 hours after its track ended, so that voice
 * reports stay unambiguous.
 */
import { TRACK_NUMBER_REST_MS } from "../../limits.ts";

export class TrackNumbers {
  #highest = 0;
  /** Released numbers in order of release. */
  readonly #resting: { number: number; sinceMs: number }[] = [];
  #head = 0;

  take(nowMs: number): number {
    const oldest = this.#resting[this.#head];
    if (oldest === undefined || nowMs - oldest.sinceMs < TRACK_NUMBER_REST_MS) return ++this.#highest;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#resting.length) {
      this.#resting.splice(0, this.#head);
      this.#head = 0;
    }
    return oldest.number;
  }

  release(number: number, nowMs: number): void {
    this.#resting.push({ number, sinceMs: nowMs });
  }
}
