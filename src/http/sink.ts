/**
 * A stream's sink on a uWebSockets.js response. One cork and one write a block, no allocation a write: ten thousand
 * sinks are written ten times a second. Never touches the response after it was aborted or ended.
 */
import type { HttpResponse } from "uWebSockets.js";
import type { Sink } from "../stream/sink.ts";

const EMPTY_COMMENT: Uint8Array = Buffer.from(":\n\n");

/**
 * cork runs its callback at once, so one callback and three variables serve every sink: with a closure and a field each,
 * ten thousand writes would touch twenty thousand more cold cache lines.
 */
let corkedRes: HttpResponse | null = null;
let corkedBlock: Uint8Array | null = null;
let accepted = true;

function writeCorked(): void {
  accepted = corkedRes!.write(corkedBlock!);
}

export class ResponseSink implements Sink {
  onDrain: (() => void) | null = null;
  onClose: (() => void) | null = null;
  readonly #res: HttpResponse;
  readonly #released: (sink: ResponseSink) => void;
  readonly #failed: (cause: unknown) => void;
  #open = true;

  /**
   * `released` is called once, however the stream ends. `failed` gets what the owner threw in a callback: the socket's
   * callback is the outermost frame, and there it would end the process.
   */
  constructor(res: HttpResponse, released: (sink: ResponseSink) => void, failed: (cause: unknown) => void) {
    this.#res = res;
    this.#released = released;
    this.#failed = failed;
    // Writable is not drained: with this handler set the addon sends what it holds back only before a write, and its
    // ten-second timer counts from there (ADR 0041). So each time a comment is written, and only the one that is
    // taken says that nothing is held back any more.
    res.onWritable(() => {
      if (this.#open && this.write(EMPTY_COMMENT)) this.onDrain?.();
      return true;
    });
  }

  write(block: Uint8Array): boolean {
    if (!this.#open) return false;
    corkedRes = this.#res;
    corkedBlock = block;
    corkedRes.cork(writeCorked);
    return accepted;
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
    this.#call(this.onClose);
  }

  /** Hands the sink to its owner. */
  start(owner: (sink: ResponseSink) => void): void {
    this.#call(() => owner(this));
  }

  #call(callback: (() => void) | null): void {
    try {
      callback?.();
    } catch (cause) {
      this.#failed(cause);
      this.end();
    }
  }
}
