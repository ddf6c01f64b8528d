/**
 * How far the clock of a far end is off from ours, from the times that it writes and when they come in. What comes in is
 * delayed by more or less, never by less than nothing, so the least delay seen lately is the offset. Pure.
 */

/** A clock that is off by no more is believed as it is: delays are as large. */
const BELIEVED_WITHIN_MS = 1000;
const WINDOW_MS = 30_000;
/** A clock that is wrong is corrected only when it goes: something old that is told again looks the same at first. */
const WATCHED_MS = 900;
const RATE_TOLERANCE_MS = 1500;

export class FarClock {
  #windowFromMs = 0;
  #leastLagMs = Number.POSITIVE_INFINITY;
  /** Of the window before. */
  #earlierLeastLagMs = Number.POSITIVE_INFINITY;
  #firstFarMs = Number.NaN;
  #firstOursMs = 0;
  #goes = false;

  /** A time of the far end that was not heard before, as it came in. */
  note(farMs: number, oursMs: number): void {
    const lagMs = oursMs - farMs;
    if (Number.isNaN(this.#firstFarMs)) this.#watchFrom(farMs, oursMs);
    if (!this.#goes && oursMs - this.#firstOursMs >= WATCHED_MS) {
      this.#goes = Math.abs(farMs - this.#firstFarMs - (oursMs - this.#firstOursMs)) <= RATE_TOLERANCE_MS;
      if (!this.#goes) this.#watchFrom(farMs, oursMs);
    }
    if (oursMs - this.#windowFromMs >= WINDOW_MS) {
      this.#windowFromMs = oursMs;
      this.#earlierLeastLagMs = this.#leastLagMs;
      this.#leastLagMs = lagMs;
    } else this.#leastLagMs = Math.min(this.#leastLagMs, lagMs);
  }

  /** Far minus ours; null when nothing was heard. */
  get offsetMs(): number | null {
    const lagMs = this.#lagMs();
    return Number.isFinite(lagMs) ? -Math.round(lagMs) : null;
  }

  /** A time of the far end on our clock; null while nobody can say. */
  toOurs(farMs: number): number | null {
    const lagMs = this.#lagMs();
    if (Math.abs(lagMs) <= BELIEVED_WITHIN_MS) return farMs;
    return this.#goes ? farMs + lagMs : null;
  }

  /** Of several far ends, the one that is furthest off: somebody has to see to that one. null: none told the time. */
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
