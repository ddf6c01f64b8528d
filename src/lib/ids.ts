/**
 * Identifiers and secrets. Ids are UUIDv7-like: 48 bits of time, then 80 random bits, in Crockford base32,
 * so that rows made together lie together in an index. They are opaque to everyone else (docs/interface.md#identifiers).
 */
import { createHash, randomBytes } from "node:crypto";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

type IdPrefix =
  | "ast"
  | "tsk"
  | "wsp"
  | "key"
  | "usr"
  | "stk"
  | "trk"
  | "obs"
  | "thr"
  | "pln"
  | "eng"
  | "zon"
  | "reg"
  | "rul"
  | "scn"
  | "run"
  | "lnk"
  | "dsc"
  | "evt"
  | "alr"
  | "int"
  | "rft"
  | "req"
  | "fam";

/** `prefix_` and 26 characters; sorts by creation time. */
export function newId(prefix: IdPrefix, nowMs: number): string {
  let tail = "";
  for (const byte of randomBytes(16)) tail += CROCKFORD[byte & 31]!;
  return `${prefix}_${timeHead(nowMs)}${tail}`;
}

/** 50 bits of milliseconds since the epoch as ten characters. */
function timeHead(nowMs: number): string {
  let time = Math.floor(nowMs);
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = CROCKFORD[time % 32]! + head;
    time = Math.floor(time / 32);
  }
  return head;
}

/** As `newId`, and the same for the same seed and time: what a replay makes again must have the same id. */
export function stableId(prefix: IdPrefix, seed: string, nowMs: number): string {
  let tail = "";
  for (const byte of sha256(`${prefix} ${seed} ${nowMs}`).subarray(0, 16)) tail += CROCKFORD[byte & 31]!;
  return `${prefix}_${timeHead(nowMs)}${tail}`;
}

/** A shorter secret could be guessed offline from one token or from one sealed credential. */
export const SECRET_LENGTH_MIN = 32;

/** A secret of `length` base62 characters; 43 carry 256 bits. Rejection keeps every character equally likely. */
export function newSecret(prefix: string, length = 43): string {
  let out = "";
  while (out.length < length) {
    for (const byte of randomBytes(64)) {
      if (byte < 248 && out.length < length) out += BASE62[byte % 62]!;
    }
  }
  return `${prefix}_${out}`;
}

export function sha256(text: string | Uint8Array): Buffer {
  return createHash("sha256").update(text).digest();
}
