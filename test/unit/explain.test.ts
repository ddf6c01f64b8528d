/** The records of `fusion_explain` for a scan. */
import { expect, test } from "vitest";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { Scan } from "../../src/domain/scan.ts";
import { describeScan } from "../../src/tracker/explain.ts";
import { bearingScan, fuse, openKernel, profile, radarScan } from "../support/kernel.ts";

const CONTEXT = {
  frame: new EnuFrame({ lat: 51, lon: 0, alt_hae_m: 0 }),
  trackIdOf: String,
  stateHash: "",
};
const STEP = { tick: 1, atUs: 0, scans: 1, rewinds: [] };

test("[FU-75] a measurement's pd is that of the track it updated, at that place; null where it updated none", async () => {
  const kernel = await openKernel();
  // Its Pd at 2 km is half of that at range 0.
  kernel.setSensor(0, profile("radar", { pd: { p0: 0.9, r50_m: 2000, slope: 4, floor: 0.01 } }));
  const look = (s: number) =>
    radarScan(s, [
      [45, 5, 500 + 10 * s, 10],
      [200, 5, 2000 + 10 * s, 10],
      [(100 + 37 * s) % 360, 5, 3000, 0],
    ]);
  for (let s = 0; s < 5; s++) fuse(kernel, 0, look(s));
  kernel.explainOn = true;
  fuse(kernel, 0, look(5));
  const { measurements } = describeScan({ scan: look(5), tick: 1, step: STEP }, kernel.takeExplain()!, CONTEXT);
  const [near, far, other] = measurements as { pd: number | null; outcome: string; track_id: string | null }[];
  expect([near!.outcome, far!.outcome]).toEqual(["updated", "updated"]);
  expect(near!.pd).toBeCloseTo(0.9 / (1 + (550 / 2000) ** 4), 2);
  expect(far!.pd).toBeCloseTo(0.9 / (1 + (2050 / 2000) ** 4), 2);
  expect(other!.outcome).not.toBe("updated");
  expect(other!.pd).toBeNull();
});

test("[FU-88] a direction finder's ray is explained before and after each look, with the bearing that fed it", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("rf"));
  for (let s = 0; s < 3; s++) fuse(kernel, 0, bearingScan(s, [40 + s]));
  kernel.explainOn = true;
  const describe = (scan: Scan) => {
    fuse(kernel, 0, scan);
    return describeScan({ scan, tick: 1, step: STEP }, kernel.takeExplain()!, CONTEXT);
  };
  const fed = describe(bearingScan(3, [43, 200]));
  const [ray] = fed.tracks;
  expect(fed.tracks).toHaveLength(1);
  expect(ray).toMatchObject({ model: "ray", missed: false, status_before: "tentative" });
  expect(ray!.existence_after).toBeGreaterThan(ray!.existence_before!);
  // Azimuth in rad; the bearing pulls it and narrows it.
  expect(ray!.x_after[0]).toBeCloseTo((43 * Math.PI) / 180, 1);
  expect(ray!.p_after[0]).toBeLessThan(ray!.p_before[0]!);
  const [near, far] = fed.measurements;
  expect(near).toMatchObject({
    outcome: "updated",
    track_id: ray!.track_id,
    gates: [{ track_id: ray!.track_id, limit: 9 }],
  });
  expect(near!.gates[0]!.d2).toBeCloseTo(ray!.nis!, 12);
  expect(near!.likelihoods[0]!.log_l).toBeLessThan(10);
  expect(far!.gates).toEqual([]);
  const missed = describe(bearingScan(4, []));
  const same = missed.tracks.find(({ track_id }) => track_id === ray!.track_id)!;
  expect(same).toMatchObject({ model: "ray", missed: true, nis: 0 });
  expect(same.existence_after).toBeLessThan(same.existence_before!);
});
