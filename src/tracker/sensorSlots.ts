/**
 * Which kernel slot each source has, with what profile, and where it stood in the room's frame. Slots are few: one is
 * given to another source only when its own has nothing left in the lag window; when all are busy, a source has none.
 * Knows no scans' contents.
 */
import type { EnuFrame } from "../domain/geodesy.ts";
import { isSamePose, type SensorPose, type SensorProfile } from "../domain/sensorProfile.ts";
import { assert } from "../lib/assert.ts";
import { type KernelPose, toKernelPose } from "./kernel/pose.ts";

interface Slot {
  sourceId: string;
  profile: SensorProfile;
  /** Until when it is busy: its newest scan, or the room's when it was last asked for. -Infinity before any scan. */
  usedAtUs: number;
  pose: SensorPose | null;
  kernelPose: KernelPose | null;
}

export interface SensorSnapshot {
  readonly sourceId: string;
  readonly profile: SensorProfile;
  readonly usedAtUs: number;
}

export class Sensors {
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

  slotOf(sourceId: string): number | undefined {
    return this.#bySource.get(sourceId);
  }

  sourceIdOf(slot: number): string {
    const known = this.#slots[slot];
    assert(known !== undefined, `no sensor has slot ${slot}`);
    return known.sourceId;
  }

  profileOf(slot: number): SensorProfile {
    return this.#slots[slot]!.profile;
  }

  /**
   * The slot whose profile must be told to the kernel, or null: nothing changed, or every slot is busy and the source has
   * none. Whoever is set is about to report, so its slot is not another's for `lagUs` from `newestUs`, the newest scan's time.
   */
  set(sourceId: string, profile: SensorProfile, newestUs: number, lagUs: number): number | null {
    const known = this.#bySource.get(sourceId);
    if (known !== undefined) {
      const slot = this.#slots[known]!;
      this.used(known, newestUs);
      if (slot.profile === profile) return null;
      slot.profile = profile;
      return known;
    }
    const index = this.#slots.length < this.#capacity ? this.#slots.length : this.#idlest();
    const former = this.#slots[index];
    if (former !== undefined) {
      if (!(former.usedAtUs < newestUs - lagUs)) return null;
      this.#bySource.delete(former.sourceId);
    }
    this.#slots[index] = { sourceId, profile, usedAtUs: newestUs, pose: null, kernelPose: null };
    this.#bySource.set(sourceId, index);
    return index;
  }

  used(slot: number, timeUs: number): void {
    const known = this.#slots[slot]!;
    if (timeUs > known.usedAtUs) known.usedAtUs = timeUs;
  }

  /** The pose in the room's frame. Most sensors stand still, so the last answer is kept. */
  poseOf(slot: number, pose: SensorPose | null): KernelPose | null {
    if (pose === null) return null;
    const known = this.#slots[slot]!;
    if (isSamePose(known.pose, pose)) return known.kernelPose;
    known.pose = pose;
    known.kernelPose = toKernelPose(this.#frame, pose);
    return known.kernelPose;
  }

  snapshot(): SensorSnapshot[] {
    return this.#slots.map(({ sourceId, profile, usedAtUs }) => ({ sourceId, profile, usedAtUs }));
  }

  restore(sensors: readonly SensorSnapshot[]): void {
    this.#slots.length = 0;
    this.#bySource.clear();
    for (const { sourceId, profile, usedAtUs } of sensors) {
      this.#bySource.set(sourceId, this.#slots.length);
      this.#slots.push({ sourceId, profile, usedAtUs, pose: null, kernelPose: null });
    }
  }

  #idlest(): number {
    let index = 0;
    for (let i = 1; i < this.#slots.length; i++) if (this.#slots[i]!.usedAtUs < this.#slots[index]!.usedAtUs) index = i;
    return index;
  }
}
