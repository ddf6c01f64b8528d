/**
 * Plain data as MessagePack (github.com/msgpack/msgpack, spec.md), bit for bit: what is read back is the same value to
 * `Object.is`, member for member. That rules out libraries, which write -0 as 0 and repair text that is not well formed.
 * Three extensions hold what MessagePack has no type for; every other reader skips them.
 */
import { assert } from "../lib/assert.ts";

/** Types of our extensions. */
export const EXT = {
  /** An absent member's value; no bytes. */
  undefined: 0,
  /** Float64Array: little-endian doubles. */
  doubles: 1,
  /** A string with a lone surrogate: its UTF-16 units, little-endian. */
  utf16: 2,
} as const;

const FIRST_CAPACITY = 4096;
const NO_BYTES = new Uint8Array(0);
const LONE_SURROGATE = /\p{Surrogate}/u;

assert(
  new Uint8Array(new Uint16Array([1]).buffer)[0] === 1,
  "columns are recorded as they lie in memory, which must be little-endian",
);

/** Writes one value after the other into one buffer, which grows and is used again. */
export class PlainWriter {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #at = 0;

  /** A copy of the bytes of one value. Throws on what is no plain data: functions, symbols, classes, bigints, cycles. */
  encode(value: unknown): Uint8Array {
    this.#at = 0;
    this.#write(value);
    return Uint8Array.from(this.#buffer.subarray(0, this.#at));
  }

  #write(value: unknown): void {
    if (typeof value === "string") this.#string(value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "boolean") this.#byte(value ? 0xc3 : 0xc2);
    else if (value === null) this.#byte(0xc0);
    else if (value === undefined) this.#extension(EXT.undefined, NO_BYTES);
    else {
      assert(typeof value === "object", `a ${typeof value} is no plain data`);
      this.#object(value);
    }
  }

  #object(value: object): void {
    if (Array.isArray(value)) {
      this.#size(value.length, 0x90, 0xdc);
      for (const item of value) this.#write(item);
    } else if (value instanceof Float64Array)
      this.#extension(EXT.doubles, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    else this.#map(value);
  }

  #map(value: object): void {
    const prototype = Object.getPrototypeOf(value);
    assert(prototype === Object.prototype || prototype === null, "an object with a class is no plain data");
    const names = Object.keys(value);
    this.#size(names.length, 0x80, 0xde);
    for (const name of names) {
      this.#string(name);
      this.#write((value as Record<string, unknown>)[name]);
    }
  }

  #number(value: number): void {
    if (!Number.isInteger(value) || Object.is(value, -0) || value > 0xffff_ffff || value < -0x8000_0000) {
      this.#room(9);
      this.#buffer[this.#at] = 0xcb;
      this.#buffer.writeDoubleBE(value, this.#at + 1);
      this.#at += 9;
    } else if (value >= -32 && value < 128) this.#byte(value & 0xff);
    else if (value >= 0) this.#uint(value);
    else this.#int(value);
  }

  #uint(value: number): void {
    if (value < 0x100) this.#head(0xcc, value, 1);
    else if (value < 0x1_0000) this.#head(0xcd, value, 2);
    else this.#head(0xce, value, 4);
  }

  #int(value: number): void {
    if (value >= -0x80) this.#head(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#head(0xd1, value & 0xffff, 2);
    else this.#head(0xd2, value >>> 0, 4);
  }

  #string(value: string): void {
    if (LONE_SURROGATE.test(value)) {
      this.#extension(EXT.utf16, Buffer.from(value, "utf16le"));
      return;
    }
    const length = Buffer.byteLength(value);
    if (length < 32) this.#byte(0xa0 | length);
    else if (length < 0x100) this.#head(0xd9, length, 1);
    else if (length < 0x1_0000) this.#head(0xda, length, 2);
    else this.#head(0xdb, length, 4);
    this.#room(length);
    this.#at += this.#buffer.write(value, this.#at, length);
  }

  #extension(type: number, bytes: Uint8Array): void {
    if (bytes.length < 0x100) this.#head(0xc7, bytes.length, 1);
    else this.#head(0xc9, bytes.length, 4);
    this.#byte(type);
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Of an array or a map: in the marker up to 15, else in the two or four bytes after `marker16` or the marker next to it. */
  #size(size: number, short: number, marker16: number): void {
    if (size < 16) this.#byte(short | size);
    else if (size < 0x1_0000) this.#head(marker16, size, 2);
    else this.#head(marker16 + 1, size, 4);
  }

  #head(marker: number, value: number, bytes: 1 | 2 | 4): void {
    this.#byte(marker);
    this.#room(bytes);
    this.#at = this.#buffer.writeUIntBE(value, this.#at, bytes);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + bytes));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}
