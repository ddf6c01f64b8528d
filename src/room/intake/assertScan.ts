/** Conditions on the scans that enter a room. A broken one is a fault of the caller, not of the data. */
import { MEAS_STRIDE } from "../../../assembly/layout.ts";
import { COOPERATIVE_MODALITIES } from "../../domain/modality.ts";
import { assert } from "../../lib/assert.ts";
import type { Admitted } from "./admission.ts";
import type { ScanInput } from "./inbox.ts";

/** Constant time per scan: the rows themselves are not read. */
export function assertScan({ scan, wire }: ScanInput): void {
  assert(Number.isFinite(scan.measuredAtUs), "a scan has a finite measurement time");
  assert(scan.measurements.length === scan.count * MEAS_STRIDE, "a scan has one row of measurements per observation");
  assert(
    wire.length === scan.count || !COOPERATIVE_MODALITIES.has(scan.modality),
    "a cooperative scan has the wire form of every row, because the claims are read from it",
  );
}

/** Every observation of a call was accepted or counted: nothing is dropped silently. */
export function assertAllCounted(scans: readonly ScanInput[], admitted: Admitted): void {
  let observations = 0;
  for (const { scan } of scans) observations += scan.count;
  const { accepted, late, quarantined, duplicates } = admitted;
  assert(
    accepted + late + quarantined + duplicates === observations,
    "every observation of a call is accepted or counted",
  );
}
