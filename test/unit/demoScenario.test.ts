/** The demo's scenario depends on seed and time alone, and its scans match its contacts. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoScenario } from "../../scripts/demo/record.ts";
import { readScenario } from "../../scripts/scenario.ts";
import { CONTACTS, velocityAt } from "../../src/sim/contacts.ts";
import { noiseOf } from "../../src/sim/noise.ts";
import { scansBetween } from "../../src/sim/sensors.ts";

const START_MS = 1_700_000_000_000;

test("[FR-5] the scans are the same into whichever steps the time is divided", () => {
  const whole = scansBetween(START_MS, START_MS, START_MS + 20_000);
  const cut: object[] = [];
  for (let at = 0; at < 20_000; at += 250) cut.push(...scansBetween(START_MS, START_MS + at, START_MS + at + 250));
  expect(cut).toEqual(whole);
  expect(new Set(whole.map(({ source_id }) => source_id)).size).toBe(6);
});

test("[FR-5] a scan has one id, and its measurements are on earth", () => {
  const scans = scansBetween(START_MS, START_MS, START_MS + 60_000);
  expect(new Set(scans.map((scan) => `${scan.source_id} ${scan.scan_id}`)).size).toBe(scans.length);
  for (const { detections } of scans) {
    for (const detection of detections as { az_deg?: number; range_m?: number; lat?: number }[]) {
      if (detection.az_deg !== undefined) expect(detection.az_deg >= 0 && detection.az_deg < 360).toBe(true);
      if (detection.range_m !== undefined) expect(detection.range_m).toBeGreaterThan(0);
    }
  }
});

test("[FR-5] six drones, an aircraft and birds keep to the speeds of their kind, however long the demo runs", () => {
  const kinds = CONTACTS.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "drone")).toHaveLength(6);
  expect(kinds.filter((kind) => kind === "aircraft")).toHaveLength(1);
  const fastest = { drone: 30, aircraft: 110, bird: 25 };
  for (const contact of CONTACTS) {
    for (let tS = 0; tS < 3600; tS += 7) {
      expect(Math.hypot(...velocityAt(contact, tS)), contact.name).toBeLessThan(fastest[contact.kind]);
      expect(contact.at(tS)[2], contact.name).toBeGreaterThan(15);
    }
  }
});

test("[FR-5] the noise is normal, and counts have their mean", () => {
  const noise = noiseOf(1, 2, 3);
  const draws = Array.from({ length: 20_000 }, () => noise.normal(2));
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
  expect(Math.abs(mean)).toBeLessThan(0.06);
  expect(Math.abs(variance - 4)).toBeLessThan(0.2);
  const counts = Array.from({ length: 20_000 }, () => noise.count(2));
  expect(Math.abs(counts.reduce((sum, x) => sum + x, 0) / counts.length - 2)).toBeLessThan(0.06);
});

test("[FR-5] a recording of the demo is a scenario that can be read, the same each time", () => {
  const path = join(mkdtempSync(join(tmpdir(), "picket-record-")), "sky.json");
  writeFileSync(path, JSON.stringify(demoScenario(START_MS, 20)));
  const scenario = readScenario(path);
  expect(scenario).toEqual(JSON.parse(JSON.stringify(demoScenario(START_MS, 20))));
  expect(scenario.sensors.map(({ type }) => type)).toEqual(["radar", "radar", "rf_df", "rf_df", "remote_id"]);
  const ids = scenario.scans.flatMap(({ detections }) => detections.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  for (const { t, t_received, detections, sensor_id } of scenario.scans) {
    expect(t >= 0 && t < 20 && t_received > t).toBe(true);
    if (sensor_id === "demo-remote-id") for (const { serial } of detections) expect(serial).toMatch(/^\w+$/);
  }
});
