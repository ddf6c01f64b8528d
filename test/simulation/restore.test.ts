/** A tracker that is killed and restored from a snapshot continues as if it had not been interrupted. */
import { expect, test } from "vitest";
import type { TrackerSnapshot } from "../../src/tracker/snapshot.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { ORIGIN, START_MS } from "../support/room.ts";
import { type Arrival, give, openTracker, run, trackerSky } from "../support/trackerRun.ts";

const SECONDS = 20;
const END_MS = START_MS + SECONDS * 1000 + 3000;
const KILLED_MS = START_MS + 11_000;

/** Up to 1.5 s late and out of order, in a repeatable way. */
const shuffledSky = () => trackerSky(SECONDS, (i) => 20 + ((i * 7919) % 1500));

/** A snapshot as another process reads it: no memory shared with the sender, bytes at any offset of a buffer. */
function overTheWire(snapshot: TrackerSnapshot): TrackerSnapshot {
  const copy = structuredClone(snapshot);
  const message = new Uint8Array(copy.timeline.saved.byteLength + 3);
  message.set(copy.timeline.saved, 3);
  return { ...copy, timeline: { ...copy.timeline, saved: message.subarray(3) } };
}

async function restored(snapshot: TrackerSnapshot): Promise<Tracker> {
  const tracker = await openTracker(snapshot.origin);
  expect(tracker.restore(overTheWire(snapshot))).toBeNull();
  return tracker;
}

/** The profiles as another process reads them from its database: equal values in other objects. */
const readAgain = (arrivals: readonly Arrival[]): Arrival[] =>
  arrivals.map((arrival) => ({ ...arrival, profile: structuredClone(arrival.profile) }));

test("[TH-17] a tracker killed amid shuffled arrival and restored ends in the same state hash", async () => {
  const arrivals = await shuffledSky();
  const whole = await openTracker();
  run(whole, arrivals, START_MS, KILLED_MS);
  expect(whole.health().confirmed).toBeGreaterThanOrEqual(5);
  const atKill = whole.stateHash();
  const successor = await restored(whole.snapshot());
  expect(successor.stateHash()).toBe(atKill);
  run(whole, arrivals, KILLED_MS, END_MS);
  run(successor, readAgain(arrivals), KILLED_MS, END_MS);
  expect(whole.health().rewinds).toBeGreaterThan(10);
  expect(successor.stateHash()).toBe(whole.stateHash());
});

test("[TH-17] what was learnt of the sensors is in the snapshot, and stays when equal profiles come again", async () => {
  const arrivals = await shuffledSky();
  const whole = await openTracker();
  run(whole, arrivals, START_MS, KILLED_MS);
  const successor = await restored(whole.snapshot());
  give(successor, [], KILLED_MS);
  for (const { scan, profile } of readAgain(arrivals)) successor.setSensor(scan.sourceId, profile);
  run(successor, readAgain(arrivals), KILLED_MS, KILLED_MS + 50);
  const learnt = successor.health().sensors.filter(({ nisMean }) => nisMean !== null);
  expect(learnt.length).toBeGreaterThanOrEqual(2);
});

test.each([
  ["in the order of arrival", (log: Arrival[]) => log],
  ["in another order", (log: Arrival[]) => [...log].reverse()],
])("[TH-18] the base state and a log of the scans, %s, end in the same state hash", async (_, order) => {
  const arrivals = await shuffledSky();
  const whole = await openTracker();
  run(whole, arrivals, START_MS, KILLED_MS);
  const base = whole.baseSnapshot();
  expect(base.timeline.entries).toEqual([]);
  const successor = await restored(base);
  // The log goes back further than the base state; scans that the state already contains are refused as too late.
  const log = order(readAgain(arrivals).filter(({ atMs }) => atMs <= KILLED_MS));
  give(successor, log, KILLED_MS);
  expect(successor.health().tooLateScans).toBeGreaterThan(0);
  expect(successor.stateHash()).toBe(whole.stateHash());
  run(whole, arrivals, KILLED_MS, END_MS);
  run(successor, readAgain(arrivals), KILLED_MS, END_MS);
  expect(successor.stateHash()).toBe(whole.stateHash());
});

test("[TH-19] which source reports first changes nothing", async () => {
  const ordered = await trackerSky(8, () => 20);
  const one = await openTracker();
  run(one, ordered, START_MS, START_MS + 10_000);
  const other = await openTracker();
  const sources = [...new Map(ordered.map(({ scan, profile }) => [scan.sourceId, profile]))].reverse();
  for (const [id, profile] of sources) other.setSensor(id, profile);
  run(other, ordered, START_MS, START_MS + 10_000);
  expect(other.sensorIdOfSlot(0)).not.toBe(one.sensorIdOfSlot(0));
  expect(other.stateHash()).toBe(one.stateHash());
});

test("[FU-76] a late scan does not bring back what was learnt under an earlier profile", async () => {
  const arrivals = await trackerSky(10, () => 20);
  const changedMs = START_MS + 5000;
  const radar = arrivals.find(({ scan }) => scan.modality === "radar")!.scan.sourceId;
  const changed = arrivals.map((arrival) =>
    arrival.scan.sourceId === radar && arrival.atMs > changedMs
      ? { ...arrival, profile: { ...arrival.profile, false_alarm_per_scan: 7 } }
      : arrival,
  );
  const late = changed.findLast(({ scan, atMs }) => scan.sourceId !== radar && atMs < changedMs - 200)!;
  const inTime = await openTracker();
  run(inTime, changed, START_MS, END_MS);
  const behind = await openTracker();
  const arriveLate = changed.map((arrival) => (arrival === late ? { ...late, atMs: changedMs + 600 } : arrival));
  run(behind, arriveLate, START_MS, END_MS);
  expect(behind.health().rewinds).toBeGreaterThan(0);
  expect(behind.stateHash()).toBe(inTime.stateHash());
});

test("[FU-77] a snapshot of another build, another origin or a wrong length is refused and changes nothing", async () => {
  const arrivals = await trackerSky(3, () => 20);
  const tracker = await openTracker();
  run(tracker, arrivals, START_MS, START_MS + 3000);
  const snapshot = tracker.snapshot();
  expect(snapshot.origin).toEqual(ORIGIN);
  const elsewhere = await openTracker({ ...ORIGIN, lat: ORIGIN.lat + 0.001 });
  expect(elsewhere.restore(snapshot)).toMatchObject({ code: "other_origin" });
  const before = tracker.stateHash();
  expect(tracker.restore({ ...snapshot, buildHash: "0123456789abcdef" })).toMatchObject({ code: "other_build" });
  const cut = snapshot.timeline.saved.subarray(0, snapshot.timeline.saved.byteLength - 8);
  expect(tracker.restore({ ...snapshot, timeline: { ...snapshot.timeline, saved: cut } })).toMatchObject({
    code: "damaged",
  });
  expect(tracker.stateHash()).toBe(before);
  // The same state at another origin is another state.
  expect((await openTracker()).stateHash()).not.toBe((await openTracker({ ...ORIGIN, lat: 50 })).stateHash());
});
