/** What the built kernel may and may not contain, and the memory map it shares with the host. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import * as L from "../../assembly/layout.ts";
import { compileKernel, LAYOUT_SECTION, layoutHash } from "../../src/tracker/kernel/build.ts";
import { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { CONFIG, openKernel } from "../support/kernel.ts";

test("[FU-1] the kernel imports only env.abort", async () => {
  const imports = WebAssembly.Module.imports((await compileKernel()).module);
  expect(imports.map(({ module, name }) => `${module}.${name}`)).toEqual(["env.abort"]);
});

test("[FU-1] the kernel exports its calls and its memory, and no allocator", async () => {
  const names = WebAssembly.Module.exports((await compileKernel()).module).map(({ name }) => name);
  expect(names.sort()).toEqual([
    "clearEnded",
    "clearExplain",
    "endedTracks",
    "explainedPairs",
    "explainedTracks",
    "memory",
    "mergeTracks",
    "readTracks",
    "scan",
    "setExplain",
    "splitTrack",
    "start",
    "sweep",
  ]);
});

/** LEB128 number at a place: [value, next place]. */
function leb(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0, i = at; ; i++, shift += 7) {
    value |= (bytes[i]! & 0x7f) << shift;
    if (bytes[i]! < 0x80) return [value, i + 1];
  }
}

test("[FU-2] the kernel's memory has its final size from the start, so views made once never detach", () => {
  const bytes = readFileSync("build/kernel.wasm");
  const MEMORY_SECTION = 5;
  for (let at = 8; at < bytes.length; ) {
    const [size, body] = leb(bytes, at + 1);
    if (bytes[at] !== MEMORY_SECTION) {
      at = body + size;
      continue;
    }
    const [, flagsAt] = leb(bytes, body);
    const [flags, minAt] = leb(bytes, flagsAt);
    const [minimum, maxAt] = leb(bytes, minAt);
    expect(flags & 1).toBe(1);
    expect(leb(bytes, maxAt)[0]).toBe(minimum);
    expect(minimum).toBe(L.MEMORY_PAGES);
    return;
  }
  throw new Error("the kernel has no memory of its own");
});

test("[FU-2] the parts of the arena follow each other inside the memory", () => {
  const parts: number[] = [
    L.TUNING,
    L.SENSOR,
    L.HEAD,
    L.TRACK_KEY,
    L.TRACK_MODEL,
    L.TRACK_MEAN,
    L.TRACK_COV,
    L.BEARING,
    L.ANCHOR,
  ];
  parts.push(
    L.STATE_END,
    L.POSE,
    L.CAND_ROW,
    L.PAIR_MEAS,
    L.WORK,
    L.ENDED,
    L.OUT,
    L.TRACK_TOUCHED,
    L.EXPLAIN_PAIR,
    L.ARENA_END,
  );
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  expect(L.ARENA_END).toBeLessThanOrEqual(L.MEMORY_PAGES * 65_536);
  expect(L.STATE_END % 8).toBe(0);
});

test("[FU-3] the build hash is that of the binary's bytes, so another algorithm has another one", async () => {
  const bytes = readFileSync("build/kernel.wasm");
  const sha = (of: Uint8Array) => createHash("sha256").update(of).digest("hex").slice(0, 16);
  expect((await openKernel()).buildHash).toBe(sha(bytes));
  // The same exports and the same layout: a custom section is the smallest change that keeps the binary valid.
  const other = Buffer.concat([bytes, Uint8Array.of(0, 2, 1, 0x78)]);
  const folder = mkdtempSync(join(tmpdir(), "picket-kernel-"));
  const file = join(folder, "kernel.wasm");
  writeFileSync(file, other);
  const build = await compileKernel(pathToFileURL(file));
  expect(new Kernel(build, CONFIG, 10).buildHash).toBe(sha(other));
  rmSync(folder, { recursive: true });
});

test("[FU-3] a build of another layout is refused, and so is one without a layout stamp", async () => {
  const bytes = readFileSync("build/kernel.wasm");
  const stampAt = bytes.indexOf(layoutHash());
  expect(stampAt).toBeGreaterThan(0);
  const folder = mkdtempSync(join(tmpdir(), "picket-kernel-"));
  const refused = async (change: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    change(copy);
    const file = join(folder, "kernel.wasm");
    writeFileSync(file, copy);
    await expect(compileKernel(pathToFileURL(file))).rejects.toThrow("another layout");
  };
  await refused((copy) => copy.write("x", stampAt));
  await refused((copy) => copy.write("x", copy.indexOf(LAYOUT_SECTION)));
  rmSync(folder, { recursive: true });
});
