/** A scan that traps the kernel: the tracker is rebuilt without it and goes on as if it had never come. */
import { expect, test } from "vitest";
import { MEAS_S2 } from "../../assembly/layout.ts";
import { TrackerFault } from "../../src/tracker/fault.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { START_MS } from "../support/room.ts";
import { type Arrival, give, openTracker, run, trackerSky } from "../support/trackerRun.ts";

const BROKEN_MS = START_MS + 6000;
const END_MS = START_MS + 12_000;

/** A radar scan whose first range has no error, which the kernel's assertions refuse. */
function broken(arrivals: readonly Arrival[]): Arrival {
  const radar = arrivals.findLast(({ scan, atMs }) => scan.modality === "radar" && atMs <= BROKEN_MS)!;
  const measurements = Float64Array.from(radar.scan.measurements);
  measurements[MEAS_S2] = 0;
  return { ...radar, scan: { ...radar.scan, scanId: "broken", measurements } };
}

function firstTrack(tracker: Tracker, atMs: number): number {
  const table = tracker.readTracks(atMs * 1000);
  return table.key[0]!;
}

test("[FU-90] a scan that traps the kernel is left out, and the other scans and edits stay", async () => {
  const arrivals = await trackerSky(12, () => 20);
  const whole = await openTracker();
  const hit = await openTracker();
  for (const tracker of [whole, hit]) {
    run(tracker, arrivals, START_MS, BROKEN_MS);
    tracker.splitTrack(firstTrack(tracker, BROKEN_MS), (BROKEN_MS - 500) * 1000);
  }
  expect(() => give(hit, [broken(arrivals)], BROKEN_MS)).toThrow(TrackerFault);
  // Every call fails with this until it is rebuilt.
  expect(() => hit.stateHash()).toThrow(/trapped in a scan of demo-radar-\w+ at /);
  expect(() => hit.splitTrack(1, BROKEN_MS * 1000)).toThrow(TrackerFault);
  expect(hit.rebuild()).toBe(true);
  expect(hit.stateHash()).toBe(whole.stateHash());
  for (const tracker of [whole, hit]) run(tracker, arrivals, BROKEN_MS, END_MS);
  expect(hit.stateHash()).toBe(whole.stateHash());
  expect(hit.health().confirmed).toBeGreaterThanOrEqual(5);
});

test("[FU-90] of several such scans in one step all are left out", async () => {
  const arrivals = await trackerSky(12, () => 20);
  const whole = await openTracker();
  const hit = await openTracker();
  for (const tracker of [whole, hit]) run(tracker, arrivals, START_MS, BROKEN_MS);
  const one = broken(arrivals);
  const several = ["a", "b", "c"].map((scanId) => ({ ...one, scan: { ...one.scan, scanId } }));
  expect(() => give(hit, several, BROKEN_MS)).toThrow(TrackerFault);
  expect(hit.rebuild()).toBe(true);
  expect(hit.stateHash()).toBe(whole.stateHash());
});
