/** Where a sensor stands and looks, in the kernel's units: metres in the room's frame, radians. */
import * as L from "../../../assembly/layout.ts";
import { EnuFrame } from "../../domain/geodesy.ts";
import { type BlindSector, type SensorPose, sectorWidthDeg } from "../../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { assert } from "../../lib/assert.ts";

export interface KernelPose {
  readonly eastM: number;
  readonly northM: number;
  readonly upM: number;
  /** Row-major 3x3: the sensor's east-north-up axes to the room's. */
  readonly rotation: ArrayLike<number>;
  readonly yawRad: number;
  /** Positive: boresight up. */
  readonly pitchRad: number;
  /** Positive: right side down. */
  readonly rollRad: number;
  /** Three numbers a sector: azimuth from true north, width clockwise from it, elevation up to which it is blind. */
  readonly blindRad: readonly number[];
}

/** At the room's origin, level, looking north. */
export const AT_ORIGIN: KernelPose = {
  eastM: 0,
  northM: 0,
  upM: 0,
  rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  yawRad: 0,
  pitchRad: 0,
  rollRad: 0,
  blindRad: [],
};

export function toKernelPose(frame: EnuFrame, pose: SensorPose): KernelPose {
  const [eastM, northM, upM] = frame.toEnu(pose.lat, pose.lon, pose.alt_hae_m);
  const own = new EnuFrame({ lat: pose.lat, lon: pose.lon, alt_hae_m: pose.alt_hae_m });
  return {
    ...{ eastM, northM, upM, rotation: frame.rotationFrom(own) },
    yawRad: pose.yaw_deg * RAD_PER_DEG,
    pitchRad: pose.pitch_deg * RAD_PER_DEG,
    rollRad: pose.roll_deg * RAD_PER_DEG,
    blindRad: (pose.blindSectors ?? []).flatMap(toKernelSector),
  };
}

function toKernelSector({ azFromDeg, azToDeg, elMaxDeg }: BlindSector): number[] {
  return [azFromDeg * RAD_PER_DEG, sectorWidthDeg(azFromDeg, azToDeg) * RAD_PER_DEG, elMaxDeg * RAD_PER_DEG];
}

/** Into a row of POSE_SIZE values. */
export function writePose(row: Float64Array, pose: KernelPose): void {
  row[L.POSE_EAST_M] = pose.eastM;
  row[L.POSE_NORTH_M] = pose.northM;
  row[L.POSE_UP_M] = pose.upM;
  for (let i = 0; i < 9; i++) row[L.POSE_ROTATION + i] = pose.rotation[i]!;
  row[L.POSE_YAW] = pose.yawRad;
  row[L.POSE_PITCH] = pose.pitchRad;
  row[L.POSE_ROLL] = pose.rollRad;
  assert(pose.blindRad.length <= L.BLIND_MAX * L.BLIND_STRIDE, "a sensor's blind sectors fit the kernel");
  row[L.POSE_BLIND_COUNT] = pose.blindRad.length / L.BLIND_STRIDE;
  row.set(pose.blindRad, L.POSE_BLIND);
}
