/**
 * The built kernel: loaded once for all rooms, refused when it was built from another memory map than this host reads, and
 * named by the hash of its bytes. Also the stamp by which the build says which memory map it was built from.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as L from "../../../assembly/layout.ts";
import * as PHYSICS from "../../../assembly/physics.ts";

const KERNEL_FILE = new URL("../../../build/kernel.wasm", import.meta.url);

/** Custom section of the binary that holds the stamp. */
export const LAYOUT_SECTION = "picket.layout";

export interface KernelBuild {
  readonly module: WebAssembly.Module;
  /** 16 hex digits of the SHA-256 of the binary: two kernels with one hash compute the same bits. */
  readonly hash: string;
}

export async function compileKernel(file = KERNEL_FILE): Promise<KernelBuild> {
  const { module, hash } = await readFile(file)
    .then(async (bytes) => ({ module: await WebAssembly.compile(bytes), hash: shortHash(bytes) }))
    .catch((cause) => {
      throw new Error("the tracker kernel cannot be loaded; run `npm run build:kernel`", { cause });
    });
  if (stampOf(module) !== layoutHash())
    throw new Error("the tracker kernel was built from another layout; run `npm run build:kernel`");
  return { module, hash };
}

/** What the build is stamped with: 16 hex digits over the name and value of every constant that host and kernel share. */
export function layoutHash(): string {
  const constants = [...Object.entries(L), ...Object.entries(PHYSICS)].map(([name, value]) => `${name}=${value}`);
  return shortHash(constants.sort().join("\n"));
}

function stampOf(module: WebAssembly.Module): string | null {
  const [section] = WebAssembly.Module.customSections(module, LAYOUT_SECTION);
  return section === undefined ? null : new TextDecoder().decode(section);
}

function shortHash(value: string | Uint8Array): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 16);
}
