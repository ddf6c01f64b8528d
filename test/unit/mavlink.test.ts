/** MAVLink: messages to reports, verbs to commands, signatures. Values from mavlink common.xml and mavlink.io. */
import { type RemoteInfo, Socket } from "node:dgram";
import { common, minimal, x25crc } from "node-mavlink";
import { describe, expect, test, vi } from "vitest";
import type { PlatformSource } from "../../src/domain/platformReport.ts";
import { TYPES } from "../../src/features/catalogue/types/catalogueTypes.ts";
import { mavlinkAdapter } from "../../src/links/mavlink/adapter.ts";
import { CommandCancel } from "../../src/links/mavlink/commandCancel.ts";
import { type CommandMessage, commandOf } from "../../src/links/mavlink/commands.ts";
import { type Frame, FrameWriter, readFrames, SignatureCheck, signingKey } from "../../src/links/mavlink/frames.ts";
import { modeName, modeParams, typeKeyOf } from "../../src/links/mavlink/modes.ts";
import { toReport } from "../../src/links/mavlink/telemetry.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";
import { testContext, testSettings } from "../support/linkContext.ts";

const NOW = Date.UTC(2026, 10, 21);
const SOURCE: PlatformSource = { protocol: "mavlink2", address: "10.0.0.1:14550", systemId: "7", linkId: "l" };
const vehicle = () => new VehicleState(SOURCE, 7, { address: "10.0.0.1", port: 14_550 });
const writer = new FrameWriter(7, 1, null);

function framesOf(...messages: Parameters<FrameWriter["write"]>[0][]): Frame[] {
  const frames: Frame[] = [];
  const bad = readFrames(Buffer.concat(messages.map((message) => writer.write(message, NOW))), (frame) =>
    frames.push(frame),
  );
  expect(bad).toBe(0);
  return frames;
}
const say = (message: Parameters<FrameWriter["write"]>[0], state = vehicle()) => toReport(framesOf(message)[0]!, state);

describe("[MV-7] messages become reports in the interface's units, unknown is null", () => {
  test("a heartbeat", () => {
    const m = new minimal.Heartbeat();
    Object.assign(m, { type: 2, autopilot: 3, baseMode: 129, customMode: 4, systemStatus: 4, mavlinkVersion: 3 });
    expect(say(m)).toMatchObject({
      identity: { kindGuess: "vehicle", typeGuess: "quadrotor" },
      nav: { armed: true, mode: "GUIDED" },
      healthLevel: "ok",
    });
    for (const [state, level] of [
      [1, "not_ready"],
      [2, "not_ready"],
      [5, "fail"],
      [6, "fail"],
    ] as const) {
      m.systemStatus = state;
      expect(say(m)?.healthLevel).toBe(level);
    }
    m.autopilot = 8;
    expect(say(m)).toBeNull();
  });
  test("positions: height above the ellipsoid where both heights are reported, marked where not", () => {
    const position = new common.GlobalPositionInt();
    Object.assign(position, {
      lat: 500_300_000,
      lon: 85_600_000,
      alt: 120_500,
      relativeAlt: 20_500,
      vx: 300,
      vy: -400,
      vz: -150,
      hdg: 65_535,
    });
    const state = vehicle();
    expect(say(position, state)).toMatchObject({
      motion: {
        lat: 50.03,
        lon: 8.56,
        alt_hae_m: 120.5,
        alt_is_msl: true,
        alt_rel_m: 20.5,
        vel_enu_mps: [-4, 3, 1.5],
        heading_deg: null,
      },
    });
    const gps = new common.GpsRawInt();
    Object.assign(gps, {
      timeUsec: 0n,
      fixType: 6,
      alt: 120_000,
      altEllipsoid: 167_300,
      eph: 65_535,
      satellitesVisible: 255,
    });
    expect(say(gps, state)).toEqual({ nav: { gps_fix: "rtk_fixed", sats: null, hdop: null } });
    expect(say(position, state)).toMatchObject({ motion: { alt_hae_m: expect.closeTo(167.8, 9), alt_is_msl: false } });
  });
  test("batteries, radios, landing, serials", () => {
    const battery = new common.BatteryStatus();
    Object.assign(battery, {
      id: 1,
      voltages: [4000, 4100, ...new Array(8).fill(65_535)],
      voltagesExt: [0, 0, 0, 0],
      currentBattery: -1,
      batteryRemaining: 12,
      timeRemaining: 300,
      chargeState: 3,
    });
    expect(say(battery)).toMatchObject({
      power: { percent: 12, voltage_v: 8.1, current_a: null, remaining_s: 300, state: "critical" },
      components: [{ id: "battery_1", level: "fail" }],
    });
    const radio = new common.RadioStatus();
    radio.rssi = 190;
    expect(say(radio)).toEqual({ radio: { rssi_dbm: -27 } });
    const landed = new common.ExtendedSysState();
    landed.landedState = 3;
    expect(say(landed)).toEqual({ nav: { landed: "taking_off" } });
    const id = new common.OpenDroneIdBasicId();
    Object.assign(id, {
      idType: 1,
      uaType: 2,
      idOrMac: new Array(20).fill(0),
      uasId: [...Buffer.from("1596F123".padEnd(20, "\0"))],
    });
    expect(say(id)).toEqual({ identity: { remoteIdSerial: "1596F123" } });
    id.idType = 4;
    expect(say(id)).toBeNull();
  });
  test("a Remote ID module's position: used as motion where there is no other, otherwise for the undulation", () => {
    const m = new common.OpenDroneIdLocation();
    Object.assign(m, {
      idOrMac: new Array(20).fill(0),
      status: 2,
      direction: 9000,
      speedHorizontal: 500,
      speedVertical: 6300,
      latitude: 500_300_000,
      longitude: 85_600_000,
      altitudeGeodetic: 167,
      altitudeBarometric: -1000,
    });
    expect(say(m)).toEqual({
      motion: { lat: 50.03, lon: 8.56, alt_hae_m: 167, alt_is_msl: false, vel_enu_mps: [5, expect.closeTo(0, 9), 0] },
    });
    const state = vehicle();
    state.place(50, 8, 120, 20);
    expect(say(m, state)).toBeNull();
    expect(state.undulationM).toBe(47);
    const self = new common.OpenDroneIdSelfId();
    Object.assign(self, { idOrMac: new Array(20).fill(0), description: "survey" });
    expect(say(self)).toEqual({ message: "Remote ID: survey" });
  });
  test("a MAV_TYPE becomes the catalogue type that has it as its anchor", () => {
    for (const type of TYPES)
      for (const { scheme, code } of type.anchor)
        if (scheme === "mav_type" && typeKeyOf(Number(code)) !== null)
          expect(typeKeyOf(Number(code)), code).toBe(type.key);
    expect(typeKeyOf(6)).toBeNull();
  });
  test("PX4 packs its modes", () => {
    expect(modeName(12, 2, 1, (4 << 16) | (3 << 24))).toBe("AUTO.LOITER");
    expect(modeParams(12, 2, "auto.rtl")).toEqual([1, 4, 5]);
    expect(modeName(3, 10, 1, 4)).toBe("HOLD");
    expect(modeParams(3, 1, "nonsense")).toBeNull();
  });
});

describe("[MV-8] a verb becomes the command that the vehicle's autopilot understands", () => {
  const command = (verb: string, params: object, change: (state: VehicleState) => void = () => undefined) => {
    const state = vehicle();
    Object.assign(state, { autopilot: 3, mavType: 2 });
    state.place(50, 8, 120, 20);
    change(state);
    return commandOf(verb, { ...params }, state);
  };
  const sent = (message: ReturnType<typeof command>) => message as CommandMessage;
  const at = { kind: "point", lat: 50.1, lon: 8.2 };
  test("goto, with the height that was given", () => {
    expect(sent(command("goto", { ...at, alt_m: 40, alt_ref: "rel_home", speed_mps: 7 }))).toMatchObject({
      command: 192,
      frame: 3,
      params: [7, 1, 0, Number.NaN, 501_000_000, 82_000_000, 40],
    });
    expect(sent(command("goto", { ...at, alt_m: 60, alt_ref: "agl" })).frame).toBe(10);
    expect(sent(command("goto", at))).toMatchObject({
      frame: 3,
      params: [-1, 1, 0, Number.NaN, 501_000_000, 82_000_000, 20],
    });
    expect(command("goto", { ...at, alt_m: 200, alt_ref: "hae" })).toEqual({
      cannot: expect.stringContaining("ellipsoid"),
    });
    const withHae = sent(command("goto", { ...at, alt_m: 200, alt_ref: "hae" }, (state) => (state.undulationM = 47)));
    expect([withHae.frame, withHae.params[6]]).toEqual([0, 153]);
  });
  test("hold is a mode where the autopilot has one, otherwise a pause; takeoff heights are the autopilot's", () => {
    expect(sent(command("hold", {}))).toMatchObject({ command: 176, params: [1, 5, 0, 0, 0, 0, 0] });
    expect(sent(command("abort", {}, (s) => (s.autopilot = 12)))).toMatchObject({
      command: 176,
      params: [1, 4, 3, 0, 0, 0, 0],
    });
    expect(sent(command("hold", {}, (s) => (s.autopilot = 0)))).toMatchObject({ command: 193 });
    expect(sent(command("takeoff", { alt_m: 15 })).params[6]).toBe(15);
    expect(sent(command("takeoff", { alt_m: 15 }, (s) => (s.autopilot = 12))).params[6]).toBe(115);
    expect(sent(command("orbit", { ...at, radius_m: 80, direction: "counter_clockwise" })).params[0]).toBe(-80);
  });
  test("a stand-off ends short of the track; an order without a position is refused; respond is not carried", () => {
    const short = sent(command("investigate", { kind: "track", lat: 50.01, lon: 8, standoff_m: 500 }));
    expect(short.params[4]).toBeLessThan(500_100_000);
    expect(short.params[4]).toBeGreaterThan(500_050_000);
    expect(command("goto", { kind: "track" })).toHaveProperty("cannot");
    expect(command("respond", { kind: "track", lat: 1, lon: 1 })).toHaveProperty("cannot");
  });
});

describe("[MV-9] with a signing key, only frames signed with it, each newer than the last, are taken", () => {
  const key = signingKey("a pass phrase");
  const heartbeat = new minimal.Heartbeat();
  Object.assign(heartbeat, { type: 2, autopilot: 3, baseMode: 0, customMode: 0, systemStatus: 3, mavlinkVersion: 3 });
  const framed = (bytes: Buffer): Frame => {
    let found: Frame | null = null;
    readFrames(bytes, (frame) => (found = frame));
    return found!;
  };
  test("right, unsigned, another key's, repeated, old", () => {
    const check = new SignatureCheck(key, 10);
    const signer = new FrameWriter(7, 1, key);
    const first = framed(signer.write(heartbeat, NOW));
    const second = framed(signer.write(heartbeat, NOW));
    expect(check.accepts(first, NOW)).toBe(true);
    expect(check.accepts(second, NOW)).toBe(true);
    expect(check.accepts(first, NOW)).toBe(false);
    expect(check.accepts(framed(writer.write(heartbeat, NOW)), NOW)).toBe(false);
    expect(check.accepts(framed(new FrameWriter(7, 1, signingKey("another")).write(heartbeat, NOW + 1000)), NOW)).toBe(
      false,
    );
    expect(check.accepts(framed(new FrameWriter(8, 1, key).write(heartbeat, NOW - 61_000)), NOW)).toBe(false);
    const tampered = Buffer.from(signer.write(heartbeat, NOW));
    tampered[tampered.length - 1]! ^= 1;
    expect(check.accepts(framed(tampered), NOW)).toBe(false);
    expect(signingKey("0".repeat(64))).toEqual(Buffer.alloc(32));
  });
});

test("[MV-11] the rest of a datagram is discarded after 16 broken frames, not after one", () => {
  const beat = new minimal.Heartbeat();
  Object.assign(beat, { type: 2, autopilot: 3, baseMode: 0, customMode: 0, systemStatus: 3, mavlinkVersion: 3 });
  const sound = writer.write(beat, NOW);
  const broken = Buffer.from(sound);
  broken[broken.length - 1]! ^= 0xff;
  let taken = 0;
  const count = () => taken++;
  expect(readFrames(Buffer.concat([broken, sound, broken, sound]), count)).toBe(2);
  expect(taken).toBe(2);
  expect(readFrames(Buffer.concat(Array.from({ length: 3000 }, () => broken)), count)).toBe(16);
  expect(taken).toBe(2);
});

test("[MV-61] COMMAND_CANCEL is written as MAVLink's common.xml defines it", () => {
  const message = Object.assign(new CommandCancel(), { command: 0x1234, targetSystem: 7, targetComponent: 1 });
  const bytes = writer.write(message, NOW);
  expect([bytes.readUIntLE(7, 3), bytes.length, ...bytes.subarray(10, 14)]).toEqual([80, 16, 0x34, 0x12, 7, 1]);
  expect(x25crc(bytes, 1, 2, 14)).toBe(bytes.readUInt16LE(14));
  // mavlink.io, "Serialization": the seed is the checksum of the message's name and fields, largest first.
  const layout = "COMMAND_CANCEL uint16_t command uint8_t target_system uint8_t target_component ";
  const crc = x25crc(Buffer.from(layout), 0, 0);
  expect((crc & 255) ^ (crc >> 8)).toBe(14);
});

test("[MV-13] a datagram that cannot be answered is counted as bad and makes no vehicle", async () => {
  const on = vi.spyOn(Socket.prototype, "on");
  const context = testContext();
  const link = await mavlinkAdapter.open(
    testSettings({ protocol: "mavlink2", transport: "udp", role: "listen", port: 0 }),
    context,
  );
  const receive = on.mock.calls.find((call) => String(call[0]) === "message")![1] as unknown as (
    datagram: Buffer,
    from: RemoteInfo,
  ) => void;
  on.mockRestore();
  const beat = new FrameWriter(7, 1, null).write(new minimal.Heartbeat(), NOW);
  const from = { address: "127.0.0.1", family: "IPv4", size: beat.length } as const;
  receive(beat, { ...from, port: 0 });
  expect([link.counters.bad, link.counters.rx, context.reports.length]).toEqual([1, 0, 0]);
  receive(beat, { ...from, port: 9 });
  expect([link.counters.bad, link.counters.rx]).toEqual([1, 1]);
  await link.close();
});
