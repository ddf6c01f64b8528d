/** Sequence numbers of one component's frames (one byte, wrapping): tells repeated, late and lost frames. */

/** Half of the range: a number further behind than this counts as ahead. */
const BEHIND_MAX = 127;
/** After this many late numbers in a row the component has restarted its count. */
const LATE_IN_ROW_MAX = 8;
/** After this silence the component may have restarted, and copies of old frames are no longer under way. */
const SILENT_MS = 3000;

export type Order = "next" | "gap" | "repeated" | "reordered";

export class Sequence {
  #last = -1;
  #heardMs = 0;
  #lateInRow = 0;
  /** One bit for each number: received since the count last passed it. */
  readonly #heard = new Uint8Array(32);

  /** Takes one frame's number. `missed` counts the frames between it and the newest before it. */
  note(seq: number, nowMs: number): { readonly order: Order; readonly missed: number } {
    if (this.#last === -1 || nowMs - this.#heardMs > SILENT_MS) this.#begin(seq);
    this.#heardMs = nowMs;
    const behind = (this.#last - seq + 256) & 255;
    if (behind <= BEHIND_MAX) {
      if (++this.#lateInRow <= LATE_IN_ROW_MAX) return { order: this.#late(seq), missed: 0 };
      this.#begin(seq);
    }
    const step = (seq - this.#last + 256) & 255;
    for (let i = 1; i < step; i++) this.#put((this.#last + i) & 255, false);
    this.#put(seq, true);
    this.#last = seq;
    this.#lateInRow = 0;
    return { order: step === 1 ? "next" : "gap", missed: step - 1 };
  }

  #late(seq: number): Order {
    if ((this.#heard[seq >> 3]! & (1 << (seq & 7))) !== 0) return "repeated";
    this.#put(seq, true);
    return "reordered";
  }

  #begin(seq: number): void {
    this.#heard.fill(0);
    this.#last = (seq - 1) & 255;
    this.#lateInRow = 0;
  }

  #put(seq: number, isHeard: boolean): void {
    const bit = 1 << (seq & 7);
    if (isHeard) this.#heard[seq >> 3]! |= bit;
    else this.#heard[seq >> 3]! &= ~bit;
  }
}
