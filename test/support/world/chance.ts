/** Seeded random bytes in place of those of `node:crypto`, so that ids follow from the seed too. */
import type { Draws } from "./draws.ts";

let current: Draws | null = null;

export function useChance(draws: Draws): void {
  current = draws;
}

export function randomBytes(count: number): Buffer {
  if (current === null) throw new Error("no simulated run is in progress");
  return current.bytes(count);
}
