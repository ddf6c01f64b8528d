/**
 * What waits to be written to one far end. The socket is given so much at a time; the rest waits here, where it costs a
 * reference, because what several far ends are told is one string. One that reads too little is its owner's to let go.
 */
import type { Socket } from "node:net";

export interface SendQueueBounds {
  /** Given to the socket at a time. */
  readonly unreadBytesMax: number;
  /** Messages that may wait beside that; 0: none. */
  readonly waitingMax: number;
  /** A far end that took nothing of what waits for so long reads no more. */
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

  /** False: it reads too little, and nothing of this was taken. */
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
