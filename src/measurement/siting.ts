/**
 * Adds the errors of a sensor's siting to the sigmas of its measurements (docs/interface.md#placement): a position error to
 * the range, and as an angle at the range of the target; an error of its north to the azimuth. In quadrature, because they
 * are independent of the sensor's own errors. Pure.
 */

import {
  MEAS_KIND,
  MEAS_KIND_SPHERICAL,
  MEAS_S0,
  MEAS_S1,
  MEAS_S2,
  MEAS_STRIDE,
  MEAS_Z2,
} from "../../assembly/layout.ts";
import type { SensorPose, SensorProfile, Siting } from "../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../lib/angles.ts";

/** Puts a sensor of unknown height on the ground at the frame's origin, which is the best estimate there is. */
export function poseOnGround(pose: SensorPose, { heightAglM }: Siting, groundHaeM: number): SensorPose {
  return heightAglM === undefined ? pose : { ...pose, alt_hae_m: groundHaeM + heightAglM };
}

/** In place, for bearing and spherical rows. A bearing is taken at the range where Pd is one half. */
export function widenBySiting(rows: Float64Array, count: number, siting: Siting, profile: SensorProfile): void {
  const { sigmaM, northSigmaDeg, heightSigmaM = 0 } = siting;
  const northRad = northSigmaDeg * RAD_PER_DEG;
  for (let at = 0; at < count * MEAS_STRIDE; at += MEAS_STRIDE) {
    const isRanged = rows[at + MEAS_KIND] === MEAS_KIND_SPHERICAL;
    const rangeM = isRanged ? rows[at + MEAS_Z2]! : profile.pd.r50_m;
    const shiftRad = Math.atan2(sigmaM, rangeM);
    rows[at + MEAS_S0] = Math.hypot(rows[at + MEAS_S0]!, northRad, shiftRad);
    // NaN where no elevation was measured, and stays NaN.
    rows[at + MEAS_S1] = Math.hypot(rows[at + MEAS_S1]!, shiftRad, Math.atan2(heightSigmaM, rangeM));
    if (isRanged) rows[at + MEAS_S2] = Math.hypot(rows[at + MEAS_S2]!, sigmaM);
  }
}
