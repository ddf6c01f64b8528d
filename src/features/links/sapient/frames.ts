/** SAPIENT's framing: four bytes of length, least significant first, then the message. Pure; bounded. */

/** BSI Flex 335 messages are small; the public middleware refuses more, too. */
export const MESSAGE_BYTES_MAX = 1 << 20;
const LENGTH_BYTES = 4;

export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32LE(message.length);
  return Buffer.concat([head, message]);
}

export class FrameSplitter {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** Whole messages, or null when a length is beyond the bound: what follows cannot be found any more. */
  push(piece: Buffer): Buffer[] | null {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const messages: Buffer[] = [];
    for (;;) {
      if (this.#bytes < LENGTH_BYTES) return messages;
      const head = this.#joined();
      const length = head.readUInt32LE(0);
      if (length > MESSAGE_BYTES_MAX) return null;
      if (this.#bytes < LENGTH_BYTES + length) return messages;
      messages.push(head.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
      const rest = head.subarray(LENGTH_BYTES + length);
      this.#pieces = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
    }
  }

  #joined(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0]!;
  }
}
