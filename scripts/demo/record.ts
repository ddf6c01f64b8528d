/**
 * The demo's sky as a scenario file (docs/scenario.md), for those who want to try feed and evaluate and have no recording.
 * Pure: the same start gives the same scenario. Without ADS-B, which the format does not know.
 */
import { SENSORS, scansBetween, type WireScan } from "../../src/sim/sensors.ts";
import type { Scenario, ScenarioDetection, ScenarioScan, ScenarioSensor } from "../scenario.ts";

const TYPES: Readonly<Record<WireScan["modality"], ScenarioSensor["type"] | null>> = {
  radar: "radar",
  rf: "rf_df",
  remote_id: "remote_id",
  adsb: null,
};
/** From the measurement to its arrival. */
const TRANSIT_S = 0.05;
const MEASURES = ["range_m", "az_deg", "el_deg", "range_rate_mps", "lat", "lon", "speed_mps"] as const;

type Wire = Readonly<Record<string, number | string>>;

function detectionOf(wire: Wire, id: string): ScenarioDetection {
  const measured = MEASURES.flatMap((name) => (wire[name] === undefined ? [] : [[name, wire[name]] as const]));
  const detection = { id, ...Object.fromEntries(measured) };
  if (wire.uas_id === undefined) return detection;
  const { uas_id: serial, alt_hae_m: alt_m, track_deg: heading_deg, vspeed_mps: vertical_mps } = wire;
  return { ...detection, serial: String(serial), alt_m, heading_deg, vertical_mps };
}

function scanOf(wire: WireScan, startMs: number): ScenarioScan {
  const t = (wire.measured_at - startMs) / 1000;
  const detections = wire.detections.map((one, i) =>
    detectionOf(one as Wire, `${wire.source_id}/${wire.scan_id}/${i}`),
  );
  return { t, t_received: t + TRANSIT_S, sensor_id: wire.source_id, detections };
}

export function demoScenario(startMs: number, seconds: number): Scenario {
  const sensors = SENSORS.flatMap((sensor): ScenarioSensor[] => {
    const type = TYPES[sensor.modality];
    if (type === null) return [];
    const { lat, lon, alt_hae_m: alt_m } = sensor.frame.origin;
    const { sigma, probDetection: prob_detection, clutterPerScan: clutter_mean_per_scan } = sensor.declared;
    const [period_s, max_range_m] = [sensor.periodMs / 1000, sensor.maxRangeM];
    const place = { id: sensor.id, type, lat, lon, alt_m, period_s, sigma };
    return [{ ...place, prob_detection, clutter_mean_per_scan, min_range_m: 0, max_range_m }];
  });
  const known = new Set(sensors.map(({ id }) => id));
  const scans = scansBetween(startMs, startMs, startMs + seconds * 1000)
    .filter(({ source_id }) => known.has(source_id))
    .map((scan) => scanOf(scan, startMs));
  const { lat, lon, alt_m } = sensors[0]!;
  return {
    scenario: "demo",
    site: { lat, lon, alt_m },
    start_time: new Date(startMs).toISOString(),
    duration_s: seconds,
    eval_times: Array.from({ length: seconds }, (_, i) => i + 1),
    sensors,
    scans,
  };
}
