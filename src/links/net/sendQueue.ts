/**
 * Messages that wait to be written to one far end. The socket gets a bounded amount at a time; the rest waits here, where it
 * costs a reference, because several far ends share one string. The owner disconnects a far end that reads too slowly.
 */
import type { Socket } from "node:net";

export interface SendQueueBounds {
  /** Bytes in the socket's buffer above which messages wait. */
  readonly unreadBytesMax: number;
  /** Messages that may wait besides; 0: none. */
  readonly waitingMax: number;
  /** A far end that read nothing for this long has stopped reading. */
  readonly stalledMs: number;
}

export class SendQueue {
  readonly #socket: Socket;
  readonly #bounds: SendQueueBounds;
  #waiting: (string | Uint8Array)[] = [];
  #next = 0;
  #progressAtMs = 0;

  constructor(socket: Socket, bounds: SendQueueBounds) {
    this.#socket = socket;
    this.#bounds = bounds;
    socket.on("drain", () => this.#writeOn());
  }

  /** false: the far end reads too slowly, and the message was not taken. */
  write(message: string | Uint8Array): boolean {
    const { unreadBytesMax, waitingMax, stalledMs } = this.#bounds;
    const count = this.#waiting.length - this.#next;
    if (count === 0 && this.#socket.writableLength <= unreadBytesMax) {
      this.#socket.write(message);
      return true;
    }
    if (count === 0) this.#progressAtMs = performance.now();
    if (count >= waitingMax || performance.now() - this.#progressAtMs > stalledMs) return false;
    this.#waiting.push(message);
    return true;
  }

  #writeOn(): void {
    this.#progressAtMs = performance.now();
    while (this.#next < this.#waiting.length && this.#socket.writableLength <= this.#bounds.unreadBytesMax)
      this.#socket.write(this.#waiting[this.#next++]!);
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
