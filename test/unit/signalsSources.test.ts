/** The source of an observation, when one sensor reports more than one modality. */
import { describe, expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { NOW_MS, POSE, push, replyOf, SignalsRoom } from "../support/signalsRoom.ts";

describe("[SG-60] a radio sensor reports directions and positions, in any order", () => {
  const bearing = { source_id: "mast", modality: "rf", measured_at: NOW_MS, sensor_pose: POSE, az_deg: 10 };
  const radioFix = { source_id: "mast", modality: "rf_fix", measured_at: NOW_MS, lat: 51.2, lon: -1.7 };
  const kinds = (room: SignalsRoom) => room.inputs.map(({ scan: { modality, count } }) => [modality, count]);

  test.each([
    ["a direction first", [bearing, radioFix]],
    ["a place first", [radioFix, bearing]],
  ])("%s: the tracker knows both kinds with a profile each, everybody else one sensor", (_, signals) => {
    const room = new SignalsRoom();
    const twice = signals.map((one) => ({ ...one, source_obs_id: "same" }));
    expect(replyOf(push(room, { signals }))).toMatchObject({ accepted: 2, rejected_count: 0 });
    expect(replyOf(push(room, { signals: twice }))).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(kinds(room).slice(0, 2)).toEqual(signals.map(({ modality }) => [modality, 1]));
    const channels = room.inputs.slice(0, 2).map(({ scan }) => room.sensors.channel(scan.sourceId)!);
    expect(channels.map(({ profile }) => profile.modality)).toEqual(signals.map(({ modality }) => modality));
    expect(channels.map(({ sensor }) => sensor.id)).toEqual(["mast", "mast"]);
    expect([...room.sensors.all()]).toHaveLength(1);
  });
  test("a registered sensor uses its placement; a third modality stays a mismatch", () => {
    const room = new SignalsRoom();
    room.register("mast", DEFAULT_PROFILE.rf_fix, null);
    const unplaced = { ...bearing, sensor_pose: undefined };
    expect(push(room, unplaced)).toMatchObject({ sentence: expect.stringContaining("sensor_pose") });
    room.register("mast", DEFAULT_PROFILE.rf, POSE);
    expect(replyOf(push(room, { signals: [radioFix, unplaced] })).accepted).toBe(2);
    room.register("mast", DEFAULT_PROFILE.rf_fix, POSE);
    expect(replyOf(push(room, { signals: [radioFix, unplaced] })).accepted).toBe(2);
    const plotted = { ...bearing, modality: "radar", range_m: 900 };
    expect(push(room, plotted)).toMatchObject({ sentence: expect.stringMatching(/reports rf_fix, not radar/) });
    room.sensors.remove("mast");
    expect([...room.sensors.all()]).toEqual([]);
  });
});
