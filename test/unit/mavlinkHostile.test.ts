/** MAVLink: impossible or misleading messages of a vehicle. Values from mavlink common.xml. */
import { common } from "node-mavlink";
import { expect, test } from "vitest";
import { type Frame, FrameWriter, readFrames } from "../../src/links/mavlink/frames.ts";
import { toReport } from "../../src/links/mavlink/telemetry.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";

const vehicle = () =>
  new VehicleState({ protocol: "mavlink2", address: "10.0.0.1:14550", systemId: "7", linkId: "l" }, 7, {
    address: "10.0.0.1",
    port: 14_550,
  });
const writer = new FrameWriter(7, 1, null);
type Message = Parameters<FrameWriter["write"]>[0];

function say(message: Message, state = vehicle()) {
  let found: Frame | null = null;
  readFrames(writer.write(message, 0), (frame) => (found = frame));
  return toReport(found!, state);
}
const nobody = new Array<number>(20).fill(0);
const neighbour = [1, 2, 3, 4, 5, 6, ...new Array<number>(14).fill(0)];
const position = (of: Partial<common.GlobalPositionInt> = {}) =>
  Object.assign(new common.GlobalPositionInt(), { lat: 500_000_000, lon: 80_000_000, alt: 100_000, hdg: 0, ...of });
const remoteIdPlace = (of: Partial<common.OpenDroneIdLocation> = {}) =>
  Object.assign(new common.OpenDroneIdLocation(), {
    idOrMac: nobody,
    latitude: 500_000_000,
    longitude: 80_000_000,
    altitudeGeodetic: 150,
    direction: 36_100,
    speedHorizontal: 25_500,
    speedVertical: 6300,
    ...of,
  });

test("[MV-40] a relayed Remote ID message of another aircraft changes nothing of the vehicle", () => {
  const uasId = [...Buffer.from("HOSTILE-1".padEnd(20, "\0"))];
  const basic = (idOrMac: number[]) => Object.assign(new common.OpenDroneIdBasicId(), { idType: 1, uasId, idOrMac });
  expect(say(basic(nobody))).toEqual({ identity: { remoteIdSerial: "HOSTILE-1" } });
  expect(say(basic(neighbour))).toBeNull();
  const self = (idOrMac: number[]) =>
    Object.assign(new common.OpenDroneIdSelfId(), { idOrMac, description: "survey".padEnd(23, "\0") });
  expect(say(self(nobody))).not.toBeNull();
  expect(say(self(neighbour))).toBeNull();
  expect(say(remoteIdPlace())).not.toBeNull();
  expect(say(remoteIdPlace({ idOrMac: neighbour }))).toBeNull();
  const state = vehicle();
  say(position(), state);
  say(remoteIdPlace({ idOrMac: neighbour }), state);
  expect(state.undulationM).toBeNull();
});

test("[MV-44] impossible numbers are unknown, and an impossible position leaves the last one", () => {
  const state = vehicle();
  say(position(), state);
  for (const of of [
    { lat: 2_000_000_000 },
    { lon: 2_147_483_647 },
    { lat: -900_000_001 },
    { lat: 0, lon: 0, relativeAlt: 5000 },
  ])
    expect(say(position(of), state), JSON.stringify(of)).toBeNull();
  expect([state.lat, state.lon, state.altMslM, state.altRelM]).toEqual([50, 8, 100, 5]);
  expect(say(position({ alt: 2_147_483_647, relativeAlt: 2_147_483_647, hdg: 50_000 }))).toEqual({
    motion: {
      lat: 50,
      lon: 8,
      alt_hae_m: null,
      alt_is_msl: false,
      alt_rel_m: null,
      vel_enu_mps: [0, 0, expect.closeTo(0, 9)],
      heading_deg: null,
    },
    message: expect.stringContaining("mean sea level"),
  });
  expect(say(position({ hdg: 36_000 }))).toMatchObject({ motion: { heading_deg: 0 } });
  for (const altitudeGeodetic of [Number.NaN, Number.POSITIVE_INFINITY, 1e9]) {
    expect(say(remoteIdPlace({ altitudeGeodetic }))).toMatchObject({ motion: { alt_hae_m: null } });
    say(remoteIdPlace({ altitudeGeodetic }), state);
    expect(state.undulationM).toBeNull();
  }
  expect(say(remoteIdPlace({ direction: 50_000, speedHorizontal: 100 }))).toMatchObject({
    motion: { vel_enu_mps: null },
  });
  expect(say(remoteIdPlace({ latitude: 1_000_000_000 }))).toBeNull();
  const gps = { timeUsec: 0n, fixType: 3, alt: 100_000, altEllipsoid: 2_000_000_000, eph: 1, satellitesVisible: 5 };
  say(Object.assign(new common.GpsRawInt(), gps), state);
  expect(state.undulationM).toBeNull();
  expect(say(Object.assign(new common.SysStatus(), { batteryRemaining: 127 }))!.power).not.toHaveProperty("percent");
  expect(say(Object.assign(new common.HomePosition(), { latitude: 2_000_000_000, q: [0, 0, 0, 0] }))).toBeNull();
});

test("[MV-45] a heading goes with the next position and makes none newer; too old, NaN or too large it is ignored", () => {
  const state = vehicle();
  const yaw = (value: number, timeBootMs = 1000) =>
    say(Object.assign(new common.Attitude(), { yaw: value, timeBootMs }), state);
  const heading = (timeBootMs = 1000) => say(position({ hdg: 0xffff, timeBootMs }), state)!.motion!.heading_deg;
  expect(heading()).toBeNull();
  expect(yaw(1)).toBeNull();
  expect([heading(), heading(2000), heading(2001)]).toEqual([57.3, 57.3, null]);
  yaw(-Math.PI / 2);
  expect(heading()).toBe(270);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -10]) {
    yaw(value);
    expect(heading()).toBeNull();
  }
  yaw(2);
  expect(say(position({ hdg: 900, timeBootMs: 1000 }), state)!.motion!.heading_deg).toBe(9);
});

test("[MV-46] each battery is a component, the first is the power, with all its cells; a state not reported is unknown", () => {
  const state = vehicle();
  const battery = (of: Partial<common.BatteryStatus>) =>
    Object.assign(new common.BatteryStatus(), {
      voltages: [12_000, ...new Array<number>(9).fill(0xffff)],
      voltagesExt: [0, 0, 0, 0],
      currentBattery: -1,
      batteryRemaining: 50,
      chargeState: 1,
      ...of,
    });
  const twelve = battery({
    voltages: new Array<number>(10).fill(4000),
    voltagesExt: [4000, 4000, 0, 0],
    chargeState: 0,
  });
  expect(say(twelve, state)).toMatchObject({
    power: { voltage_v: 48, state: null },
    components: [{ id: "battery_0", level: "unknown" }],
  });
  const second = say(battery({ id: 1, batteryRemaining: 3, chargeState: 3 }), state)!;
  expect(second).not.toHaveProperty("power");
  expect(second.components).toMatchObject([{ id: "battery_1", level: "fail" }]);
  expect(say(battery({ batteryRemaining: 49 }), state)!.power).toMatchObject({
    percent: 49,
    voltage_v: 12,
    state: "ok",
  });
  expect(say(battery({ voltages: new Array<number>(10).fill(0xffff) }), state)!.power!.voltage_v).toBeNull();
});
