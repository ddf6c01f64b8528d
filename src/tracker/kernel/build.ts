/** Names the memory map and the constants that host and kernel share: the build stamps it, the host compares it. */
import { createHash } from "node:crypto";
import * as L from "../../../assembly/layout.ts";
import * as PHYSICS from "../../../assembly/physics.ts";

/** Custom section of the binary. */
export const LAYOUT_SECTION = "picket.layout";

/** 16 hex digits over every constant's name and value, in alphabetical order. */
export function layoutHash(): string {
  const constants = [...Object.entries(L), ...Object.entries(PHYSICS)].map(([name, value]) => `${name}=${value}`);
  return createHash("sha256").update(constants.sort().join("\n")).digest("hex").slice(0, 16);
}

/** What the build was stamped with, or null. */
export function stampOf(module: WebAssembly.Module): string | null {
  const [section] = WebAssembly.Module.customSections(module, LAYOUT_SECTION);
  return section === undefined ? null : new TextDecoder().decode(section);
}
