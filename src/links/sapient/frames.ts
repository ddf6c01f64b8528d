/** SAPIENT's framing: four bytes of length, least significant first, then the message. Pure; bounded. */

/** BSI Flex 335 messages are small; the public middleware has the same bound. */
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
  /** Bytes needed before anything can be read. Pieces are joined only then, so that many small packets cost no more. */
  #neededBytes = LENGTH_BYTES;

  #isBroken = false;

  /** A length was beyond the bound. Messages before it are whole; what follows cannot be found. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whole messages. */
  push(piece: Buffer): Buffer[] {
    if (this.#isBroken) return [];
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const messages: Buffer[] = [];
    while (this.#bytes >= this.#neededBytes) {
      const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
      const length = all.readUInt32LE(0);
      if (length > MESSAGE_BYTES_MAX) {
        this.#isBroken = true;
        this.#pieces = [];
        return messages;
      }
      const end = LENGTH_BYTES + length;
      const isWhole = all.length >= end;
      if (isWhole) messages.push(all.subarray(LENGTH_BYTES, end));
      const rest = isWhole ? all.subarray(end) : all;
      this.#pieces = [rest];
      this.#bytes = rest.length;
      this.#neededBytes = isWhole ? LENGTH_BYTES : end;
    }
    return messages;
  }
}
