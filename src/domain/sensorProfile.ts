/**
 * A sensor model: the facts that operators do not enter (docs/interface.md#sensor-profiles). The built-in list is in
 * `features/catalogue/sensorProfiles.ts`; a room resolves one for each source.
 */
import { type Static, Type } from "typebox";
import { canonicalJson } from "../lib/canonicalJson.ts";
import { MODALITIES } from "./modality.ts";
import { nullable, Shape } from "./shape.ts";

const Metres = Type.Number({ minimum: 0 });
const Sigma = Type.Number({ exclusiveMinimum: 0 });

export const SensorProfile = Shape("SensorProfile", {
  id: Type.String(),
  name: Type.String(),
  vendor_class: Type.String(),
  modality: Type.Enum(MODALITIES),
  bearing_only: Type.Boolean({ description: "measures directions and no range" }),
  min_range_m: Metres,
  max_range_m: Metres,
  fov_deg: Type.Number({
    exclusiveMinimum: 0,
    maximum: 360,
    description: "horizontal sector, centred on the boresight",
  }),
  vfov_deg: Type.Number({ exclusiveMinimum: 0, maximum: 180 }),
  el_min_deg: Type.Number({ minimum: -90, maximum: 90 }),
  el_max_deg: Type.Number({ minimum: -90, maximum: 90 }),
  scan: Type.Enum(["fixed", "scanning", "steerable"] as const),
  scan_period_s: Type.Number({ exclusiveMinimum: 0 }),
  pd: Type.Object({
    p0: Type.Number({ minimum: 0, maximum: 1, description: "detection probability at zero range" }),
    r50_m: Type.Number({ exclusiveMinimum: 0, description: "range at which it is half of p0" }),
    slope: Type.Number({ exclusiveMinimum: 0, description: "exponent of the rolloff p0 / (1 + (r / r50)^slope)" }),
    floor: Type.Number({ minimum: 0, maximum: 1 }),
  }),
  sigma: Type.Object({
    az_deg: nullable(Sigma),
    el_deg: nullable(Sigma),
    range_m: nullable(Sigma),
    range_frac: Type.Number({ minimum: 0, description: "sigma of range = range_m + range_frac * range" }),
    range_rate_mps: nullable(Sigma),
    horizontal_m: Type.Union([Sigma, Type.Null()], { description: "for sensors that report positions" }),
    vertical_m: nullable(Sigma),
    speed_mps: nullable(Sigma),
  }),
  false_alarm_per_scan: Type.Number({ minimum: 0 }),
  resolution: Type.Object({ az_deg: nullable(Sigma), range_m: nullable(Sigma) }),
  latency_s: Type.Number({ minimum: 0 }),
  tracking: Type.Enum(["none", "tracklet", "track", "track_reid"] as const),
  classes: Type.Array(Type.String()),
  rf_bands_hz: Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
  needs_los: Type.Boolean(),
});
export type SensorProfile = Static<typeof SensorProfile>;

/** One-sigma errors of a sensor's position and of its north. */
export interface Siting {
  readonly sigmaM: number;
  readonly northSigmaDeg: number;
  /** Error of the assumed height above the ellipsoid; absent: the height is known. */
  readonly heightSigmaM?: number;
  /** Its height above ground, if no other height is known. */
  readonly heightAglM?: number;
}

/** A direction that something around the sensor hides, or in which it does not transmit. Clockwise from true north. */
export interface BlindSector {
  readonly azFromDeg: number;
  readonly azToDeg: number;
  /** Hidden up to this elevation; 90 hides the whole sector. */
  readonly elMaxDeg: number;
}

/** The width of a sector, clockwise: 0 for equal azimuths, 360 from 0 to 360. */
export function sectorWidthDeg(fromDeg: number, toDeg: number): number {
  return toDeg >= fromDeg ? toDeg - fromDeg : toDeg - fromDeg + 360;
}

/** Position and direction of a sensor. Yaw turns the field of view; azimuths on the wire are from true north whatever the yaw. */
export interface SensorPose {
  readonly lat: number;
  readonly lon: number;
  readonly alt_hae_m: number;
  readonly yaw_deg: number;
  readonly pitch_deg: number;
  readonly roll_deg: number;
  /** Known for a placed sensor only. */
  readonly blindSectors?: readonly BlindSector[];
}

/** Compares by value: after a restart, or in a replay, an equal pose is another object. */
export function isSamePose(a: SensorPose | null, b: SensorPose | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.lat !== b.lat || a.lon !== b.lon || a.alt_hae_m !== b.alt_hae_m) return false;
  if (a.yaw_deg !== b.yaw_deg || a.pitch_deg !== b.pitch_deg || a.roll_deg !== b.roll_deg) return false;
  return isSame(a.blindSectors, b.blindSectors);
}

/** Compares by value, as for poses. */
export function isSameProfile(a: SensorProfile, b: SensorProfile): boolean {
  return isSame(a, b);
}

function isSame(a: object | undefined, b: object | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}
