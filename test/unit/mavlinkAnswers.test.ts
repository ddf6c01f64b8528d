/** MAVLink: which order an ack is for. A COMMAND_ACK names nothing but its command. */
import { common } from "node-mavlink";
import { expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { Sequence } from "../../src/links/mavlink/sequence.ts";
import { heartbeat, openMavlink } from "../support/mavlinkLink.ts";
import { CMD, openOrders, RESULT, toLat } from "../support/mavlinkOrders.ts";

const { ACCEPTED, DENIED } = RESULT;

test("[MV-62] an order that was sent twice has two answers; the next order of its command waits for both", () => {
  const rig = openOrders();
  rig.send("a", "goto", toLat(50.1));
  rig.pass(700);
  expect(rig.written).toEqual([CMD.REPOSITION, CMD.REPOSITION]);
  rig.ack(CMD.REPOSITION, ACCEPTED);
  expect(rig.isFree("b", "goto", toLat(50.2))).toBe(false);
  rig.pass(500);
  rig.ack(CMD.REPOSITION, ACCEPTED);
  expect(rig.isFree("b", "goto", toLat(50.2))).toBe(true);
  rig.send("b", "goto", toLat(50.2));
  rig.ack(CMD.REPOSITION, DENIED);
  expect([rig.words("a"), rig.words("b")]).toEqual([["accepted", "executing"], ["refused"]]);
});

test("[MV-62] a lost answer is waited for no longer than two seconds", () => {
  const rig = openOrders();
  rig.send("a", "hold");
  rig.pass(700);
  rig.ack(CMD.SET_MODE, ACCEPTED);
  rig.pass(1900);
  expect(rig.isFree("b", "hold")).toBe(false);
  rig.pass(100);
  expect(rig.isFree("b", "hold")).toBe(true);
});

test("[MV-62] an order that was long in progress owes no more answers", () => {
  const rig = openOrders();
  rig.send("a", "goto", toLat(50.1));
  rig.pass(700);
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.pass(5000);
  rig.ack(CMD.REPOSITION, ACCEPTED);
  expect(rig.isFree("b", "goto", toLat(50.2))).toBe(true);
});

test("[MV-62] an answer after an order was given up is not taken for the opposite order's", () => {
  const rig = openOrders();
  rig.send("on", "arm");
  rig.pass(2200);
  expect(rig.words("on")).toEqual(["timed_out"]);
  expect(rig.isFree("off", "disarm")).toBe(false);
  rig.ack(CMD.ARM, ACCEPTED);
  expect(rig.isFree("off", "disarm")).toBe(true);
  rig.send("off", "disarm");
  rig.ack(CMD.ARM, DENIED);
  expect(rig.words("off")).toEqual(["refused"]);
});

test("[MV-62] an abort is sent at once, is not settled by an older answer, and is sent again until its own comes", () => {
  const rig = openOrders();
  rig.send("h", "hold");
  rig.pass(700);
  rig.ack(CMD.SET_MODE, ACCEPTED);
  expect(rig.isFree("x", "abort")).toBe(true);
  rig.send("x", "abort");
  rig.ack(CMD.SET_MODE, ACCEPTED);
  expect(rig.words("x")).toEqual([]);
  rig.pass(600);
  rig.ack(CMD.SET_MODE, ACCEPTED);
  expect(rig.words("x")).toEqual(["succeeded"]);
});

test("[MV-62] an abort after an order that was never answered is not given up because of answers that never come", () => {
  const rig = openOrders();
  rig.send("h", "hold");
  rig.pass(2200);
  expect(rig.words("h")).toEqual(["timed_out"]);
  rig.send("x", "abort");
  for (let i = 0; i < 5; i++) {
    rig.pass(200);
    rig.ack(CMD.SET_MODE, ACCEPTED);
    rig.pass(300);
  }
  expect(rig.words("x")).toEqual(["succeeded"]);
});

test("[MV-62] the answer to a stop that has ended settles no later hold", () => {
  const rig = openOrders();
  rig.send("g", "goto", toLat(50.1));
  rig.ack(CMD.REPOSITION, ACCEPTED);
  rig.orders.onCancel("g");
  rig.orders.onDrop("g");
  expect(rig.isFree("h", "hold")).toBe(false);
  rig.ack(CMD.SET_MODE, DENIED);
  expect(rig.isFree("h", "hold")).toBe(true);
});

test("[MV-63] positions of a followed track are sent one at a time, as fast as the vehicle answers; another order goes in between", () => {
  const rig = openOrders({ lat: 50.01, lon: 8 });
  rig.vehicle.rttMs = 700;
  rig.send("f", "follow", { ...toLat(50.01), kind: "track", track_id: "trk_1" });
  rig.ack(CMD.REPOSITION, ACCEPTED);
  rig.pass(1000);
  expect(rig.written).toHaveLength(2);
  rig.pass(600);
  // Its ack is still under way.
  expect(rig.isFree("g", "goto", toLat(50.2))).toBe(false);
  rig.ack(CMD.REPOSITION, ACCEPTED);
  expect(rig.isFree("g", "goto", toLat(50.2))).toBe(true);
  rig.pass(400);
  expect(rig.written).toHaveLength(3);
  // Never answered: given up after twice the round trip, and sent again half a second later.
  rig.pass(1400);
  expect(rig.isFree("g", "goto", toLat(50.2))).toBe(true);
  expect(rig.written).toHaveLength(3);
  rig.pass(500);
  expect(rig.written).toHaveLength(4);
});

test("[MV-64] a frame that comes a second time is not taken, however many came between", async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 21));
  const rig = await openMavlink(clock);
  const vehicle = rig.speaker(1000, 7);
  vehicle.say(heartbeat());
  const order = (taskId: string) => ({
    taskId,
    source: { protocol: "mavlink2", address: "192.0.2.1:1000", systemId: "7", linkId: "lnk_test" },
    verb: "arm",
    params: { kind: "none" },
    deadlineAtMs: clock.nowMs() + 60_000,
    resendSafe: false,
  });
  const ack = Object.assign(new common.CommandAck(), { command: CMD.ARM, result: ACCEPTED });
  rig.link.send!(order("a"));
  const again = vehicle.say(ack);
  for (let i = 0; i < 40; i++) vehicle.say(heartbeat());
  rig.link.send!(order("b"));
  again();
  expect(rig.progressed.map(({ taskId }) => taskId)).toEqual(["a"]);
  expect(rig.link.counters.duplicate).toBe(1);
  vehicle.say(ack);
  expect(rig.progressed.map(({ taskId }) => taskId)).toEqual(["a", "b"]);
  await rig.close();
});

test("[MV-64] a component that starts its sequence again is heard at once after a silence, otherwise after eight frames", () => {
  const sequence = new Sequence();
  const note = (seq: number, nowMs = 0) => sequence.note(seq, nowMs).order;
  for (let i = 0; i < 300; i++) expect(note(i & 255)).toBe("next");
  expect([note(44), note(43), note(50), note(47), note(47), note(255)]).toEqual([
    "next",
    "repeated",
    "gap",
    "reordered",
    "repeated",
    "repeated",
  ]);
  expect(note(0, 3500)).toBe("next");
  expect(note(100, 3500)).toBe("gap");
  const orders = Array.from({ length: 10 }, (_, i) => note(i, 3500));
  expect(orders.slice(-2)).toEqual(["next", "next"]);
});

test("[MV-65] every negative MAV_RESULT is a refusal with its own code; an unknown one is a failure", () => {
  const codes = [2, 3, 7, 8, 9, 10, 11].map((result) => {
    const rig = openOrders();
    rig.send("a", "goto", toLat(50.1));
    rig.ack(CMD.REPOSITION, result);
    const [end] = rig.of("a");
    return end !== undefined && "code" in end ? `${end.is} ${end.code}` : end;
  });
  expect(codes).toEqual([
    "refused denied",
    "refused unsupported",
    "refused command_long_only",
    "refused command_int_only",
    "refused unsupported_frame",
    "refused not_in_control",
    "failed failed",
  ]);
});

test("[TK-71] a link reports its resends with its first answer, and once", () => {
  const rig = openOrders();
  rig.send("a", "goto", toLat(50.1));
  rig.pass(3000);
  expect(rig.of("a")).toEqual([expect.objectContaining({ is: "timed_out", resends: 3 })]);
  rig.pass(2000);
  rig.send("b", "goto", toLat(50.1));
  rig.pass(600);
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.ack(CMD.REPOSITION, RESULT.FAILED);
  expect(rig.of("b").map(({ is, resends }) => [is, resends])).toEqual([
    ["executing", 1],
    ["failed", undefined],
  ]);
  rig.send("c", "set_speed", { kind: "speed", speed_mps: 5 });
  rig.ack(CMD.SPEED, ACCEPTED);
  expect(rig.of("c")).toEqual([{ is: "succeeded", code: "accepted", text: expect.any(String) }]);
});

test("[MV-67] an order in progress before a restart ends with the vehicle's answer after it", () => {
  for (const [result, end] of [
    [RESULT.FAILED, "failed"],
    [RESULT.DENIED, "refused"],
    [RESULT.CANCELLED, "cancelled"],
    [RESULT.BUSY, "busy"],
  ] as const) {
    const rig = openOrders();
    rig.resume("t", "takeoff", { kind: "point", alt_m: 60 });
    rig.ack(CMD.TAKEOFF, RESULT.IN_PROGRESS);
    rig.ack(CMD.TAKEOFF, result);
    expect(rig.words("t")).toEqual([end]);
  }
  const rig = openOrders();
  rig.resume("t", "takeoff", { kind: "point", alt_m: 60 });
  rig.ack(CMD.TAKEOFF, ACCEPTED);
  rig.orders.onTelemetry(rig.vehicle);
  expect(rig.words("t")).toEqual([]);
  rig.vehicle.place(50, 8, 160, 60);
  rig.orders.onTelemetry(rig.vehicle);
  expect(rig.words("t")).toEqual(["succeeded"]);
  // Only its ack shows that a speed was set.
  rig.resume("s", "set_speed", { kind: "speed", speed_mps: 5 });
  rig.ack(CMD.SPEED, ACCEPTED);
  expect(rig.words("s")).toEqual(["succeeded"]);
});
