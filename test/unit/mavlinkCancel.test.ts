/** MAVLink: the cancel of an order that the vehicle is still answering (IN_PROGRESS). */
import { beforeEach, expect, test } from "vitest";
import { CMD, openOrders, RESULT, toLat } from "../support/mavlinkOrders.ts";

let rig: ReturnType<typeof openOrders>;
beforeEach(() => {
  rig = openOrders();
});

test("[MV-60] the cancel of an order in progress asks the vehicle to drop it, then stops it", () => {
  rig.send("t", "takeoff");
  rig.ack(CMD.TAKEOFF, RESULT.IN_PROGRESS);
  expect(rig.orders.onCancel("t")).toBe(true);
  expect([rig.asked, rig.written]).toEqual([[CMD.TAKEOFF], [CMD.TAKEOFF]]);
  rig.pass(400);
  rig.ack(CMD.TAKEOFF, RESULT.IN_PROGRESS);
  rig.pass(100);
  expect(rig.written).toEqual([CMD.TAKEOFF, CMD.SET_MODE]);
  rig.ack(CMD.SET_MODE, RESULT.ACCEPTED);
  expect(rig.words("t").at(-1)).toBe("cancelled");
  // A later ack of the takeoff starts nothing.
  rig.ack(CMD.TAKEOFF, RESULT.ACCEPTED);
  rig.pass(3000);
  expect(rig.words("t").at(-1)).toBe("cancelled");
  expect(rig.written).toEqual([CMD.TAKEOFF, CMD.SET_MODE]);
});

test("[MV-60] a vehicle that drops the order when asked is not stopped as well", () => {
  rig.send("g", "goto", toLat(50.1));
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.orders.onCancel("g");
  rig.ack(CMD.REPOSITION, RESULT.CANCELLED);
  rig.pass(3000);
  expect(rig.words("g")).toEqual(["executing", "cancelled"]);
  expect([rig.asked, rig.written]).toEqual([[CMD.REPOSITION], [CMD.REPOSITION]]);
});

test("[MV-60] given the order is accepted while it is being stopped, it is watched, not steered, until the stop is answered", () => {
  rig.send("t", "takeoff", { kind: "point", alt_m: 60 });
  rig.ack(CMD.TAKEOFF, RESULT.IN_PROGRESS);
  rig.orders.onCancel("t");
  rig.ack(CMD.TAKEOFF, RESULT.ACCEPTED);
  rig.pass(600);
  expect(rig.written).toEqual([CMD.TAKEOFF, CMD.SET_MODE]);
  rig.vehicle.place(50, 8, 160, 60);
  rig.orders.onTelemetry(rig.vehicle);
  expect(rig.words("t")).toEqual(["executing"]);
  rig.ack(CMD.SET_MODE, RESULT.DENIED);
  expect(rig.words("t").at(-1)).toBe("cancel_declined");
  rig.orders.onTelemetry(rig.vehicle);
  expect(rig.words("t").at(-1)).toBe("succeeded");
});

test("[MV-60] given the stop stays unanswered, it is given up and reported, and the order continues", () => {
  rig.send("g", "goto", toLat(50.1));
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.orders.onCancel("g");
  rig.pass(3000);
  expect(rig.words("g").at(-1)).toBe("cancel_declined");
  rig.ack(CMD.REPOSITION, RESULT.ACCEPTED);
  expect(rig.words("g").at(-1)).toBe("executing");
});

test("[MV-60] given an order whose stop would be the same command, the vehicle is only asked to drop it", () => {
  rig.send("h", "hold");
  rig.ack(CMD.SET_MODE, RESULT.IN_PROGRESS);
  rig.orders.onCancel("h");
  rig.pass(3000);
  expect(rig.written).toEqual([CMD.SET_MODE]);
  expect(rig.asked).toEqual([CMD.SET_MODE, CMD.SET_MODE, CMD.SET_MODE, CMD.SET_MODE]);
  expect(rig.words("h").at(-1)).toBe("cancel_declined");
});

test("[MV-66] the cancel of an order that does not move the vehicle never stops the flight", () => {
  rig.send("g", "goto", toLat(50.1));
  rig.ack(CMD.REPOSITION, RESULT.ACCEPTED);
  rig.send("s", "set_speed", { kind: "speed", speed_mps: 5 });
  rig.ack(CMD.SPEED, RESULT.IN_PROGRESS);
  rig.written.length = 0;
  rig.orders.onCancel("s");
  rig.pass(3000);
  expect([rig.asked, rig.written]).toEqual([[CMD.SPEED, CMD.SPEED, CMD.SPEED, CMD.SPEED], []]);
  expect(rig.words("s").at(-1)).toBe("cancel_declined");
  expect(rig.words("g").at(-1)).toBe("executing");
});

test("[MV-66] the cancel of a recording answered IN_PROGRESS stops the recording, and not the flight", () => {
  rig.send("g", "goto", toLat(50.1));
  rig.ack(CMD.REPOSITION, RESULT.IN_PROGRESS);
  rig.send("r", "record", { kind: "duration", s: 60 });
  rig.ack(CMD.VIDEO, RESULT.IN_PROGRESS);
  rig.written.length = 0;
  rig.orders.onCancel("r");
  rig.pass(500);
  expect([rig.asked, rig.written]).toEqual([[CMD.VIDEO], [CMD.VIDEO + 1]]);
  rig.ack(CMD.VIDEO + 1, RESULT.ACCEPTED);
  expect(rig.words("r").at(-1)).toBe("cancelled");
  expect(rig.words("g").at(-1)).toBe("executing");
});
