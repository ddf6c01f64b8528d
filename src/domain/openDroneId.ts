/**
 * OpenDroneID messages (ASTM F3411-22a, protocol version 2): 25 bytes each, alone, in a row, in a pack, or as a Wi-Fi beacon
 * or Bluetooth advertisement carries them. Pure and total: what cannot be read is a reason, never a throw. Layout and
 * scalings follow `opendroneid.h` of opendroneid-core-c. Unknown is null.
 */
import { toRfc3339 } from "../lib/clock.ts";
import { REMOTE_ID_STATUSES, REMOTE_ID_TYPES, REMOTE_ID_UA_TYPES, type RemoteIdClaim } from "./remoteId.ts";

export const ODID_MESSAGE_BYTES = 25;
export const ODID_PACK_MESSAGES_MAX = 9;

/** Parts of a claim: each message brings some members of it. */
export type ClaimPart = Partial<RemoteIdClaim>;

export interface BadPayload {
  readonly bad: string;
}

const PACK = 0xf;
const TENTHS_UNKNOWN = 0xffff;
const HOUR_MS = 3_600_000;

/** Upper bounds of the accuracy classes, metres and m/s; index is the wire's value, 0 unknown. */
const HORIZONTAL_M = [null, 18_520, 7408, 3704, 1852, 926, 555.6, 185.2, 92.6, 30, 10, 3, 1];
const VERTICAL_M = [null, 150, 45, 25, 10, 3, 1];
const SPEED_MPS = [null, 10, 3, 1, 0.3];
const AUTH_KINDS = [
  "none",
  "uas_id_signature",
  "operator_id_signature",
  "message_set_signature",
  "network",
  "specific",
];
const OPERATOR_KINDS = ["takeoff", "live", "fixed"] as const;
const EU_CATEGORIES = [null, "open", "specific", "certified"];
const SELF_ID_KINDS = ["text", "emergency", "extended_status"];

const u16 = (b: Uint8Array, at: number): number => b[at]! | (b[at + 1]! << 8);
const i32 = (b: Uint8Array, at: number): number => b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24);
const altitude = (raw: number): number | null => (raw === 0 ? null : raw * 0.5 - 1000);

function text(bytes: Uint8Array): string | null {
  let out = "";
  for (const byte of bytes) {
    if (byte === 0) break;
    if (byte >= 0x20 && byte < 0x7f) out += String.fromCharCode(byte);
  }
  out = out.trim();
  return out === "" ? null : out;
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Ids that are no text (UTM UUID, session): 15 of their bytes as base64url, which is as long as an id may be. */
function binaryId(bytes: Uint8Array): string | null {
  if (bytes.every((byte) => byte === 0)) return null;
  let out = "";
  for (let i = 0; i < 15; i += 3) {
    const three = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    for (let shift = 18; shift >= 0; shift -= 6) out += BASE64URL[(three >> shift) & 63]!;
  }
  return out;
}

function place(b: Uint8Array, at: number): { lat: number | null; lon: number | null } {
  const lat = i32(b, at) / 1e7;
  const lon = i32(b, at + 4) / 1e7;
  const isKnown = !(lat === 0 && lon === 0) && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return isKnown ? { lat, lon } : { lat: null, lon: null };
}

function basicId(b: Uint8Array): ClaimPart {
  const kind = b[1]! >> 4;
  const bytes = b.subarray(2, 22);
  const uasId = kind === 1 || kind === 2 ? text(bytes) : kind === 0 ? null : binaryId(bytes);
  return {
    ...(uasId === null ? {} : { uas_id: uasId }),
    id_type: REMOTE_ID_TYPES[kind - 1] ?? null,
    ua_type: REMOTE_ID_UA_TYPES[b[1]! & 15] ?? null,
  };
}

function location(b: Uint8Array, receivedMs: number): ClaimPart {
  const flags = b[1]!;
  const isFast = (flags & 1) !== 0;
  const direction = b[2]! + ((flags & 2) !== 0 ? 180 : 0);
  const speed = b[3]!;
  const vertical = (b[4]! << 24) >> 24;
  const tenths = u16(b, 21);
  const timeTenths = b[23]! & 15;
  return {
    status: REMOTE_ID_STATUSES[flags >> 4] ?? "undeclared",
    ...place(b, 5),
    track_deg: direction > 360 ? null : direction,
    speed_mps: speed === 255 ? null : isFast ? speed * 0.75 + 63.75 : speed * 0.25,
    vspeed_mps: Math.abs(vertical) > 124 ? null : vertical * 0.5,
    alt_pressure_m: altitude(u16(b, 13)),
    alt_hae_m: altitude(u16(b, 15)),
    height_m: altitude(u16(b, 17)),
    height_ref: (flags & 4) !== 0 ? "ground" : "takeoff",
    accuracy: {
      h_m: HORIZONTAL_M[b[19]! & 15] ?? null,
      v_m: VERTICAL_M[b[19]! >> 4] ?? null,
      speed_mps: SPEED_MPS[b[20]! & 15] ?? null,
      baro_m: VERTICAL_M[b[20]! >> 4] ?? null,
      time_s: timeTenths === 0 ? null : timeTenths / 10,
    },
    claim_at: tenths === TENTHS_UNKNOWN || tenths > 36_000 ? null : atOfHour(tenths, receivedMs),
  };
}

/** Tenths of a second after the hour, in the hour that brings it nearest to the time of receipt. */
function atOfHour(tenths: number, receivedMs: number): string {
  const hourMs = Math.floor(receivedMs / HOUR_MS) * HOUR_MS;
  const near = [hourMs - HOUR_MS, hourMs, hourMs + HOUR_MS].map((base) => base + tenths * 100);
  near.sort((a, b) => Math.abs(a - receivedMs) - Math.abs(b - receivedMs));
  return toRfc3339(near[0]!);
}

function system(b: Uint8Array): ClaimPart {
  const flags = b[1]!;
  const isEu = ((flags >> 2) & 7) === 1;
  const count = u16(b, 10);
  const category = EU_CATEGORIES[b[17]! >> 4] ?? null;
  const euClass = b[17]! & 15;
  return {
    operator: {
      ...place(b, 2),
      alt_hae_m: altitude(u16(b, 18)),
      kind: OPERATOR_KINDS[flags & 3] ?? null,
    },
    area:
      count <= 1
        ? null
        : { count, radius_m: b[12]! * 10, ceiling_m: altitude(u16(b, 13)), floor_m: altitude(u16(b, 15)) },
    eu: isEu ? { category, class: euClass >= 1 && euClass <= 7 ? `C${euClass - 1}` : null } : null,
  };
}

function messagePart(b: Uint8Array, receivedMs: number): ClaimPart | BadPayload {
  const kind = b[0]! >> 4;
  switch (kind) {
    case 0:
      return basicId(b);
    case 1:
      return location(b, receivedMs);
    case 2:
      // Pages carry the signature; it is not verified here, and nobody should read that it was.
      return { auth: { kind: AUTH_KINDS[b[1]! >> 4] ?? "private", verified: null } };
    case 3:
      return { self_id: { kind: SELF_ID_KINDS[b[1]!] ?? null, text: text(b.subarray(2, 25)) } };
    case 4:
      return system(b);
    case 5:
      return { operator: { operator_id: text(b.subarray(2, 22)) } };
    default:
      return { bad: `message type ${kind} is none of the standard's` };
  }
}

/** Members of a later part over those of an earlier one; two parts may both tell of the operator. */
export function joinParts(earlier: ClaimPart, later: ClaimPart): ClaimPart {
  const operator =
    earlier.operator != null && later.operator != null ? { ...earlier.operator, ...later.operator } : undefined;
  return { ...earlier, ...later, ...(operator === undefined ? {} : { operator }) };
}

/** Where the messages begin in what a radio heard. */
function unwrap(b: Uint8Array): Uint8Array {
  const begins = (at: number, ...bytes: number[]) => bytes.every((byte, i) => b[at + i] === byte);
  // Wi-Fi beacon: vendor element DD, length, OUI FA-0B-BC, type 0D, counter.
  if (begins(0, 0xdd) && begins(2, 0xfa, 0x0b, 0xbc, 0x0d)) return b.subarray(7);
  if (begins(0, 0xfa, 0x0b, 0xbc, 0x0d)) return b.subarray(5);
  // Bluetooth: length, service data 16, UUID FFFA, application 0D, counter.
  if (begins(1, 0x16, 0xfa, 0xff, 0x0d)) return b.subarray(6);
  return begins(0, 0xfa, 0xff, 0x0d) ? b.subarray(4) : b;
}

/** All that one payload says, at the time that it was received (for clocks that tell only the second of the hour). */
export function decodeOdid(payload: Uint8Array, receivedMs: number): ClaimPart | BadPayload {
  const bytes = unwrap(payload);
  const isPack = bytes.length > 3 && bytes[0]! >> 4 === PACK;
  const count = isPack ? bytes[2]! : Math.floor(bytes.length / ODID_MESSAGE_BYTES);
  const from = isPack ? 3 : 0;
  if (isPack && bytes[1] !== ODID_MESSAGE_BYTES) return { bad: `a pack of ${bytes[1]}-byte messages` };
  if (count < 1 || count > ODID_PACK_MESSAGES_MAX)
    return { bad: `${count} messages; 1 to ${ODID_PACK_MESSAGES_MAX} are allowed` };
  if (bytes.length < from + count * ODID_MESSAGE_BYTES) return { bad: "the payload ends within a message" };
  let part: ClaimPart = {};
  for (let i = 0; i < count; i++) {
    const at = from + i * ODID_MESSAGE_BYTES;
    const one = messagePart(bytes.subarray(at, at + ODID_MESSAGE_BYTES), receivedMs);
    if ("bad" in one) return one;
    part = joinParts(part, one);
  }
  return part;
}

const TRANSMITTERS_MAX = 4096;
const KEEP_MS = 30_000;

/**
 * Bluetooth 4 sends one message at a time: what one transmitter said lately is put together here. Bounded; the one that
 * was silent longest makes room.
 */
export class OdidTransmitters {
  readonly #heard = new Map<string, { part: ClaimPart; atMs: number }>();

  get count(): number {
    return this.#heard.size;
  }

  /** All that is known of this transmitter now. */
  join(transmitter: string, part: ClaimPart, nowMs: number): ClaimPart {
    const known = this.#heard.get(transmitter);
    this.#heard.delete(transmitter);
    if (known === undefined && this.#heard.size >= TRANSMITTERS_MAX)
      this.#heard.delete(this.#heard.keys().next().value!);
    const joined = known !== undefined && nowMs - known.atMs <= KEEP_MS ? joinParts(known.part, part) : part;
    this.#heard.set(transmitter, { part: joined, atMs: nowMs });
    return joined;
  }
}
