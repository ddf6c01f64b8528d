/** What the kernel packs as its state: only what belongs to it. */
import { expect, test } from "vitest";
import { fuse, openKernel, profile, radarScan, reportScan } from "../support/kernel.ts";

test("[FU-20] a new track keeps no value of the row that it reuses, so a restored kernel ends in the same bits", async () => {
  const fresh = await openKernel();
  const used = await openKernel();
  for (const kernel of [fresh, used]) kernel.setSensor(1, profile("remote_id"));
  const empty = used.save();
  used.setSensor(0, profile("radar"));
  fuse(used, 0, radarScan(0, [[45, 5, 1000, 0]]));
  used.restore(empty);
  for (const kernel of [fresh, used]) fuse(kernel, 1, reportScan(1, [[200, 300, 100, 7]]));
  expect(used.hash()).toBe(fresh.hash());
});
