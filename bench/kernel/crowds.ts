/**
 * The worst case of the kernel's cost: many reports at one place, in one direction or under one identity, as only a
 * hostile or broken source sends them. The reference is the same number of reports spread out, in the same minute: `ratio`
 * is the most expensive scan or sweep of any crowd over a scan of the reference. The reference is checked to be tracked.
 */
import { MEAS_KIND_BEARING, MEAS_KIND_POSITION, MEAS_KIND_SPHERICAL } from "../../assembly/layout.ts";
import { flatPd, NO_SIGMA } from "../../src/domain/defaultProfiles.ts";
import type { Modality } from "../../src/domain/modality.ts";
import type { Scan } from "../../src/domain/scan.ts";
import { BUILTIN_TRACKER_CONFIG } from "../../src/tracker/config.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Kernel } from "../../src/tracker/kernel/kernel.ts";
import { AT_ORIGIN } from "../../src/tracker/kernel/pose.ts";
import type { Report, Size } from "../benches.ts";

/** Without the kernel's bound on a search the ratio is a hundred at 4 000 reports and a thousand at 10 000. */
const RATIO_MAX = 15;
const RUNS_MAX = 3;
const SCANS = 4;
const START_US = 1_800_000_000_000_000;
const SENSORS: readonly Modality[] = ["radar", "remote_id", "rf", "rf"];
const RADAR = 0;
const REPORTS = 1;
const FINDERS = [2, 3] as const;
const NONE = Number.NaN;

type Row = readonly number[];
/** One scan: the sensor's slot, the time after the start, and the rows. */
interface Look {
  readonly slot: number;
  readonly second: number;
  readonly rows: readonly Row[];
}

/** Spreads places evenly and repeatably: multiples of the golden ratio. */
const spreadOver = (i: number, width: number) => (i * 0.6180339887498949 * width) % width;

const report = (east: number, north: number, claim: number, velocity = NONE): Row => [
  ...[MEAS_KIND_POSITION, east, north, 100, velocity, velocity, velocity],
  ...[3, 3, 5, 0.5, 0, claim, 0, NONE, NONE],
];
const plot = (az: number, range: number): Row => [
  ...[MEAS_KIND_SPHERICAL, az, 0.1, range, NONE, NONE, NONE],
  ...[0.005, 0.005, 3, NONE, 0, 0, 0, NONE, NONE],
];
const bearing = (az: number, sigma: number): Row => [
  ...[MEAS_KIND_BEARING, az, NONE, NONE, NONE, NONE, NONE],
  ...[sigma, NONE, NONE, NONE, 0, 0, 0, NONE, NONE],
];

const rowsOf = (count: number, row: (i: number) => Row): Row[] => Array.from({ length: count }, (_, i) => row(i));
const looks = (look: (k: number) => Look): Look[] => Array.from({ length: SCANS }, (_, k) => look(k));
const grid = (i: number, count: number) => [
  i % Math.ceil(Math.sqrt(count)),
  Math.floor(i / Math.ceil(Math.sqrt(count))),
];

function spread(count: number): Look[] {
  const row = (i: number) => report(200 * grid(i, count)[0]!, 200 * grid(i, count)[1]!, i + 1);
  return looks((k) => ({ slot: REPORTS, second: k, rows: rowsOf(count, row) }));
}

/** Each crowd is a few metres wide. Scans 0.1 s apart come before the sweep that merges duplicate tracks. */
const CROWDS: Readonly<Record<string, (count: number) => Look[]>> = {
  newClaims: (count) =>
    looks((k) => ({
      slot: REPORTS,
      second: k,
      rows: rowsOf(count, (i) => report(spreadOver(i, 6), spreadOver(i, 5), 1 + i + k * count)),
    })),
  newClaimsWithVelocity: (count) =>
    looks((k) => ({
      slot: REPORTS,
      second: k,
      rows: rowsOf(count, (i) => report(spreadOver(i, 40), spreadOver(i, 50), 1 + i + k * count, 0)),
    })),
  oneClaimEverywhere: (count) =>
    looks((k) => ({
      slot: REPORTS,
      second: k,
      rows: rowsOf(count, (i) => report(200 * grid(i, count)[0]! + 700 * k, 200 * grid(i, count)[1]!, 7)),
    })),
  plots: (count) =>
    looks((k) => ({
      slot: RADAR,
      second: 0.1 * k,
      rows: rowsOf(count, (i) => plot(0.8 + spreadOver(i, 0.003), 1000 + spreadOver(i, 2))),
    })),
  bearingsOneWay: (count) =>
    looks((k) => ({
      slot: k === 0 ? REPORTS : FINDERS[0],
      second: 0.1 * k,
      rows: rowsOf(count, (i) => (k === 0 ? report(1000, 1000, 0) : bearing(0.785 + spreadOver(i, 0.002), 0.02))),
    })),
  bearingsAllAround: (count) =>
    looks((k) => ({ slot: FINDERS[0], second: k, rows: rowsOf(count, (i) => bearing((6.28 * i) / count, 5e-5)) })),
  crossings: (count) =>
    looks((k) => ({
      slot: k === 0 ? REPORTS : FINDERS[k & 1]!,
      second: 0.5 * k,
      rows: rowsOf(count, (i) =>
        k === 0
          ? report(200 * grid(i, count)[0]!, -20_000 - 200 * grid(i, count)[1]!, 0)
          : bearing((k & 1 ? 5.2 : 0) + spreadOver(i, 1), 2e-4),
      ),
    })),
  emptyLooks: (count) =>
    looks((k) => ({
      slot: k === 0 ? REPORTS : RADAR,
      second: 0.1 * k,
      rows: k === 0 ? rowsOf(count, () => report(1000, 1000, 0)) : [],
    })),
};

function openKernel(build: KernelBuild): Kernel {
  const kernel = new Kernel(build, BUILTIN_TRACKER_CONFIG, 10_000);
  for (const [slot, modality] of SENSORS.entries())
    kernel.setSensor(slot, {
      ...{ id: modality, name: modality, vendor_class: "bench", modality, bearing_only: modality === "rf" },
      ...{ min_range_m: 0, max_range_m: 60_000, fov_deg: 360, vfov_deg: 180, el_min_deg: -90, el_max_deg: 90 },
      ...{ scan: "scanning", scan_period_s: 1, pd: flatPd(0.9), false_alarm_per_scan: 0.1 },
      sigma: { ...NO_SIGMA, az_deg: 0.3, el_deg: 0.3, range_m: 3, horizontal_m: 3, vertical_m: 5 },
      ...{ resolution: { az_deg: null, range_m: null }, latency_s: 0, tracking: "none", classes: [] },
      ...{ rf_bands_hz: [], needs_los: true },
    });
  return kernel;
}

interface Measured {
  readonly dearestMs: number;
  readonly tracks: number;
  readonly searchesCut: number;
}

/** The most expensive scan after the first one, or sweep after a whole second. */
function measure(build: KernelBuild, made: readonly Look[]): Measured {
  const kernel = openKernel(build);
  let dearestMs = 0;
  for (const [k, { slot, second, rows }] of made.entries()) {
    const modality = SENSORS[slot]!;
    const measuredAtUs = START_US + Math.round(second * 1e6);
    const scan: Scan = {
      ...{ sourceId: `${slot}`, scanId: `${k}`, modality, measuredAtUs, receivedAtUs: 0, pose: null },
      ...{ complete: slot !== REPORTS, count: rows.length, observationIds: [] },
      measurements: Float64Array.from(rows.flat()),
    };
    const eastM = slot === FINDERS[1] ? 3000 : 0;
    const pose = { ...AT_ORIGIN, eastM };
    const startedMs = performance.now();
    kernel.scan(slot, measuredAtUs, 12_345 + 7919 * k, pose, scan);
    const scannedMs = performance.now();
    if (k > 0 && Number.isInteger(second)) kernel.sweep(measuredAtUs);
    if (k > 0) dearestMs = Math.max(dearestMs, scannedMs - startedMs, performance.now() - scannedMs);
  }
  const { tentative, confirmed, coasting, searchesCut } = kernel.health();
  return { dearestMs, tracks: tentative + confirmed + coasting, searchesCut };
}

/**
 * Repeats a run that is over the bound and takes the smallest figure: the kernel does exactly the same each time, so the
 * difference is other work of the machine.
 */
function measureQuietly(build: KernelBuild, made: readonly Look[], boundMs: number): Measured {
  let least = measure(build, made);
  for (let again = 1; again < RUNS_MAX && least.dearestMs > boundMs; again++) {
    const measured = measure(build, made);
    if (measured.dearestMs < least.dearestMs) least = measured;
  }
  return least;
}

export async function run(size: Size): Promise<Report> {
  const build = await compileKernel();
  const count = size === "full" ? 10_000 : 4000;
  const reference = measure(build, spread(count));
  const crowds = Object.entries(CROWDS).map(([crowd, make]) => {
    const measured = measureQuietly(build, make(count), RATIO_MAX * reference.dearestMs);
    return { crowd, ...measured, ratio: measured.dearestMs / reference.dearestMs };
  });
  const ratio = Math.max(...crowds.map((crowd) => crowd.ratio));
  const tracked = reference.tracks === count && reference.searchesCut === 0;
  return { ok: tracked && ratio <= RATIO_MAX, reference, crowds, ratio, ratioMax: RATIO_MAX };
}
