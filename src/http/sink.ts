/**
 * A stream's sink on a uWebSockets.js response. One cork and one write for each block, no allocation: ten thousand sinks are
 * written ten times a second. Never touches the response after it was aborted or ended.
 */
import type { HttpResponse } from "uWebSockets.js";
import { EMPTY_COMMENT } from "../domain/events.ts";
import type { Sink } from "../stream/sink.ts";

/**
 * Arguments and result of `writeCorked`: cork runs its callback at once, so three variables serve every sink. A closure and
 * a field for each sink would make ten thousand writes touch twenty thousand more cold cache lines.
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
   * `released` is called once, however the stream ends. `failed` gets what the owner threw in a callback: thrown on in the
   * socket's callback, it would end the process.
   */
  constructor(res: HttpResponse, released: (sink: ResponseSink) => void, failed: (cause: unknown) => void) {
    this.#res = res;
    this.#released = released;
    this.#failed = failed;
    // "Writable" does not mean drained: with this handler set, the addon sends its buffer only before the next write, and
    // closes the connection ten seconds after the last one (ADR 0041). So write a comment each time; only when it is
    // accepted is the buffer empty.
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

  /** The peer has left; the edge calls this from onAborted. */
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
