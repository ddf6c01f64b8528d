/**
 * Which observations of a request are one scan to the tracker, which takes one source, one kind and one time a scan. Knows
 * no room and no rule of what is valid.
 */
import { MEAS_KIND_POSITION } from "../../../assembly/layout.ts";
import type { Modality } from "../../domain/modality.ts";
import { isSamePose, type SensorPose } from "../../domain/sensorProfile.ts";
import { kindOf } from "../../measurement/convert.ts";
import type { Wire } from "../../measurement/observationRules.ts";
import type { Source } from "../../room/face.ts";

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

function delayUs(wire: Wire): number {
  return typeof wire.propagation_delay_s === "number" ? Math.round(wire.propagation_delay_s * 1e6) : 0;
}
