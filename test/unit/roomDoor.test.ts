/** Reading a room, listening to it, asking it and a kernel that traps must not change it; the door refuses malformed entries. */
import { expect, test } from "vitest";
import { MEAS_S2, MEAS_STRIDE } from "../../assembly/layout.ts";
import type { Placement } from "../../src/domain/asset.ts";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { ALL_DOMAIN_MASK } from "../../src/domain/events.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { RecordingInMemory } from "../../src/record/memory.ts";
import { Recorder } from "../../src/record/recorder.ts";
import { type Recording, readRecording } from "../../src/record/recording.ts";
import { openingOf, replay } from "../../src/record/replay.ts";
import type { ScanInput } from "../../src/room/face.ts";
import { Room } from "../../src/room/room.ts";
import { compileKernel } from "../../src/tracker/kernel/build.ts";
import { openForcesRoom } from "../support/forcesRoom.ts";
import { inOrder, openRoom, push, START_MS, sky } from "../support/room.ts";
import { TestSink } from "../support/sse.ts";

const OWNER = { kind: "key", keyId: "key_1" } as const;

/** A room fed with the demo's scans for some seconds; `each` is called after each step. */
async function underTheSky(seconds: number, each: (room: Room, nowMs: number) => void = () => undefined) {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  const waiting = inOrder(sky(seconds));
  for (let nowMs = START_MS; nowMs <= START_MS + seconds * 1000; nowMs += 50) {
    clock.set(nowMs);
    while (waiting[0] !== undefined && waiting[0].atMs <= nowMs) push(room, [waiting.shift()!.scan], nowMs);
    room.step(nowMs);
    room.flush(nowMs);
    each(room, nowMs);
  }
  return room;
}

const pictureOf = (room: Room, nowMs: number) => Buffer.from(room.encoded.pictureBody(nowMs)).toString();

test("[RP-2] who reads a room, and when, changes nothing of what is read later", async () => {
  const endMs = START_MS + 6000;
  const unread = await underTheSky(6);
  const read = await underTheSky(6, (room, nowMs) => {
    room.encoded.tracksBody();
    room.encoded.pictureBody(nowMs);
    // Reads with a clock that is ahead.
    room.forces.sensorViews(nowMs + 30_000);
    room.encoded.assetsBody(nowMs);
    room.published(nowMs);
  });
  expect(pictureOf(read, endMs)).toBe(pictureOf(unread, endMs));
  // Long after: the tracks are encoded as of their last change.
  expect(pictureOf(read, endMs + 9000)).toBe(pictureOf(unread, endMs + 9000));
});

test("[RP-2] to ask whether a call fits, or an observation came before, changes nothing", async () => {
  const room = await underTheSky(1);
  const before = pictureOf(room, START_MS + 1000);
  for (let i = 0; i < 3; i++) {
    expect(room.hasRoomFor(1e9)).toBe(false);
    expect(room.hasSeen("radar", "id")).toBe(false);
  }
  expect(pictureOf(room, START_MS + 1000)).toBe(before);
  room.commit({ op: "call_refused" }, START_MS + 1000);
  expect(room.fusionHealth().dropped.calls_refused_full).toBe(1);
});

test("[RP-3] events have the same numbers whether or not anyone listens", async () => {
  const alone = await underTheSky(5);
  const sink = new TestSink();
  const heard = await underTheSky(5, (room, nowMs) => {
    if (nowMs === START_MS + 1000) room.openStream(sink, ALL_DOMAIN_MASK, OWNER, nowMs);
  });
  expect(sink.take().some(({ event }) => event === "obs")).toBe(true);
  expect(heard.generation).toBe(alone.generation);
  expect(heard.tracker!.stateHash()).toBe(alone.tracker!.stateHash());
});

test("[RP-2] an equal profile is the same sensor, and an equal pose the same place, though they are other objects", async () => {
  const { room, clock, commit } = await openForcesRoom();
  const placement: Placement = {
    lat: 50,
    lon: 8,
    alt_hae_m: 100,
    blind_sectors: [{ az_from_deg: 1, az_to_deg: 9, kind: "blind" }],
  };
  const profile = DEFAULT_PROFILE.radar;
  const row = { id: "ast_radar", kind: "sensor", domain: "sensor", placement } as const;
  commit(row, undefined, profile);
  const plot = { source_id: "ast_radar", modality: "radar", measured_at: clock.nowMs(), az_deg: 90, range_m: 500 };
  push(room, [{ ...plot, detections: [{ az_deg: 90, range_m: 500 }] }], clock.nowMs());
  const source = room.sensors.get("ast_radar")!;
  source.lastPose = structuredClone(source.lastPose);
  expect(room.forces.sensorViews(clock.nowMs())[0]!.motion).toMatchObject({ source: "placement" });
  commit(structuredClone(row), undefined, structuredClone(profile));
  expect(room.sensors.get("ast_radar")).toBe(source);
  expect(source.observations).toBe(1);
});

test("[RP-7] [FU-91] a step whose kernel traps is lived again with the scans that it took, those included that it could not take", async () => {
  const memory = new RecordingInMemory(1e8);
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock, () => undefined);
  const recorder = new Recorder(room, memory.write);
  const sink = new TestSink();
  room.openStream(sink, ALL_DOMAIN_MASK, OWNER, START_MS);
  const scans = sky(8);
  for (const scan of scans) {
    clock.set(scan.measured_at);
    push(room, [scan], scan.measured_at);
    const isSpoilt = scan === scans[40];
    if (isSpoilt) spoil(room, scan.measured_at);
    // Two pieces in one step, the second of which traps.
    room.step(scan.measured_at, isSpoilt ? null : 1);
    room.flush(scan.measured_at);
  }
  expect(room.fusionHealth().dropped.kernel_restarts).toBe(1);
  recorder.stop();
  const events = sink.take();
  const idsOf = (event: string) => events.filter((one) => one.event === event).map(({ data }) => data);
  const left = new Set(idsOf("track_update").map(({ track }) => track.id));
  for (const { track_id } of idsOf("track_removed")) left.delete(track_id);
  // Tracks that the tracker lost were published as removed.
  expect([...left].sort()).toEqual([...room.tracks.all()].map(({ id }) => id).sort());
  const { start, entries } = readRecording(memory.bytes()) as Recording;
  const again = new ManualClock(start.openedAtMs);
  const kernel = await compileKernel();
  const other = new Room({ ...openingOf(start), clock: again, kernel, onFault: () => undefined });
  expect(replay(entries, other, again)).toBeNull();
  expect(other.tracker!.stateHash()).toBe(room.tracker!.stateHash());
  expect(pictureOf(other, START_MS + 9000)).toBe(pictureOf(room, START_MS + 9000));
});

/** More scans than a step takes at once; the kernel's assertions refuse some of them. */
function spoil(room: Room, nowMs: number): void {
  const inputs: ScanInput[] = [];
  room.listen({ entered: (entry) => void (entry.verb === "accept" && inputs.push(...entry.scans)) });
  const radar = sky(8).findLast(({ modality, measured_at }) => modality === "radar" && measured_at <= nowMs)!;
  push(room, [{ ...radar, scan_id: "template" }], nowMs);
  const [template] = inputs;
  const many = Array.from({ length: 1500 }, (_, i): ScanInput => {
    const { scan, wire } = template!;
    const measurements = Float64Array.from(scan.measurements);
    if (i > 1400) measurements[MEAS_S2] = 0;
    return { scan: { ...scan, scanId: `many-${i}`, measuredAtUs: scan.measuredAtUs + i, measurements }, wire };
  });
  room.accept(many, nowMs);
}

test("an entry that breaks the conditions of the door is a fault of the caller and has no effect", async () => {
  const room = await openRoom(new ManualClock(START_MS));
  const before = pictureOf(room, START_MS);
  const scan = {
    sourceId: "rid",
    scanId: null,
    modality: "remote_id",
    measuredAtUs: START_MS * 1000,
    receivedAtUs: START_MS * 1000,
    pose: null,
    complete: false,
    count: 1,
    measurements: new Float64Array(MEAS_STRIDE),
    observationIds: [],
  } as const;
  const accept = (change: object, wire: object[] = [{}]) =>
    room.accept([{ scan: { ...scan, ...change }, wire }], START_MS);
  expect(() => accept({ measurements: new Float64Array(2 * MEAS_STRIDE) })).toThrow("one row of measurements");
  expect(() => accept({}, [])).toThrow("the wire form of every row");
  expect(() => accept({ measuredAtUs: Number.NaN })).toThrow("a finite measurement time");
  expect(() => room.accept([], Number.NaN)).toThrow("a finite time");
  expect(() => room.commit({ op: "call_refused" }, Number.POSITIVE_INFINITY)).toThrow("a finite time");
  expect(() => room.step(Number.NaN)).toThrow("a finite time");
  expect(() => room.flush(Number.NaN)).toThrow("a finite time");
  expect(pictureOf(room, START_MS)).toBe(before);
  expect(accept({}).accepted).toBe(1);
});
