/** MAVLink: orders that depend on the autopilot: heights in its datum (PX4: above the sea, whatever the frame), modes. */
import { expect, test } from "vitest";
import { type CommandMessage, commandOf } from "../../src/links/mavlink/commands.ts";
import { modeName, modeParams } from "../../src/links/mavlink/modes.ts";
import { Orders } from "../../src/links/mavlink/orders.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";

const ARDUPILOT = 3;
const PX4 = 12;

/** Home is 100 m above the sea. */
function vehicle(autopilot = ARDUPILOT, of: Partial<VehicleState> = {}): VehicleState {
  const source = { protocol: "mavlink2", address: "10.0.0.1:14550", systemId: "7", linkId: "l" };
  const state = new VehicleState(source, 7, { address: "10.0.0.1", port: 14_550 });
  state.place(50, 8, 130, 30);
  return Object.assign(state, { autopilot, mavType: 2, ...of });
}
const order = (verb: string, params: object, of: VehicleState) => commandOf(verb, { ...params }, of) as CommandMessage;
const heightOf = (verb: string, params: object, of: VehicleState) => {
  const message = commandOf(verb, { ...params }, of);
  return "cannot" in message ? "cannot" : [message.frame, message.params[6]];
};
const AT = { kind: "point", lat: 50, lon: 8 };

test("[MV-47] a follow keeps the height of its first order, however the vehicle climbs or descends meanwhile", () => {
  for (const [autopilot, frame, homeM] of [
    [ARDUPILOT, 3, 0],
    [PX4, 0, 100],
  ] as const)
    for (const offset of [undefined, 0, -10, 15]) {
      const state = vehicle(autopilot);
      const params = { kind: "track", track_id: "trk_1", lat: 50.1, lon: 8, alt_offset_m: offset };
      let message = order("follow", params, state);
      for (let i = 1; i <= 5; i++) {
        state.place(50, 8, 130 - i, 30 - i);
        message = order("follow", { ...message.followed, lat: 50.1 + i / 1000, lon: 8 }, state);
        expect([message.frame, message.params[6]]).toEqual([frame, homeM + 30 + (offset ?? 0)]);
        expect(message.params[4]).toBe(501_000_000 + i * 10_000);
      }
    }
});

test("[MV-47] a follow that is taken up after a restart is not offset a second time", () => {
  let nowMs = 1_000_000;
  const heights: number[] = [];
  const orders = new Orders({
    nowMs: () => nowMs,
    write: (_, message) => heights.push(message.params[6]),
    askToDrop: () => undefined,
    progress: () => undefined,
    placeOf: () => ({ lat: 50.1, lon: 8 }),
  });
  const state = vehicle();
  const params = { kind: "track", track_id: "trk_1", lat: 50.1, lon: 8, alt_offset_m: -10 };
  const { source } = state;
  orders.onResume({ taskId: "t", source, verb: "follow", params, deadlineAtMs: nowMs + 1e6, resendSafe: true }, state);
  for (let i = 0; i < 30; i++) {
    nowMs += 100;
    orders.onTick();
  }
  expect(new Set(heights)).toEqual(new Set([30]));
});

test("[MV-48] PX4 is sent heights above the sea only; a height that cannot be converted is refused", () => {
  const px4 = (of: Partial<VehicleState> = {}) => vehicle(PX4, of);
  for (const verb of ["goto", "orbit", "look_at"]) {
    expect(heightOf(verb, { ...AT, alt_m: 40, alt_ref: "rel_home" }, px4())).toEqual([0, 140]);
    expect(heightOf(verb, { ...AT, alt_m: 200, alt_ref: "hae" }, px4({ undulationM: 47 }))).toEqual([0, 153]);
    expect(heightOf(verb, { ...AT, alt_m: 40, alt_ref: "agl" }, px4())).toBe("cannot");
    expect(heightOf(verb, AT, px4())).toEqual([0, 130]);
    expect(heightOf(verb, { ...AT, alt_m: 40, alt_ref: "rel_home" }, px4({ altMslM: null }))).toBe("cannot");
  }
  expect(heightOf("goto", AT, px4({ altMslM: null }))).toEqual([0, Number.NaN]);
  expect(heightOf("goto", AT, vehicle(ARDUPILOT, { altRelM: null }))).toBe("cannot");
});

test("[MV-73] a height above home goes out in the relative frame, as it was given, whatever the vehicle says of home", () => {
  const autopilots = [0, ARDUPILOT, 4, 18, 20];
  const wrongHome = { altMslM: 2000, home: { lat: 50, lon: 8, altMslM: -400 } };
  for (const autopilot of autopilots)
    for (const of of [{}, wrongHome, { altMslM: null, altRelM: null }]) {
      for (const verb of ["goto", "orbit", "look_at"])
        expect(heightOf(verb, { ...AT, alt_m: 40, alt_ref: "rel_home" }, vehicle(autopilot, of))).toEqual([3, 40]);
      const points = [{ ...AT, alt_m: 40, alt_ref: "rel_home" }];
      expect(heightOf("patrol", { kind: "path", points }, vehicle(autopilot, of))).toEqual([3, 40]);
      expect(heightOf("takeoff", { kind: "point", alt_m: 40 }, vehicle(autopilot, of))).toEqual([null, 40]);
    }
});

test("[MV-73] given PX4's messages disagree on the height of home, an order above home fails", () => {
  const px4 = (homeMslM: number) => vehicle(PX4, { home: { lat: 50, lon: 8, altMslM: homeMslM } });
  const to = { alt_m: 40, alt_ref: "rel_home" };
  // Telemetry puts home at 100 m; HOME_POSITION says otherwise.
  for (const homeMslM of [0, 85, 115, 480]) {
    for (const verb of ["goto", "orbit", "look_at"])
      expect(heightOf(verb, { ...AT, ...to }, px4(homeMslM)), `${verb} ${homeMslM}`).toBe("cannot");
    expect(heightOf("patrol", { kind: "path", points: [{ ...AT, ...to }] }, px4(homeMslM))).toBe("cannot");
    expect(heightOf("takeoff", { kind: "point", ...to }, px4(homeMslM))).toBe("cannot");
  }
  for (const homeMslM of [92, 100, 108]) expect(heightOf("goto", { ...AT, ...to }, px4(homeMslM))).toEqual([0, 140]);
  const message = commandOf("goto", { ...AT, ...to }, px4(480));
  expect(message).toEqual({ cannot: expect.stringContaining("100 m") });
  expect(message).toEqual({ cannot: expect.stringContaining("480 m") });
  // An order that needs no home height is not affected.
  expect(heightOf("goto", { ...AT, alt_m: 200, alt_ref: "hae" }, Object.assign(px4(480), { undulationM: 47 }))).toEqual(
    [0, 153],
  );
  expect(heightOf("goto", AT, px4(480))).toEqual([0, 130]);
});

test("[MV-49] takeoff climbs to the height in the reference that it was given in, or is refused", () => {
  const to = (alt_ref: string | undefined, of: VehicleState, alt_m = 200) =>
    heightOf("takeoff", { kind: "point", alt_m, alt_ref }, of);
  const ground = { altMslM: 102, altRelM: 2, landed: "on_ground", undulationM: 47 } as const;
  expect(to(undefined, vehicle(ARDUPILOT, ground))).toEqual([null, 200]);
  expect(to("rel_home", vehicle(ARDUPILOT, ground))).toEqual([null, 200]);
  expect(to("hae", vehicle(ARDUPILOT, ground))).toEqual([null, 53]);
  expect(to("agl", vehicle(ARDUPILOT, ground), 20)).toEqual([null, 22]);
  expect(to("rel_home", vehicle(PX4, ground))).toEqual([null, 300]);
  expect(to("hae", vehicle(PX4, ground))).toEqual([null, 153]);
  expect(to("agl", vehicle(PX4, ground), 20)).toEqual([null, 122]);
  expect(to("hae", vehicle(ARDUPILOT, { ...ground, undulationM: null }))).toBe("cannot");
  expect(to("hae", vehicle(ARDUPILOT, ground), 140)).toBe("cannot");
  expect(to("agl", vehicle(ARDUPILOT, { ...ground, landed: "undefined" }))).toBe("cannot");
  expect(to(undefined, vehicle(PX4, { ...ground, altMslM: null }))).toBe("cannot");
  expect(to(undefined, vehicle(PX4, { ...ground, altRelM: null }))).toBe("cannot");
  const up = order("takeoff", { kind: "point", alt_m: 200, alt_ref: "hae" }, vehicle(ARDUPILOT, ground));
  expect(up.isDone!(vehicle(ARDUPILOT, { altRelM: 47 }))).toBe(false);
  expect(up.isDone!(vehicle(ARDUPILOT, { altRelM: 50 }))).toBe(true);
  // Watched again after a restart of the service, it is at its height already.
  const flying = vehicle(ARDUPILOT, { ...ground, altMslM: 153, altRelM: 53, landed: "in_air" });
  expect(order("takeoff", { kind: "point", alt_m: 200, alt_ref: "hae" }, flying).isDone!(flying)).toBe(true);
  const onHill = vehicle(ARDUPILOT, { ...ground, altRelM: 100 });
  expect(order("takeoff", { kind: "point", alt_m: 5, alt_ref: "agl" }, onHill).isDone!(onHill)).toBe(false);
});

test("[MV-50] an order straight up is done only when the vehicle is at the ordered height", () => {
  const above = (mavType: number, autopilot = ARDUPILOT) => {
    const state = vehicle(autopilot, { mavType });
    const { isDone } = order("goto", { ...AT, alt_m: 120, alt_ref: "rel_home" }, state);
    return (altRelM: number) => {
      state.place(50, 8, 100 + altRelM, altRelM);
      return isDone!(state);
    };
  };
  const copter = above(2);
  expect([copter(30), copter(116), copter(118)]).toEqual([false, false, true]);
  const px4 = above(2, PX4);
  expect([px4(30), px4(116), px4(118)]).toEqual([false, false, true]);
  const plane = above(1);
  expect([plane(30), plane(101)]).toEqual([false, true]);
  // A rover does not climb, so its height is not waited for.
  expect(above(10)(0)).toBe(true);
  const overGround = order("goto", { ...AT, alt_m: 120, alt_ref: "agl" }, vehicle());
  expect(overGround.isDone!(vehicle())).toBe(true);
});

test("[MV-51] a stand-off over the antimeridian lies on the shorter way", () => {
  for (const [from, to] of [
    [-179.99, 179.99],
    [179.99, -179.99],
  ] as const) {
    const state = vehicle();
    state.place(0, from, 130, 30);
    const params = { kind: "track", track_id: "trk_1", lat: 0, lon: to, standoff_m: 500 };
    const lon = order("follow", params, state).params[5] / 1e7;
    expect(Math.abs(lon)).toBeGreaterThan(179.98);
    expect(Math.abs(lon - to)).toBeLessThan(0.005);
    expect(Math.abs(lon)).toBeLessThanOrEqual(180);
  }
});

test("[MV-52] submarines and blimps have modes of their own", () => {
  const hold = (mavType: number) => order("hold", { kind: "none" }, vehicle(ARDUPILOT, { mavType })).params[1];
  expect([hold(12), hold(7), hold(2), hold(1), hold(10)]).toEqual([16, 3, 5, 12, 4]);
  expect([modeName(3, 12, 1, 19), modeName(3, 12, 1, 9), modeName(3, 7, 1, 2)]).toEqual([
    "MANUAL",
    "SURFACE",
    "VELOCITY",
  ]);
  expect([modeParams(3, 12, "loiter"), modeParams(3, 7, "fbwa")]).toEqual([null, null]);
});

test("[MV-69] look_at with a track points at the track's own height; where that cannot be expressed the order is refused", () => {
  const look = (params: object, of: Partial<VehicleState>, autopilot = ARDUPILOT) =>
    heightOf("look_at", { kind: "track", track_id: "trk_1", lat: 50.1, lon: 8, ...params }, vehicle(autopilot, of));
  expect(look({ alt_hae_m: 565 }, { undulationM: 47 })).toEqual([0, 518]);
  expect(look({ alt_hae_m: 565 }, { undulationM: 47 }, PX4)).toEqual([0, 518]);
  expect(look({ alt_hae_m: 565, alt_offset_m: -10 }, { undulationM: 47 })).toEqual([0, 508]);
  expect(look({ alt_hae_m: 565 }, {})).toBe("cannot");
  // The track's height is unknown.
  expect(look({ alt_hae_m: null }, {})).toEqual([3, 30]);
});

test("[MV-71] a vehicle that never leaves the ground has returned home when it is at home", () => {
  const home = { lat: 50.01, lon: 8, altMslM: 100 };
  for (const mavType of [10, 11]) {
    const state = vehicle(ARDUPILOT, { mavType, landed: "on_ground", home });
    const { isDone } = order("return_home", { kind: "none" }, state);
    expect(isDone!(state)).toBe(false);
    state.place(50.01003, 8, 100, 0);
    expect(isDone!(state)).toBe(true);
    expect(isDone!(Object.assign(state, { home: null }))).toBe(false);
  }
  const copter = vehicle(ARDUPILOT, { landed: "on_ground", home });
  expect(order("return_home", { kind: "none" }, copter).isDone!(copter)).toBe(true);
});
