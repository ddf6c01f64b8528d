/**
 * The rest of an answer that its socket did not take at once. It stays one reference to the answer's bytes, and is written as
 * the peer reads. The addon cuts the connection when the peer sends another request meanwhile, or takes nothing for ten
 * seconds (ADR 0121).
 */
import type { Exchange } from "./exchange.ts";
import { bytesOf, tryBody } from "./reply.ts";

export class UnsentAnswers {
  readonly #cut: () => void;
  #count = 0;

  /** `cut` is called for each answer whose connection ended before its last byte was written. */
  constructor(cut: () => void) {
    this.#cut = cut;
  }

  get count(): number {
    return this.#count;
  }

  add(x: Exchange, body: string | Uint8Array): void {
    const { res } = x;
    const bytes = bytesOf(body);
    let isOpen = true;
    const close = () => {
      isOpen = false;
      this.#count--;
    };
    this.#count++;
    x.onCut = () => {
      if (!isOpen) return;
      close();
      this.#cut();
    };
    x.listen();
    res.onWritable((offset) => {
      if (!isOpen) return true;
      let isWhole = false;
      res.cork(() => {
        isWhole = tryBody(x, bytes, offset);
      });
      if (isWhole) close();
      return isWhole;
    });
  }
}
