/**
 * What `plainWriter.ts` wrote, read back: nothing else is taken, so that a damaged recording is found out here and not in
 * the room. Throws a RangeError where the bytes are not one value.
 */
import { EXT } from "./plainWriter.ts";

/** Depth of what a room takes: bodies are bounded by NESTING_DEPTH_MAX, and stand a few levels deep in an entry. */
const DEPTH_MAX = 64;

export function decodePlain(bytes: Uint8Array): unknown {
  const reader = new PlainReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const value = reader.read(0);
  reader.end();
  return value;
}

class PlainReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError(`bytes are left after the value, at ${this.#at}`);
  }

  read(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new RangeError("a value is nested too deep");
    const marker = this.#uint(1);
    if (marker < 0x80) return marker;
    if (marker >= 0xe0) return marker - 0x100;
    if (marker < 0x90) return this.#map(marker & 15, depth);
    if (marker < 0xa0) return this.#array(marker & 15, depth);
    if (marker < 0xc0) return this.#text(marker & 31);
    return this.#marked(marker, depth);
  }

  #marked(marker: number, depth: number): unknown {
    switch (marker) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc7:
        return this.#extension(this.#uint(1));
      case 0xc9:
        return this.#extension(this.#uint(4));
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#uint((1 << (marker - 0xcc)) as 1 | 2 | 4);
      case 0xd0:
      case 0xd1:
      case 0xd2: {
        const size = 1 << (marker - 0xd0);
        return this.#take(size).readIntBE(0, size);
      }
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#uint((1 << (marker - 0xd9)) as 1 | 2 | 4));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#uint(marker === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#uint(marker === 0xde ? 2 : 4), depth);
      default:
        throw new RangeError(`no value begins with ${marker}`);
    }
  }

  #array(length: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let i = 0; i < length; i++) items.push(this.read(depth + 1));
    return items;
  }

  #map(size: number, depth: number): object {
    const map: Record<string, unknown> = {};
    for (let i = 0; i < size; i++) {
      const name = this.read(depth + 1);
      if (typeof name !== "string") throw new RangeError("a member's name is text");
      const value = this.read(depth + 1);
      // Assigned, this name would be the prototype and no member.
      if (name === "__proto__")
        Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
      else map[name] = value;
    }
    return map;
  }

  #extension(length: number): unknown {
    const type = this.#uint(1);
    const bytes = this.#take(length);
    if (type === EXT.undefined && length === 0) return undefined;
    if (type === EXT.utf16 && length % 2 === 0) return bytes.toString("utf16le");
    // Copied: columns must lie at a multiple of eight.
    if (type === EXT.doubles && length % 8 === 0) return new Float64Array(Uint8Array.from(bytes).buffer);
    throw new RangeError(`there is no extension ${type} of ${length} bytes`);
  }

  #text(length: number): string {
    return this.#take(length).toString();
  }

  #uint(size: 1 | 2 | 4): number {
    return this.#take(size).readUIntBE(0, size);
  }

  #take(length: number): Buffer {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new RangeError(`the bytes end within a value, at ${from}`);
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }
}
