/**
 * MAVLink 2 frames (mavlink.io, "Packet serialization" and "Message signing"): found, checked and unpacked here; message
 * contents are read by node-mavlink's generated classes. Total: bad input is counted, nothing is thrown. MAVLink 1 frames
 * count as bad, because they carry neither signature nor extension fields.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import {
  type MavLinkData,
  type MavLinkDataConstructor,
  MavLinkProtocolV2,
  MSG_ID_MAGIC_NUMBER,
  x25crc,
} from "node-mavlink";

const MAGIC_V2 = 0xfd;
const HEADER_BYTES = 10;
const CRC_BYTES = 2;
const SIGNATURE_BYTES = 13;
const FLAG_SIGNED = 1;
const PAYLOAD_BYTES_MAX = 255;
const BAD_FRAMES_MAX = 16;
/** Signing timestamps count tens of microseconds since 2015-01-01. */
const SIGNING_EPOCH_MS = Date.UTC(2015, 0, 1);
/** Greatest age of the first frame of a stream (mavlink.io: one minute). */
const SIGNING_AGE_MAX = 60 * 1000 * 100;

export interface Frame {
  readonly seq: number;
  readonly sysid: number;
  readonly compid: number;
  readonly msgid: number;
  readonly payload: Buffer;
  /** Header to checksum, and the signature if there is one. */
  readonly bytes: Buffer;
  readonly isSigned: boolean;
}

/** Calls `take` with each valid frame of a datagram; returns the number of invalid pieces. */
export function readFrames(datagram: Buffer, take: (frame: Frame) => void): number {
  let bad = 0;
  let at = 0;
  while (at < datagram.length) {
    const frame = frameAt(datagram, at);
    if (frame === null) {
      // Checksums cost time; a datagram full of broken frames gets no more of it.
      if (++bad >= BAD_FRAMES_MAX) return bad;
      // The next frame can begin only at the next magic byte.
      at = datagram.indexOf(MAGIC_V2, at + 1);
      if (at === -1) return bad;
      continue;
    }
    take(frame);
    at += frame.bytes.length;
  }
  return bad;
}

function frameAt(datagram: Buffer, at: number): Frame | null {
  if (datagram[at] !== MAGIC_V2 || at + HEADER_BYTES + CRC_BYTES > datagram.length) return null;
  const payloadBytes = datagram[at + 1]!;
  const flags = datagram[at + 2]!;
  // With an unknown incompatible flag the frame cannot be read.
  if ((flags & ~FLAG_SIGNED) !== 0) return null;
  const isSigned = (flags & FLAG_SIGNED) !== 0;
  const unsignedBytes = HEADER_BYTES + payloadBytes + CRC_BYTES;
  const end = at + unsignedBytes + (isSigned ? SIGNATURE_BYTES : 0);
  if (end > datagram.length) return null;
  const msgid = datagram.readUIntLE(at + 7, 3);
  const extra = MSG_ID_MAGIC_NUMBER[msgid];
  const body = datagram.subarray(at, at + unsignedBytes);
  if (extra === undefined || x25crc(body, 1, CRC_BYTES, extra) !== body.readUInt16LE(unsignedBytes - CRC_BYTES))
    return null;
  return {
    seq: datagram[at + 4]!,
    sysid: datagram[at + 5]!,
    compid: datagram[at + 6]!,
    msgid,
    payload: body.subarray(HEADER_BYTES, HEADER_BYTES + payloadBytes),
    bytes: datagram.subarray(at, end),
    isSigned,
  };
}

const decoder = new MavLinkProtocolV2();
const scratch = Buffer.alloc(PAYLOAD_BYTES_MAX);

/** Senders leave out trailing zeros; puts them back before reading the message. */
export function readMessage<T extends MavLinkData>(frame: Frame, type: MavLinkDataConstructor<T>): T {
  scratch.fill(0);
  frame.payload.copy(scratch);
  return decoder.data(scratch.subarray(0, (type as unknown as { PAYLOAD_LENGTH: number }).PAYLOAD_LENGTH), type);
}

/** The key is 32 bytes as hex, or the SHA-256 of a pass phrase, as in ground stations. */
export function signingKey(secret: string): Buffer {
  return /^[0-9a-f]{64}$/i.test(secret) ? Buffer.from(secret, "hex") : createHash("sha256").update(secret).digest();
}

/** Writes frames of one sender, signed when it has a key. */
export class FrameWriter {
  readonly #protocol: MavLinkProtocolV2;
  readonly #key: Buffer | null;
  #seq = 0;
  #signedAt = 0;

  constructor(sysid: number, compid: number, key: Buffer | null) {
    this.#protocol = new MavLinkProtocolV2(sysid, compid, key === null ? 0 : FLAG_SIGNED, 0);
    this.#key = key;
  }

  write(message: MavLinkData, nowMs: number): Buffer {
    const bytes = this.#protocol.serialize(message, this.#seq);
    this.#seq = (this.#seq + 1) & 255;
    if (this.#key === null) return bytes;
    const at = Math.max(this.#signedAt + 1, Math.round((nowMs - SIGNING_EPOCH_MS) * 100));
    this.#signedAt = at;
    const signed = Buffer.concat([bytes, Buffer.alloc(SIGNATURE_BYTES)]);
    signed.writeUIntLE(at, bytes.length + 1, 6);
    signatureOf(signed, this.#key).copy(signed, bytes.length + 7);
    return signed;
  }
}

function signatureOf(signed: Buffer, key: Buffer): Buffer {
  return createHash("sha256")
    .update(key)
    .update(signed.subarray(0, signed.length - 6))
    .digest()
    .subarray(0, 6);
}

/** Accepts only frames that are signed with the key and newer than the last of their stream (link id, system, component). */
export class SignatureCheck {
  readonly #key: Buffer;
  readonly #streamsMax: number;
  readonly #lastAt = new Map<string, number>();

  constructor(key: Buffer, streamsMax: number) {
    this.#key = key;
    this.#streamsMax = streamsMax;
  }

  accepts(frame: Frame, nowMs: number): boolean {
    if (!frame.isSigned) return false;
    const { bytes } = frame;
    if (!timingSafeEqual(signatureOf(bytes, this.#key), bytes.subarray(bytes.length - 6))) return false;
    const linkId = bytes[bytes.length - SIGNATURE_BYTES]!;
    const at = bytes.readUIntLE(bytes.length - SIGNATURE_BYTES + 1, 6);
    const stream = `${linkId} ${frame.sysid} ${frame.compid}`;
    const last = this.#lastAt.get(stream);
    if (last === undefined) {
      const nowAt = (nowMs - SIGNING_EPOCH_MS) * 100;
      if (nowAt - at > SIGNING_AGE_MAX || this.#lastAt.size >= this.#streamsMax) return false;
    } else if (at <= last) return false;
    this.#lastAt.set(stream, at);
    return true;
  }
}
