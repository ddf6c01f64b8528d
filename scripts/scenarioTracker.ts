/**
 * A scenario through a bare tracker: wire scans to measurements, the causal replay, and the picture as rows. Knows no
 * files and no truth. The measurement rules here are those of the signals slice, cut down to the four sensor types.
 */
import * as layout from "../assembly/layout.ts";
import { BUILTIN_DECISION_CONFIG, END_AFTER_COOPERATIVE_S } from "../src/domain/decisionConfig.ts";
import { EnuFrame } from "../src/domain/geodesy.ts";
import type { Scan } from "../src/domain/scan.ts";
import type { SensorProfile } from "../src/domain/sensorProfile.ts";
import { Tracker } from "../src/tracker/tracker.ts";
import { TRACK_STATUS, type TrackerConfig, type TrackTable } from "../src/tracker/types.ts";
import {
  profileOf,
  replay,
  type Scenario,
  type ScenarioScan,
  startMsOf,
  toWireScan,
  type WireScan,
} from "./scenario.ts";

const DEG = Math.PI / 180;
const TRACKS_MAX = 10_000;

export interface TrackRow {
  readonly t: number;
  readonly track_id: string;
  readonly lat: number;
  readonly lon: number;
  readonly alt_m: number;
  readonly vel: readonly number[];
  readonly cov: readonly number[];
  readonly status: string;
  readonly rid_serial?: string;
}

export interface TrackedScenario {
  readonly rows: readonly TrackRow[];
  readonly stateHash: string;
  readonly scans: number;
  readonly trackingMs: number;
}

export const BUILTIN_TRACKER_CONFIG: TrackerConfig = {
  confirmM: BUILTIN_DECISION_CONFIG.confirm_m,
  confirmN: BUILTIN_DECISION_CONFIG.confirm_n,
  coastPeriods: BUILTIN_DECISION_CONFIG.coast_periods,
  endAfterS: BUILTIN_DECISION_CONFIG.end_after_s,
  endAfterCooperativeS: END_AFTER_COOPERATIVE_S,
  gateProb: BUILTIN_DECISION_CONFIG.gate_prob,
  maxLagS: BUILTIN_DECISION_CONFIG.max_lag_s,
};

/** Serials as small numbers and back. */
export class Serials {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];
  intern(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
  nameOf(number: number): string | undefined {
    return number === 0 ? undefined : this.#names[number];
  }
}

export function trackScenario(module: WebAssembly.Module, scenario: Scenario): TrackedScenario {
  const { lat, lon, alt_m } = scenario.site;
  const frame = new EnuFrame({ lat, lon, alt_hae_m: alt_m });
  const startMs = startMsOf(scenario);
  const serials = new Serials();
  const tracker = new Tracker({ module, frame, config: BUILTIN_TRACKER_CONFIG, tracksMax: TRACKS_MAX });
  const profiles = new Map(scenario.sensors.map((sensor) => [sensor.id, profileOf(sensor)]));
  for (const [id, profile] of profiles) tracker.setSensor(id, profile);
  const rows: TrackRow[] = [];
  const startedMs = performance.now();
  for (const event of replay(scenario)) {
    if ("scan" in event) {
      const scan = toScan(scenario, event.scan, frame, profiles.get(event.scan.sensor_id)!, serials);
      tracker.advance([scan], scan.receivedAtUs);
    } else {
      const atUs = Math.round((startMs + event.te * 1000) * 1000);
      tracker.advance([], atUs);
      appendRows(rows, event.te, tracker.readTracks(atUs), frame, serials);
      tracker.takeEnded();
    }
  }
  return {
    rows,
    stateHash: tracker.stateHash(),
    scans: scenario.scans.length,
    trackingMs: performance.now() - startedMs,
  };
}

export function toScan(
  scenario: Scenario,
  source: ScenarioScan,
  frame: EnuFrame,
  profile: SensorProfile,
  serials: Serials,
): Scan {
  const wire = toWireScan(scenario, source);
  const measurements = new Float64Array(wire.detections.length * layout.MEAS_STRIDE).fill(Number.NaN);
  wire.detections.forEach((detection, i) => {
    const row = measurements.subarray(i * layout.MEAS_STRIDE, (i + 1) * layout.MEAS_STRIDE);
    row[layout.MEAS_ORIENTATION] = 0;
    row[layout.MEAS_CLAIM] = 0;
    row[layout.MEAS_CLASS] = 0;
    if (wire.modality === "remote_id") writePosition(row, detection, frame, profile, serials);
    else writeDirection(row, detection, profile);
  });
  return {
    sourceId: wire.source_id,
    scanId: wire.scan_id,
    modality: wire.modality,
    measuredAtUs: Math.round(wire.measured_at * 1000),
    receivedAtUs: Math.round((startMsOf(scenario) + source.t_received * 1000) * 1000),
    pose: wire.modality === "remote_id" ? null : wire.sensor_pose,
    complete: wire.modality !== "remote_id",
    count: wire.detections.length,
    measurements,
    observationIds: source.detections.map((d) => d.id),
  };
}

type Detection = WireScan["detections"][number];

function writeDirection(row: Float64Array, d: Detection, { sigma }: SensorProfile): void {
  const value = (name: string) => (typeof d[name] === "number" ? d[name] : Number.NaN);
  row[layout.MEAS_KIND] = Number.isNaN(value("range_m")) ? layout.MEAS_KIND_BEARING : layout.MEAS_KIND_SPHERICAL;
  row[layout.MEAS_Z0] = value("az_deg") * DEG;
  row[layout.MEAS_Z1] = value("el_deg") * DEG;
  row[layout.MEAS_Z2] = value("range_m");
  row[layout.MEAS_Z3] = value("range_rate_mps");
  row[layout.MEAS_S0] = (sigma.az_deg ?? Number.NaN) * DEG;
  row[layout.MEAS_S1] = (sigma.el_deg ?? Number.NaN) * DEG;
  row[layout.MEAS_S2] = sigma.range_m ?? Number.NaN;
  row[layout.MEAS_S3] = sigma.range_rate_mps ?? Number.NaN;
}

function writePosition(
  row: Float64Array,
  d: Detection,
  frame: EnuFrame,
  { sigma }: SensorProfile,
  serials: Serials,
): void {
  const [east, north, up] = frame.toEnu(Number(d.lat), Number(d.lon), Number(d.alt_hae_m));
  const course = Number(d.track_deg) * DEG;
  const speed = Number(d.speed_mps);
  row[layout.MEAS_KIND] = layout.MEAS_KIND_POSITION;
  row.set([east, north, up, speed * Math.sin(course), speed * Math.cos(course), Number(d.vspeed_mps)], layout.MEAS_Z0);
  row[layout.MEAS_S0] = row[layout.MEAS_S1] = sigma.horizontal_m ?? Number.NaN;
  row[layout.MEAS_S2] = sigma.vertical_m ?? Number.NaN;
  row[layout.MEAS_S3] = sigma.speed_mps ?? Number.NaN;
  row[layout.MEAS_CLAIM] = serials.intern(String(d.uas_id));
}

function appendRows(rows: TrackRow[], t: number, table: TrackTable, frame: EnuFrame, serials: Serials): void {
  for (let row = 0; row < table.count; row++) {
    const status = TRACK_STATUS[table.status[row]!]!;
    if (status === "tentative" || table.bearingOnly[row] === 1) continue;
    const [lat, lon, alt_m] = frame.toGeodetic(table.eastM[row]!, table.northM[row]!, table.upM[row]!);
    const [ee, en, eu, nn, nu, uu] = table.covPosM2.subarray(row * 6, row * 6 + 6) as unknown as number[];
    const serial = serials.nameOf(table.claim[row]!);
    rows.push({
      t,
      track_id: String(table.key[row]),
      lat,
      lon,
      alt_m,
      vel: [table.velEastMps[row]!, table.velNorthMps[row]!, table.velUpMps[row]!],
      cov: [ee!, en!, eu!, en!, nn!, nu!, eu!, nu!, uu!],
      status,
      ...(serial === undefined ? {} : { rid_serial: serial }),
    });
  }
}
