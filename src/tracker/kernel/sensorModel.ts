/** What the kernel knows of a sensor: the first SENSOR_MODEL_SIZE values of its row, made from the profile. */
import * as L from "../../../assembly/layout.ts";
import * as PHYSICS from "../../../assembly/physics.ts";
import { COOPERATIVE_MODALITIES } from "../../domain/modality.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { hash53 } from "../hash53.ts";

const BEARING_MODALITIES: ReadonlySet<string> = new Set(["rf", "eo", "ir", "acoustic"]);
const EMISSION_MODALITIES: ReadonlySet<string> = new Set(["rf", "acoustic"]);
const POSITION_MODALITIES: ReadonlySet<string> = new Set(["rf_fix", "remote_id", "adsb", "blue_force", "human"]);

export function sensorModelOf(profile: SensorProfile): Float64Array {
  const model = new Float64Array(L.SENSOR_MODEL_SIZE);
  model[L.SENSOR_RANGE_MIN_M] = profile.min_range_m;
  model[L.SENSOR_RANGE_MAX_M] = profile.max_range_m;
  model[L.SENSOR_FOV_RAD] = profile.fov_deg * RAD_PER_DEG;
  model[L.SENSOR_EL_MIN_RAD] = profile.el_min_deg * RAD_PER_DEG;
  model[L.SENSOR_EL_MAX_RAD] = profile.el_max_deg * RAD_PER_DEG;
  model[L.SENSOR_PD_P0] = Math.min(profile.pd.p0, PHYSICS.PD_MAX);
  model[L.SENSOR_PD_R50_M] = profile.pd.r50_m;
  model[L.SENSOR_PD_SLOPE] = profile.pd.slope;
  model[L.SENSOR_PD_FLOOR] = profile.pd.floor;
  model[L.SENSOR_FALSE_ALARMS] = profile.false_alarm_per_scan;
  model[L.SENSOR_KIND] = kindOf(profile);
  model[L.SENSOR_COOPERATIVE] = COOPERATIVE_MODALITIES.has(profile.modality) ? 1 : 0;
  model[L.SENSOR_HEARS_EMISSIONS] = EMISSION_MODALITIES.has(profile.modality) ? 1 : 0;
  return model;
}

function kindOf({ modality }: SensorProfile): number {
  if (BEARING_MODALITIES.has(modality)) return L.MEAS_KIND_BEARING;
  return POSITION_MODALITIES.has(modality) ? L.MEAS_KIND_POSITION : L.MEAS_KIND_SPHERICAL;
}

/** Names a source together with what the kernel knows of it; equal profiles of one source have one key, in every process. */
export function sensorKeyOf(sourceId: string, profile: SensorProfile): number {
  return hash53(`${sourceId}\n${sensorModelOf(profile).join()}`);
}
