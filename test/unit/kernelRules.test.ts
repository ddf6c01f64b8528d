/** The tracker's promises on scenes small enough to judge by hand. */
import { describe, expect, test } from "vitest";
import { MEAS_KIND, MEAS_KIND_BEARING, MEAS_S0, MEAS_S2, MEAS_STRIDE, SENSOR_CAPACITY } from "../../assembly/layout.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import type { KernelPose } from "../../src/tracker/kernel/pose.ts";
import { TRACK_STATUS } from "../../src/tracker/types.ts";
import { bearingScan, fuse, HERE, openKernel, profile, radarScan, reportScan, START_US } from "../support/kernel.ts";

const at = (second: number) => START_US + Math.round(second * 1e6);

/** One target flying away north-east at 10 m/s, seen by a Doppler radar. */
const leaving = (second: number) => radarScan(second, [[45, 5, 1000 + 10 * second, 10]]);

test("[FU-10] a second look of a clean radar confirms a track, with the truth inside its stated error", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  for (let s = 0; s < 6; s++) fuse(kernel, 0, leaving(s));
  const table = kernel.read(at(5));
  expect(table.count).toBe(1);
  expect(TRACK_STATUS[table.status[0]!]).toBe("confirmed");
  const ground = 1050 * Math.cos((5 * Math.PI) / 180);
  const errorM = Math.hypot(table.eastM[0]! - ground * Math.SQRT1_2, table.northM[0]! - ground * Math.SQRT1_2);
  expect(errorM).toBeLessThan(3 * Math.sqrt(table.covPosM2[0]! + table.covPosM2[3]!));
  expect(Math.hypot(table.velEastMps[0]!, table.velNorthMps[0]!)).toBeCloseTo(10, 0);
});

test("[FU-11] an empty look lowers existence inside the field of view, and only there", async () => {
  const seen = async (fovDeg: number) => {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    kernel.setSensor(1, profile("radar", { fov_deg: fovDeg }));
    for (let s = 0; s < 4; s++) fuse(kernel, 0, leaving(s));
    const before = kernel.read(at(3)).existence[0]!;
    fuse(kernel, 1, radarScan(3.5, []));
    return kernel.read(at(3.5)).existence[0]! / before;
  };
  expect(await seen(360)).toBeLessThan(0.999);
  // The boresight is north, the target at 45 degrees.
  expect(await seen(40)).toBeGreaterThan(0.99);
});

/** What is left of the existence of a target at azimuth 45 and elevation 5 after an empty look of a second radar. */
async function leftAfterEmptyLook(pose: Partial<KernelPose>, change: Partial<SensorProfile> = {}): Promise<number> {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("radar", change));
  for (let s = 0; s < 4; s++) fuse(kernel, 0, leaving(s));
  const before = kernel.read(at(3)).existence[0]!;
  fuse(kernel, 1, radarScan(3.5, []), { ...HERE, ...pose });
  return kernel.read(at(3.5)).existence[0]! / before;
}

const rad = (...degrees: number[]) => degrees.map((deg) => (deg * Math.PI) / 180);

test.each([
  ["around it", rad(40, 10, 90), true],
  ["across north, around it", rad(300, 120, 90), true],
  ["all round", rad(0, 360, 90), true],
  ["all round, from its own azimuth", rad(45, 360, 90), true],
  ["beside it", rad(50, 300, 90), false],
  ["below it", rad(40, 10, 2), false],
  ["of no width", rad(45, 0, 90), false],
  ["beside it, and another around it", rad(200, 20, 90, 40, 10, 90), true],
])("[FU-64] a blind sector %s", async (_, blindRad, isHidden) => {
  const left = await leftAfterEmptyLook({ blindRad });
  if (isHidden) expect(left).toBeGreaterThan(0.99);
  else expect(left).toBeLessThan(0.98);
});

test.each([
  ["level, its sector ending below the target", { pitchRad: 0 }, false],
  ["tilted up at the target", { pitchRad: 0.3, yawRad: Math.PI / 4 }, true],
  ["tilted up, looking the other way", { pitchRad: 0.3, yawRad: (-3 * Math.PI) / 4 }, false],
  ["rolled right side up, the target on its right", { rollRad: -0.3, yawRad: -Math.PI / 4 }, true],
  ["rolled right side up, the target on its left", { rollRad: -0.3, yawRad: (3 * Math.PI) / 4 }, false],
  ["rolled right side down, the target on its left", { rollRad: 0.3, yawRad: (3 * Math.PI) / 4 }, true],
  ["rolled right side down, the target on its right", { rollRad: 0.3, yawRad: -Math.PI / 4 }, false],
])("[FU-65] a sensor %s", async (_, pose, seesIt) => {
  // Its own sector is from 10 degrees below to 10 above its own plane, moved down by the tilt of 17 degrees.
  const left = await leftAfterEmptyLook(pose, { el_min_deg: -25, el_max_deg: -5 });
  if (seesIt) expect(left).toBeLessThan(0.98);
  else expect(left).toBeGreaterThan(0.99);
});

test("[FU-12] plots that are no complete look lower no existence", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  for (let s = 0; s < 4; s++) fuse(kernel, 0, leaving(s));
  const before = kernel.read(at(3)).existence[0]!;
  fuse(kernel, 0, radarScan(3.5, [[200, 5, 3000, 0]], false));
  expect(kernel.read(at(3.5)).existence[0]! / before).toBeGreaterThan(0.99);
});

test("[FU-13] one direction finder makes a ray, never a range", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("rf"));
  for (let s = 0; s < 5; s++) fuse(kernel, 0, bearingScan(s, [30]));
  const table = kernel.read(at(4));
  expect(table.count).toBe(1);
  expect(table.bearingOnly[0]).toBe(1);
  expect(table.rayAzRad[0]).toBeCloseTo((30 * Math.PI) / 180, 3);
});

test("[FU-14] two direction finders make a position where their bearings cross", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("rf"));
  kernel.setSensor(1, profile("rf"));
  const east = { ...HERE, eastM: 1000 };
  for (let s = 0; s < 6; s++) {
    fuse(kernel, 0, bearingScan(s, [45]));
    fuse(kernel, 1, bearingScan(s + 0.3, [315]), east);
  }
  const table = kernel.read(at(6));
  const rows = Array.from({ length: table.count }, (_, row) => row).filter((row) => table.bearingOnly[row] === 0);
  expect(rows).toHaveLength(1);
  expect(Math.hypot(table.eastM[rows[0]!]! - 500, table.northM[rows[0]!]! - 500)).toBeLessThan(30);
});

test("[FU-15] a claim is attached to the track that agrees with it in position", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("remote_id"));
  for (let s = 0; s < 6; s++) {
    fuse(kernel, 0, leaving(s));
    const ground = (1000 + 10 * (s + 0.5)) * Math.cos((5 * Math.PI) / 180);
    const up = (1000 + 10 * (s + 0.5)) * Math.sin((5 * Math.PI) / 180);
    fuse(kernel, 1, reportScan(s + 0.5, [[ground * Math.SQRT1_2, ground * Math.SQRT1_2, up, 7]]), null);
  }
  const table = kernel.read(at(5.5));
  expect(table.count).toBe(1);
  expect(table.claim[0]).toBe(7);
  expect(Array.from(table.contributorSensor.slice(0, 3))).toEqual([0, 1, -1]);
});

test("[FU-16] a contact that never moved is not shown; a drone that moved and then hovers is", async () => {
  const shown = async (movesForS: number) => {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    for (let s = 0; s < 20; s++) {
      const range = 1000 + 12 * Math.min(s, movesForS);
      fuse(kernel, 0, radarScan(s, [[45, 5, range, s < movesForS ? 12 : 0]]));
    }
    return TRACK_STATUS[kernel.read(at(19)).status[0]!];
  };
  expect(await shown(0)).toBe("tentative");
  expect(await shown(6)).toBe("confirmed");
});

test("[FU-17] a track without evidence ends, with the reason", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  for (let s = 0; s < 4; s++) fuse(kernel, 0, leaving(s));
  const key = kernel.read(at(3)).key[0]!;
  for (let s = 4; s < 12; s++) {
    fuse(kernel, 0, radarScan(s, []));
    kernel.sweep(at(s));
  }
  expect(kernel.read(at(12)).count).toBe(0);
  expect(kernel.takeEnded()).toEqual([{ key, reason: "stale", mergedInto: 0 }]);
});

test("[FU-18] over the capacity the weakest row goes first, and is counted", async () => {
  const kernel = await openKernel(1);
  kernel.setSensor(0, profile("radar"));
  const many = Array.from({ length: 200 }, (_, i) => [1.7 * i, 5, 500 + 20 * i, 0] as const);
  fuse(kernel, 0, radarScan(0, many));
  kernel.sweep(at(0));
  expect(kernel.read(at(0)).count).toBeLessThanOrEqual(66);
  expect(kernel.health().droppedForCapacity).toBeGreaterThan(100);
});

test("[FU-19] measurements at the limits of the interface leave no NaN", async () => {
  const kernel = await openKernel();
  kernel.setSensor(0, profile("radar"));
  kernel.setSensor(1, profile("remote_id"));
  for (let s = 0; s < 4; s++) {
    fuse(
      kernel,
      0,
      radarScan(s, [
        [0, 90, 0, Number.NaN],
        [359.999, -90, 1, 0],
        [180, Number.NaN, 5000, Number.NaN],
      ]),
    );
    fuse(
      kernel,
      1,
      reportScan(s + 0.5, [
        [0, 0, Number.NaN, 0],
        [1e6, -1e6, 1e4, 3],
      ]),
      null,
    );
    kernel.sweep(at(s + 0.6));
  }
  const table = kernel.read(at(4));
  for (let row = 0; row < table.count; row++) {
    for (const column of [table.existence, table.eastM, table.northM, table.upM, table.velEastMps])
      expect(column[row]).not.toBeNaN();
  }
});

test("[FU-20] the same scans give the same bits, and a restored state continues to the same bits", async () => {
  const run = async (restoreAt: number) => {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    let saved: Uint8Array | null = null;
    for (let s = 0; s < 10; s++) {
      if (s === restoreAt) saved = kernel.save();
      fuse(
        kernel,
        0,
        radarScan(s, [
          [45, 5, 1000 + 10 * s, 10],
          [120, 8, 2000 - 5 * s, -5],
          [(37 * s) % 360, 3, 3000, 2],
        ]),
      );
      kernel.sweep(at(s));
    }
    if (saved === null) return kernel.hash();
    kernel.restore(saved);
    for (let s = restoreAt; s < 10; s++) {
      fuse(
        kernel,
        0,
        radarScan(s, [
          [45, 5, 1000 + 10 * s, 10],
          [120, 8, 2000 - 5 * s, -5],
          [(37 * s) % 360, 3, 3000, 2],
        ]),
      );
      kernel.sweep(at(s));
    }
    return kernel.hash();
  };
  const plain = await run(-1);
  expect(await run(-1)).toBe(plain);
  expect(await run(4)).toBe(plain);
});

describe("[FU-31] a broken condition stops the kernel with its sentence", () => {
  const plot = [45, 5, 1000, 0] as const;
  const scan = () => radarScan(0, [plot]);
  const withColumn = (field: number, value: number) => {
    const made = scan();
    made.measurements[field] = value;
    return made;
  };

  test.each([
    ["a slot beyond the table", SENSOR_CAPACITY, scan(), HERE, "the slot is inside the sensor table"],
    ["a range without a sigma", 0, withColumn(MEAS_S2, 0), HERE, "a measured value has a sigma"],
    [
      "an azimuth whose sigma is not a number",
      0,
      withColumn(MEAS_S0, Number.NaN),
      HERE,
      "a measured value has a sigma",
    ],
    ["an unknown kind", 0, withColumn(MEAS_KIND, 4), HERE, "the kind is one of MEAS_KIND_*"],
    [
      "a sensor that stands nowhere",
      0,
      scan(),
      { ...HERE, eastM: Number.POSITIVE_INFINITY },
      "a sensor stands somewhere",
    ],
  ])("%s", async (_, slot, broken, pose, sentence) => {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    expect(() => fuse(kernel, slot, broken, pose)).toThrow(sentence);
    expect(kernel.read(START_US).count).toBe(0);
  });

  test("measurements of two kinds", async () => {
    const kernel = await openKernel();
    kernel.setSensor(0, profile("radar"));
    const mixed = radarScan(0, [plot, plot]);
    mixed.measurements[MEAS_STRIDE + MEAS_KIND] = MEAS_KIND_BEARING;
    expect(() => fuse(kernel, 0, mixed)).toThrow("a scan is of one kind");
  });
});
