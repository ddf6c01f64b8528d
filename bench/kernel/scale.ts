/**
 * The kernel alone: the time of a scan with 100, 1 000 and 10 000 targets seen by two radars with clutter, at the same
 * number of targets per area. The reference is the kernel itself at a tenth of the size: `growth` is how the cost grows.
 * The targets are checked to be tracked.
 */
import { MEAS_KIND_SPHERICAL, MEAS_STRIDE } from "../../assembly/layout.ts";
import { flatPd, NO_SIGMA } from "../../src/domain/defaultProfiles.ts";
import type { Scan } from "../../src/domain/scan.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import { BUILTIN_TRACKER_CONFIG } from "../../src/tracker/config.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { AT_ORIGIN } from "../../src/tracker/kernel/pose.ts";
import { TRACK_STATUS } from "../../src/tracker/types.ts";
import type { Report, Size } from "../benches.ts";

const MS_AT_1000_MAX = 3;
const GROWTH_MAX = 14;
const SIGMA = { azRad: 0.0021, elRad: 0.0026, rangeM: 3 };
const PD = 0.95;
const SCANS = 26;
/** The first scans start tracks; only scans of established tracks are timed. */
const WARM_UP = 8;
const START_US = 1_800_000_000_000_000;
const RADAR_EAST_M = [-1500, 1500] as const;

/** Uniform pseudo-random numbers (mulberry32) from a seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function profileOf(targets: number): SensorProfile {
  return {
    id: "bench",
    name: "bench",
    vendor_class: "bench",
    modality: "radar",
    bearing_only: false,
    min_range_m: 50,
    max_range_m: 40_000,
    fov_deg: 360,
    vfov_deg: 90,
    el_min_deg: -5,
    el_max_deg: 60,
    scan: "scanning",
    scan_period_s: 1,
    pd: flatPd(PD),
    sigma: { ...NO_SIGMA, az_deg: 0.12, el_deg: 0.15, range_m: 3 },
    false_alarm_per_scan: targets / 10,
    resolution: { az_deg: null, range_m: null },
    latency_s: 0,
    tracking: "none",
    classes: [],
    rf_bands_hz: [],
    needs_los: true,
  };
}

class Sky {
  readonly #random: () => number;
  readonly #halfM: number;
  readonly #targets: { readonly at: readonly number[]; readonly velocity: readonly number[] }[];

  constructor(targets: number) {
    this.#random = generator(targets);
    this.#halfM = 4000 * Math.sqrt(targets / 1000);
    this.#targets = Array.from({ length: targets }, () => ({
      at: [this.#between(this.#halfM), this.#between(this.#halfM), 100 + 200 * this.#random()],
      velocity: [8 * this.#normal(), 8 * this.#normal()],
    }));
  }

  #between(half: number): number {
    return (2 * this.#random() - 1) * half;
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }

  /** The radar's scan at a time: detections with noise, and false plots. */
  scanAt(seconds: number, radar: number): Scan {
    const rows: number[] = [];
    const put = (az: number, el: number, range: number) =>
      rows.push(
        MEAS_KIND_SPHERICAL,
        az,
        el,
        range,
        Number.NaN,
        Number.NaN,
        Number.NaN,
        SIGMA.azRad,
        SIGMA.elRad,
        SIGMA.rangeM,
        Number.NaN,
        0,
        0,
        0,
        Number.NaN,
        Number.NaN,
      );
    for (const { at, velocity } of this.#targets) {
      if (this.#random() > PD) continue;
      const east = at[0]! + velocity[0]! * seconds - RADAR_EAST_M[radar]!;
      const north = at[1]! + velocity[1]! * seconds;
      const up = at[2]!;
      put(
        Math.atan2(east, north) + SIGMA.azRad * this.#normal(),
        Math.atan2(up, Math.hypot(east, north)) + SIGMA.elRad * this.#normal(),
        Math.hypot(east, north, up) + SIGMA.rangeM * this.#normal(),
      );
    }
    for (let i = 0; i < this.#targets.length / 10; i++)
      put(this.#between(Math.PI), 0.5 * this.#random(), 50 + this.#halfM * this.#random());
    return {
      sourceId: `radar-${radar}`,
      scanId: `${seconds}`,
      modality: "radar",
      measuredAtUs: START_US + seconds * 1e6,
      receivedAtUs: 0,
      pose: null,
      complete: true,
      count: rows.length / MEAS_STRIDE,
      measurements: Float64Array.from(rows),
      observationIds: [],
    };
  }
}

interface Measured {
  readonly msPerScan: number;
  readonly usPerDetection: number;
  readonly confirmed: number;
}

function measure(build: KernelBuild, targets: number): Measured {
  const kernel = new Kernel(build, BUILTIN_TRACKER_CONFIG, 10_000);
  const sky = new Sky(targets);
  kernel.setSensor(0, profileOf(targets));
  kernel.setSensor(1, profileOf(targets));
  const took: number[] = [];
  let detections = 0;
  for (let i = 0; i < SCANS; i++) {
    const radar = i & 1;
    const scan = sky.scanAt(i * 0.5, radar);
    const pose = { ...AT_ORIGIN, eastM: RADAR_EAST_M[radar]! };
    const startedMs = performance.now();
    kernel.scan(radar, scan.measuredAtUs, 12_345 + 7919 * i, pose, scan);
    if (i >= WARM_UP) took.push(performance.now() - startedMs);
    detections = scan.count;
    kernel.sweep(scan.measuredAtUs);
  }
  const table = kernel.read(START_US + (SCANS - 1) * 500_000);
  let confirmed = 0;
  for (let row = 0; row < table.count; row++) if (TRACK_STATUS[table.status[row]!] === "confirmed") confirmed++;
  const msPerScan = took.sort((a, b) => a - b)[took.length >> 1]!;
  return { msPerScan, usPerDetection: (1000 * msPerScan) / detections, confirmed };
}

export async function run(size: Size): Promise<Report> {
  const build = await compileKernel();
  const sizes = size === "full" ? [100, 1000, 10_000] : [100, 1000];
  const measured = sizes.map((targets) => ({ targets, ...measure(build, targets) }));
  const at = (targets: number) => measured.find((m) => m.targets === targets);
  const tracked = measured.every((m) => m.confirmed > 0.97 * m.targets && m.confirmed < 1.03 * m.targets);
  const growth = (at(10_000)?.msPerScan ?? Number.NaN) / at(1000)!.msPerScan;
  const fast = at(1000)!.msPerScan < MS_AT_1000_MAX && growth <= GROWTH_MAX;
  return {
    ok: tracked && (size === "small" || fast),
    measured,
    msAt1000Max: MS_AT_1000_MAX,
    ratio: at(1000)!.msPerScan / at(100)!.msPerScan,
    ...(size === "full" ? { growth, growthMax: GROWTH_MAX } : {}),
  };
}
