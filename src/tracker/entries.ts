/**
 * What the timeline holds and the kernel runs, in canonical order: scans, and the operator's edits of tracks beside them.
 * Plain data, so that a snapshot carries it. An edit sorts before the scans of its own microsecond.
 */
import { MEAS_STRIDE, SCAN_MEASUREMENTS_MAX } from "../../assembly/layout.ts";
import type { Scan } from "../domain/scan.ts";
import { assert } from "../lib/assert.ts";
import { hash53, hash53OfValues } from "./hash53.ts";
import type { KernelPose } from "./kernel/pose.ts";
import type { SlotSensor } from "./sensorSlots.ts";
import type { TimelineEntry } from "./timeline.ts";

export interface FusedScan extends TimelineEntry {
  readonly kind: "scan";
  readonly scan: Scan;
  /** The sensor with the profile that it had when the scan arrived. */
  readonly sensor: SlotSensor;
  readonly pose: KernelPose | null;
  /** The keys of tracks that it starts follow from this. */
  readonly scanKey: number;
  /** The step that fused it first. */
  readonly tick: number;
  /** The step that ran it last; another one than the first when late data made the kernel run it again. */
  step: Step;
}

/** One advance of the tracker, as the scans that it ran know it. */
export interface Step {
  readonly tick: number;
  readonly atUs: number;
  /** Scans that it ran. */
  scans: number;
  /** Earlier steps whose scans it ran again. */
  rewinds: readonly { readonly tick: number }[];
}

/** From its time on the other tracks are the kept one's object. */
interface MergeEdit extends TimelineEntry {
  readonly kind: "merge";
  readonly keptKey: number;
  readonly otherKeys: readonly number[];
}

/** From its time on the track is two objects: it keeps its key for one of them, the other has the new one. */
interface SplitEdit extends TimelineEntry {
  readonly kind: "split";
  readonly key: number;
  readonly newKey: number;
}

export type TrackEdit = MergeEdit | SplitEdit;
export type TrackerEntry = FusedScan | TrackEdit;

/** Sorts before every source, and no source has it. */
const OPERATOR = "";

/** What the kernel and the canonical order rely on. */
export function assertScan({ sourceId, measuredAtUs, count, measurements }: Scan): void {
  assert(sourceId !== OPERATOR, "a scan names its source");
  assert(Number.isSafeInteger(measuredAtUs), "a scan is measured at a whole microsecond");
  assert(count >= 0 && count <= SCAN_MEASUREMENTS_MAX, "a scan fits the kernel");
  assert(measurements.length >= count * MEAS_STRIDE, "a scan has all the measurements that it counts");
}

export function scanEntry(scan: Scan, sensor: SlotSensor, pose: KernelPose | null, step: Step): FusedScan {
  const identity = identityOf(scan);
  return {
    kind: "scan",
    timeUs: scan.measuredAtUs,
    sourceId: scan.sourceId,
    identity,
    weight: scan.count,
    ran: false,
    scan,
    sensor,
    pose,
    scanKey: hash53(`${scan.sourceId}\n${scan.measuredAtUs}\n${identity}`),
    tick: step.tick,
    step,
  };
}

export function mergeEntry(keptKey: number, otherKeys: readonly number[], atUs: number): MergeEdit {
  const sorted = [...otherKeys].sort((a, b) => a - b);
  const identity = `merge ${keptKey} ${sorted.join(" ")}`;
  return {
    kind: "merge",
    timeUs: atUs,
    sourceId: OPERATOR,
    identity,
    weight: 0,
    ran: false,
    keptKey,
    otherKeys: sorted,
  };
}

/** The new key follows from the edit, as a track's key follows from the measurement that started it. */
export function splitEntry(key: number, atUs: number): SplitEdit {
  const identity = `split ${key}`;
  const newKey = hash53(`${identity}\n${atUs}`);
  return { kind: "split", timeUs: atUs, sourceId: OPERATOR, identity, weight: 0, ran: false, key, newKey };
}

/** The scan's own id, else its first observation's, else its values: two equal reports without ids are one. */
function identityOf(scan: Scan): string {
  if (scan.scanId !== null) return `s${scan.scanId}`;
  const first = scan.observationIds[0];
  if (first !== undefined) return `o${first}`;
  return `c${hash53OfValues(scan.measurements.subarray(0, scan.count * MEAS_STRIDE))}`;
}
