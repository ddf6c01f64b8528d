/**
 * A stream's sink on a uWebSockets.js response. One cork and one write a block, no allocation a write: ten thousand
 * sinks are written ten times a second. Never touches the response after it was aborted or ended.
 */
import type { HttpResponse } from "uWebSockets.js";
import type { Sink } from "../stream/sink.ts";

export class ResponseSink implements Sink {
  onDrain: (() => void) | null = null;
  onClose: (() => void) | null = null;
  readonly #res: HttpResponse;
  readonly #released: (sink: ResponseSink) => void;
  readonly #writeCorked: () => void;
  #block: Uint8Array | null = null;
  #accepted = true;
  #open = true;

  /** `released` is called once, however the stream ends. */
  constructor(res: HttpResponse, released: (sink: ResponseSink) => void) {
    this.#res = res;
    this.#released = released;
    this.#writeCorked = () => {
      this.#accepted = this.#res.write(this.#block!);
    };
    // Platform fact 2: the addon's ten-second timer is cleared only when the handler writes, so the owner writes in it.
    res.onWritable(() => {
      if (this.#open) this.onDrain?.();
      return true;
    });
  }

  write(block: Uint8Array): boolean {
    if (!this.#open) return false;
    this.#block = block;
    this.#res.cork(this.#writeCorked);
    this.#block = null;
    return this.#accepted;
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#res.cork(() => {
      this.#res.end();
    });
    this.#released(this);
  }

  /** The peer has gone; the edge calls it from onAborted. */
  aborted(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#released(this);
    this.onClose?.();
  }
}
