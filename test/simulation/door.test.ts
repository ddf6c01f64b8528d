/**
 * Does everything that changes a room enter through its door? One seed drives a whole service with faults of every kind; what
 * entered its rooms is put into fresh ones, which must become the same, bit for bit. With the limits of the service.
 */
import { expect, test, vi } from "vitest";
import { compileKernel } from "../../src/tracker/kernel/build.ts";
import { areUsualSeeds, live, runSeed, seedsToRun } from "../support/world/runs.ts";

vi.mock("node:dgram", () => import("../support/world/net.ts"));
vi.mock("node:crypto", async (original) => {
  const { randomBytes } = await import("../support/world/chance.ts");
  return { ...(await original<object>()), randomBytes };
});

const FILE = "test/simulation/door.test.ts";
/** What the usual seeds reach together. */
const reached = new Set<string>();

test.each(seedsToRun(1, 12))(
  "[RP-1] [RP-10] what entered the rooms of seed %i makes them again, and its rules hold",
  async (seed) => {
    const world = await runSeed(seed, FILE);
    for (const name of world.reached()) reached.add(name);
  },
);

test.runIf(areUsualSeeds())("[RP-10] the runs reach every change of a room, and every state of a task", () => {
  expect([...reached]).toEqual(expect.arrayContaining(["op task_moved"]));
});

test("[RP-11] one seed is one run: every byte that entered is the same", async () => {
  const kernel = await compileKernel();
  const [seed] = seedsToRun(1, 1) as [number];
  const [one, two] = [await live(seed, kernel), await live(seed, kernel)];
  expect(two.lives.length).toBe(one.lives.length);
  for (const [index, life] of one.lives.entries())
    expect(Buffer.compare(life.bytes(), two.lives[index]!.bytes()), `room ${index}`).toBe(0);
});
