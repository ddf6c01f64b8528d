/** Runs a seed and says what is wrong with it; which seeds a test runs, and how a failure is repeated. */
import { vi } from "vitest";
import { VERB_RULES } from "../../../src/app/openRoom.ts";
import { compileKernel, type KernelBuild } from "../../../src/tracker/kernel/build.ts";
import { World } from "./world.ts";

const SECONDS = 18;
const SHOWN_MAX = 8;

let compiled: Promise<KernelBuild> | null = null;

/** SEED: one seed; SEEDS: so many, from SEED on; else `count` seeds from `first` on. */
export function seedsToRun(first: number, count: number): number[] {
  const { SEED, SEEDS } = process.env;
  const from = SEED === undefined ? first : Number(SEED);
  const many = SEEDS === undefined ? (SEED === undefined ? count : 1) : Number(SEEDS);
  return Array.from({ length: many }, (_, i) => from + i);
}

/** The seeds that CI runs are run, so what they reach together can be looked at. */
export const areUsualSeeds = (): boolean => process.env.SEED === undefined && process.env.SEEDS === undefined;

/** Lives one seed, then its rooms again. Throws with everything that is wrong and the command that repeats it. */
export async function runSeed(seed: number, file: string): Promise<World> {
  compiled ??= compileKernel();
  const kernel = await compiled;
  const world = await live(seed, kernel);
  const wrong = [...world.invariants.broken];
  const rules = { ...VERB_RULES, vehicleControl: true };
  for (const [index, life] of world.lives.entries())
    for (const withStreams of [true, false]) {
      const why = life.whyOther(kernel, rules, withStreams);
      if (why !== null)
        wrong.push(`room ${index}, lived again ${withStreams ? "with" : "without"} its streams: ${why}`);
    }
  if (wrong.length === 0) return world;
  const more = wrong.length > SHOWN_MAX ? [`and ${wrong.length - SHOWN_MAX} more`] : [];
  const repeat = `seed ${seed}; to repeat: SEED=${seed} npm test -- ${file}`;
  throw new Error([repeat, ...wrong.slice(0, SHOWN_MAX), ...more].join("\n"));
}

/** The run alone. */
export async function live(seed: number, kernel: KernelBuild): Promise<World> {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  try {
    const world = new World(seed, kernel);
    await world.run(SECONDS);
    return world;
  } finally {
    vi.useRealTimers();
  }
}
