/**
 * What a MessagePack body must be before the library decodes it: one whole value, nothing after it, no extension or
 * binary types, keys that are strings, finite numbers, bounded nesting. One pass over the headers, no recursion, no
 * allocation; so the decoder never meets a hostile length or depth. Format: github.com/msgpack/msgpack spec.md.
 */
const MARKERS = new Map<number, string>([
  [0xc1, "an unused marker"],
  [0xc4, "binary data"],
  [0xc5, "binary data"],
  [0xc6, "binary data"],
]);

/** null when the bytes are one plain value; else the sentence that says what is wrong, and where. */
export function whyNotPlain(bytes: Uint8Array, depthMax: number): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.byteLength;
  /** Values still to come at each open level; a map counts its keys as values, and waits for one where its count is even. */
  const left = new Float64Array(depthMax + 1);
  const isMap = new Uint8Array(depthMax + 1);
  left[0] = 1;
  let depth = 0;
  let at = 0;
  while (true) {
    while (left[depth] === 0) {
      if (depth === 0) return at === end ? null : `there are ${end - at} bytes after the value, from byte ${at} on`;
      depth--;
    }
    if (at >= end) return `the body ends early, at byte ${at}`;
    const token = bytes[at]!;
    const isKey = isMap[depth] === 1 && left[depth]! % 2 === 0;
    left[depth]!--;
    const isText = (token >= 0xa0 && token <= 0xbf) || (token >= 0xd9 && token <= 0xdb);
    if (isKey && !isText) return `the key of a map must be a string, at byte ${at}`;
    const header = headerBytes(token);
    if (header === 0) return `${MARKERS.get(token) ?? "an extension type"} is not taken here, at byte ${at}`;
    if (at + header > end) return `the body ends early, at byte ${at}`;
    if (token === 0xca && !Number.isFinite(view.getFloat32(at + 1))) return `a number must be finite, at byte ${at}`;
    if (token === 0xcb && !Number.isFinite(view.getFloat64(at + 1))) return `a number must be finite, at byte ${at}`;
    const size = sizeOf(token, view, at);
    if (isText) {
      if (size > end - at - header) return `the body ends early: a string of ${size} bytes starts at byte ${at}`;
      at += header + size;
      continue;
    }
    const opensMap = (token >= 0x80 && token <= 0x8f) || token === 0xde || token === 0xdf;
    if (opensMap || (token >= 0x90 && token <= 0x9f) || token === 0xdc || token === 0xdd) {
      if (depth === depthMax) return `the body is nested deeper than ${depthMax} levels, at byte ${at}`;
      depth++;
      left[depth] = opensMap ? 2 * size : size;
      isMap[depth] = opensMap ? 1 : 0;
      if (left[depth]! > end - at - header) return `the body ends early: ${size} entries start at byte ${at}`;
    }
    at += header;
  }
}

/** Marker and fixed part of a value; 0 for what is not taken. */
function headerBytes(token: number): number {
  if (token < 0xc0 || token >= 0xe0) return 1;
  switch (token) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      return 1;
    case 0xcc:
    case 0xd0:
    case 0xd9:
      return 2;
    case 0xcd:
    case 0xd1:
    case 0xda:
    case 0xdc:
    case 0xde:
      return 3;
    case 0xca:
    case 0xce:
    case 0xd2:
    case 0xdb:
    case 0xdd:
    case 0xdf:
      return 5;
    case 0xcb:
    case 0xcf:
    case 0xd3:
      return 9;
    default:
      return 0;
  }
}

/** Bytes of a string, entries of an array or map; 0 for anything else. */
function sizeOf(token: number, view: DataView, at: number): number {
  if (token >= 0x80 && token <= 0x9f) return token & 0x0f;
  if (token >= 0xa0 && token <= 0xbf) return token & 0x1f;
  if (token === 0xd9) return view.getUint8(at + 1);
  if (token === 0xda || token === 0xdc || token === 0xde) return view.getUint16(at + 1);
  if (token === 0xdb || token === 0xdd || token === 0xdf) return view.getUint32(at + 1);
  return 0;
}
