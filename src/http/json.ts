/**
 * JSON bodies as the edge accepts them: UTF-8 without a byte order mark, bounded nesting, no keys that reach into
 * prototypes, no member twice, no numbers that overflow, no NUL characters. Pure; knows no route and no socket.
 */
import { isUtf8 } from "node:buffer";
import { type Refusal, refusal } from "../domain/errors.ts";
import { BODY_VALUES_MAX, FAULT_VALUES_MAX } from "../limits.ts";
import { findDuplicateKey } from "./duplicateKeys.ts";

/** Not a union of value and refusal: a body may itself look like a refusal. */
export type Parsed = { readonly refusal: null; readonly value: unknown } | { readonly refusal: Refusal };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS = new Set(["{", "["]);
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Half of a surrogate pair: with the u flag a whole pair is one character and does not match. Postgres would replace it. */
const LONE_SURROGATE = /\p{Cs}/u;

const refused = (sentence: string): Parsed => ({ refusal: refusal("invalid_input", sentence) });

/**
 * The offset of the bracket that opens level `depthMax + 1`, or -1. Runs over bytes before anything walks the value,
 * because V8 itself parses arrays 200,000 deep and every recursive reader after it would overflow.
 */
export function findTooDeep(bytes: Uint8Array, depthMax: number): number {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthMax) return i;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return -1;
}

/**
 * Whether the bytes, valid JSON or not, have more objects and arrays, or more values, these included, than that. One pass that
 * allocates nothing and stops at the first too many, so it runs before the parser. Counts a list one too long.
 */
export function hasMoreThan(bytes: Uint8Array, containersMax: number, valuesMax: number): boolean {
  let containers = 0;
  let commas = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === 0x2c) {
      if (++commas + containers > valuesMax) return true;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++containers > containersMax || commas + containers > valuesMax) return true;
    }
  }
  return false;
}

/** "line 3, column 7 (offset 42)", counted in characters from 1, 1 and 0. */
export function describePosition(text: string, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return `line ${line}, column ${offset - lineStart + 1} (offset ${offset})`;
}

function refuseEncoding(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return "the body starts with a byte order mark; send UTF-8 without one";
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16 || bytes[0] === 0 || bytes[1] === 0) return "the body looks like UTF-16 or UTF-32; send UTF-8";
  if (!isUtf8(bytes)) return "the body is not valid UTF-8";
  return null;
}

/** The name of a member as a person writes it: `placement.points[3].lat`; "" is the body itself. */
export function memberName(path: readonly (string | number)[]): string {
  let name = "";
  for (const part of path) {
    if (typeof part === "number" || /^\d+$/.test(part)) name += `[${part}]`;
    else name += name === "" ? part : `.${part}`;
  }
  return name;
}

/**
 * The first member that is refused whatever the schema: a prototype key, an overflow, a NUL. The depth check, which runs
 * before, bounds the recursion.
 */
function findPoison(value: unknown, path: (string | number)[]): string | null {
  if (typeof value === "number")
    return Number.isFinite(value) ? null : `${memberName(path) || "the body"} must be a finite number`;
  if (typeof value === "string") {
    if (value.includes("\u0000")) return `${memberName(path) || "the body"} must not contain the NUL character`;
    return !LONE_SURROGATE.test(value)
      ? null
      : `${memberName(path) || "the body"} must not contain half of a surrogate pair`;
  }
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      path.push(i);
      const found = findPoison(value[i], path);
      if (found !== null) return found;
      path.pop();
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key))
      return `the member name "${key}" is not allowed${path.length ? ` (in ${memberName(path)})` : ""}`;
    if (key.includes("\u0000") || LONE_SURROGATE.test(key))
      return "a member name must not contain NUL or half of a surrogate pair";
    path.push(key);
    const found = findPoison((value as Record<string, unknown>)[key], path);
    if (found !== null) return found;
    path.pop();
  }
  return null;
}

export function parseJson(bytes: Uint8Array, depthMax: number): Parsed {
  const encoding = refuseEncoding(bytes);
  if (encoding !== null) return refused(encoding);
  const deep = findTooDeep(bytes, depthMax);
  if (deep !== -1) return refused(`the body is nested deeper than ${depthMax} levels at byte ${deep}`);
  if (hasMoreThan(bytes, BODY_VALUES_MAX, BODY_VALUES_MAX))
    return refused(`the body has more than ${BODY_VALUES_MAX} values`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findJsonFault(text) ?? { offset: 0, expected: "JSON" };
    return refused(`the body is not valid JSON: expected ${fault.expected} at ${describePosition(text, fault.offset)}`);
  }
  const poison = findPoison(value, []);
  if (poison !== null) return refused(poison);
  const twice = findDuplicateKey(bytes, text, value);
  return twice === null ? { refusal: null, value } : refused(`the member ${JSON.stringify(twice)} is given twice`);
}

interface JsonFault {
  readonly offset: number;
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const STRING_START = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** The end of a match of `pattern` at `at`, or -1. */
function ends(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function faultInString(text: string, at: number): JsonFault {
  const offset = ends(STRING_START, text, at);
  if (offset >= text.length) return { offset, expected: 'the closing " of a string' };
  return { offset, expected: text[offset] === "\\" ? "a valid escape sequence" : "no control character in a string" };
}

/** The end of the scalar at `at`, or where and why it is none. */
function scalar(text: string, at: number): number | JsonFault {
  if (text[at] === '"') {
    const end = ends(STRING, text, at);
    return end === -1 ? faultInString(text, at) : end;
  }
  const end = Math.max(ends(NUMBER, text, at), ends(WORD, text, at));
  return end === -1 ? { offset: at, expected: "a value" } : end;
}

/**
 * Where a text stops being JSON. Runs only after JSON.parse refused, because V8's messages give no position for short
 * texts. Uses an explicit stack: recursion on untrusted input could overflow. Looks at the first FAULT_VALUES_MAX values.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let at = 0;
  const skip = () => {
    at = ends(SPACE, text, at);
  };
  const key = (): JsonFault | null => {
    if (text[at] !== '"') return { offset: at, expected: open.length ? "a member name in double quotes" : "a value" };
    const end = ends(STRING, text, at);
    if (end === -1) return faultInString(text, at);
    at = end;
    skip();
    if (text[at] !== ":") return { offset: at, expected: '":" after the member name' };
    at++;
    skip();
    return null;
  };
  for (let values = 0; ; values++) {
    skip();
    if (values > FAULT_VALUES_MAX) return { offset: at, expected: "valid JSON behind this place" };
    // A value starts here.
    let closed = false;
    if (OPENERS.has(text[at]!)) {
      const bracket = text[at++]!;
      skip();
      if (text[at] === (bracket === "{" ? "}" : "]")) {
        at++;
        closed = true;
      } else {
        open.push(bracket);
        const fault = bracket === "{" ? key() : null;
        if (fault !== null) return fault;
      }
    } else {
      const end = scalar(text, at);
      if (typeof end !== "number") return end;
      at = end;
      closed = true;
    }
    // Values end here, as many as close at once.
    while (closed) {
      skip();
      const top = open.at(-1);
      if (top === undefined) return at === text.length ? null : { offset: at, expected: "the end of the body" };
      if (text[at] === ",") {
        at++;
        skip();
        const fault = top === "{" ? key() : null;
        if (fault !== null) return fault;
        closed = false;
      } else if (text[at] === (top === "{" ? "}" : "]")) {
        at++;
        open.pop();
      } else return { offset: at, expected: top === "{" ? '"," or "}"' : '"," or "]"' };
    }
  }
}
