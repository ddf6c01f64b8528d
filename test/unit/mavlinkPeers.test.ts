/** MAVLink: which senders are vehicles, which component speaks for one, and how many there can be. */
import { common, minimal } from "node-mavlink";
import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX } from "../../src/limits.ts";
import { heartbeat, openMavlink } from "../support/mavlinkLink.ts";

const NOW = Date.UTC(2026, 10, 21);
let rig: Awaited<ReturnType<typeof openMavlink>>;
let clock: ManualClock;
const open = async () => {
  clock = new ManualClock(NOW);
  rig = await openMavlink(clock);
};
afterEach(() => rig.close());

test("[MV-41] a flood of one system id stays small: 32 vehicles, eight addresses and a count, updated every 5 s", async () => {
  await open();
  const speakers = Array.from({ length: 400 }, (_, i) => rig.speaker(1000 + i, 7));
  for (let round = 0; round < 4; round++) {
    for (const speaker of speakers) speaker.say(heartbeat());
    clock.advance(1000);
  }
  const addresses = new Set(rig.reports.map(({ source }) => source.address));
  expect(addresses.size).toBe(MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX);
  const told = rig.reports.filter(({ conflicts }) => conflicts !== undefined);
  expect(Math.max(...told.map(({ conflicts }) => conflicts!.length))).toBe(8);
  // Each reports the conflict once when it begins; further changes fall into the pause.
  expect(told.length).toBeLessThanOrEqual(addresses.size);
  clock.advance(2000);
  for (const speaker of speakers) speaker.say(heartbeat());
  expect(rig.reports.filter(({ message }) => message?.includes("more addresses")).at(-1)?.message).toBe(
    `${MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX - 9} more addresses use its system id`,
  );
  expect(rig.link.counters.dropped).toBe((400 - MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX) * 5);
});

test("[MV-41] a silent vehicle makes room, and another system id has a limit of its own", async () => {
  await open();
  for (let i = 0; i < MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX; i++) rig.speaker(1000 + i, 7).say(heartbeat());
  rig.reports.length = 0;
  rig.speaker(5000, 7).say(heartbeat());
  expect(rig.reports).toEqual([]);
  rig.speaker(5000, 8).say(heartbeat());
  expect(rig.reports.map(({ source }) => source.systemId)).toEqual(["8"]);
  clock.advance(11_000);
  rig.speaker(5000, 7).say(heartbeat());
  expect(rig.reports.at(-1)).toMatchObject({ source: { systemId: "7", address: "192.0.2.1:5000" } });
  expect(rig.reports.some(({ conflicts }) => conflicts !== undefined)).toBe(false);
});

const order = (port: number, sysid: number, verb: string) => ({
  taskId: `tsk_${verb}`,
  source: { protocol: "mavlink2", address: `192.0.2.1:${port}`, systemId: String(sysid), linkId: "lnk_test" },
  verb,
  params: { kind: "none" },
  deadlineAtMs: NOW + 900_000,
  resendSafe: false,
});
const ack = (command: number) =>
  Object.assign(new common.CommandAck(), { command, result: 0, targetSystem: 255, targetComponent: 190 });

test("[MV-42] only the autopilot reports for its vehicle, is commanded and acknowledges", async () => {
  await open();
  const [autopilot, companion] = [rig.speaker(1000, 7), rig.speaker(1000, 7, 191)];
  companion.say(heartbeat({ type: 18, autopilot: 0 }));
  for (const type of [5, 6, 26, 30, 34, 36]) rig.speaker(1001 + type, 8, 190).say(heartbeat({ type, autopilot: 0 }));
  expect(rig.reports).toEqual([]);
  autopilot.say(heartbeat());
  rig.reports.length = 0;
  companion.say(heartbeat({ baseMode: 0, customMode: 0, autopilot: 0 }));
  companion.say(heartbeat({ type: 18, baseMode: 0, customMode: 0, autopilot: 0 }));
  companion.say(Object.assign(new common.GlobalPositionInt(), { lat: 1, lon: 1 }));
  companion.say(Object.assign(new common.SysStatus(), { batteryRemaining: 1 }));
  expect(rig.reports).toEqual([]);

  rig.link.send!(order(1000, 7, "arm"));
  expect(rig.commands().map((one) => [one.targetSystem, one.targetComponent])).toEqual([[7, 1]]);
  companion.say(ack(400));
  expect(rig.progressed).toEqual([]);
  autopilot.say(ack(400));
  expect(rig.progressed.at(-1)!.progress.is).toBe("succeeded");
});

test("[MV-42] batteries, Remote ID modules and texts of other components are taken; they do not keep the vehicle heard", async () => {
  await open();
  const [autopilot, part] = [rig.speaker(1000, 7), rig.speaker(1000, 7, 180)];
  autopilot.say(heartbeat());
  rig.reports.length = 0;
  const voltages = [12_000, ...new Array<number>(9).fill(0xffff)];
  const battery = Object.assign(new common.BatteryStatus(), { voltages, voltagesExt: [0, 0, 0, 0] });
  part.say(Object.assign(battery, { batteryRemaining: 40, currentBattery: -1, chargeState: 1 }));
  part.say(Object.assign(new common.StatusText(), { text: "hot" }));
  autopilot.say(Object.assign(new common.StatusText(), { text: "fine" }));
  expect(rig.reports.map(({ power, message }) => power?.percent ?? message)).toEqual([
    40,
    "component 180: hot",
    "fine",
  ]);
  clock.advance(6000);
  rig.reports.length = 0;
  part.say(battery);
  expect(rig.reports).toEqual([]);
});

test("[MV-42] an autopilot that comes back as another component takes over once the first is silent", async () => {
  await open();
  rig.speaker(1000, 7).say(heartbeat());
  const after = rig.speaker(1000, 7, 2);
  clock.advance(3000);
  after.say(heartbeat({ customMode: 9 }));
  expect(rig.reports.at(-1)!.nav!.mode).toBe("GUIDED");
  clock.advance(3000);
  after.say(heartbeat({ customMode: 9 }));
  expect(rig.reports.at(-1)!.nav!.mode).toBe("LAND");
  rig.link.send!(order(1000, 7, "disarm"));
  expect(rig.commands().at(-1)!.targetComponent).toBe(2);
});

test("[MV-70] a camera that is a component of its own gets the orders to record and acknowledges them, and no others", async () => {
  await open();
  const [autopilot, camera] = [rig.speaker(1000, 7), rig.speaker(1000, 7, 100)];
  autopilot.say(heartbeat());
  const record = { ...order(1000, 7, "record"), params: { kind: "duration", s: 60 } };
  rig.link.send!({ ...record, taskId: "before" });
  autopilot.say(ack(2500));
  camera.say(heartbeat({ type: 30, autopilot: 8 }));
  rig.link.send!({ ...record, taskId: "after" });
  rig.link.send!(order(1000, 7, "arm"));
  expect(rig.commands().map((one) => [one.command, one.targetComponent])).toEqual([
    [2500, 1],
    [2500, 100],
    [400, 1],
  ]);
  rig.progressed.length = 0;
  camera.say(ack(400));
  expect(rig.progressed).toEqual([]);
  camera.say(ack(2500));
  expect(rig.progressed.at(-1)).toMatchObject({ taskId: "after", progress: { is: "executing" } });
  // A second camera changes nothing until the first is silent.
  const other = rig.speaker(1000, 7, 101);
  const stops = () => rig.commands().at(-1)!.targetComponent;
  other.say(heartbeat({ type: 30, autopilot: 8 }));
  rig.link.cancel!("after");
  expect(stops()).toBe(100);
  clock.advance(6000);
  autopilot.say(heartbeat());
  other.say(heartbeat({ type: 30, autopilot: 8 }));
  rig.link.send!({ ...record, taskId: "other" });
  expect(stops()).toBe(101);
});

test("[MV-43] system 0 and component 0 make no vehicle, and no command is broadcast", async () => {
  await open();
  rig.speaker(1000, 0, 1).say(heartbeat());
  rig.speaker(1001, 7, 0).say(heartbeat());
  expect(rig.reports).toEqual([]);
  expect([rig.link.counters.bad, rig.link.counters.rx]).toEqual([2, 0]);
  rig.link.send!(order(1000, 0, "disarm"));
  expect(rig.commands()).toEqual([]);
  expect(rig.written.filter(({ frame }) => frame.msgid !== minimal.Heartbeat.MSG_ID)).toEqual([]);
});

test("[MV-53] the round trip time belongs to the vehicle that answered", async () => {
  await open();
  const [near, far] = [rig.speaker(1000, 7), rig.speaker(1001, 8)];
  near.say(heartbeat());
  far.say(heartbeat());
  const sync = Object.assign(new common.TimeSync(), { tc1: 1n, ts1: BigInt(NOW - 300) * 1_000_000n });
  far.say(sync);
  expect(rig.reports.at(-1)).toMatchObject({ source: { systemId: "8" }, radio: { rtt_ms: 300 } });
  for (let i = 0; i < 200; i++) near.say(heartbeat());
  expect(rig.reports.at(-1)).toMatchObject({ source: { systemId: "7" }, radio: { loss_pct: 0, rtt_ms: null } });
  for (let i = 0; i < 200; i++) far.say(heartbeat());
  expect(rig.reports.at(-1)).toMatchObject({ radio: { rtt_ms: 300 } });
});

test("[MV-54] a vehicle that restarted, or was silent for 5 s, is asked for its messages again", async () => {
  await open();
  const one = rig.speaker(1000, 7);
  const asked = () => rig.asked();
  one.say(heartbeat());
  const first = asked();
  expect(first).toBeGreaterThan(0);
  const clockSays = (timeBootMs: number) =>
    one.say(Object.assign(new common.GlobalPositionInt(), { lat: 1e7, lon: 1e7, timeBootMs }));
  clockSays(60_000);
  clockSays(59_000);
  // Not every message has the clock filled in; only that of positions is used.
  one.say(new common.Attitude());
  clock.advance(3000);
  one.say(heartbeat());
  expect(asked()).toBe(first);
  clockSays(500);
  one.say(heartbeat());
  one.say(heartbeat());
  expect(asked()).toBe(2 * first);
  clock.advance(5500);
  one.say(heartbeat());
  expect(asked()).toBe(3 * first);
});
