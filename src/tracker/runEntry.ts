/** One entry of the timeline in a kernel: the same for the live one and for one that runs a piece of the past again. */
import type { FusedScan, TrackerEntry } from "./entries.ts";
import type { Kernel } from "./kernel/kernel.ts";

export function runEntry(kernel: Kernel, entry: TrackerEntry): void {
  if (entry.kind === "scan") runScan(kernel, entry);
  else if (entry.kind === "split") kernel.splitTrack(entry.key, entry.newKey, entry.timeUs);
  else for (const otherKey of entry.otherKeys) kernel.mergeTracks(entry.keptKey, otherKey, entry.timeUs);
}

function runScan(kernel: Kernel, { sensor: { slot, key, profile }, timeUs, scanKey, pose, scan }: FusedScan): void {
  // In its place in the order, not when the profile changed: a replay of earlier scans has the earlier profile again.
  if (kernel.sensorKeyAt(slot) !== key) kernel.setSensor(slot, profile, key);
  kernel.scan(slot, timeUs, scanKey, pose, scan);
}
