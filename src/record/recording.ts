/**
 * A recording of one room: what it began with, and every entry through its door in order. Bytes, and how they are read.
 *
 *     "PKTREC" 00 01          six letters, then the version of this layout as two bytes
 *     length value            the start of the room (RoomStart)
 *     length value ...        one entry each: [verb, nowMs, ...], see `toRow`
 *
 * A length is four bytes, little-endian; a value is MessagePack as in `plainWriter.ts`. A scan is an array of its members
 * with its measurements as columns of doubles. A recording may end after any entry: what is there is whole by itself.
 */
import type { Change } from "../room/changes.ts";
import type { DoorEntry, RoomStart, ScanInput } from "../room/face.ts";
import { decodePlain } from "./plainReader.ts";

const VERSION = 1;
export const RECORDING_MAGIC: Uint8Array = Uint8Array.of(...Buffer.from("PKTREC"), 0, VERSION);
const LENGTH_BYTES = 4;

const VERBS = ["accept", "commit", "step", "flush"] as const;

/** Why a recording cannot be read, or not to its end. */
interface RecordingFault {
  readonly code: "not_a_recording" | "other_version" | "damaged";
  readonly sentence: string;
}

export interface Recording {
  readonly start: RoomStart;
  /** As far as they can be read. */
  readonly entries: readonly DoorEntry[];
  /** null: they were read to the end. */
  readonly fault: RecordingFault | null;
}

/** One record: its length, then its value. */
export function framed(value: Uint8Array): Uint8Array {
  const record = Buffer.allocUnsafe(LENGTH_BYTES + value.length);
  record.writeUInt32LE(value.length);
  record.set(value, LENGTH_BYTES);
  return record;
}

type Row = readonly unknown[];

/** An entry as it stands in a recording. */
export function toRow(entry: DoorEntry): Row {
  const verb = VERBS.indexOf(entry.verb);
  switch (entry.verb) {
    case "accept":
      return [verb, entry.nowMs, entry.scans.map(toScanRow)];
    case "commit":
      return [verb, entry.nowMs, entry.change];
    case "step":
      return [verb, entry.nowMs, entry.scans, entry.everyTrack];
    case "flush":
      return [verb, entry.nowMs];
  }
}

function toScanRow({ scan, wire }: ScanInput): Row {
  const { sourceId, scanId, modality, measuredAtUs, receivedAtUs, pose, complete, count, observationIds } = scan;
  const facts = [sourceId, scanId, modality, measuredAtUs, receivedAtUs, pose, complete, count, observationIds];
  return [...facts, scan.measurements, wire];
}

function ofRow(row: Row): DoorEntry {
  const [number, nowMs] = row as [number, number];
  const verb = VERBS[number];
  switch (verb) {
    case "accept":
      return { verb, nowMs, scans: (row[2] as Row[]).map(ofScanRow) };
    case "commit":
      return { verb, nowMs, change: row[2] as Change };
    case "step":
      return { verb, nowMs, scans: row[2] as number, everyTrack: row[3] as boolean };
    case "flush":
      return { verb, nowMs };
    default:
      throw new RangeError(`there is no verb ${number}`);
  }
}

function ofScanRow(row: Row): ScanInput {
  const [sourceId, scanId, modality, measuredAtUs, receivedAtUs, pose, complete, count, observationIds] = row;
  const facts = { sourceId, scanId, modality, measuredAtUs, receivedAtUs, pose, complete, count, observationIds };
  // Written by `toScanRow`, whose input had these types.
  return { scan: { ...facts, measurements: row[9] }, wire: row[10] } as ScanInput;
}

/** Reads what was recorded; a fault when not even its start can be read. */
export function readRecording(bytes: Uint8Array): Recording | RecordingFault {
  const magic = RECORDING_MAGIC;
  const isOurs = magic.every((byte, i) => i >= magic.length - 2 || bytes[i] === byte);
  if (!isOurs) return { code: "not_a_recording", sentence: "These bytes are no recording of a room." };
  const version = 0x100 * (bytes[magic.length - 2] ?? 0) + (bytes[magic.length - 1] ?? 0);
  if (version !== VERSION)
    return { code: "other_version", sentence: `The recording has layout ${version}, and this build reads ${VERSION}.` };
  const records = recordsOf(bytes.subarray(magic.length));
  const first = records.next();
  if (first.done === true) return first.value ?? damaged("it ends before the start of the room");
  const entries: DoorEntry[] = [];
  for (;;) {
    const next = records.next();
    if (next.done === true) return { start: first.value as RoomStart, entries, fault: next.value };
    try {
      entries.push(ofRow(next.value as Row));
    } catch (fault) {
      return { start: first.value as RoomStart, entries, fault: damaged((fault as Error).message) };
    }
  }
}

/** The values one by one; returns why it stopped before the end. */
function* recordsOf(bytes: Uint8Array): Generator<unknown, RecordingFault | null> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const from = at + LENGTH_BYTES;
    if (from > bytes.length) return damaged("it ends within a length");
    at = from + view.getUint32(at, true);
    if (at > bytes.length) return damaged("it ends within an entry");
    try {
      yield decodePlain(bytes.subarray(from, at));
    } catch (fault) {
      return damaged((fault as Error).message);
    }
  }
  return null;
}

function damaged(why: string): RecordingFault {
  return { code: "damaged", sentence: `The recording is damaged: ${why}.` };
}
