/**
 * Keeps ids for idempotence, within a window and a bound: two sets, of which the older is dropped as a whole when the window
 * has passed or the newer is full. Costs two look-ups and an insertion per id, and no timers.
 */
export class SeenIds {
  readonly #idsMax: number;
  readonly #windowMs: number;
  #newer = new Set<string>();
  #older = new Set<string>();
  #turnedAtMs = 0;
  /** How often the bound dropped ids before their window had passed: idempotence was then shorter than promised. */
  turnedEarly = 0;

  constructor(idsMax: number, windowMs: number) {
    this.#idsMax = idsMax / 2;
    this.#windowMs = windowMs;
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  /** Keeps the id. True for the first time within the window. */
  first(id: string, nowMs: number): boolean {
    if (this.has(id)) return false;
    const full = this.#newer.size >= this.#idsMax;
    if (full || nowMs - this.#turnedAtMs >= this.#windowMs) this.#turn(nowMs, full);
    this.#newer.add(id);
    return true;
  }

  #turn(nowMs: number, full: boolean): void {
    if (full && nowMs - this.#turnedAtMs < this.#windowMs) this.turnedEarly++;
    this.#older = this.#newer;
    this.#newer = new Set();
    this.#turnedAtMs = nowMs;
  }
}
