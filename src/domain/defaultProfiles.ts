/**
 * The generic sensor model of each modality, for observed sources that nobody registered. The sigmas are moderate on purpose: a
 * supplied sigma may only enlarge them (docs/interface.md#observations), and a good sensor gets better figures when it is
 * registered with its own profile.
 */
import type { Modality } from "./modality.ts";
import type { SensorProfile } from "./sensorProfile.ts";

type Pd = SensorProfile["pd"];
type Sigma = SensorProfile["sigma"];

/** Far beyond any range on earth: the rolloff p0 / (1 + (r / r50)^slope) is flat to the last digit that matters. */
const NO_ROLLOFF_M = 1e9;

export function flatPd(p0: number): Pd {
  return { p0, r50_m: NO_ROLLOFF_M, slope: 4, floor: 0 };
}

export const NO_SIGMA: Sigma = {
  az_deg: null,
  el_deg: null,
  range_m: null,
  range_frac: 0,
  range_rate_mps: null,
  horizontal_m: null,
  vertical_m: null,
  speed_mps: null,
};

/** An unregistered source sees in all directions all the time, and detects nine times out of ten. */
const ALL_ROUND: Omit<SensorProfile, "id" | "name" | "modality" | "max_range_m"> = {
  vendor_class: "generic",
  bearing_only: false,
  min_range_m: 0,
  fov_deg: 360,
  vfov_deg: 180,
  el_min_deg: -90,
  el_max_deg: 90,
  scan: "fixed",
  scan_period_s: 1,
  pd: flatPd(0.9),
  sigma: NO_SIGMA,
  false_alarm_per_scan: 0.1,
  resolution: { az_deg: null, range_m: null },
  latency_s: 0.2,
  tracking: "none",
  classes: [],
  rf_bands_hz: [],
  needs_los: true,
};

export const DEFAULT_PROFILE: Readonly<Record<Modality, SensorProfile>> = {
  radar: {
    ...ALL_ROUND,
    id: "generic-radar",
    name: "Radar, generic",
    modality: "radar",
    min_range_m: 50,
    max_range_m: 20_000,
    scan: "scanning",
    sigma: { ...NO_SIGMA, az_deg: 0.3, el_deg: 0.4, range_m: 3, range_rate_mps: 0.4 },
    false_alarm_per_scan: 5,
    resolution: { az_deg: 1.5, range_m: 15 },
  },
  rf: {
    ...ALL_ROUND,
    id: "generic-rf",
    name: "RF direction finder, generic",
    modality: "rf",
    bearing_only: true,
    max_range_m: 10_000,
    sigma: { ...NO_SIGMA, az_deg: 1, el_deg: 3 },
    resolution: { az_deg: 5, range_m: null },
  },
  rf_fix: {
    ...ALL_ROUND,
    id: "generic-rf-fix",
    name: "RF position fix, generic",
    modality: "rf_fix",
    max_range_m: 20_000,
    sigma: { ...NO_SIGMA, horizontal_m: 25, vertical_m: 60 },
  },
  eo: {
    ...ALL_ROUND,
    id: "generic-eo",
    name: "Camera, generic",
    modality: "eo",
    bearing_only: true,
    max_range_m: 5000,
    sigma: { ...NO_SIGMA, az_deg: 0.05, el_deg: 0.05, range_m: 3 },
    false_alarm_per_scan: 0.5,
    resolution: { az_deg: 0.1, range_m: null },
  },
  ir: {
    ...ALL_ROUND,
    id: "generic-ir",
    name: "Thermal imager, generic",
    modality: "ir",
    bearing_only: true,
    max_range_m: 5000,
    sigma: { ...NO_SIGMA, az_deg: 0.05, el_deg: 0.05, range_m: 3 },
    false_alarm_per_scan: 0.5,
    resolution: { az_deg: 0.1, range_m: null },
  },
  acoustic: {
    ...ALL_ROUND,
    id: "generic-acoustic",
    name: "Acoustic sensor, generic",
    modality: "acoustic",
    bearing_only: true,
    max_range_m: 1000,
    sigma: { ...NO_SIGMA, az_deg: 3, el_deg: 5 },
    false_alarm_per_scan: 0.5,
    resolution: { az_deg: 15, range_m: null },
    needs_los: false,
  },
  lidar: {
    ...ALL_ROUND,
    id: "generic-lidar",
    name: "Lidar, generic",
    modality: "lidar",
    min_range_m: 1,
    max_range_m: 1000,
    scan: "scanning",
    sigma: { ...NO_SIGMA, az_deg: 0.1, el_deg: 0.1, range_m: 0.2 },
    false_alarm_per_scan: 0.5,
    resolution: { az_deg: 0.2, range_m: 0.5 },
  },
  remote_id: {
    ...ALL_ROUND,
    id: "generic-remote-id",
    name: "Remote ID receiver, generic",
    modality: "remote_id",
    max_range_m: 10_000,
    sigma: { ...NO_SIGMA, horizontal_m: 3, vertical_m: 5, speed_mps: 1 },
    false_alarm_per_scan: 0.01,
    latency_s: 1,
    tracking: "track",
    needs_los: false,
  },
  adsb: {
    ...ALL_ROUND,
    id: "generic-adsb",
    name: "ADS-B receiver, generic",
    modality: "adsb",
    max_range_m: 400_000,
    sigma: { ...NO_SIGMA, horizontal_m: 10, vertical_m: 15, speed_mps: 1 },
    false_alarm_per_scan: 0.01,
    latency_s: 0.5,
    tracking: "track",
  },
  blue_force: {
    ...ALL_ROUND,
    id: "generic-blue-force",
    name: "Blue force link, generic",
    modality: "blue_force",
    max_range_m: 100_000,
    sigma: { ...NO_SIGMA, horizontal_m: 2, vertical_m: 4, speed_mps: 0.3 },
    false_alarm_per_scan: 0.001,
    tracking: "track",
    needs_los: false,
  },
  human: {
    ...ALL_ROUND,
    id: "generic-human",
    name: "Observer, generic",
    modality: "human",
    max_range_m: 3000,
    scan_period_s: 10,
    pd: flatPd(0.3),
    sigma: { ...NO_SIGMA, az_deg: 5, el_deg: 5, horizontal_m: 100, vertical_m: 100 },
    latency_s: 10,
  },
};
