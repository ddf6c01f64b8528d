/** The tracker's configuration: each member has an effect. */
import { describe, expect, test } from "vitest";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { Scan } from "../../src/domain/scan.ts";
import type { TrackerConfig } from "../../src/tracker/config.ts";
import { compileKernel } from "../../src/tracker/kernel/build.ts";
import { gateLimits, showThreshold } from "../../src/tracker/kernel/tuning.ts";
import { Tracker } from "../../src/tracker/tracker.ts";
import { TRACK_STATUS } from "../../src/tracker/types.ts";
import { CONFIG, fuse, openKernel, profile, radarScan, reportScan, START_US } from "../support/kernel.ts";

const POSE = { lat: 51, lon: 0, alt_hae_m: 0, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
const frame = new EnuFrame(POSE);
const placed = (scan: Scan): Scan => ({ ...scan, pose: POSE });
const moving = (second: number, offM = 0) => placed(radarScan(second, [[45, 5, 1000 + 10 * second + offM, 10]]));

/** A radar track with one far plot, a late scan and silence; out of the radar's sight an aircraft that reports itself, then falls silent. */
const STORY: readonly [atS: number, scan: Scan | null][] = [
  ...[0, 1, 2, 3].map((s): [number, Scan] => [s, moving(s)]),
  [0.5, reportScan(0.5, [[15_000, 0, 100, 7]])],
  [1.5, reportScan(1.5, [[15_010, 0, 100, 7]])],
  [4, moving(4, 13)],
  ...[5, 6, 7].map((s): [number, Scan] => [s, moving(s)]),
  [7.5, moving(4.5)],
  ...[9, 9.6, 10, 12, 15, 20, 26, 40].map((s): [number, null] => [s, null]),
];

/** The tracks of each step with their status and hits. */
async function told(change: Partial<TrackerConfig>): Promise<string> {
  const tracker = new Tracker({
    kernel: await compileKernel(),
    frame,
    config: { ...CONFIG, ...change },
    tracksMax: 100,
  });
  tracker.setSensor("radar", profile("radar"));
  tracker.setSensor("remote_id", profile("remote_id"));
  const steps = [...STORY].sort(([a], [b]) => a - b);
  return steps
    .map(([atS, scan]) => {
      tracker.advance(scan === null ? [] : [scan], START_US + (atS + 1) * 1e6);
      const table = tracker.readTracks(START_US + atS * 1e6);
      const rows = Array.from({ length: table.count }, (_, r) => `${TRACK_STATUS[table.status[r]!]} ${table.hits[r]}`);
      return `${atS}: ${rows.sort().join(", ")}`;
    })
    .join("\n");
}

test.each<Partial<TrackerConfig>>([
  { confirmM: 5 },
  { confirmN: 3 },
  { coastPeriods: 3 },
  { endAfterS: 5 },
  { endAfterCooperativeS: 10 },
  { gateProb: 0 },
  { maxLagS: 2 },
])("[FU-72] %o changes the picture", async (change) => {
  expect(await told({})).toBe(await told({}));
  expect(await told(change)).not.toBe(await told({}));
});

test("[FU-72] every member of the configuration is among the cases", () => {
  const members = ["coastPeriods", "confirmM", "confirmN", "endAfterCooperativeS", "endAfterS", "gateProb", "maxLagS"];
  expect(Object.keys(CONFIG).sort()).toEqual(members);
});

describe("[FU-73] the gate accepts with gate_prob over twenty looks", () => {
  test("chi-square quantiles of the tables, to a tenth", () => {
    // 1 - (1 - 0.99) / 20 = 0.9995 and 1 - (1 - 0.8) / 20 = 0.99
    expect(gateLimits(0.99)).toEqual([12.1, 15.2, 17.7, 20, 22.1, 24.1]);
    expect(gateLimits(0.8)).toEqual([6.6, 9.2, 11.3, 13.3, 15.1, 16.8]);
  });

  test("no value of the configuration makes the gate infinite", () => {
    for (const prob of [0, 1])
      for (const limit of gateLimits(prob)) {
        expect(limit).toBeGreaterThan(3);
        expect(limit).toBeLessThan(40);
      }
  });

  /** The pair of a track at rest and of reports so many metres off, if the gate takes them. */
  async function gated(gateProb: number, offsetsM: readonly number[]) {
    const kernel = await openKernel(1000, { gateProb });
    kernel.setSensor(0, profile("remote_id"));
    for (let s = 0; s < 10; s++) fuse(kernel, 0, reportScan(s, [[0, 0, 100, 0]]), null);
    kernel.explainOn = true;
    const saved = kernel.save();
    return offsetsM.map((offM) => {
      kernel.restore(saved);
      fuse(kernel, 0, reportScan(10, [[offM, 0, 100, 0]]), null);
      return kernel.takeExplain()!.pairs[0];
    });
  }

  test("the gate decides whether a report is inside, and the search reaches as far", async () => {
    const offsetsM = Array.from({ length: 60 }, (_, i) => 2 * i);
    const narrow = await gated(0.5, offsetsM);
    const usual = await gated(0.99, offsetsM);
    const wide = await gated(1, offsetsM);
    expect([narrow, usual, wide].map(([pair]) => pair!.limit)).toEqual([9.3, 17.7, 30.7]);
    const d2 = wide.map((pair) => pair?.d2 ?? Number.POSITIVE_INFINITY);
    expect(Math.max(...d2.filter(Number.isFinite))).toBeGreaterThan(25);
    expect(usual.map((pair) => pair !== undefined)).toEqual(d2.map((one) => one <= 17.7));
    expect(narrow.map((pair) => pair !== undefined)).toEqual(d2.map((one) => one <= 9.3));
  });
});

describe("[FU-74] a track is shown at the existence that m hits in n looks give", () => {
  test.each([
    [3, 5, 0.6],
    [3, 10, 0.3],
    [2, 2, 0.95],
    [5, 3, 0.95],
  ])("%i of %i", (confirmM, confirmN, existence) => {
    expect(showThreshold({ ...CONFIG, confirmM, confirmN })).toBe(existence);
  });
});
