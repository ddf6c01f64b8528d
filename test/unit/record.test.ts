/** Recordings: they are read back bit for bit as written; full and damaged ones are detected. */
import fc from "fast-check";
import { Unpackr } from "msgpackr";
import { expect, test } from "vitest";
import { RecordingInMemory } from "../../src/record/memory.ts";
import { decodePlain } from "../../src/record/plainReader.ts";
import { PlainWriter } from "../../src/record/plainWriter.ts";
import { Recorder } from "../../src/record/recorder.ts";
import { type Recording, readRecording } from "../../src/record/recording.ts";
import type { DoorEntry, RoomListener, RoomStart } from "../../src/room/face.ts";
import { radarScan } from "../support/kernel.ts";

const START = {
  id: "wsp_1",
  origin: null,
  registry: { assets: [], tasks: [], ignoredKeys: [] },
} as unknown as RoomStart;
const writer = new PlainWriter();
const throughBytes = (value: unknown): unknown => decodePlain(writer.encode(value));

/** Text with lone surrogates, and everything else that a body can hold. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "a\udc00b", "__proto__", "é".repeat(200)),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    -0,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2 ** 32 - 1,
    2 ** 32,
    -32,
    -33,
    -128,
    -129,
    -(2 ** 31),
    2 ** 53,
  ),
);
const columns = fc.float64Array({ maxLength: 40 });
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    ...[number, text, fc.boolean(), fc.constantFrom(null, undefined), columns],
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(text, tie("value"), { maxKeys: 20, noNullPrototype: true }),
  ),
})).value;

test("[RP-4] plain data comes back as it was, to the sign of zero, in text that is not well formed, and under any name", () => {
  fc.assert(
    fc.property(plain, (value) => {
      expect(throughBytes(value)).toStrictEqual(value);
    }),
    { numRuns: 400 },
  );
  expect(Object.is(throughBytes(-0), -0)).toBe(true);
  expect(throughBytes("\ud800")).toBe("\ud800");
  const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
  expect(Object.entries(throughBytes(hostile) as object)).toEqual(Object.entries(hostile));
});

test("[RP-4] other readers of MessagePack read it, but for our three extensions", () => {
  const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });
  for (const value of [
    1,
    -1,
    200,
    70_000,
    1.5,
    "text",
    "é".repeat(300),
    [1, [2]],
    { a: null, b: [true, false] },
    2 ** 40,
  ])
    expect(unpackr.unpack(writer.encode(value))).toEqual(value);
});

test("[RP-4] what is no plain data is a fault of the room, and is found where it enters", () => {
  for (const value of [() => 1, 1n, Symbol("x"), new Date(0), new Map()])
    expect(() => writer.encode({ deep: [value] })).toThrow("no plain data");
});

/** A room as a recorder sees it. */
function talkingRoom() {
  const listeners: RoomListener[] = [];
  const room = {
    start: START,
    listen(listener: RoomListener) {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
  };
  return { room, say: (entry: DoorEntry) => void listeners.forEach(({ entered }) => void entered?.(entry)) };
}

const ENTRIES: readonly DoorEntry[] = [
  { verb: "accept", nowMs: 1, scans: [{ scan: radarScan(7, [[10, 1, 500, 0]]), wire: [{ az_deg: -0 }] }] },
  { verb: "commit", nowMs: 2.5, change: { op: "link_closed", linkId: "lnk_1" } },
  { verb: "step", nowMs: 3, scans: 1, everyTrack: false },
  { verb: "flush", nowMs: 4 },
];

function recorded(bytesMax = 1e6) {
  const memory = new RecordingInMemory(bytesMax);
  const { room, say } = talkingRoom();
  return { memory, say, recorder: new Recorder(room, memory.write) };
}

test("[RP-5] a recording holds the start of the room and its entries in order; a scan is as it entered", () => {
  const { memory, say, recorder } = recorded();
  for (const entry of ENTRIES) say(entry);
  // The room writes into the scan after this.
  const [first] = ENTRIES as [Extract<DoorEntry, { verb: "accept" }>];
  const before = readRecording(memory.bytes());
  first.scans[0]!.scan.measurements[0] = 99;
  expect(readRecording(memory.bytes())).toStrictEqual(before);
  recorder.stop();
  say({ verb: "flush", nowMs: 5 });
  const { start, entries, fault } = readRecording(memory.bytes()) as Recording;
  expect([start, fault, entries.length]).toStrictEqual([START, null, ENTRIES.length]);
  expect(entries.slice(1)).toStrictEqual(ENTRIES.slice(1));
  expect(recorder.counts).toEqual({ entries: 4, bytes: memory.bytes().length, missed: 0 });
});

test("[RP-6] a recording that is full ends there, for good, and what it misses is counted", () => {
  const { memory, say, recorder } = recorded(120);
  const flush: DoorEntry = { verb: "flush", nowMs: 4 };
  for (let i = 0; i < 50; i++) say(flush);
  say(ENTRIES[0]!);
  say(flush);
  const { entries, missed, bytes } = recorder.counts;
  expect([entries + missed, missed > 10, bytes <= 120]).toEqual([52, true, true]);
  const read = readRecording(memory.bytes()) as Recording;
  expect([read.entries.length, read.fault]).toEqual([entries, null]);
});

test("[RP-6] a recording that was cut is read up to the last whole entry, and says so", () => {
  const { memory, say } = recorded();
  for (const entry of ENTRIES) say(entry);
  const bytes = memory.bytes();
  for (let length = 0; length < bytes.length; length++) {
    const read = readRecording(bytes.subarray(0, length));
    if ("code" in read) expect(read.sentence).toMatch(/recording/);
    else expect(read.entries.length).toBeLessThan(ENTRIES.length);
  }
  expect(readRecording(bytes.subarray(0, bytes.length - 1))).toMatchObject({ fault: { code: "damaged" } });
  expect(readRecording(Buffer.from("GIF89a"))).toMatchObject({ code: "not_a_recording" });
  const other = Uint8Array.from(bytes);
  other[7] = 9;
  expect(readRecording(other)).toMatchObject({ code: "other_version" });
});

test("[RP-6] bytes of any kind are read or refused, never thrown at the reader", () => {
  const { memory, say } = recorded();
  for (const entry of ENTRIES) say(entry);
  const bytes = memory.bytes();
  fc.assert(
    fc.property(fc.nat(bytes.length - 9), fc.nat(255), (at, value) => {
      const damaged = Uint8Array.from(bytes);
      damaged[8 + at] = value;
      expect(readRecording(damaged)).toBeTypeOf("object");
    }),
    { numRuns: 500 },
  );
});
