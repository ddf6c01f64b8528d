/**
 * A scenario as batches to push: the scans that are due at a moment of the run, with their times moved to now. Pure. At a
 * speed other than 1 time is compressed, so every measurement per second grows by the same factor.
 */
import { CIRCLE_95_PER_SIGMA, LINE_95_PER_SIGMA } from "../../src/measurement/accuracy.ts";
import {
  type Scenario,
  type ScenarioScan,
  type ScenarioSensor,
  startMsOf,
  toWireScan,
  type WireScan,
} from "../scenario.ts";

const OBSERVATIONS_PER_PUSH_MAX = 5000;
const PER_SECOND = ["range_rate_mps", "speed_mps", "vspeed_mps"] as const;

export interface Run {
  readonly scenario: Scenario;
  /** In order of arrival. */
  readonly scans: readonly ScenarioScan[];
  readonly startMs: number;
  readonly speed: number;
  /** Makes ids of different runs differ; an id that is repeated within a run stays a repeated report. */
  readonly prefix: string;
}

export function openRun(scenario: Scenario, startMs: number, speed: number): Run {
  const scans = [...scenario.scans].sort((a, b) => a.t_received - b.t_received);
  return { scenario, scans, startMs, speed, prefix: Math.round(startMs).toString(36) };
}

/** The speed at which a scenario makes `perSecond` observations a second. */
export function speedFor(scenario: Scenario, perSecond: number): number {
  const observations = scenario.scans.reduce((sum, scan) => sum + scan.detections.length, 0);
  return observations === 0 ? 1 : perSecond / (observations / lengthS(scenario));
}

export function lengthS(scenario: Scenario): number {
  const last = scenario.scans.reduce((end, scan) => Math.max(end, scan.t_received), 0);
  return Math.max(scenario.duration_s ?? 0, last, 1);
}

/** How many scans from `next` on to send now: due by `nowMs`, and not too many for one request. */
export function countDue(run: Run, next: number, nowMs: number): number {
  const nowS = ((nowMs - run.startMs) / 1000) * run.speed;
  let count = 0;
  let observations = 0;
  for (let i = next; i < run.scans.length && run.scans[i]!.t_received <= nowS; i++) {
    observations += Math.max(1, run.scans[i]!.detections.length);
    if (count > 0 && observations > OBSERVATIONS_PER_PUSH_MAX) break;
    count++;
  }
  return count;
}

export function toPush(run: Run, scan: ScenarioScan): WireScan {
  const wire = toWireScan(run.scenario, scan);
  const sensor = run.scenario.sensors.find((s) => s.id === scan.sensor_id)!;
  const afterMs = wire.measured_at - startMsOf(run.scenario);
  return {
    ...wire,
    measured_at: run.startMs + afterMs / run.speed,
    scan_id: `${run.prefix}/${wire.scan_id}`,
    detections: wire.detections.map((d) =>
      withAccuracy(faster({ ...d, source_obs_id: `${run.prefix}/${d.source_obs_id}` }, run.speed), sensor),
    ),
  };
}

function faster(detection: Record<string, unknown>, speed: number): Record<string, unknown> {
  if (speed !== 1)
    for (const name of PER_SECOND) if (typeof detection[name] === "number") detection[name] = detection[name] * speed;
  return detection;
}

/** The service does not know these sensors, so each observation carries its own accuracy. */
function withAccuracy(detection: Record<string, unknown>, { sigma, type }: ScenarioSensor): Record<string, unknown> {
  if (type === "remote_id") {
    const of = (value: number | undefined, perSigma: number) => (value === undefined ? null : value * perSigma);
    detection.accuracy = {
      h_m: of(sigma.horizontal_m, CIRCLE_95_PER_SIGMA),
      v_m: of(sigma.vertical_m, LINE_95_PER_SIGMA),
      speed_mps: of(sigma.speed_mps, CIRCLE_95_PER_SIGMA),
    };
    return detection;
  }
  for (const [name, value] of Object.entries(sigma)) detection[`sigma_${name}`] = value;
  if (type !== "radar") delete detection.sigma_range_m;
  return detection;
}
