/** Small scans for the kernel, and a function that opens it. Angles in degrees here, radians in the rows. */
import { MEAS_KIND_BEARING, MEAS_KIND_POSITION, MEAS_KIND_SPHERICAL } from "../../assembly/layout.ts";
import { flatPd, NO_SIGMA } from "../../src/domain/defaultProfiles.ts";
import type { Modality } from "../../src/domain/modality.ts";
import type { Scan } from "../../src/domain/scan.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import type { TrackerConfig } from "../../src/tracker/config.ts";
import { BUILTIN_TRACKER_CONFIG } from "../../src/tracker/config.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { AT_ORIGIN, type KernelPose } from "../../src/tracker/kernel/pose.ts";

export const CONFIG = BUILTIN_TRACKER_CONFIG;
export const START_US = 1_800_000_000_000_000;
export const HERE = AT_ORIGIN;
const RAD = Math.PI / 180;
const NONE = Number.NaN;

export function profile(modality: Modality, change: Partial<SensorProfile> = {}): SensorProfile {
  return {
    id: modality,
    name: modality,
    vendor_class: "test",
    modality,
    bearing_only: false,
    min_range_m: 0,
    max_range_m: 10_000,
    fov_deg: 360,
    vfov_deg: 180,
    el_min_deg: -90,
    el_max_deg: 90,
    scan: "scanning",
    scan_period_s: 1,
    pd: flatPd(0.9),
    sigma: { ...NO_SIGMA, az_deg: 0.3, el_deg: 0.3, range_m: 3, horizontal_m: 3, vertical_m: 5, speed_mps: 0.5 },
    false_alarm_per_scan: 0.1,
    resolution: { az_deg: null, range_m: null },
    latency_s: 0,
    tracking: "none",
    classes: [],
    rf_bands_hz: [],
    needs_los: true,
    ...change,
  };
}

let compiled: Promise<KernelBuild> | null = null;

export async function openKernel(tracksMax = 1000, change: Partial<TrackerConfig> = {}): Promise<Kernel> {
  compiled ??= compileKernel();
  return new Kernel(await compiled, { ...CONFIG, ...change }, tracksMax);
}

function scanOf(modality: Modality, second: number, rows: readonly (readonly number[])[], complete: boolean): Scan {
  return {
    sourceId: modality,
    scanId: `${second}`,
    modality,
    measuredAtUs: START_US + Math.round(second * 1e6),
    receivedAtUs: START_US,
    pose: null,
    complete,
    count: rows.length,
    measurements: Float64Array.from(rows.flat()),
    observationIds: [],
  };
}

/** Plots: [azimuth, elevation, range, range rate]; NaN where the radar does not measure. */
export function radarScan(
  second: number,
  plots: readonly (readonly [number, number, number, number])[],
  complete = true,
): Scan {
  const rows = plots.map(([az, el, range, rate]) => [
    MEAS_KIND_SPHERICAL,
    az * RAD,
    el * RAD,
    range,
    rate,
    NONE,
    NONE,
    0.3 * RAD,
    0.3 * RAD,
    3,
    0.5,
    0,
    0,
    0,
    NONE,
    NONE,
  ]);
  return scanOf("radar", second, rows, complete);
}

export function bearingScan(second: number, azimuths: readonly number[]): Scan {
  const rows = azimuths.map((az) => [
    MEAS_KIND_BEARING,
    az * RAD,
    NONE,
    NONE,
    NONE,
    NONE,
    NONE,
    RAD,
    NONE,
    NONE,
    NONE,
    0,
    0,
    0,
    NONE,
    NONE,
  ]);
  return scanOf("rf", second, rows, true);
}

/** Reports: [east, north, up, claim]. */
export function reportScan(second: number, reports: readonly (readonly [number, number, number, number])[]): Scan {
  const rows = reports.map(([east, north, up, claim]) => [
    MEAS_KIND_POSITION,
    east,
    north,
    up,
    NONE,
    NONE,
    NONE,
    3,
    3,
    5,
    0.5,
    0,
    claim,
    0,
    NONE,
    NONE,
  ]);
  return scanOf("remote_id", second, rows, false);
}

/** Fuses a scan in the given slot; the key follows from time and slot. */
export function fuse(kernel: Kernel, slot: number, scan: Scan, pose: KernelPose | null = HERE): void {
  kernel.scan(slot, scan.measuredAtUs, 1 + ((scan.measuredAtUs * 31 + slot) % 2 ** 50), pose, scan);
}
