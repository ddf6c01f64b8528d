/**
 * A scan: one look of one sensor at one time, as the tracker takes it. `measurement/convert.ts` makes it from the wire, the
 * room's inbox keeps it, `tracker/` fuses it. Measurements are numbers in columns, not objects, because this is the hot path
 * of ingest.
 */
import { MEAS_CLAIM, MEAS_STRIDE, MEAS_Z5 } from "../../assembly/layout.ts";
import type { Modality } from "./modality.ts";
import type { SensorPose } from "./sensorProfile.ts";

export interface Scan {
  readonly sourceId: string;
  /** The source's own id of the scan, or null. (source, scan id) is fused once. */
  readonly scanId: string | null;
  readonly modality: Modality;
  /** Time of validity, whole microseconds since the Unix epoch. */
  readonly measuredAtUs: number;
  readonly receivedAtUs: number;
  /** Where the sensor stood; null for position reports, which need no pose. */
  readonly pose: SensorPose | null;
  /** True when `measurements` is all that the sensor saw in its field of view, so that silence is evidence. */
  readonly complete: boolean;
  readonly count: number;
  /** count rows of MEAS_STRIDE values, see assembly/layout.ts. Owned by the scan; written again only by `setClaimNumber`. */
  readonly measurements: Float64Array;
  /** Ids of the observations, row by row; empty when the source gave none. */
  readonly observationIds: readonly string[];
}

/** The number of the identity that a row claims (`Claims.intern`); 0 for none. */
export function claimNumberAt(scan: Scan, row: number): number {
  return scan.measurements[row * MEAS_STRIDE + MEAS_CLAIM]!;
}

/** Called as the room takes the scan. This is the only write to its measurements after their conversion. */
export function setClaimNumber(scan: Scan, row: number, number: number): void {
  scan.measurements[row * MEAS_STRIDE + MEAS_CLAIM] = number;
}

/** Whether a row of a position has a climb rate. */
export function reportsClimbAt(scan: Scan, row: number): boolean {
  return !Number.isNaN(scan.measurements[row * MEAS_STRIDE + MEAS_Z5]!);
}
