/**
 * Sigmas of a measurement, from the sensor profile and the accuracy that the report claims. The sigma of the profile is a
 * fact of the sensor model, so a claimed one can only enlarge it (docs/interface.md#observations). Pure.
 */

import { DEFAULT_PROFILE } from "../domain/defaultProfiles.ts";
import type { SensorProfile } from "../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../lib/angles.ts";

/** Radius that holds 95 % of a circular normal, over its sigma: sqrt(-2 ln 0.05). */
export const CIRCLE_95_PER_SIGMA = 2.447747;
/** Half-width that holds 95 % of a normal, over its sigma. */
export const LINE_95_PER_SIGMA = 1.959964;

/** A profile's sigmas in the kernel's units. */
export interface Sigmas {
  readonly azRad: number;
  readonly elRad: number;
  readonly rangeM: number;
  readonly rangeFrac: number;
  readonly rangeRateMps: number;
  readonly horizontalM: number;
  readonly verticalM: number;
  readonly speedMps: number;
}

/** Where neither the profile nor its modality's default has a sigma: wide enough to add nearly no information. */
const LAST_RESORT = {
  az_deg: 5,
  el_deg: 5,
  range_m: 50,
  range_rate_mps: 5,
  horizontal_m: 100,
  vertical_m: 100,
  speed_mps: 5,
};

const cache = new WeakMap<SensorProfile, Sigmas>();

/** Cached: the same object for the same profile. */
export function sigmasOf(profile: SensorProfile): Sigmas {
  const known = cache.get(profile);
  if (known !== undefined) return known;
  const fallback = DEFAULT_PROFILE[profile.modality].sigma;
  const of = (name: keyof typeof LAST_RESORT) => profile.sigma[name] ?? fallback[name] ?? LAST_RESORT[name];
  const sigmas: Sigmas = {
    azRad: of("az_deg") * RAD_PER_DEG,
    elRad: of("el_deg") * RAD_PER_DEG,
    rangeM: of("range_m"),
    rangeFrac: profile.sigma.range_frac,
    rangeRateMps: of("range_rate_mps"),
    horizontalM: of("horizontal_m"),
    verticalM: of("vertical_m"),
    speedMps: of("speed_mps"),
  };
  cache.set(profile, sigmas);
  return sigmas;
}

// ADS-B quality categories, RTCA DO-260B: 95 % bounds, index is the category. Category 0 means unknown.
const UNKNOWN_POSITION_M = 37_040;
const NAC_P_BOUND_M = [UNKNOWN_POSITION_M, 18_520, 7408, 3704, 1852, 926, 555.6, 185.2, 92.6, 30, 10, 3];
const NAC_V_BOUND_MPS = [Number.NaN, 10, 3, 1, 0.3];
/**
 * NACv 0 means "unknown, or 10 m/s and worse": many transponders always send it, with velocities that are sound. A sigma of
 * this size lets a track start at an airliner's speed and hardly moves a velocity that is known better.
 */
const NO_NAC_V_SIGMA_MPS = 30;
const GVA_BOUND_M = [Number.NaN, 150, 45];
/** Sigma of a geometric height without a usable GVA. */
const NO_GVA_SIGMA_M = 150;

export function nacPSigmaM(nacP: number): number {
  return (NAC_P_BOUND_M[nacP] ?? UNKNOWN_POSITION_M) / CIRCLE_95_PER_SIGMA;
}

export function nacVSigmaMps(nacV: number): number {
  const bound = NAC_V_BOUND_MPS[nacV] ?? Number.NaN;
  return Number.isNaN(bound) ? NO_NAC_V_SIGMA_MPS : bound / CIRCLE_95_PER_SIGMA;
}

export function gvaSigmaM(gva: number): number {
  const bound = GVA_BOUND_M[gva] ?? Number.NaN;
  return Number.isNaN(bound) ? NO_GVA_SIGMA_M : bound / LINE_95_PER_SIGMA;
}

/** User range error of satellite navigation under an open sky; HDOP times this is the horizontal r.m.s. error. */
const RANGE_ERROR_M = 3;

export function hdopSigmaM(hdop: number): number {
  return (hdop * RANGE_ERROR_M) / Math.SQRT2;
}
