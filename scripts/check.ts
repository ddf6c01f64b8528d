/** `npm run check`: format, lint, types and the build of the kernel. Runs all four, then tells which failed. */
import { spawnSync } from "node:child_process";
import { readArguments } from "./usage.ts";

readArguments(
  `npm run check

Runs the checks that need no test: format and lint (biome), types (tsc), the build of the tracker kernel (asc).
All of them run; the status is 1 when one failed. "npm run format" mends what can be mended.`,
  {},
);

const node = (...args: string[]) => ({ program: process.execPath, args });
const CHECKS = {
  "format and lint": node("node_modules/@biomejs/biome/bin/biome", "check", "."),
  types: node("node_modules/typescript/bin/tsc", "--noEmit"),
  kernel: { program: "npm", args: ["run", "--silent", "build:kernel"] },
};

const failed = Object.entries(CHECKS).filter(([, { program, args }]) => {
  // On Windows npm is a command file, which only a shell can start.
  const shell = program === "npm" && process.platform === "win32";
  return spawnSync(program, args, { stdio: "inherit", shell }).status !== 0;
});
for (const [name] of failed) process.stderr.write(`check: ${name} failed; the lines above say where\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
