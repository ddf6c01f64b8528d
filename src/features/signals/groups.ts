/**
 * Which observations of a request are one scan to the tracker, which takes one source, one kind and one time a scan. Knows
 * no room and no rule of what is valid.
 */
import { MEAS_KIND_POSITION, MEAS_STRIDE, MEAS_Z0, MEAS_Z1 } from "../../../assembly/layout.ts";
import type { Modality } from "../../domain/modality.ts";
import { claimNumberAt } from "../../domain/scan.ts";
import { isSamePose, type SensorPose } from "../../domain/sensorProfile.ts";
import { kindOf } from "../../measurement/convert.ts";
import type { Wire } from "../../measurement/observationRules.ts";
import type { ScanInput } from "../../room/intake/inbox.ts";
import type { Source } from "../../room/sensors/sensors.ts";

/** Modalities whose observations are all of one of the kernel's kinds, and of one time a scan. */
const ONE_KIND: ReadonlySet<Modality> = new Set<Modality>([
  "radar",
  "lidar",
  "rf",
  "remote_id",
  "adsb",
  "blue_force",
  "rf_fix",
]);

/** Observations of one source at one time and of one kind, on their way to be a scan. */
export interface Group {
  readonly source: Source;
  readonly measuredAtUs: number;
  readonly pose: SensorPose | null;
  readonly scanId: string | null;
  readonly complete: boolean;
  readonly observations: Wire[];
}

interface KindGroup extends Group {
  readonly kind: number;
}

export class Groups {
  readonly list: Group[] = [];
  readonly #byKey = new Map<string, KindGroup>();
  /** Observations that belong together mostly come together. */
  #last: KindGroup | null = null;

  /** Observations of one source and time in one request become one scan, which says nothing about what was not seen. */
  add(source: Source, measuredAtUs: number, kind: number, pose: SensorPose | null, wire: Wire): void {
    this.#of(source, measuredAtUs - delayUs(wire), kind, pose).observations.push(wire);
  }

  #of(source: Source, measuredAtUs: number, kind: number, pose: SensorPose | null): KindGroup {
    const last = this.#last;
    if (
      last !== null &&
      last.source === source &&
      last.measuredAtUs === measuredAtUs &&
      last.kind === kind &&
      isSamePose(last.pose, pose)
    )
      return last;
    const key = `${measuredAtUs} ${kind} ${pose === null ? "" : JSON.stringify(pose)} ${source.id}`;
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = { source, measuredAtUs, kind, pose, scanId: null, complete: false, observations: [] };
      this.#byKey.set(key, group);
      this.list.push(group);
    }
    this.#last = group;
    return group;
  }

  /** The kernel takes one kind and one time a scan: ranged camera plots and delayed sounds go beside the others. */
  addScan(whole: Group): void {
    const { modality } = whole.source;
    const parts = new Map<string, Wire[]>();
    if (!ONE_KIND.has(modality))
      for (const wire of whole.observations) {
        const part = `${kindOf(modality, wire)} ${delayUs(wire)}`;
        const list = parts.get(part);
        if (list === undefined) parts.set(part, [wire]);
        else list.push(wire);
      }
    if (parts.size === 0) this.list.push(whole);
    for (const [part, observations] of parts) {
      const alone = parts.size === 1;
      const position = kindOf(modality, observations[0]!) === MEAS_KIND_POSITION;
      this.list.push({
        ...whole,
        measuredAtUs: whole.measuredAtUs - delayUs(observations[0]!),
        pose: position ? null : whole.pose,
        scanId: alone || whole.scanId === null ? whole.scanId : `${whole.scanId}/${part}`,
        complete: alone && whole.complete,
        observations,
      });
    }
  }
}

/**
 * Of modalities whose observations say who they are of: how far such a one may have come between two reports that reach
 * us at one time (airliners 5 s at 300 m/s, small aircraft 5 s at 60 m/s).
 */
const REACH_M: Readonly<Partial<Record<Modality, number>>> = { adsb: 1500, remote_id: 300, blue_force: 300 };

/**
 * Who is told of twice in one scan is one all the same, if it may be: the later word stands, and the tracker, for which
 * the rows of a scan are different objects, does not make two of it. Farther apart they are two that claim one name, and
 * that must be seen. The same input when nobody is told of twice.
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

function delayUs(wire: Wire): number {
  return typeof wire.propagation_delay_s === "number" ? Math.round(wire.propagation_delay_s * 1e6) : 0;
}
