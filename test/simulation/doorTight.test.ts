/** As door.test.ts, with limits so tight that a run of some seconds meets them: nothing that a limit does is beside the door. */
import { expect, test, vi } from "vitest";
import { areUsualSeeds, runSeed, seedsToRun } from "../support/world/runs.ts";

vi.mock("node:dgram", () => import("../support/world/net.ts"));
vi.mock("node:crypto", async (original) => {
  const { randomBytes } = await import("../support/world/chance.ts");
  return { ...(await original<object>()), randomBytes };
});
vi.mock("../../src/limits.ts", async (original) => {
  const { TIGHT } = await import("../support/world/tightLimits.ts");
  return { ...(await original<object>()), ...TIGHT };
});

const FILE = "test/simulation/doorTight.test.ts";
const reached = new Set<string>();

test.each(seedsToRun(101, 12))(
  "[RP-1] [RP-10] at its limits, what entered the rooms of seed %i makes them again",
  async (seed) => {
    const world = await runSeed(seed, FILE);
    for (const name of world.reached()) reached.add(name);
  },
);

test.runIf(areUsualSeeds())("[RP-10] the runs reach the limits", () => {
  console.log([...reached].sort());
  expect([...reached]).toEqual(expect.arrayContaining(["op call_refused", "op numbers_reserved"]));
});
