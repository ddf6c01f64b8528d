/**
 * Groups the observations of a request into scans for the tracker: one source, one kind and one time per scan. Takes valid
 * observations; knows no room.
 */
import { MEAS_KIND_POSITION } from "../../../assembly/layout.ts";
import type { Modality } from "../../domain/modality.ts";
import { isSamePose, type SensorPose } from "../../domain/sensorProfile.ts";
import { kindOf } from "../../measurement/convert.ts";
import type { Wire } from "../../measurement/observationRules.ts";
import type { Channel } from "../../room/face.ts";

/** Modalities whose scans always have one kind and one time. */
const ONE_KIND: ReadonlySet<Modality> = new Set<Modality>([
  "radar",
  "lidar",
  "rf",
  "remote_id",
  "adsb",
  "blue_force",
  "rf_fix",
]);

/** The observations of one scan: one channel, one time, one kind. */
export interface Group {
  readonly channel: Channel;
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
  /** The group of the observation before: the next one is mostly of the same group. */
  #last: KindGroup | null = null;

  /** Adds a single observation. Its scan is not complete: an object that is not in it may still have been seen. */
  add(channel: Channel, measuredAtUs: number, kind: number, pose: SensorPose | null, wire: Wire): void {
    this.#of(channel, measuredAtUs - delayUs(wire), kind, pose).observations.push(wire);
  }

  #of(channel: Channel, measuredAtUs: number, kind: number, pose: SensorPose | null): KindGroup {
    const last = this.#last;
    if (
      last !== null &&
      last.channel === channel &&
      last.measuredAtUs === measuredAtUs &&
      last.kind === kind &&
      isSamePose(last.pose, pose)
    )
      return last;
    const key = `${measuredAtUs} ${kind} ${pose === null ? "" : JSON.stringify(pose)} ${channel.id}`;
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = { channel, measuredAtUs, kind, pose, scanId: null, complete: false, observations: [] };
      this.#byKey.set(key, group);
      this.list.push(group);
    }
    this.#last = group;
    return group;
  }

  /** Adds a scan, split by kind and time: camera plots with a range and delayed sounds become scans of their own. */
  addScan(whole: Group): void {
    const { modality } = whole.channel;
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
