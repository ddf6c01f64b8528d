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
  /** Nothing can be done with fewer; pieces are joined when they are there, so that small packets cost no more. */
  #neededBytes = LENGTH_BYTES;

  #isBroken = false;

  /** A length was beyond the bound: what follows cannot be found any more, what came before is whole. */
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
