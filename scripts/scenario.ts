/**
 * Scenario files (docs/scenario.md) and what becomes of them here: sensor profiles, poses, and scans in the third wire form
 * of docs/interface.md#signals. Pure but for `readScenario`; never reads the truth.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { flatPd, NO_SIGMA } from "../src/domain/defaultProfiles.ts";
import type { Modality } from "../src/domain/modality.ts";
import type { SensorPose, SensorProfile } from "../src/domain/sensorProfile.ts";

export interface ScenarioSensor {
  readonly id: string;
  readonly type: "radar" | "eo_camera" | "rf_df" | "remote_id";
  readonly lat: number;
  readonly lon: number;
  readonly alt_m: number;
  readonly period_s: number;
  readonly sigma: Readonly<Record<string, number>>;
  readonly prob_detection: number;
  readonly clutter_mean_per_scan: number;
  readonly fov?: {
    readonly az_center_deg: number;
    readonly az_width_deg: number;
    readonly el_min_deg: number;
    readonly el_max_deg: number;
  };
  readonly min_range_m: number;
  readonly max_range_m: number;
}

/** Measurements by name; `serial` and `id` are strings. */
export interface ScenarioDetection {
  readonly id: string;
  readonly serial?: string;
  readonly [measure: string]: number | string | undefined;
}

export interface ScenarioScan {
  readonly t: number;
  readonly t_received: number;
  readonly sensor_id: string;
  readonly detections: readonly ScenarioDetection[];
}

export interface Scenario {
  readonly scenario: string;
  readonly site: { readonly lat: number; readonly lon: number; readonly alt_m: number };
  readonly start_time: string;
  readonly duration_s: number;
  readonly eval_times: readonly number[];
  readonly sensors: readonly ScenarioSensor[];
  readonly scans: readonly ScenarioScan[];
}

export interface WireScan {
  readonly source_id: string;
  readonly modality: Modality;
  /** Milliseconds since the epoch; may have a fraction. */
  readonly measured_at: number;
  readonly scan_id: string;
  readonly sensor_pose: SensorPose;
  readonly detections: readonly Readonly<Record<string, unknown>>[];
}

/** The file cannot be used; the message says why to the person at the terminal. */
export class ScenarioError extends Error {
  override name = "ScenarioError";
}

const MODALITY: Readonly<Record<ScenarioSensor["type"], Modality>> = {
  radar: "radar",
  eo_camera: "eo",
  rf_df: "rf",
  remote_id: "remote_id",
};
const MEASURED = ["range_m", "az_deg", "el_deg", "range_rate_mps"] as const;

/** Plain or gzip. */
export function readScenario(path: string): Scenario {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ScenarioError(`The scenario file ${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}.`, {
      cause,
    });
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8"));
  } catch (cause) {
    throw new ScenarioError(`The scenario file ${path} is not JSON: ${(cause as Error).message}.`, { cause });
  }
  for (const member of ["site", "start_time", "sensors", "scans", "eval_times"])
    if (typeof parsed !== "object" || parsed === null || !(member in parsed))
      throw new ScenarioError(`The file ${path} is not a scenario: it has no "${member}".`);
  const scenario = parsed as Scenario;
  const known = new Set(scenario.sensors.map((sensor) => sensor.id));
  for (const sensor of scenario.sensors)
    if (!(sensor.type in MODALITY))
      throw new ScenarioError(`The sensor ${sensor.id} has the unknown type "${sensor.type}".`);
  for (const scan of scenario.scans)
    if (!known.has(scan.sensor_id))
      throw new ScenarioError(`A scan names the sensor ${scan.sensor_id}, which the file does not declare.`);
  return scenario;
}

export function startMsOf(scenario: Scenario): number {
  const startMs = Date.parse(scenario.start_time);
  if (!Number.isFinite(startMs)) throw new ScenarioError(`The start_time "${scenario.start_time}" is not a time.`);
  return startMs;
}

/** The profile that the scenario declares for a sensor; its detection probability does not fall with range. */
export function profileOf(sensor: ScenarioSensor): SensorProfile {
  const { sigma, fov } = sensor;
  return {
    id: `scenario-${sensor.id}`,
    name: sensor.id,
    vendor_class: "scenario",
    modality: MODALITY[sensor.type],
    bearing_only: sensor.type === "eo_camera" || sensor.type === "rf_df",
    min_range_m: sensor.min_range_m,
    max_range_m: sensor.max_range_m,
    fov_deg: fov?.az_width_deg ?? 360,
    vfov_deg: fov ? fov.el_max_deg - fov.el_min_deg : 180,
    el_min_deg: fov?.el_min_deg ?? -90,
    el_max_deg: fov?.el_max_deg ?? 90,
    scan: "scanning",
    scan_period_s: sensor.period_s,
    pd: flatPd(sensor.prob_detection),
    sigma: {
      ...NO_SIGMA,
      az_deg: sigma.az_deg ?? null,
      el_deg: sigma.el_deg ?? null,
      range_m: sigma.range_m ?? null,
      range_rate_mps: sigma.range_rate_mps ?? null,
      horizontal_m: sigma.horizontal_m ?? null,
      vertical_m: sigma.vertical_m ?? null,
      speed_mps: sigma.speed_mps ?? null,
    },
    false_alarm_per_scan: sensor.clutter_mean_per_scan,
    resolution: { az_deg: null, range_m: null },
    latency_s: 0,
    tracking: "none",
    classes: [],
    rf_bands_hz: [],
    needs_los: true,
  };
}

export function poseOf(sensor: ScenarioSensor): SensorPose {
  const yaw = sensor.fov?.az_center_deg ?? 0;
  return { lat: sensor.lat, lon: sensor.lon, alt_hae_m: sensor.alt_m, yaw_deg: yaw, pitch_deg: 0, roll_deg: 0 };
}

/** A scan as `POST /api/signals` takes it. A scan that is sent twice has the same `scan_id`. */
export function toWireScan(scenario: Scenario, scan: ScenarioScan): WireScan {
  const sensor = scenario.sensors.find((s) => s.id === scan.sensor_id)!;
  return {
    source_id: sensor.id,
    modality: MODALITY[sensor.type],
    measured_at: startMsOf(scenario) + scan.t * 1000,
    scan_id: `${scan.t}/${scan.detections[0]?.id ?? ""}`,
    sensor_pose: poseOf(sensor),
    detections: scan.detections.map((d) => (sensor.type === "remote_id" ? toClaim(d) : toDetection(d))),
  };
}

function toDetection(d: ScenarioDetection): Record<string, unknown> {
  const out: Record<string, unknown> = { source_obs_id: d.id };
  for (const name of MEASURED) if (d[name] !== undefined) out[name] = d[name];
  return out;
}

function toClaim(d: ScenarioDetection): Record<string, unknown> {
  return {
    source_obs_id: d.id,
    uas_id: d.serial,
    id_type: "serial",
    lat: d.lat,
    lon: d.lon,
    alt_hae_m: d.alt_m,
    speed_mps: d.speed_mps,
    track_deg: d.heading_deg,
    vspeed_mps: d.vertical_mps,
  };
}

type ReplayEvent = { readonly scan: ScenarioScan } | { readonly te: number };

/** Scans in order of arrival, and each evaluation time before the first scan that arrives after it. */
export function* replay(scenario: Scenario): Iterable<ReplayEvent> {
  let next = 0;
  for (const scan of [...scenario.scans].sort((a, b) => a.t_received - b.t_received)) {
    for (; next < scenario.eval_times.length && scenario.eval_times[next]! < scan.t_received - 1e-9; next++)
      yield { te: scenario.eval_times[next]! };
    yield { scan };
  }
  for (; next < scenario.eval_times.length; next++) yield { te: scenario.eval_times[next]! };
}
