/**
 * How well a sensor's own place is known enters what it measures (docs/interface.md#placement): position errors as length,
 * and as an angle at the distance of the target; an error of its north as an angle. In quadrature, because nobody knows
 * their sign. Pure.
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

/** A sensor of unknown height stands on the ground of the picture, whose zero is the best guess there is. */
export function poseOnGround(pose: SensorPose, { heightAglM }: Siting, groundHaeM: number): SensorPose {
  return heightAglM === undefined ? pose : { ...pose, alt_hae_m: groundHaeM + heightAglM };
}

/** In place, of rows that are directions from the sensor. A bearing without range is taken at the range of even odds. */
export function widenBySiting(rows: Float64Array, count: number, siting: Siting, profile: SensorProfile): void {
  const { sigmaM, northSigmaDeg, heightSigmaM = 0 } = siting;
  const northRad = northSigmaDeg * RAD_PER_DEG;
  for (let at = 0; at < count * MEAS_STRIDE; at += MEAS_STRIDE) {
    const isRanged = rows[at + MEAS_KIND] === MEAS_KIND_SPHERICAL;
    const rangeM = isRanged ? rows[at + MEAS_Z2]! : profile.pd.r50_m;
    const shiftRad = Math.atan2(sigmaM, rangeM);
    rows[at + MEAS_S0] = Math.hypot(rows[at + MEAS_S0]!, northRad, shiftRad);
    // Not a number where no elevation was measured, and stays so.
    rows[at + MEAS_S1] = Math.hypot(rows[at + MEAS_S1]!, shiftRad, Math.atan2(heightSigmaM, rangeM));
    if (isRanged) rows[at + MEAS_S2] = Math.hypot(rows[at + MEAS_S2]!, sigmaM);
  }
}
