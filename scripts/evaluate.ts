/**
 * `npm run evaluate`: runs a scenario through the tracker as fast as it goes, and prints its figures where there is a
 * scorer. The truth reaches only the scorer, after the tracking.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compileKernel, type KernelBuild } from "../src/tracker/kernel/build.ts";
import reference from "./reference.json" with { type: "json" };
import { readScenario, type Scenario, ScenarioError } from "./scenario.ts";
import { type TrackedScenario, type TrackRow, trackScenario } from "./scenarioRoom.ts";
import { readArguments, refuseUsage } from "./usage.ts";

const USAGE = `npm run evaluate -- --input FILE --output FILE [--score]
npm run evaluate -- --table FOLDER [FOLDER ...]

Runs a recorded or simulated scenario through the code that serves requests, without a server and as fast as it goes.

  --input FILE    a scenario in the neutral format, plain or gzip
  --output FILE   the picture at each evaluation time, a JSON line a track
  --score         prints the figures of the output; needs score.mjs beside the scenario or one folder up
  --table         scores every scenario of the folders and prints GOSPA beside the reference`;

interface Score {
  readonly gospa_mean: number;
  readonly missed_mean: number;
  readonly false_mean: number;
  readonly id_switches: number;
  readonly completeness: number;
  readonly position_rmse_m: number | null;
  readonly nees_in_95: number | null;
}
type Scorer = (scenario: Scenario, rows: readonly TrackRow[]) => Score;

async function main(): Promise<void> {
  const { values, positionals } = readArguments(
    USAGE,
    {
      input: { type: "string" },
      output: { type: "string" },
      score: { type: "boolean" },
      table: { type: "boolean" },
    },
    true,
  );
  if (values.table === true) {
    if (positionals.length === 0) refuseUsage("--table needs a folder of scenarios", USAGE);
    return printTable(await compileKernel(), positionals);
  }
  if (values.input === undefined || values.output === undefined)
    return refuseUsage("--input and --output are both needed", USAGE);
  if (positionals[0] !== undefined) refuseUsage(`"${positionals[0]}" belongs to no option`, USAGE);
  const build = await compileKernel();
  const scenario = readScenario(values.input);
  const tracked = trackScenario(build, withoutTruth(scenario));
  writeRows(values.output, tracked.rows);
  process.stderr.write(`${tracked.scans} scans in ${tracked.trackingMs.toFixed(0)} ms, state ${tracked.stateHash}\n`);
  if (values.score !== true) return;
  if (!("truth" in scenario)) throw new ScenarioError(`The scenario ${values.input} has no truth to score against.`);
  const scorer = await scorerFor(dirname(resolve(values.input)));
  process.stdout.write(`${JSON.stringify(scorer(scenario, tracked.rows), null, 1)}\n`);
}

function withoutTruth(scenario: Scenario): Scenario {
  const { scenario: name, site, start_time, duration_s, eval_times, sensors, scans } = scenario;
  return { scenario: name, site, start_time, duration_s, eval_times, sensors, scans };
}

function writeRows(path: string, rows: readonly TrackRow[]): void {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new ScenarioError(`The output file ${path} cannot be written: ${(cause as NodeJS.ErrnoException).code}.`, {
      cause,
    });
  }
}

/** The scorer is not part of this repository: it lies beside the scenarios or one folder up. */
async function scorerFor(folder: string): Promise<Scorer> {
  const path = [join(folder, "score.mjs"), join(folder, "..", "score.mjs")].find((p) => existsSync(p));
  if (path === undefined)
    throw new ScenarioError(`There is no score.mjs in ${folder} or above it, so nothing can be scored.`);
  return ((await import(pathToFileURL(path).href)) as { score: Scorer }).score;
}

async function printTable(build: KernelBuild, folders: readonly string[]): Promise<void> {
  const head = [
    "file",
    "GOSPA",
    "ref",
    "ratio",
    "missed",
    "false",
    "switches",
    "complete",
    "RMSE m",
    "NEES95",
    "ms/scan",
  ];
  const lines: string[][] = [head];
  const ratios: number[] = [];
  for (const folder of folders) {
    const scorer = await scorerFor(resolve(folder));
    for (const file of readdirSync(folder)
      .filter((name) => /\.json(\.gz)?$/.test(name))
      .sort()) {
      process.stderr.write(`${file}\n`);
      const scenario = readScenario(join(folder, file));
      const tracked = trackScenario(build, withoutTruth(scenario));
      const name = file.replace(/\.json(\.gz)?$/, "");
      const known = (reference as Record<string, { gospa: number } | undefined>)[name];
      const score = scorer(scenario, tracked.rows);
      if (known !== undefined) ratios.push(score.gospa_mean / known.gospa);
      lines.push(lineOf(name, score, known?.gospa ?? null, tracked));
    }
  }
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  for (const line of lines) process.stdout.write(`${line.map((cell, i) => cell.padStart(widths[i]!)).join("  ")}\n`);
  if (ratios.length === 0) return;
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  process.stdout.write(
    `mean ratio ${mean.toFixed(3)} over ${ratios.length} files, worst ${Math.max(...ratios).toFixed(3)}\n`,
  );
}

function lineOf(name: string, score: Score, known: number | null, tracked: TrackedScenario): string[] {
  const fixed = (value: number | null, digits: number) => (value === null ? "-" : value.toFixed(digits));
  return [
    name,
    fixed(score.gospa_mean, 2),
    fixed(known, 2),
    fixed(known === null ? null : score.gospa_mean / known, 3),
    fixed(score.missed_mean, 2),
    fixed(score.false_mean, 2),
    String(score.id_switches),
    fixed(score.completeness, 3),
    fixed(score.position_rmse_m, 2),
    fixed(score.nees_in_95, 2),
    fixed(tracked.trackingMs / tracked.scans, 2),
  ];
}

main().catch((error: unknown) => {
  const plain = error instanceof ScenarioError;
  process.stderr.write(plain ? `${(error as Error).message}\n` : `${(error as Error).stack}\n`);
  process.exitCode = 1;
});
