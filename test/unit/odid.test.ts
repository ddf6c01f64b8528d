/** OpenDroneID: the standard's scalings, the frames of each radio, and invalid payloads. */
import { describe, expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { decodeOdid, type OdidMessage, OdidTransmitters, readOdid } from "../../src/domain/openDroneId.ts";
import { SignalsIntake } from "../../src/features/signals/intake.ts";
import {
  encodeBasicId,
  encodeLocation,
  encodeOperatorId,
  encodePack,
  encodeSelfId,
  encodeSystem,
  type OdidLocation,
} from "../support/odidEncode.ts";
import { NOW_MS, SignalsRoom } from "../support/signalsRoom.ts";

const AT = Date.UTC(2026, 10, 21, 10, 0, 30);
const LOCATION: OdidLocation = {
  status: 2,
  lat: 51.1846123,
  lon: -1.7311456,
  speedMps: 12.25,
  vspeedMps: -3.5,
  trackDeg: 271,
  altPressureM: 140.5,
  altHaeM: 172,
  heightM: 49.5,
  aboveGround: true,
  hAcc: 11,
  vAcc: 4,
  baroAcc: 3,
  speedAcc: 3,
  tenths: 295,
  timeAcc: 2,
};

test("[RI-1] a pack of all messages becomes one claim, exactly scaled", () => {
  const pack = encodePack([
    encodeBasicId(1, 2, "1596F1234567890ABCD"),
    encodeLocation(LOCATION),
    encodeSelfId(0, "survey"),
    encodeSystem(51.18, -1.73, 130),
    encodeOperatorId("GBR-OP-123456789012"),
  ]);
  expect(decodeOdid(pack, AT)).toEqual({
    uas_id: "1596F1234567890ABCD",
    id_type: "serial",
    ua_type: "helicopter_or_multirotor",
    status: "airborne",
    lat: 51.1846123,
    lon: -1.7311456,
    speed_mps: 12.25,
    vspeed_mps: -3.5,
    track_deg: 271,
    alt_pressure_m: 140.5,
    alt_hae_m: 172,
    height_m: 49.5,
    height_ref: "ground",
    accuracy: { h_m: 3, v_m: 10, baro_m: 25, speed_mps: 1, time_s: 0.2 },
    claim_at: "2026-11-21T10:00:29.500Z",
    self_id: { kind: "text", text: "survey" },
    operator: { lat: 51.18, lon: -1.73, alt_hae_m: 130, kind: "live", operator_id: "GBR-OP-123456789012" },
    area: { count: 3, radius_m: 250, ceiling_m: 200, floor_m: 0 },
    eu: { category: "open", class: "C2" },
  });
});

describe("[RI-2] unknown values are null, and clocks wrap with the hour", () => {
  test("the standard's own numbers for unknown", () => {
    const bytes = encodeLocation({ ...LOCATION, lat: 0, lon: 0, tenths: 0xffff, hAcc: 0, vAcc: 0, timeAcc: 0 });
    bytes[1] = bytes[1]! | 3;
    bytes[2] = 181;
    bytes[3] = 255;
    bytes.writeInt8(126, 4);
    bytes.writeUInt16LE(0, 13);
    bytes.writeUInt16LE(0, 15);
    expect(decodeOdid(bytes, AT)).toMatchObject({
      lat: null,
      lon: null,
      track_deg: null,
      speed_mps: null,
      vspeed_mps: null,
      alt_pressure_m: null,
      alt_hae_m: null,
      claim_at: null,
      accuracy: { h_m: null, v_m: null, time_s: null },
    });
  });
  test("high speeds use the larger step", () => {
    expect(decodeOdid(encodeLocation({ ...LOCATION, speedMps: 100.5 }), AT)).toMatchObject({ speed_mps: 100.5 });
    expect(decodeOdid(encodeLocation({ ...LOCATION, speedMps: 63.75 }), AT)).toMatchObject({ speed_mps: 63.75 });
  });
  test("a time just before the hour, received just after it", () => {
    const heard = Date.UTC(2026, 10, 21, 11, 0, 1);
    expect(decodeOdid(encodeLocation({ ...LOCATION, tenths: 35_995 }), heard)).toMatchObject({
      claim_at: "2026-11-21T10:59:59.500Z",
    });
  });
});

describe("[RI-3] frames of Wi-Fi and Bluetooth are unwrapped; anything else is rejected with the reason", () => {
  const basic = encodeBasicId(1, 2, "SERIAL1");
  const wrapped: [string, Buffer][] = [
    ["a Wi-Fi beacon's vendor element", Buffer.concat([Buffer.from([0xdd, 30, 0xfa, 0x0b, 0xbc, 0x0d, 7]), basic])],
    ["a Bluetooth advertisement", Buffer.concat([Buffer.from([30, 0x16, 0xfa, 0xff, 0x0d, 9]), basic])],
    ["the service info of Wi-Fi NAN", Buffer.concat([Buffer.from([0xf7]), encodePack([basic, encodeSelfId(0, "x")])])],
    ["a message of a type that is reserved beside it", encodePack([Buffer.alloc(25, 0x92), basic])],
    ["messages in a row", Buffer.concat([basic, encodeSelfId(0, "x")])],
  ];
  test.each(wrapped)("%s", (_, payload) => expect(decodeOdid(payload, AT)).toMatchObject({ uas_id: "SERIAL1" }));
  const bad: [string, Buffer, string][] = [
    ["nothing", Buffer.alloc(0), "0 messages"],
    ["half a message", basic.subarray(0, 12), "0 messages"],
    ["a cut pack", encodePack([basic, basic]).subarray(0, 40), "ends within a message"],
    ["a pack that counts too far", Buffer.from([0xf2, 25, 10, ...new Array(250).fill(0)]), "10 messages"],
    ["a pack of other sizes", Buffer.from([0xf2, 24, 1, ...new Array(30).fill(0)]), "24-byte"],
    ["an unknown type", Buffer.alloc(25, 0x92), "message type 9"],
  ];
  test.each(bad)("%s", (_, payload, reason) =>
    expect(decodeOdid(payload, AT)).toEqual({ bad: expect.stringContaining(reason) }),
  );
});

describe("[RI-4] single messages of one transmitter are merged", () => {
  const read = (bytes: Buffer) => readOdid(bytes, AT) as readonly OdidMessage[];
  const basic = read(encodeBasicId(1, 2, "S"));
  const place = read(encodeLocation(LOCATION));
  test("each for its own half a minute, in bounded memory", () => {
    const transmitters = new OdidTransmitters();
    expect(transmitters.join("aa", basic, 0)).toMatchObject({ uas_id: "S" });
    transmitters.join("aa", read(encodeSelfId(0, "survey")), 20_000);
    expect(transmitters.join("aa", place, 30_000)).toMatchObject({ uas_id: "S", lat: LOCATION.lat, self_id: {} });
    const later = transmitters.join("aa", place, 31_000);
    expect(later).toMatchObject({ lat: LOCATION.lat, self_id: { text: "survey" } });
    expect(later).not.toHaveProperty("uas_id");
    for (let i = 0; i < 10_000; i++) transmitters.join(`mac${i}`, basic, 0);
    expect(transmitters.count).toBeLessThanOrEqual(4096);
  });
  test("a position is not kept: a message without one makes no observation", () => {
    const transmitters = new OdidTransmitters();
    expect(transmitters.join("aa", [...basic, ...place], 0)).toMatchObject({ lat: LOCATION.lat });
    const again = transmitters.join("aa", basic, 1000);
    expect(again).toMatchObject({ uas_id: "S" });
    for (const member of ["lat", "lon", "alt_hae_m", "speed_mps", "claim_at"]) expect(again).not.toHaveProperty(member);
  });
  test("the operator's position comes from System, the name from Operator ID", () => {
    const transmitters = new OdidTransmitters();
    transmitters.join("aa", read(encodeOperatorId("GBR-OP-1")), 0);
    expect(transmitters.join("aa", read(encodeSystem(51, -1, 100)), 0)).toMatchObject({
      operator: { lat: 51, operator_id: "GBR-OP-1" },
    });
  });
});

describe("[RI-9] an aircraft with several ids is named by its serial", () => {
  const serial = encodeBasicId(1, 2, "1581F-OURS");
  const others = [encodeBasicId(2, 1, "JA.JU1234567"), encodeBasicId(0, 0, ""), encodeBasicId(1, 0, "")];
  const named = { uas_id: "1581F-OURS", id_type: "serial", ua_type: "helicopter_or_multirotor" };
  test.each(others)("in any order in a pack, and of one transmitter", (other) => {
    for (const pack of [encodePack([serial, other]), encodePack([other, serial])])
      expect(decodeOdid(pack, AT)).toMatchObject(named);
    const transmitters = new OdidTransmitters();
    for (const bytes of [serial, other]) transmitters.join("aa", readOdid(bytes, AT) as readonly OdidMessage[], 0);
    expect(transmitters.join("aa", readOdid(other, AT) as readonly OdidMessage[], 1000)).toMatchObject(named);
  });
  test("without a serial, by the next best id; an empty id is ignored", () => {
    expect(decodeOdid(encodePack([others[0]!, encodeBasicId(4, 1, "x"), others[2]!]), AT)).toMatchObject({
      uas_id: "JA.JU1234567",
      id_type: "registration",
    });
    expect(decodeOdid(others[1]!, AT)).not.toHaveProperty("uas_id");
  });
});

test("[RI-10] binary ids that differ in any of their twenty bytes stay distinct, in 20 characters", () => {
  const ids = new Set<string>();
  for (let changed = -1; changed < 20; changed++) {
    const bytes = encodeBasicId(4, 2, "");
    for (let i = 0; i < 20; i++) bytes[2 + i] = i === changed ? 200 : i + 1;
    ids.add((decodeOdid(bytes, AT) as { uas_id: string }).uas_id);
  }
  expect(ids.size).toBe(21);
  for (const id of ids) expect(id).toMatch(/^[\w-]{20}$/);
});

describe("[RI-5] POST /api/signals takes the payload in place of the claim", () => {
  const basic = encodeBasicId(1, 2, "1596F1234567890ABCD");
  const take = (room: SignalsRoom, members: object) => {
    const intake = new SignalsIntake(room, NOW_MS);
    const value = { source_id: "rid-1", modality: "remote_id", measured_at: NOW_MS, ...members };
    intake.add({ index: 0, scan: false, value });
    return intake;
  };
  test("a pack in hex or base64 is an observation", () => {
    for (const form of ["hex", "base64"] as const) {
      const room = new SignalsRoom();
      const odid = encodePack([basic, encodeLocation(LOCATION)]).toString(form);
      expect(take(room, { odid }).finish()).toMatchObject({ accepted: 1, rejected_count: 0 });
      expect(room.inputs[0]!.wire[0]).toMatchObject({ uas_id: "1596F1234567890ABCD", lat: 51.1846123 });
      expect(room.inputs[0]!.wire[0]).not.toHaveProperty("odid");
    }
  });
  test("an identity first and a position later, of one transmitter, make one observation", () => {
    const room = new SignalsRoom();
    const receiver = { mac: "60:60:1f:00:00:01", rssi_dbm: -70 };
    expect(take(room, { odid: basic.toString("hex"), receiver }).finish()).toMatchObject({
      accepted: 0,
      rejected_count: 0,
    });
    const placed = encodeLocation(LOCATION).toString("hex");
    expect(take(room, { odid: placed, receiver }).finish()).toMatchObject({ accepted: 1 });
    expect(room.inputs.at(-1)!.wire[0]).toMatchObject({ uas_id: "1596F1234567890ABCD" });
  });
  test("in a scan, too", () => {
    const room = new SignalsRoom();
    const intake = new SignalsIntake(room, NOW_MS);
    const odid = encodePack([basic, encodeLocation(LOCATION)]).toString("hex");
    const detections = [{ odid }, { odid: "zz" }];
    intake.add({
      index: 0,
      scan: true,
      value: { source_id: "r", modality: "remote_id", measured_at: NOW_MS, detections },
    });
    expect(intake.finish()).toMatchObject({ accepted: 1, rejected_count: 1 });
  });
  test("its other members are checked before any of it is kept", () => {
    const odid = basic.toString("hex");
    const wrong: [object, string, string][] = [
      [{ source_id: 42 }, "invalid_input", "source_id"],
      [{ measured_at: "yesterday" }, "invalid_input", "measured_at"],
      [{ env: "sim" }, "environment_mismatch", "live"],
      [{ receiver: { mac: "x".repeat(41) } }, "invalid_input", "mac"],
      [{ lat: 91 }, "bad_geometry", "lat"],
      [{ source_id: "radar" }, "modality_mismatch", "radar"],
    ];
    for (const [members, code, error] of wrong) {
      const room = new SignalsRoom();
      room.register("radar", DEFAULT_PROFILE.radar, null);
      const receiver = { mac: "aa" };
      const intake = take(room, { odid, receiver, ...members });
      expect(intake.failed, error).toBe(true);
      expect(intake.first).toMatchObject({ code, error: expect.stringContaining(error) });
      const placed = encodeLocation(LOCATION).toString("hex");
      expect(take(room, { odid: placed, receiver }).finish(), error).toMatchObject({ accepted: 0, rejected_count: 0 });
    }
  });
  test("detections have the source of their scan, so transmitters of two receivers are kept apart", () => {
    const room = new SignalsRoom();
    const heard = (source: string, bytes: Buffer) => {
      const intake = new SignalsIntake(room, NOW_MS);
      const detections = [{ odid: bytes.toString("hex"), receiver: { mac: "aa" } }];
      const scan = { source_id: source, modality: "remote_id", measured_at: NOW_MS, detections };
      intake.add({ index: 0, scan: true, value: scan });
      return intake.finish().accepted;
    };
    expect(heard("north", basic)).toBe(0);
    expect(heard("south", encodeLocation(LOCATION))).toBe(0);
    expect(heard("north", encodeLocation(LOCATION))).toBe(1);
    expect(heard("north", basic)).toBe(0);
  });
  test("an invalid payload is rejected with the reason", () => {
    for (const [odid, reason] of [
      ["not hex!", "hex or base64"],
      ["92".repeat(25), "message type 9"],
    ]) {
      const intake = take(new SignalsRoom(), { odid });
      expect(intake.failed).toBe(true);
      expect(intake.first).toMatchObject({ index: 0, code: "invalid_input", error: expect.stringContaining(reason!) });
    }
  });
});
