/**
 * Checks a MessagePack body before the library decodes it, so that the decoder never meets a hostile length or depth: one
 * whole value and nothing after it, no extension or binary types, string keys, finite numbers, bounded nesting. One pass
 * over the headers, without recursion or allocation per value. Format: github.com/msgpack/msgpack spec.md.
 */

// The kind of value that a marker byte opens. 0 is refused: extensions, binary data and the one unused marker.
const SCALAR = 1;
const TEXT = 2;
const ARRAY = 3;
const MAP = 4;
const KIND = new Uint8Array(256);
/** Bytes of the marker and of the size or number after it. */
const HEADER = new Uint8Array(256);

function mark(from: number, to: number, kind: number, header: number): void {
  KIND.fill(kind, from, to + 1);
  HEADER.fill(header, from, to + 1);
}
mark(0x00, 0x7f, SCALAR, 1); // positive fixint
mark(0x80, 0x8f, MAP, 1);
mark(0x90, 0x9f, ARRAY, 1);
mark(0xa0, 0xbf, TEXT, 1);
mark(0xc0, 0xc0, SCALAR, 1); // nil
mark(0xc2, 0xc3, SCALAR, 1); // false, true
mark(0xca, 0xca, SCALAR, 5); // float 32
mark(0xcb, 0xcb, SCALAR, 9); // float 64
for (const signed of [0xcc, 0xd0]) for (let i = 0; i < 4; i++) mark(signed + i, signed + i, SCALAR, 1 + 2 ** i);
mark(0xd9, 0xd9, TEXT, 2);
mark(0xda, 0xda, TEXT, 3);
mark(0xdb, 0xdb, TEXT, 5);
mark(0xdc, 0xdc, ARRAY, 3);
mark(0xdd, 0xdd, ARRAY, 5);
mark(0xde, 0xde, MAP, 3);
mark(0xdf, 0xdf, MAP, 5);
mark(0xe0, 0xff, SCALAR, 1); // negative fixint

/** null when the bytes are one plain value; else a sentence with the fault and its place. */
export function whyNotPlain(bytes: Uint8Array, depthMax: number, valuesMax = Number.POSITIVE_INFINITY): string | null {
  const end = bytes.length;
  // Values still to come at the current level and at the levels around it. A map counts its keys and its values, and expects
  // a key while the count is even.
  const leftBelow: number[] = [];
  const mapBelow: boolean[] = [];
  let left = 1;
  let values = 1;
  let inMap = false;
  let at = 0;
  for (;;) {
    while (left === 0) {
      if (leftBelow.length === 0)
        return at === end ? null : `there are ${end - at} bytes after the value, from byte ${at} on`;
      left = leftBelow.pop()!;
      inMap = mapBelow.pop()!;
    }
    if (at >= end) return `the body ends early, at byte ${at}`;
    const token = bytes[at]!;
    const kind = KIND[token]!;
    const header = HEADER[token]!;
    if (kind === 0) return `extension and binary types are not accepted, at byte ${at}`;
    if (at + header > end) return `the body ends early, at byte ${at}`;
    if (kind !== TEXT && inMap && (left & 1) === 0) return `the key of a map must be a string, at byte ${at}`;
    left--;
    if (kind === SCALAR) {
      if (header >= 5 && !isFiniteAt(bytes, at, token)) return `a number must be finite, at byte ${at}`;
      at += header;
      continue;
    }
    const size = sizeOf(bytes, at, token, header);
    const start = at;
    at += header;
    if (kind === TEXT) {
      at += size;
      if (at > end) return `the body ends early: a string of ${size} bytes starts at byte ${start}`;
      continue;
    }
    const entries = kind === MAP ? 2 * size : size;
    if (entries > end - at) return `the body ends early: ${size} entries start at byte ${start}`;
    values += entries;
    if (values > valuesMax) return `there are more than ${valuesMax} values, at byte ${start}`;
    if (leftBelow.length === depthMax) return `the body is nested deeper than ${depthMax} levels, at byte ${start}`;
    leftBelow.push(left);
    mapBelow.push(inMap);
    left = entries;
    inMap = kind === MAP;
  }
}

/** A float with all exponent bits set is an infinity or NaN. True for whole numbers. */
function isFiniteAt(bytes: Uint8Array, at: number, token: number): boolean {
  if (token === 0xcb) return (bytes[at + 1]! & 0x7f) !== 0x7f || (bytes[at + 2]! & 0xf0) !== 0xf0;
  return token !== 0xca || (bytes[at + 1]! & 0x7f) !== 0x7f || (bytes[at + 2]! & 0x80) !== 0x80;
}

function sizeOf(bytes: Uint8Array, at: number, token: number, header: number): number {
  if (header === 1) return token < 0xa0 ? token & 0x0f : token & 0x1f;
  let size = 0;
  for (let i = 1; i < header; i++) size = size * 256 + bytes[at + i]!;
  return size;
}
