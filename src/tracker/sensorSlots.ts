/**
 * Which row of the kernel's table of sensors (slot) each source has, with what profile, and where it stood in the room's
 * frame. Slots are few: one is given to another source only when its own has no scan left in the lag window; while all are
 * busy, a source has none.
 */
import type { EnuFrame } from "../domain/geodesy.ts";
import { isSamePose, type SensorPose, type SensorProfile } from "../domain/sensorProfile.ts";
import { assert } from "../lib/assert.ts";
import { type KernelPose, toKernelPose } from "./kernel/pose.ts";
import { sensorKeyOf } from "./kernel/sensorModel.ts";

/** A sensor in its slot with a profile. A scan keeps the object that was valid when it arrived. */
export interface SlotSensor {
  readonly slot: number;
  readonly sourceId: string;
  readonly profile: SensorProfile;
  /** The same for equal profiles of one source, see `sensorKeyOf`. */
  readonly key: number;
}

interface Slot {
  sensor: SlotSensor;
  /** The slot is busy for the lag window after this: the newest time at which the source was set or had a scan. */
  usedAtUs: number;
  pose: SensorPose | null;
  kernelPose: KernelPose | null;
}

export interface SensorSnapshot {
  readonly sourceId: string;
  readonly profile: SensorProfile;
  readonly usedAtUs: number;
}

export class SensorSlots {
  readonly #frame: EnuFrame;
  readonly #capacity: number;
  readonly #slots: Slot[] = [];
  readonly #bySource = new Map<string, number>();

  constructor(frame: EnuFrame, capacity: number) {
    this.#frame = frame;
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#slots.length;
  }

  /** Undefined for a source without a slot. */
  sensorOf(sourceId: string): SlotSensor | undefined {
    const slot = this.#bySource.get(sourceId);
    return slot === undefined ? undefined : this.#slots[slot]!.sensor;
  }

  sourceIdOf(slot: number): string {
    const known = this.#slots[slot];
    assert(known !== undefined, `no sensor has slot ${slot}`);
    return known.sensor.sourceId;
  }

  /**
   * Gives the source a slot, unless all are busy, and the profile for its scans from now on. It is about to report, so its
   * slot counts as used at `newestUs`, the time of the newest scan, and is not given away for `lagUs` after that.
   */
  set(sourceId: string, profile: SensorProfile, newestUs: number, lagUs: number): void {
    const known = this.#bySource.get(sourceId);
    if (known !== undefined) {
      this.used(known, newestUs);
      this.#setProfile(this.#slots[known]!, profile);
      return;
    }
    const index = this.#slots.length < this.#capacity ? this.#slots.length : this.#idlest();
    const former = this.#slots[index];
    if (former !== undefined) {
      if (!(former.usedAtUs < newestUs - lagUs)) return;
      this.#bySource.delete(former.sensor.sourceId);
    }
    this.#slots[index] = slotOf(index, sourceId, profile, newestUs);
    this.#bySource.set(sourceId, index);
  }

  /** Keys compare profiles by value: read from the registry again, an equal profile is another object. */
  #setProfile(slot: Slot, profile: SensorProfile): void {
    if (slot.sensor.profile === profile) return;
    const key = sensorKeyOf(slot.sensor.sourceId, profile);
    slot.sensor = { ...slot.sensor, profile, key };
  }

  used(slot: number, timeUs: number): void {
    const known = this.#slots[slot]!;
    if (timeUs > known.usedAtUs) known.usedAtUs = timeUs;
  }

  /** The pose in the room's frame. Most sensors stand still, so the last result is kept. */
  poseOf(slot: number, pose: SensorPose | null): KernelPose | null {
    if (pose === null) return null;
    const known = this.#slots[slot]!;
    if (isSamePose(known.pose, pose)) return known.kernelPose;
    known.pose = pose;
    known.kernelPose = toKernelPose(this.#frame, pose);
    return known.kernelPose;
  }

  snapshot(): SensorSnapshot[] {
    return this.#slots.map(({ sensor: { sourceId, profile }, usedAtUs }) => ({ sourceId, profile, usedAtUs }));
  }

  restore(sensors: readonly SensorSnapshot[]): void {
    this.#slots.length = 0;
    this.#bySource.clear();
    for (const [slot, { sourceId, profile, usedAtUs }] of sensors.entries()) {
      this.#bySource.set(sourceId, slot);
      this.#slots.push(slotOf(slot, sourceId, profile, usedAtUs));
    }
  }

  #idlest(): number {
    let index = 0;
    for (let i = 1; i < this.#slots.length; i++) if (this.#slots[i]!.usedAtUs < this.#slots[index]!.usedAtUs) index = i;
    return index;
  }
}

function slotOf(slot: number, sourceId: string, profile: SensorProfile, usedAtUs: number): Slot {
  const sensor = { slot, sourceId, profile, key: sensorKeyOf(sourceId, profile) };
  return { sensor, usedAtUs, pose: null, kernelPose: null };
}
