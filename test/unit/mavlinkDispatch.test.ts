/**
 * Orders to a vehicle: what is sent, when it is repeated, and what is not sent any more. No socket; the clock is set by hand.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { CommandProgress, OutgoingCommand } from "../../src/domain/platformReport.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { Orders } from "../../src/links/mavlink/orders.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";

const ACCEPTED = 0;
const BUSY = 1;
const DENIED = 2;
const IN_PROGRESS = 5;
const CANCELLED = 6;
const SET_MODE = 176;
const REPOSITION = 192;
const ARM = 400;
const SOURCE = { protocol: "mavlink2", address: "10.0.0.1:1", systemId: "7", linkId: "l" };

let clock: ManualClock;
let vehicle: VehicleState;
let written: { command: number; lat: number; confirmation: number }[];
let told: { taskId: string; progress: CommandProgress }[];
let place: { lat: number; lon: number } | null;
let orders: Orders;

beforeEach(() => {
  clock = new ManualClock(1_000_000);
  vehicle = new VehicleState(SOURCE, 7, { address: "10.0.0.1", port: 1 });
  Object.assign(vehicle, { mavType: 2, autopilot: 3 });
  vehicle.place(50, 8, 100, 30);
  written = [];
  told = [];
  place = { lat: 50.01, lon: 8 };
  orders = new Orders({
    nowMs: () => clock.nowMs(),
    write: (_, { command, params }, confirmation) =>
      void written.push({ command, lat: Math.round(params[4] / 1e5) / 100, confirmation }),
    askToDrop: () => undefined,
    progress: (taskId, progress) => void told.push({ taskId, progress }),
    placeOf: () => place,
  });
});

const POINT = (lat: number) => ({ kind: "point", lat, lon: 8 });
function order(taskId: string, verb: string, params: Record<string, unknown> = { kind: "none" }): OutgoingCommand {
  const deadlineAtMs = clock.nowMs() + 600_000;
  return { taskId, source: SOURCE, verb, params, deadlineAtMs, resendSafe: verb !== "arm" };
}
const send = (...given: Parameters<typeof order>) => orders.onOrder(order(...given), vehicle);
const ack = (command: number, result: number) => orders.onAck(vehicle, command, result, 255);
const words = (taskId: string) => told.filter((one) => one.taskId === taskId).map(({ progress }) => progress.is);
const commands = () => written.map(({ command }) => command);
/** Advances the clock with ten ticks a second, as the link does. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 100) {
    clock.advance(100);
    orders.onTick();
  }
}
const PATROL = { kind: "path", points: [50.1, 50.2, 50.3].map((lat) => ({ lat, lon: 8 })) };

test("[MV-20] only a command that is safe to repeat is sent again; silence ends it", () => {
  send("a", "goto", POINT(50.1));
  send("b", "arm");
  pass(3000);
  expect(written.filter(({ command }) => command === REPOSITION).map(({ confirmation }) => confirmation)).toEqual([
    0, 1, 2, 3,
  ]);
  expect(commands().filter((one) => one === ARM)).toHaveLength(1);
  expect([words("a"), words("b")]).toEqual([["timed_out"], ["timed_out"]]);
});

test("[MV-21] while a command is unanswered no other of its kind is sent; abort always is", () => {
  send("a", "goto", POINT(50.1));
  expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(false);
  send("b", "goto", POINT(50.2));
  expect([words("b"), commands()]).toEqual([["busy"], [REPOSITION]]);
  ack(REPOSITION, IN_PROGRESS);
  pass(3000);
  expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(false);
  expect(orders.isFree(order("c", "abort"), vehicle)).toBe(true);
  ack(REPOSITION, CANCELLED);
  expect(words("a")).toEqual(["executing", "cancelled"]);
  expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(true);
});

describe("[MV-22] after the ledger ended a task nothing more of it is sent", () => {
  test("no resends; its late answer is not taken for the next task's", () => {
    send("a", "goto", POINT(50.1));
    orders.onDrop("a");
    pass(1500);
    expect(commands()).toEqual([REPOSITION]);
    expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(false);
    ack(REPOSITION, DENIED);
    expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(true);
    send("b", "goto", POINT(50.2));
    ack(REPOSITION, ACCEPTED);
    expect([words("a"), words("b")]).toEqual([[], ["accepted", "executing"]]);
  });
  test("no legs, no new positions, and a recording is stopped", () => {
    send("a", "patrol", PATROL);
    ack(REPOSITION, ACCEPTED);
    send("r", "record", { kind: "duration", s: 600 });
    ack(2500, ACCEPTED);
    written.length = 0;
    orders.onDrop("a");
    orders.onDrop("r");
    pass(12_000);
    expect(commands()).toEqual([2501]);
  });
});

test("[MV-23] an abort ends every order in flight and all steering at once, whatever becomes of the abort", () => {
  send("a", "follow", { ...POINT(50.01), kind: "track", track_id: "trk_1" });
  ack(REPOSITION, ACCEPTED);
  send("b", "set_speed", { kind: "speed", speed_mps: 5 });
  written.length = 0;
  send("x", "abort");
  pass(4000);
  expect(new Set(commands())).toEqual(new Set([SET_MODE]));
  expect(words("x")).toEqual(["timed_out"]);
  expect(told.find(({ taskId, progress }) => taskId === "a" && progress.is === "failed")).toBeDefined();
  written.length = 0;
  pass(3000);
  expect(written).toEqual([]);
});

test("[MV-24] while a newer order is unanswered the older one is not sent; denied, the older continues; unanswered, it is dropped", () => {
  send("a", "follow", { ...POINT(50.01), kind: "track", track_id: "trk_1" });
  ack(REPOSITION, ACCEPTED);
  send("h", "hold");
  written.length = 0;
  pass(400);
  expect(commands()).toEqual([]);
  ack(SET_MODE, DENIED);
  pass(1500);
  expect(commands()).toContain(REPOSITION);
  ack(REPOSITION, ACCEPTED);
  send("i", "hold");
  pass(2600);
  expect(words("i")).toEqual(["timed_out"]);
  expect(words("a").at(-1)).toBe("failed");
  written.length = 0;
  pass(3000);
  expect(written).toEqual([]);
});

test("[MV-25] an order to stop is sent until it is answered; declined or unanswered, the task continues", () => {
  send("a", "goto", POINT(50.1));
  ack(REPOSITION, ACCEPTED);
  orders.onCancel("a");
  pass(400);
  ack(SET_MODE, IN_PROGRESS);
  pass(400);
  ack(SET_MODE, DENIED);
  expect(words("a").at(-1)).toBe("cancel_declined");
  written.length = 0;
  orders.onCancel("a");
  pass(2600);
  expect(written.map(({ confirmation }) => confirmation)).toEqual([0, 1, 2, 3]);
  expect(words("a").at(-1)).toBe("cancel_declined");
  // After this none of the four can be answered any more.
  pass(2000);
  orders.onCancel("a");
  ack(SET_MODE, ACCEPTED);
  expect(words("a").at(-1)).toBe("cancelled");
  vehicle.place(50.1, 8, 100, 30);
  orders.onTelemetry(vehicle);
  expect(words("a").at(-1)).toBe("cancelled");
});

test("[MV-26] the answer to a repeated leg is not taken for a newer order's; a denied leg ends its patrol", () => {
  send("a", "patrol", PATROL);
  ack(REPOSITION, ACCEPTED);
  pass(5100);
  expect(commands()).toEqual([REPOSITION, REPOSITION]);
  expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(false);
  ack(REPOSITION, ACCEPTED);
  expect(orders.isFree(order("b", "goto", POINT(50.2)), vehicle)).toBe(true);
  pass(5000);
  ack(REPOSITION, BUSY);
  expect(words("a").at(-1)).toBe("executing");
  pass(5000);
  ack(REPOSITION, DENIED);
  expect(words("a").at(-1)).toBe("failed");
});

test("[MV-27] tasks that ran before a restart are watched and steered on, not ordered again", () => {
  vehicle.place(50.21, 8, 100, 30);
  expect(orders.onResume(order("a", "patrol", PATROL), vehicle)).toBe(true);
  expect(orders.onResume(order("c", "goto", POINT(50.21)), undefined)).toBe(false);
  expect(written).toEqual([]);
  pass(5100);
  expect(written.map(({ lat }) => lat)).toEqual([50.2]);
  ack(REPOSITION, ACCEPTED);
  expect(orders.onResume(order("t", "takeoff", { kind: "point", alt_m: 20 }), vehicle)).toBe(true);
  orders.onTelemetry(vehicle);
  expect(words("t")).toEqual(["succeeded"]);
  orders.onCancel("a");
  ack(SET_MODE, ACCEPTED);
  expect(words("a")).toEqual(["cancelled"]);
});

test("[MV-30] the cancel of an older order waits for the answer to the newer: taken on, none is stopped; denied, the older is", () => {
  send("a", "goto", POINT(50.1));
  ack(REPOSITION, ACCEPTED);
  send("b", "goto", POINT(50.2));
  expect(orders.onCancel("a")).toBe(true);
  pass(400);
  expect(commands()).toEqual([REPOSITION, REPOSITION]);
  ack(REPOSITION, ACCEPTED);
  pass(3000);
  expect(commands()).toEqual([REPOSITION, REPOSITION]);
  expect(orders.onCancel("a")).toBe(false);
  send("c", "goto", POINT(50.3));
  orders.onCancel("b");
  ack(REPOSITION, DENIED);
  pass(600);
  ack(SET_MODE, ACCEPTED);
  expect(words("b").at(-1)).toBe("cancelled");
});

test("[MV-31] a second recording is not stopped by the end of the first; the last one is stopped at its deadline", () => {
  send("r", "record", { kind: "duration", s: 6000 });
  ack(2500, ACCEPTED);
  send("s", "record", { kind: "duration", s: 6000 });
  ack(2500, ACCEPTED);
  orders.onDrop("r");
  expect(commands()).toEqual([2500, 2500]);
  pass(601_000);
  expect(commands()).toEqual([2500, 2500, 2501]);
});

test("[MV-32] tasks are taken up again only once the vehicle has reported its position", () => {
  vehicle.lat = null;
  expect(orders.onResume(order("a", "patrol", PATROL), vehicle)).toBe(false);
  vehicle.place(50.29, 8, 100, 30);
  expect(orders.onResume(order("a", "patrol", PATROL), vehicle)).toBe(true);
  pass(5100);
  expect(written.map(({ lat }) => lat)).toEqual([50.3]);
});
