/** A tracker's state as plain data for another process, and when it cannot be taken. */
import type { Geodetic } from "../domain/geodesy.ts";
import type { TrackerEntry } from "./entries.ts";
import { isWhole } from "./kernel/state.ts";
import type { SensorSnapshot } from "./sensorSlots.ts";
import type { TimelineSnapshot } from "./timeline.ts";

/** `structuredClone` and any binary form keep it. */
export interface TrackerSnapshot {
  readonly buildHash: string;
  /** Of the local frame that all positions are in. The tracker that takes the snapshot must have been opened with it. */
  readonly origin: Geodetic;
  readonly sensors: readonly SensorSnapshot[];
  readonly timeline: TimelineSnapshot<TrackerEntry>;
  readonly tick: number;
}

/** Why a snapshot cannot be taken; the tracker is as it was before. */
export interface SnapshotRefusal {
  readonly code: "other_build" | "other_origin" | "damaged";
  readonly sentence: string;
}

export function whyNotRestore(snapshot: TrackerSnapshot, buildHash: string, origin: Geodetic): SnapshotRefusal | null {
  if (snapshot.buildHash !== buildHash)
    return {
      code: "other_build",
      sentence: `The snapshot is of kernel ${snapshot.buildHash} and this is kernel ${buildHash}: fuse the scans again instead.`,
    };
  const { lat, lon, alt_hae_m } = snapshot.origin;
  if (lat !== origin.lat || lon !== origin.lon || alt_hae_m !== origin.alt_hae_m)
    return {
      code: "other_origin",
      sentence: "The snapshot is about another origin: open the tracker with the snapshot's origin.",
    };
  if (!isWhole(snapshot.timeline.saved))
    return { code: "damaged", sentence: "The kernel state in the snapshot has not the length that its head says." };
  return null;
}
