/** More sensors than kernel slots: the room fuses those that came first and counts the scans that it leaves out. */
import { expect, test } from "vitest";
import { SENSOR_CAPACITY } from "../../assembly/layout.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";
import { profile } from "../support/kernel.ts";
import { openRoom, push, START_MS } from "../support/room.ts";

const SENSORS = 600;
const PLACE = { lat: 51.4325, lon: -1.9875, alt_hae_m: 150, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
const all = Array.from({ length: SENSORS }, (_, i) => `radar-${i}`);

/** Every one of these sees the same target. */
const looks = (ids: readonly string[], ms: number) =>
  ids.map((source_id) => ({
    source_id,
    modality: "radar",
    measured_at: ms,
    scan_id: `${source_id} ${ms}`,
    detections: [{ az_deg: 45, el_deg: 5, range_m: 1000 }],
  }));

async function opened(): Promise<{ room: Room; hear: (ids: readonly string[], second: number) => void }> {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  for (const id of all)
    room.commit({ op: "sensor_registered", id: id, profile: profile("radar"), pose: PLACE }, START_MS);
  const hear = (ids: readonly string[], second: number) => {
    const ms = START_MS + second * 1000;
    clock.set(ms);
    expect(push(room, looks(ids, ms), ms)).toMatchObject({ accepted: ids.length });
    while (room.fusionHealth().queue > 0) room.step(ms);
  };
  return { room, hear };
}

test("[FU-70] given more sensors than slots, the first ones are fused and the scans of the others counted", async () => {
  const { room, hear } = await opened();
  for (let s = 0; s < 3; s++) hear(all, s);
  expect(room.fusionHealth().dropped).toMatchObject({
    kernel_restarts: 0,
    scans_for_capacity: 3 * (SENSORS - SENSOR_CAPACITY),
  });
  expect(room.tracker!.health().scansFused).toBe(3 * SENSOR_CAPACITY);
  expect(room.tracks.count).toBeGreaterThan(0);
});

test("[FU-70] a sensor that is silent for the lag window gives up its slot", async () => {
  const { room, hear } = await opened();
  hear(all.slice(0, SENSOR_CAPACITY), 0);
  for (let s = 1; s <= 6; s++) hear(all.slice(0, 1), s);
  // In one request, so that no sensor may take the slot of another that is about to report.
  hear(all.slice(0, SENSOR_CAPACITY), 7);
  expect(room.fusionHealth().dropped.scans_for_capacity).toBe(0);
  hear(all.slice(SENSOR_CAPACITY), 8);
  expect(room.fusionHealth().dropped.scans_for_capacity).toBe(SENSORS - SENSOR_CAPACITY);
  for (let s = 9; s <= 14; s++) hear(all.slice(0, 1), s);
  hear(all.slice(SENSOR_CAPACITY), 15);
  expect(room.fusionHealth().dropped).toMatchObject({
    kernel_restarts: 0,
    scans_for_capacity: SENSORS - SENSOR_CAPACITY,
  });
});

test("[FU-70] a sensor that is removed while its scan waits stops no other", async () => {
  const { room, hear } = await opened();
  hear(all.slice(0, 2), 0);
  const ms = START_MS + 1000;
  push(room, looks(all.slice(1, 3), ms), ms);
  room.sensors.remove(all[2]!);
  room.step(ms);
  expect(room.fusionHealth().dropped).toMatchObject({ kernel_restarts: 0, scans_for_capacity: 0 });
  expect(room.tracker!.health().scansFused).toBe(4);
});
