/** The commands' own help: the first thing that a newcomer tries. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { readDocument } from "../support/documents.ts";

const { scripts } = JSON.parse(readDocument("package.json")) as { scripts: Record<string, string> };
/** Ours: those that bootstrap starts from a script of this repository. The rest are other people's tools. */
const commands = Object.entries(scripts).flatMap(([name, line]) => {
  const script = /bootstrap\.mjs ((?:src|scripts|bench)\/\S+)$/.exec(line)?.[1];
  return script === undefined ? [] : [[name, script] as const];
});

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env: { PATH: process.env.PATH ?? "" } });

describe("[FR-7] every command", () => {
  test("is found", () => {
    expect(commands.map(([name]) => name).toSorted()).toEqual(
      ["bench", "check", "demo", "docs", "evaluate", "feed", "start", "vehicle"].toSorted(),
    );
  });

  test.each(commands)("%s answers --help with how it is used, and does nothing else", (name, script) => {
    const { status, stdout, stderr } = run(script, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^npm (run )?${name}\\b`));
  });

  test.each(commands)("%s refuses an option that it does not know, and says how it is used", (name, script) => {
    const { status, stdout, stderr } = run(script, "--colour");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--colour");
    expect(stderr).toMatch(new RegExp(`npm (run )?${name}\\b`));
  });
});

test("[FR-7] arguments that cannot be used are refused by name", () => {
  const refused: [string, string[], string][] = [
    ["scripts/vehicle.ts", ["--id", "251"], '--id must be a whole number from 1 to 250, not "251"'],
    ["scripts/vehicle.ts", ["--target", "here"], '--target must be HOST:PORT, not "here"'],
    ["scripts/vehicle.ts", ["--lat", "91"], "--lat 91 and --lon -1.9875 are not a point on the earth"],
    ["scripts/feed.ts", [], "--input is missing"],
    ["scripts/evaluate.ts", ["--input", "a"], "--input and --output are both needed"],
    ["scripts/evaluate.ts", ["--table"], "--table needs a folder"],
    ["bench/compare.ts", ["--size", "huge"], '--size is small or full, not "huge"'],
  ];
  for (const [script, args, sentence] of refused) {
    const { status, stderr } = run(script, ...args);
    expect([status, stderr.startsWith(sentence)], `${script}: ${stderr}`).toEqual([2, true]);
  }
});
