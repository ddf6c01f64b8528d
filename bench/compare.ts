/**
 * `npm run bench [-- --size small|full] [name…]`: runs the benches one after the other, prints their figures as a table
 * and writes them to .bench/latest.json. A name is the beginning of a bench's name: `stream`, `http/tracks`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { readArguments, refuseUsage } from "../scripts/usage.ts";
import { findBenches, type Report, type Size } from "./benches.ts";

const USAGE = `npm run bench [-- --size small|full] [NAME ...]

Runs the benches one after the other, prints their figures and writes them to .bench/latest.json.

  --size  small takes seconds and shows that a bench runs; full gives figures (full)
  NAME    the beginning of a bench's name, such as stream or http/tracks; all without one`;

const OUTPUT = ".bench/latest.json";

/** Nested figures as dotted rows: { ours: { p99Ms: 3 } } is "ours.p99Ms". */
function rowsOf(value: unknown, path: string): [string, string][] {
  if (typeof value === "number") return [[path, show(value)]];
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [[path, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => rowsOf(inner, path === "" ? key : `${path}.${key}`));
}

function show(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en-GB");
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-GB") : value.toPrecision(4);
}

function print(name: string, report: Report, seconds: number): void {
  const rows = rowsOf(report, "").filter(([figure]) => figure !== "ok");
  const width = Math.max(0, ...rows.map(([figure]) => figure.length));
  process.stdout.write(`\n${report.ok ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)\n`);
  for (const [figure, value] of rows) process.stdout.write(`     ${figure.padEnd(width)}  ${value}\n`);
}

async function measure(names: readonly string[], size: Size): Promise<boolean> {
  const benches = findBenches().filter(
    ({ name }) => names.length === 0 || names.some((wanted) => name.startsWith(wanted)),
  );
  if (benches.length === 0)
    throw new Error(
      `no bench begins with ${names.join(" or ")}; there are ${findBenches()
        .map((b) => b.name)
        .join(", ")}`,
    );
  const reports: Record<string, Report> = {};
  for (const bench of benches) {
    const startMs = performance.now();
    const report = await bench
      .run(size)
      .catch((error: Error): Report => ({ ok: false, error: error.stack ?? error.message }));
    reports[bench.name] = report;
    print(bench.name, report, (performance.now() - startMs) / 1000);
  }
  const machine = {
    node: process.version,
    cpu: os.cpus()[0]?.model ?? "unknown",
    cores: os.cpus().length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
  };
  mkdirSync(".bench", { recursive: true });
  writeFileSync(OUTPUT, `${JSON.stringify({ at: new Date().toISOString(), size, machine, reports }, null, 2)}\n`);
  process.stdout.write(`\n${OUTPUT} has it all\n`);
  return Object.values(reports).every((report) => report.ok);
}

const { values, positionals } = readArguments(USAGE, { size: { type: "string", default: "full" } }, true);
if (values.size !== "small" && values.size !== "full")
  refuseUsage(`--size is small or full, not "${values.size}"`, USAGE);
process.exit((await measure(positionals, values.size)) ? 0 : 1);
