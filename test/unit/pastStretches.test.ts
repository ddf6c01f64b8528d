/** What is kept for explaining after the fact is bounded in time and in bytes. */
import { expect, test } from "vitest";
import { scanEntry, type TrackerEntry } from "../../src/tracker/entries.ts";
import { PastStretches } from "../../src/tracker/pastStretches.ts";
import { profile, radarScan, START_US } from "../support/kernel.ts";

const STATE_BYTES = 4000;
const STEP = { tick: 1, atUs: 0, scans: 1, rewinds: [] };
const sensor = { slot: 0, sourceId: "radar", profile: profile("radar"), key: 1 };

const entryAt = (second: number): TrackerEntry => scanEntry(radarScan(second, [[45, 5, 1000, 0]]), sensor, null, STEP);

/** Forgets one scan a second, each behind a state of its own. */
function past(seconds: number, bytesMax: number): { kept: PastStretches; sizes: number[] } {
  const kept = new PastStretches({ keepUs: 60_000_000, bytesMax });
  const sizes: number[] = [];
  for (let s = 0; s < seconds; s++) {
    const last = s === 0 ? null : entryAt(s - 1);
    kept.add({ saved: new Uint8Array(STATE_BYTES), last, sweptUs: 0, entries: [entryAt(s)] });
    sizes.push(kept.bytes);
  }
  return { kept, sizes };
}

const secondsOf = (kept: PastStretches) =>
  kept.stretches.flatMap(({ entries }) => entries.map(({ timeUs }) => (timeUs - START_US) / 1e6));

test("[FU-85] the last minute is kept complete, in few stretches, and older scans are dropped", () => {
  const { kept, sizes } = past(300, 1 << 20);
  const seconds = secondsOf(kept);
  expect(seconds.at(-1)).toBe(299);
  expect(seconds[0]).toBeLessThanOrEqual(239);
  expect(seconds[0]).toBeGreaterThan(230);
  expect(seconds).toEqual(Array.from({ length: seconds.length }, (_, i) => seconds[0]! + i));
  expect(kept.stretches.length).toBeLessThan(seconds.length / 3);
  // A stretch begins with the state right before its first scan.
  for (const { last, entries } of kept.stretches) expect(last!.timeUs).toBe(entries[0]!.timeUs - 1_000_000);
  expect(Math.max(...sizes.slice(150))).toBeLessThan(1.2 * Math.max(...sizes.slice(70, 150)));
});

test("[FU-85] over the memory limit the oldest scans go first, and the count of bytes is exact", () => {
  const { kept, sizes } = past(300, 20_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000 + STATE_BYTES + 1000);
  expect(secondsOf(kept).at(-1)).toBe(299);
  expect(secondsOf(kept)[0]).toBeGreaterThan(240);
  kept.clear();
  expect(kept.bytes).toBe(0);
  const { kept: one } = past(1, 20_000);
  expect(one.bytes).toBeGreaterThan(STATE_BYTES);
  expect(one.bytes).toBeLessThan(STATE_BYTES + 1000);
});
