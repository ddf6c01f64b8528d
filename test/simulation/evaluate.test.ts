/**
 * Is tracking as good as the reference? Scenarios with known truth, through the room that serves requests. They are next to
 * the repository (../shared/eval) and not part of a clone: where they are missing, the test is skipped with a message.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import reference from "../../scripts/reference.json" with { type: "json" };
import { readScenario } from "../../scripts/scenario.ts";
import { trackScenario } from "../../scripts/scenarioRoom.ts";
import { compileKernel } from "../../src/tracker/kernel/build.ts";

const EVAL = "../shared/eval";
const RATIO_MAX = 1.15;
const MEAN_RATIO_MAX = 1;

test.runIf(existsSync(join(EVAL, "score.mjs")))(
  "[TH-20] GOSPA against the reference, file by file and in the mean",
  async () => {
    const { score } = (await import(pathToFileURL(join(EVAL, "score.mjs")).href)) as {
      score(scenario: unknown, rows: unknown): { gospa_mean: number; id_switches: number };
    };
    const kernel = await compileKernel();
    const ratios: Record<string, number> = {};
    let switches = 0;
    for (const folder of ["data", "real"]) {
      for (const file of readdirSync(join(EVAL, folder))) {
        const scenario = readScenario(join(EVAL, folder, file));
        const { truth: _truth, truth_notes: _notes, ...seen } = scenario as typeof scenario & Record<string, unknown>;
        const scored = score(scenario, trackScenario(kernel, seen as typeof scenario).rows);
        const name = file.replace(/\.json(\.gz)?$/, "");
        const known = (reference as Record<string, { gospa: number } | undefined>)[name];
        if (known === undefined) continue;
        ratios[name] = scored.gospa_mean / known.gospa;
        switches += scored.id_switches;
      }
    }
    for (const [name, ratio] of Object.entries(ratios)) expect(ratio, name).toBeLessThanOrEqual(RATIO_MAX);
    const values = Object.values(ratios);
    expect(values.reduce((a, b) => a + b, 0) / values.length).toBeLessThanOrEqual(MEAN_RATIO_MAX);
    // The reference has six over the public set.
    expect(switches).toBeLessThanOrEqual(6);
  },
);
