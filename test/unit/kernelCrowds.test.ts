/** Crowds at one place: the cost of a search is bounded, searches that the bound ends are counted, no track loses its own report. */
import { expect, test } from "vitest";
import type { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { fuse, openKernel, profile, radarScan, reportScan, START_US } from "../support/kernel.ts";

const at = (second: number) => START_US + Math.round(second * 1e6);
const VICTIM = 7;
type Reported = readonly [number, number, number, number];

async function opened(): Promise<Kernel> {
  const kernel = await openKernel(10_000);
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("remote_id"));
  kernel.setSensor(2, profile("adsb"));
  return kernel;
}

/** New claims, all within five metres. */
function crowd(second: number, count: number): Reported[] {
  return Array.from({ length: count }, (_, i) => [(i * 0.618) % 5, (i * 0.317) % 5, 100, 100 + second * count + i]);
}

/** A swarm on a grid, ten metres apart. */
const swarm = (count: number): Reported[] =>
  Array.from({ length: count }, (_, i) => [10 * (i % 16), 10 * Math.floor(i / 16), 100, 0]);

test("[FU-26] a swarm of 256 in sight of each other is searched to the end", async () => {
  const kernel = await opened();
  for (let s = 0; s < 4; s++) {
    fuse(kernel, 1, reportScan(s, swarm(256)), null);
    kernel.sweep(at(s + 0.1));
  }
  expect(kernel.health().searchesCut).toBe(0);
  expect(kernel.read(at(4)).count).toBe(256);
});

test("[FU-26] many claims at one place end searches early, and each such search is counted", async () => {
  const kernel = await opened();
  fuse(kernel, 1, reportScan(0, crowd(0, 2000)), null);
  expect(kernel.health().searchesCut).toBe(0);
  fuse(kernel, 1, reportScan(1, crowd(1, 2000)), null);
  const inScan = kernel.health().searchesCut;
  expect(inScan).toBeGreaterThan(0);
  expect(inScan).toBeLessThanOrEqual(2000);
  kernel.sweep(at(1.1));
  expect(kernel.health().searchesCut).toBeGreaterThan(inScan);
});

test("[FU-26] many plots at one place in two looks, and one claim at many places, end searches early, too", async () => {
  const plots = Array.from({ length: 3000 }, (_, i) => [45 + ((i * 0.618) % 0.2), 5, 1000, 0] as const);
  const radar = await opened();
  for (const s of [0, 0.1]) fuse(radar, 0, radarScan(s, plots));
  expect(radar.health().searchesCut).toBeGreaterThan(0);
  const everywhere = (s: number) =>
    Array.from({ length: 3000 }, (_, i): Reported => [200 * (i % 55) + 90 * s, 200 * Math.floor(i / 55), 100, VICTIM]);
  const claims = await opened();
  for (const s of [0, 1]) fuse(claims, 1, reportScan(s, everywhere(s)), null);
  expect(claims.health().searchesCut).toBeGreaterThan(0);
});

test("[FU-27] given a crowd of other claims, a track is updated by the report that repeats its own", async () => {
  const kernel = await opened();
  for (let s = 0; s < 6; s++) {
    // Last in the table and last in the scan: a bounded search would reach it last.
    fuse(kernel, 1, reportScan(s, [...crowd(s, 2500), [2, 2, 100, VICTIM]]), null);
    kernel.sweep(at(s + 0.1));
    const table = kernel.read(at(s));
    const rows = Array.from({ length: table.count }, (_, row) => row).filter((row) => table.claim[row] === VICTIM);
    expect(rows).toHaveLength(1);
    expect([table.hits[rows[0]!], table.firstAtUs[rows[0]!], table.lastAtUs[rows[0]!]]).toEqual([s + 1, at(0), at(s)]);
  }
  expect(kernel.health().searchesCut).toBeGreaterThan(0);
});

test("[FU-28] searches that are cut short give the same bits again, also from a restored state", async () => {
  const run = async (restoreAt: number) => {
    const kernel = await opened();
    const step = (s: number) => {
      fuse(kernel, 1, reportScan(s, crowd(s, 1500)), null);
      kernel.sweep(at(s + 0.1));
    };
    for (let s = 0; s < restoreAt; s++) step(s);
    const saved = kernel.save();
    for (let s = restoreAt; s < 4; s++) step(s);
    const straight = kernel.hash();
    kernel.restore(saved);
    for (let s = restoreAt; s < 4; s++) step(s);
    return [straight, kernel.hash(), kernel.health().searchesCut];
  };
  const [plain, ...others] = await Promise.all([0, 1, 3].map(run));
  expect(plain![2]).toBeGreaterThan(0);
  for (const other of [plain, ...others]) expect(other).toEqual([plain![0], plain![0], plain![2]]);
});

test("[FU-29] an aircraft that is heard under two identities is one track", async () => {
  const kernel = await opened();
  for (let s = 0; s < 10; s++) {
    fuse(kernel, 1, reportScan(s, [[10 * s, 0, 100, VICTIM]]), null);
    fuse(kernel, 2, reportScan(s + 0.5, [[10 * s + 5, 0, 100, VICTIM + 1]]), null);
    kernel.sweep(at(s + 0.6));
  }
  expect(kernel.read(at(10)).count).toBe(1);
});

test("[FU-18] given a flood over a small capacity, confirmed tracks stay and the weakest tentative row goes first", async () => {
  const BOUND = 66; // 1 to show, and room for tentative rows
  const kernel = await openKernel(1);
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("remote_id"));
  const known = Array.from({ length: 20 }, (_, i): Reported => [500 * i, -5000, 100, i + 1]);
  for (let s = 0; s < 4; s++) {
    fuse(kernel, 1, reportScan(s, known), null);
    kernel.sweep(at(s));
  }
  const sure = Array.from(kernel.read(at(3)).key.slice(0, known.length));
  const flood = Array.from({ length: 5000 }, (_, i): Reported => [100 * (i % 70), 100 * Math.floor(i / 70), 100, 0]);
  fuse(kernel, 1, reportScan(3.5, flood), null);
  const strongest = Array.from(kernel.read(at(3.5)).existence.slice(0, 5020))
    .sort((a, b) => b - a)
    .slice(0, BOUND);
  kernel.sweep(at(3.5));
  const table = kernel.read(at(3.5));
  expect([table.count, kernel.health().droppedForCapacity]).toEqual([BOUND, 5020 - BOUND]);
  expect(new Set(table.key.slice(0, BOUND))).toEqual(new Set([...sure, ...table.key.slice(0, BOUND)]));
  expect(Array.from(table.existence.slice(0, BOUND)).sort((a, b) => b - a)).toEqual(strongest);
});
