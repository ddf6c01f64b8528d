/** Keeps the later of two reports of one object in one scan. Pure. */
import { MEAS_STRIDE, MEAS_Z0, MEAS_Z1 } from "../../../assembly/layout.ts";
import type { Modality } from "../../domain/modality.ts";
import { claimNumberAt } from "../../domain/scan.ts";
import type { ScanInput } from "./inbox.ts";

/**
 * For modalities whose observations name their object: how far it can move between two reports in one scan, metres
 * (airliners 5 s at 300 m/s, small aircraft 5 s at 60 m/s).
 */
const REACH_M: Readonly<Partial<Record<Modality, number>>> = { adsb: 1500, remote_id: 300, blue_force: 300 };

/**
 * The tracker takes the rows of a scan for different objects, so two reports of one identity within reach would become two
 * tracks: the older is dropped. Farther apart they are two objects that claim one name, and both are kept. Returns the same
 * input when no identity is reported twice. The rows must already have their claim numbers.
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
