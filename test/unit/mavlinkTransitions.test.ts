/** MAVLink: the states of an order, one row for each state and event, as drawn in `orders.ts` and ADR 0074. */
import { describe, expect, test } from "vitest";
import { CMD, openOrders, RESULT, toLat } from "../support/mavlinkOrders.ts";

type Rig = ReturnType<typeof openOrders>;
const { ACCEPTED, DENIED, FAILED, IN_PROGRESS } = RESULT;

/** Brings a goto, task `t`, into a state; `x` is an abort, `n` a newer order. */
const INTO: Record<string, (rig: Rig) => void> = {
  waitingForAck: (rig) => rig.send("t", "goto", toLat(50.1)),
  inProgress(rig) {
    rig.send("t", "goto", toLat(50.1));
    rig.ack(CMD.REPOSITION, IN_PROGRESS);
  },
  watched(rig) {
    rig.send("t", "goto", toLat(50.1));
    rig.ack(CMD.REPOSITION, ACCEPTED);
  },
  halted(rig) {
    INTO.watched!(rig);
    rig.send("x", "abort");
  },
  cancelling(rig) {
    INTO.watched!(rig);
    rig.orders.onCancel("t");
  },
  "cancelling (in progress)"(rig) {
    INTO.inProgress!(rig);
    rig.orders.onCancel("t");
  },
  "cancelling (unsure)"(rig) {
    INTO.watched!(rig);
    rig.send("n", "set_mode", { kind: "mode", mode: "loiter" });
    rig.orders.onCancel("t");
    rig.pass(2200);
  },
  over(rig) {
    INTO.watched!(rig);
    rig.orders.onDrop("t");
  },
};

const EVENTS: Record<string, (rig: Rig) => void> = {
  "ack ACCEPTED": (rig) => rig.ack(CMD.REPOSITION, ACCEPTED),
  "ack DENIED": (rig) => rig.ack(CMD.REPOSITION, DENIED),
  "ack IN_PROGRESS": (rig) => rig.ack(CMD.REPOSITION, IN_PROGRESS),
  "hold ACCEPTED": (rig) => rig.ack(CMD.SET_MODE, ACCEPTED),
  "hold FAILED": (rig) => rig.ack(CMD.SET_MODE, FAILED),
  "2.6 s of silence": (rig) => rig.pass(2600),
  "11 s of silence": (rig) => rig.pass(11_000),
  arrival(rig) {
    rig.vehicle.place(50.1, 8, 100, 30);
    rig.orders.onTelemetry(rig.vehicle);
  },
  cancel: (rig) => void rig.orders.onCancel("t"),
  drop: (rig) => rig.orders.onDrop("t"),
  "an abort goes out": (rig) => rig.send("y", "abort"),
  "a newer order is accepted"(rig) {
    rig.send("m", "land");
    rig.ack(21, ACCEPTED);
  },
  "a newer order is not acknowledged"(rig) {
    rig.send("m", "takeoff", { kind: "point", alt_m: 20 });
    rig.pass(2200);
  },
};

/** State, event, next state, and what is reported of the order. */
const TABLE: [state: string, event: string, next: string, reports?: string][] = [
  ["waitingForAck", "ack ACCEPTED", "watched", "accepted executing"],
  ["waitingForAck", "ack DENIED", "over", "refused"],
  ["waitingForAck", "ack IN_PROGRESS", "inProgress", "executing"],
  ["waitingForAck", "hold ACCEPTED", "waitingForAck"],
  ["waitingForAck", "2.6 s of silence", "over", "timed_out"],
  ["waitingForAck", "arrival", "waitingForAck"],
  ["waitingForAck", "cancel", "waitingForAck"],
  ["waitingForAck", "drop", "over"],
  ["waitingForAck", "an abort goes out", "waitingForAck"],
  ["waitingForAck", "a newer order is accepted", "waitingForAck"],

  ["inProgress", "ack ACCEPTED", "watched", "accepted executing"],
  ["inProgress", "ack DENIED", "over", "refused"],
  ["inProgress", "ack IN_PROGRESS", "inProgress", "executing"],
  ["inProgress", "hold ACCEPTED", "inProgress"],
  ["inProgress", "2.6 s of silence", "inProgress"],
  ["inProgress", "11 s of silence", "over", "timed_out"],
  ["inProgress", "arrival", "inProgress"],
  ["inProgress", "cancel", "cancelling"],
  ["inProgress", "drop", "over"],
  ["inProgress", "an abort goes out", "inProgress"],
  ["inProgress", "a newer order is accepted", "inProgress"],

  ["watched", "ack ACCEPTED", "watched"],
  ["watched", "ack DENIED", "watched"],
  ["watched", "ack IN_PROGRESS", "watched"],
  ["watched", "hold ACCEPTED", "watched"],
  ["watched", "11 s of silence", "watched"],
  ["watched", "arrival", "over", "succeeded"],
  ["watched", "cancel", "cancelling"],
  ["watched", "drop", "over"],
  ["watched", "an abort goes out", "halted"],
  ["watched", "a newer order is accepted", "over"],
  ["watched", "a newer order is not acknowledged", "over", "failed"],

  ["halted", "ack DENIED", "halted"],
  ["halted", "hold ACCEPTED", "over"],
  ["halted", "hold FAILED", "over", "failed"],
  ["halted", "2.6 s of silence", "over", "failed"],
  ["halted", "arrival", "halted"],
  ["halted", "cancel", "cancelling"],
  ["halted", "drop", "over"],
  ["halted", "an abort goes out", "halted"],

  ["cancelling", "ack DENIED", "cancelling"],
  ["cancelling", "hold ACCEPTED", "over", "cancelled"],
  ["cancelling", "hold FAILED", "watched", "cancel_declined"],
  ["cancelling", "2.6 s of silence", "watched", "cancel_declined"],
  ["cancelling", "arrival", "cancelling"],
  ["cancelling", "cancel", "cancelling"],
  ["cancelling", "drop", "over"],
  ["cancelling", "an abort goes out", "cancelling"],
  ["cancelling", "a newer order is accepted", "over"],

  ["cancelling (in progress)", "ack ACCEPTED", "cancelling"],
  ["cancelling (in progress)", "ack DENIED", "over", "refused"],
  ["cancelling (in progress)", "ack IN_PROGRESS", "cancelling", "executing"],
  // The stop goes out half a second later, so this ack is for something else.
  ["cancelling (in progress)", "hold ACCEPTED", "cancelling"],
  ["cancelling (in progress)", "2.6 s of silence", "inProgress", "cancel_declined"],
  ["cancelling (in progress)", "drop", "over"],
  ["cancelling (in progress)", "a newer order is accepted", "cancelling"],

  ["cancelling (unsure)", "ack DENIED", "cancelling"],
  ["cancelling (unsure)", "11 s of silence", "over", "failed"],
  ["cancelling (unsure)", "arrival", "cancelling"],
  ["cancelling (unsure)", "drop", "over"],

  ["over", "ack ACCEPTED", "over"],
  ["over", "ack DENIED", "over"],
  ["over", "ack IN_PROGRESS", "over"],
  ["over", "11 s of silence", "over"],
  ["over", "arrival", "over"],
  ["over", "cancel", "over"],
  ["over", "an abort goes out", "over"],
];

const stateOf = (rig: Rig) =>
  rig.orders.ordersOf(rig.vehicle).find(({ command }) => command.taskId === "t")?.state.is ?? "over";

describe("[MV-74] an order moves between its states as ADR 0074 draws it", () => {
  test.each(TABLE)("%s, %s: %s", (...[state, event, next, reports = ""]) => {
    const rig = openOrders();
    INTO[state]!(rig);
    expect(stateOf(rig)).toBe(state.split(" ")[0]);
    rig.told.length = 0;
    EVENTS[event]!(rig);
    expect(stateOf(rig)).toBe(next);
    expect(rig.words("t").join(" ")).toBe(reports);
  });
});

test("[MV-76] a cancelled order is still stopped when a newer one is not acknowledged, and ends as the stop does", () => {
  for (const [result, end] of [
    [ACCEPTED, "cancelled"],
    [DENIED, "failed"],
  ] as const) {
    const rig = openOrders();
    INTO["cancelling (unsure)"]!(rig);
    expect(rig.written.filter((command) => command === CMD.SET_MODE).length).toBeGreaterThan(4);
    expect(rig.words("t")).toEqual(["accepted", "executing"]);
    // Late acks of the order that was not acknowledged come first.
    rig.pass(2100);
    rig.ack(CMD.SET_MODE, result);
    expect(rig.words("t").at(-1)).toBe(end);
    rig.vehicle.place(50.1, 8, 100, 30);
    rig.orders.onTelemetry(rig.vehicle);
    rig.pass(6000);
    expect(rig.words("t")).toHaveLength(3);
  }
});

test("[MV-77] the ack of a steering message that comes after its order has ended is not taken for a newer order's", () => {
  const rig = openOrders({ lat: 50.01, lon: 8 });
  rig.send("f", "follow", { ...toLat(50.01), kind: "track", track_id: "trk_1" });
  rig.ack(CMD.REPOSITION, ACCEPTED);
  rig.pass(1000);
  expect(rig.written).toEqual([CMD.REPOSITION, CMD.REPOSITION]);
  rig.send("h", "hold");
  rig.ack(CMD.SET_MODE, ACCEPTED);
  expect(rig.isFree("g", "goto", toLat(50.2))).toBe(false);
  rig.ack(CMD.REPOSITION, DENIED);
  expect(rig.isFree("g", "goto", toLat(50.2))).toBe(true);
  rig.send("g", "goto", toLat(50.2));
  expect(rig.words("g")).toEqual([]);
});

test("[MV-77] the ack of what ends a recording is not taken for that of the next recording's stop", () => {
  const rig = openOrders();
  rig.send("r", "record", { kind: "duration", s: 1 });
  rig.ack(CMD.VIDEO, ACCEPTED);
  rig.pass(1000);
  expect(rig.words("r").at(-1)).toBe("succeeded");
  rig.send("s", "record", { kind: "duration", s: 60 });
  rig.ack(CMD.VIDEO, ACCEPTED);
  rig.orders.onCancel("s");
  rig.ack(CMD.VIDEO + 1, ACCEPTED);
  expect(rig.words("s").at(-1)).toBe("executing");
  rig.ack(CMD.VIDEO + 1, ACCEPTED);
  expect(rig.words("s").at(-1)).toBe("cancelled");
});
