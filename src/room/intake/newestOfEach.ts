/** One object reported twice in one scan: the later report stands. Pure. */
import { MEAS_STRIDE, MEAS_Z0, MEAS_Z1 } from "../../../assembly/layout.ts";
import type { Modality } from "../../domain/modality.ts";
import { claimNumberAt } from "../../domain/scan.ts";
import type { ScanInput } from "./inbox.ts";

/**
 * For modalities whose observations name their object: how far it may have moved between two reports that arrive in one
 * scan (airliners 5 s at 300 m/s, small aircraft 5 s at 60 m/s), metres.
 */
const REACH_M: Readonly<Partial<Record<Modality, number>>> = { adsb: 1500, remote_id: 300, blue_force: 300 };

/**
 * Two reports of one identity within reach are one object, and the tracker, for which the rows of a scan are different
 * objects, must not make two of it. Farther apart they are two objects that claim one name, and both stay visible.
 * Returns the same input when no identity is reported twice. Claim numbers are in the rows before.
 */
export function newestOfEach(input: ScanInput): ScanInput {
  const { scan, wire } = input;
  const reachM = REACH_M[scan.modality];
  if (scan.count < 2 || reachM === undefined) return input;
  const newest = new Map<number, number>();
  for (let i = 0; i < scan.count; i++) newest.set(claimNumberAt(scan, i), i);
  if (newest.size === scan.count) return input;
  const rows = scan.measurements;
  const kept: number[] = [];
  for (let i = 0; i < scan.count; i++) {
    const later = newest.get(claimNumberAt(scan, i))!;
    const [from, to] = [i * MEAS_STRIDE, later * MEAS_STRIDE];
    const apartM = Math.hypot(rows[from + MEAS_Z0]! - rows[to + MEAS_Z0]!, rows[from + MEAS_Z1]! - rows[to + MEAS_Z1]!);
    if (i === later || apartM > reachM) kept.push(i);
  }
  const measurements = new Float64Array(kept.length * MEAS_STRIDE);
  kept.forEach((from, to) => {
    measurements.set(rows.subarray(from * MEAS_STRIDE, (from + 1) * MEAS_STRIDE), to * MEAS_STRIDE);
  });
  const ids = scan.observationIds;
  const observationIds = ids.length === 0 ? ids : kept.map((i) => ids[i]!);
  return { scan: { ...scan, count: kept.length, measurements, observationIds }, wire: kept.map((i) => wire[i]!) };
}
