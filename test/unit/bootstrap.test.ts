/** When bootstrap installs, that it is silent otherwise, and whose Node runs the script. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript, without types: it must run under any Node
import { staleInstall } from "../../scripts/bootstrap.mjs";

const folder = mkdtempSync(join(tmpdir(), "picket-bootstrap-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("[FR-2] an install is stale when", () => {
  const lock = {
    packages: {
      "": { version: "1" },
      "node_modules/a": { version: "1.0.0", integrity: "x" },
      "node_modules/win": { version: "1.0.0", optional: true },
    },
  };
  const { "node_modules/a": a } = lock.packages;
  const cases: [string, object | null, string | null][] = [
    ["there is none", null, "first run"],
    [
      "a version differs",
      { packages: { "node_modules/a": { ...a, version: "1.0.1" } } },
      "package-lock.json has changed",
    ],
    ["a hash differs", { packages: { "node_modules/a": { ...a, integrity: "y" } } }, "package-lock.json has changed"],
    ["a package is missing", { packages: {} }, "package-lock.json has changed"],
    ["and not when only another platform's package is missing", { packages: { "node_modules/a": a } }, null],
  ];
  test.each(cases)("%s", (_, installed, reason) => expect(staleInstall(lock, installed)).toBe(reason));
});

/** The first Node of the PATH that is not the pinned one; the pinned one where there is no other. */
function someNode(): string {
  const path = (process.env.PATH ?? "").split(":").filter((entry) => !entry.includes("node_modules"));
  const found = spawnSync("sh", ["-c", "command -v node"], {
    env: { PATH: path.join(":") },
    encoding: "utf8",
  }).stdout.trim();
  return found === "" ? process.execPath : found;
}

test("[FR-1] [FR-3] under any Node bootstrap is silent when ready, and runs the script under the pinned one with its arguments", () => {
  const script = join(folder, "tell.ts");
  writeFileSync(
    script,
    "const args: string[] = process.argv.slice(2);\nconsole.log(JSON.stringify([process.version, args]));\nprocess.exit(7);\n",
  );
  for (const node of [process.execPath, someNode()]) {
    const ended = spawnSync(node, ["scripts/bootstrap.mjs", script, "--a", "b c"], { encoding: "utf8" });
    expect(ended.stderr).toBe("");
    expect(JSON.parse(ended.stdout)).toEqual([process.version, ["--a", "b c"]]);
    expect(ended.status).toBe(7);
  }
});
