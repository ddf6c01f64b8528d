/**
 * Offset of a far end's clock from ours, from its timestamps and when they arrive. An arrival is delayed by some positive time,
 * so the smallest difference of the last minute is the best estimate of the offset. Pure.
 */

/** An offset up to this is not corrected: network delays are as large. */
const BELIEVED_WITHIN_MS = 1000;
const WINDOW_MS = 30_000;
/**
 * A larger offset is corrected only once the clock has advanced for this long. A stopped clock is an old message that is
 * repeated.
 */
const WATCHED_MS = 900;
const RATE_TOLERANCE_MS = 1500;

export class FarClock {
  #windowFromMs = 0;
  #leastLagMs = Number.POSITIVE_INFINITY;
  /** The least lag of the window before. */
  #earlierLeastLagMs = Number.POSITIVE_INFINITY;
  #firstFarMs = Number.NaN;
  #firstOursMs = 0;
  #isRunning = false;

  /** Takes a new timestamp of the far end and its time of arrival. */
  note(farMs: number, oursMs: number): void {
    const lagMs = oursMs - farMs;
    if (Number.isNaN(this.#firstFarMs)) this.#watchFrom(farMs, oursMs);
    if (!this.#isRunning && oursMs - this.#firstOursMs >= WATCHED_MS) {
      this.#isRunning = Math.abs(farMs - this.#firstFarMs - (oursMs - this.#firstOursMs)) <= RATE_TOLERANCE_MS;
      if (!this.#isRunning) this.#watchFrom(farMs, oursMs);
    }
    if (oursMs - this.#windowFromMs >= WINDOW_MS) {
      this.#windowFromMs = oursMs;
      this.#earlierLeastLagMs = this.#leastLagMs;
      this.#leastLagMs = lagMs;
    } else this.#leastLagMs = Math.min(this.#leastLagMs, lagMs);
  }

  /** Far clock minus ours; null before the first timestamp. */
  get offsetMs(): number | null {
    const lagMs = this.#lagMs();
    return Number.isFinite(lagMs) ? -Math.round(lagMs) : null;
  }

  /** A time of the far end on our clock; null while its offset is not known. */
  toOurs(farMs: number): number | null {
    const lagMs = this.#lagMs();
    if (Math.abs(lagMs) <= BELIEVED_WITHIN_MS) return farMs;
    return this.#isRunning ? farMs + lagMs : null;
  }

  /** The largest offset of several far ends, which an operator has to correct; null: none sent a timestamp. */
  static worstOffsetMs(clocks: Iterable<FarClock>): number | null {
    let worst: number | null = null;
    for (const { offsetMs } of clocks)
      if (offsetMs !== null && Math.abs(offsetMs) >= Math.abs(worst ?? 0)) worst = offsetMs;
    return worst;
  }

  #lagMs(): number {
    return Math.min(this.#leastLagMs, this.#earlierLeastLagMs);
  }

  #watchFrom(farMs: number, oursMs: number): void {
    this.#firstFarMs = farMs;
    this.#firstOursMs = oursMs;
  }
}
