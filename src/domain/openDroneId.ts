/**
 * OpenDroneID messages (ASTM F3411-22a, protocol version 2): 25 bytes each, alone, in a row, in a pack, or as a Wi-Fi beacon
 * or Bluetooth advertisement carries them. Pure and total: unreadable bytes give a reason and never throw. Layout and
 * scalings follow `opendroneid.h` of opendroneid-core-c. Unknown is null.
 */
import { toRfc3339 } from "../lib/clock.ts";
import { sha256 } from "../lib/ids.ts";
import { isOnEarth } from "./members.ts";
import { REMOTE_ID_STATUSES, REMOTE_ID_TYPES, REMOTE_ID_UA_TYPES, type RemoteIdClaim } from "./remoteId.ts";

const ODID_MESSAGE_BYTES = 25;
const ODID_PACK_MESSAGES_MAX = 9;

/** Parts of a claim: each message has some of its members. */
type ClaimPart = Partial<RemoteIdClaim>;

/** One message: its slot, and its members of the claim. An aircraft may send several ids, each in a slot of its own. */
export interface OdidMessage {
  readonly slot: number;
  readonly part: ClaimPart;
}

interface BadPayload {
  readonly bad: string;
}

const BASIC_ID = 0;
const LOCATION = 1;
const PACK = 0xf;
const TENTHS_UNKNOWN = 0xffff;
const HOUR_MS = 3_600_000;
const SPEED_MAX_MPS = 254.25;

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

/**
 * Binary ids (UTM UUID, session) have up to 20 bytes, our id 20 characters: the first nine bytes, by which a person finds it,
 * and a digest of all of them, so that different ids stay different.
 */
function binaryId(bytes: Uint8Array): string | null {
  if (bytes.every((byte) => byte === 0)) return null;
  return Buffer.concat([bytes.subarray(0, 9), sha256(bytes).subarray(0, 6)]).toString("base64url");
}

function place(b: Uint8Array, at: number): { lat: number | null; lon: number | null } {
  const lat = i32(b, at) / 1e7;
  const lon = i32(b, at + 4) / 1e7;
  const isKnown = !(lat === 0 && lon === 0) && isOnEarth(lat, lon);
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
  // Without the multiplier 255 is a speed like any other (63.75 m/s); with it, it is the standard's "unknown", 255 m/s.
  const speed = isFast ? b[3]! * 0.75 + 63.75 : b[3]! * 0.25;
  const vertical = (b[4]! << 24) >> 24;
  const tenths = u16(b, 21);
  const timeTenths = b[23]! & 15;
  return {
    status: REMOTE_ID_STATUSES[flags >> 4] ?? "undeclared",
    ...place(b, 5),
    track_deg: direction > 360 ? null : direction,
    speed_mps: speed > SPEED_MAX_MPS ? null : speed,
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

/** Tenths of a second after the hour, resolved to the hour in which it is nearest to the time of receipt. */
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

/** In ascending order: none, then the short-lived ids, then the serial, which identifies an aircraft. The last one wins. */
const NO_ID = -16;

/** null: this version of the standard has no such message type, or has reserved it. */
function readMessage(b: Uint8Array, receivedMs: number): OdidMessage | null {
  const slot = b[0]! >> 4;
  switch (slot) {
    case BASIC_ID: {
      const part = basicId(b);
      return { slot: part.uas_id === undefined ? NO_ID : -(b[1]! >> 4), part };
    }
    case LOCATION:
      return { slot, part: location(b, receivedMs) };
    case 2:
      // The pages hold the signature. Nothing here verifies it, so `verified` stays null.
      return { slot, part: { auth: { kind: AUTH_KINDS[b[1]! >> 4] ?? "private", verified: null } } };
    case 3:
      return { slot, part: { self_id: { kind: SELF_ID_KINDS[b[1]!] ?? null, text: text(b.subarray(2, 25)) } } };
    case 4:
      return { slot, part: system(b) };
    case 5:
      return { slot, part: { operator: { operator_id: text(b.subarray(2, 22)) } } };
    default:
      return null;
  }
}

function joinParts(earlier: ClaimPart, later: ClaimPart): ClaimPart {
  // The operator's position and id come in two messages.
  const operator =
    earlier.operator != null && later.operator != null ? { ...earlier.operator, ...later.operator } : undefined;
  return { ...earlier, ...later, ...(operator === undefined ? {} : { operator }) };
}

/** Of two messages in one slot the later one wins. */
export function claimOf(messages: readonly OdidMessage[]): ClaimPart {
  return [...messages]
    .sort((a, b) => a.slot - b.slot)
    .reduce<ClaimPart>((claim, { part }) => joinParts(claim, part), {});
}

/** The payload without the frame of its radio, from its first message on. */
function unwrap(b: Uint8Array): Uint8Array {
  if (isPackAt(b, 0)) return b;
  const begins = (at: number, ...bytes: number[]) => bytes.every((byte, i) => b[at + i] === byte);
  // Wi-Fi beacon: vendor element DD, length, OUI FA-0B-BC, type 0D, counter.
  if (begins(0, 0xdd) && begins(2, 0xfa, 0x0b, 0xbc, 0x0d)) return b.subarray(7);
  if (begins(0, 0xfa, 0x0b, 0xbc, 0x0d)) return b.subarray(5);
  // Bluetooth: length, service data 16, UUID FFFA, application 0D, counter.
  if (begins(1, 0x16, 0xfa, 0xff, 0x0d)) return b.subarray(6);
  if (begins(0, 0xfa, 0xff, 0x0d)) return b.subarray(4);
  // Wi-Fi NAN: the service info is a counter and the pack, nothing after it.
  return isPackAt(b, 1) && b.length === 4 + b[3]! * ODID_MESSAGE_BYTES ? b.subarray(1) : b;
}

const isPackAt = (b: Uint8Array, at: number) => b[at]! >> 4 === PACK && b[at + 1] === ODID_MESSAGE_BYTES;

/** The messages of one payload. The time of receipt resolves clocks that give the second of the hour only. */
export function readOdid(payload: Uint8Array, receivedMs: number): readonly OdidMessage[] | BadPayload {
  const bytes = unwrap(payload);
  const isPack = bytes.length > 3 && bytes[0]! >> 4 === PACK;
  const count = isPack ? bytes[2]! : Math.floor(bytes.length / ODID_MESSAGE_BYTES);
  const from = isPack ? 3 : 0;
  if (isPack && bytes[1] !== ODID_MESSAGE_BYTES) return { bad: `a pack of ${bytes[1]}-byte messages` };
  if (count < 1 || count > ODID_PACK_MESSAGES_MAX)
    return { bad: `${count} messages; 1 to ${ODID_PACK_MESSAGES_MAX} are allowed` };
  if (bytes.length < from + count * ODID_MESSAGE_BYTES) return { bad: "the payload ends within a message" };
  const messages: OdidMessage[] = [];
  for (let i = 0; i < count; i++) {
    const at = from + i * ODID_MESSAGE_BYTES;
    const message = readMessage(bytes.subarray(at, at + ODID_MESSAGE_BYTES), receivedMs);
    // A newer sender may add messages that we do not know; the known ones are read.
    if (message !== null) messages.push(message);
  }
  return messages.length > 0 ? messages : { bad: `message type ${bytes[from]! >> 4} is none of the standard's` };
}

/** The claim of one payload. */
export function decodeOdid(payload: Uint8Array, receivedMs: number): ClaimPart | BadPayload {
  const messages = readOdid(payload, receivedMs);
  return "bad" in messages ? messages : claimOf(messages);
}

const TRANSMITTERS_MAX = 4096;
const KEEP_MS = 30_000;

interface Kept extends OdidMessage {
  readonly atMs: number;
}

/**
 * Bluetooth 4 sends one message at a time. Here the recent messages of a transmitter about its identity and operator are put
 * together, each for half a minute. Positions are not kept: an old position must not pass as a new one. Bounded; the transmitter
 * that has been silent longest is dropped.
 */
export class OdidTransmitters {
  readonly #heard = new Map<string, readonly Kept[]>();

  get count(): number {
    return this.#heard.size;
  }

  /** The claim so far; it has a position only if these messages have one. */
  join(transmitter: string, messages: readonly OdidMessage[], nowMs: number): ClaimPart {
    const isNow = (slot: number) => messages.some((message) => message.slot === slot);
    const known = this.#heard.get(transmitter) ?? [];
    const kept = known.filter(({ slot, atMs }) => nowMs - atMs <= KEEP_MS && !isNow(slot));
    for (const message of messages) if (message.slot !== LOCATION) kept.push({ ...message, atMs: nowMs });
    this.#heard.delete(transmitter);
    if (this.#heard.size >= TRANSMITTERS_MAX) this.#heard.delete(this.#heard.keys().next().value!);
    if (kept.length > 0) this.#heard.set(transmitter, kept);
    return claimOf([...kept, ...messages.filter(({ slot }) => slot === LOCATION)]);
  }
}

export const ODID_PAYLOAD_BYTES_MAX = 512;
const SEPARATORS = /[\s:]/g;
const HEX = /^(?:[0-9a-f]{2}[\s:]?)+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The bytes of a payload that is written as text: hex, with or without spaces or colons, or base64. null: it is neither, or too
 * long.
 */
export function odidBytes(text: string): Buffer | null {
  const dense = text.replaceAll(SEPARATORS, "");
  if (dense.length === 0 || dense.length > ODID_PAYLOAD_BYTES_MAX * 2) return null;
  if (HEX.test(text) && dense.length % 2 === 0) return Buffer.from(dense, "hex");
  return BASE64.test(dense) ? Buffer.from(dense, "base64") : null;
}
