/** Claimed identities in the kernel: which tracks they merge, and which manoeuvres they explain. */
import { expect, test } from "vitest";
import type { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { fuse, openKernel, profile, radarScan, reportScan, START_US } from "../support/kernel.ts";

const at = (second: number) => START_US + Math.round(second * 1e6);
const CLAIM = 7;

async function opened(): Promise<Kernel> {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("remote_id"));
  kernel.setSensor(2, profile("remote_id"));
  return kernel;
}

/** Fuses a report of CLAIM and sweeps. */
function hear(kernel: Kernel, second: number, east: number, slot = 1, claim = CLAIM): void {
  fuse(kernel, slot, reportScan(second, [[east, 0, 100, claim]]), null);
  kernel.sweep(at(second + 0.1));
}

test("[FU-23] two certain tracks of one claim are merged as soon as one aircraft can have flown from one to the other", async () => {
  const kernel = await opened();
  for (let s = 0; s < 10; s++) hear(kernel, s, 0);
  const [first] = kernel.read(at(9)).key;
  // No aircraft flies 400 m from rest in a second, so this is a second sender of the claim at first.
  hear(kernel, 10, 400);
  hear(kernel, 11, 400);
  const apart = kernel.read(at(11));
  expect(apart.count).toBe(2);
  expect(Math.min(apart.existence[0]!, apart.existence[1]!)).toBeGreaterThan(0.9);
  const second = Array.from(apart.key.slice(0, 2)).find((key) => key !== first)!;
  for (let s = 12; s < 16; s++) hear(kernel, s, 400);
  expect(kernel.takeEnded()).toEqual([{ key: second, reason: "merged", mergedInto: first }]);
  // The older key continues, at the position of the latest report.
  const one = kernel.read(at(15));
  expect(one.count).toBe(1);
  expect(one.key[0]).toBe(first);
  expect(one.eastM[0]).toBeGreaterThan(395);
  expect(one.lastAtUs[0]).toBe(at(15));
});

test("[FU-23] tracks of different claims, and of one claim heard at both places, stay two", async () => {
  const kernel = await opened();
  for (let s = 0; s < 12; s++) {
    hear(kernel, s, 0);
    hear(kernel, s + 0.5, 60, 2, CLAIM + 1);
    hear(kernel, s + 0.7, 300, 2);
  }
  expect(kernel.read(at(12)).count).toBe(3);
  expect(kernel.takeEnded()).toEqual([]);
});

test("[FU-24] two places in one scan stay two tracks, whatever both claim", async () => {
  const kernel = await opened();
  for (let s = 0; s < 12; s++) {
    fuse(
      kernel,
      1,
      reportScan(s, [
        [12 * s, 0, 100, CLAIM],
        [12 * s, 12, 100, CLAIM],
      ]),
      null,
    );
    kernel.sweep(at(s + 0.1));
  }
  expect(kernel.read(at(12)).count).toBe(2);
  expect(kernel.takeEnded()).toEqual([]);
});

test("[FU-21] a track that a radar also updates keeps its id through a manoeuvre that only the claim explains", async () => {
  const kernel = await opened();
  // North at 20 m/s; in the tenth second it turns back south at once.
  const north = (s: number) => 1000 + 20 * Math.min(s, 10) - 20 * Math.max(0, s - 10);
  for (let s = 0; s < 25; s++) {
    const range = Math.hypot(north(s), 100);
    const el = (Math.atan2(100, north(s)) * 180) / Math.PI;
    fuse(kernel, 0, radarScan(s, [[0, el, range, s < 10 ? 20 : -20]]));
    fuse(kernel, 1, reportScan(s + 0.4, [[0, north(s + 0.4), 100, CLAIM]]), null);
    kernel.sweep(at(s + 0.5));
  }
  const table = kernel.read(at(25));
  expect(table.count).toBe(1);
  expect(table.firstAtUs[0]).toBe(at(0));
  expect(table.hits[0]).toBeGreaterThan(40);
});

test("[FU-20] a manoeuvre followed by its claim gives the same bits again, also from a restored state", async () => {
  const path = [0, 0, 0, 0, 0, 15, 30, 45, 45, 45, 400, 400, 400, 400, 400, 400, 400];
  const run = async (restoreAt: number) => {
    const kernel = await opened();
    for (let s = 0; s < restoreAt; s++) hear(kernel, s, path[s]!);
    const saved = kernel.save();
    for (let s = restoreAt; s < path.length; s++) hear(kernel, s, path[s]!);
    const straight = kernel.hash();
    kernel.restore(saved);
    for (let s = restoreAt; s < path.length; s++) hear(kernel, s, path[s]!);
    return [straight, kernel.hash()];
  };
  const hashes = new Set((await Promise.all([0, 5, 6, 11, 13].map(run))).flat());
  expect(hashes.size).toBe(1);
});
