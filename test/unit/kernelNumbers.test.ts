/** Valid measurements that are hard on the arithmetic: errors so unequal that a covariance is lost to rounding. */
import { expect, test } from "vitest";
import { MEAS_S0, MEAS_S1, MEAS_S2, MEAS_STRIDE, MEAS_Z1 } from "../../assembly/layout.ts";
import type { Scan } from "../../src/domain/scan.ts";
import type { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { bearingScan, fuse, HERE, openKernel, profile, radarScan, START_US } from "../support/kernel.ts";

/** Sets one column of every measurement. */
function withColumn(scan: Scan, field: number, value: number): Scan {
  for (let row = 0; row < scan.count; row++) scan.measurements[row * MEAS_STRIDE + field] = value;
  return scan;
}

function expectFinite(kernel: Kernel, atUs: number): void {
  const table = kernel.read(atUs);
  for (let row = 0; row < table.count; row++) {
    for (const column of [table.existence, table.eastM, table.northM, table.upM, table.velEastMps])
      expect(column[row]).toSatisfy(Number.isFinite);
  }
}

test("[FU-19] a crossing that one of its bearings does not fix starts no track", async () => {
  for (let azimuth = 0.5; azimuth < 360; azimuth += 3) {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("rf", { max_range_m: 100_000 }));
    kernel.setSensor(1, profile("rf", { max_range_m: 100_000 }));
    // The crossing is 21 m before an exact direction finder, and 95 km before one that knows no direction.
    const [toNear, toFar] = [azimuth, azimuth + 12].map((degrees) => (degrees * Math.PI) / 180);
    const eastM = 21 * Math.sin(toNear!) - 95_000 * Math.sin(toFar!);
    const northM = 21 * Math.cos(toNear!) - 95_000 * Math.cos(toFar!);
    fuse(kernel, 1, withColumn(bearingScan(0, [azimuth + 12]), MEAS_S0, 2 * Math.PI), { ...HERE, eastM, northM });
    fuse(kernel, 0, withColumn(bearingScan(0.5, [azimuth]), MEAS_S0, 9e-4));
    const table = kernel.read(START_US + 500_000);
    expect(Array.from(table.bearingOnly.subarray(0, table.count))).toEqual([1, 1]);
  }
});

test("[FU-19] a bearing straight up crosses nothing on the ground", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("eo"));
  kernel.setSensor(1, profile("eo"));
  const straightUp = withColumn(bearingScan(0, [90]), MEAS_Z1, Math.PI / 2 - 1e-5);
  fuse(kernel, 0, withColumn(straightUp, MEAS_S1, 0.01));
  fuse(kernel, 1, bearingScan(0.5, [0]), { ...HERE, eastM: 1000, northM: -1000 });
  const table = kernel.read(START_US + 500_000);
  expect(Array.from(table.bearingOnly.subarray(0, table.count))).toEqual([1, 1]);
});

test("[FU-19] a target whose direction is exact and whose range is unknown is tracked with finite numbers", async () => {
  for (let azimuth = 0; azimuth < 360; azimuth += 7) {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    for (let look = 0; look < 5; look++) {
      const scan = radarScan(look * 0.001, [[azimuth, 20, 5, Number.NaN]]);
      for (const [field, sigma] of [
        [MEAS_S0, 9e-4],
        [MEAS_S1, 9e-4],
        [MEAS_S2, 1e6],
      ] as const)
        withColumn(scan, field, sigma);
      fuse(kernel, 0, scan);
      expectFinite(kernel, scan.measuredAtUs);
      // The state has NaN where no radar cross-section is known, and nowhere else.
      const state = new Float64Array(kernel.save().buffer);
      expect(state.filter(Number.isNaN).length).toBe(kernel.read(scan.measuredAtUs).count);
    }
  }
});
