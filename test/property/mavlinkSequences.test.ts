/** MAVLink: any sequence of orders, acks, telemetry, cancels, drops and silence. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Order } from "../../src/links/mavlink/order.ts";
import { CMD, openOrders, toLat } from "../support/mavlinkOrders.ts";

type Rig = ReturnType<typeof openOrders>;

const VERBS: Record<string, object> = {
  goto: toLat(50.1),
  patrol: { kind: "path", points: [50.1, 50.2].map((lat) => ({ lat, lon: 8 })) },
  follow: { ...toLat(50.01), kind: "track", track_id: "trk_1" },
  hold: { kind: "none" },
  abort: { kind: "none" },
  takeoff: { kind: "point", alt_m: 60 },
  arm: { kind: "none" },
  disarm: { kind: "none" },
  set_mode: { kind: "mode", mode: "loiter" },
  set_speed: { kind: "speed", speed_mps: 5 },
  record: { kind: "duration", s: 2 },
};
const ENDS = new Set(["busy", "refused", "failed", "succeeded", "cancelled", "timed_out"]);
const TASKS = 6;

/** Task numbers may repeat: an order that came back busy is sent again under its id. */
const taskId = fc.integer({ min: 1, max: TASKS }).map((i) => `t${i}`);
const verb = fc.constantFrom(...Object.keys(VERBS));
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("send" as const), taskId, verb }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resume" as const), taskId, verb }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cancel" as const), taskId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), taskId }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant("ack" as const),
      command: fc.constantFrom(...Object.values(CMD), CMD.VIDEO + 1),
      result: fc.constantFrom(0, 0, 0, 1, 2, 4, 5, 5, 6, 11),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("telemetry" as const), lat: fc.constantFrom(50, 50.1, 50.2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(100, 300, 600, 2200) }) },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** The ledger's view: which tasks are open, which it cancelled, which began. */
class Ledger {
  readonly open = new Set<string>();
  readonly cancels = new Set<string>();
  readonly begun = new Set<string>();
  #read = 0;

  begin(taskId: string): void {
    this.open.add(taskId);
    this.cancels.delete(taskId);
    this.begun.delete(taskId);
  }

  close(taskId: string): void {
    this.open.delete(taskId);
  }

  /** Checks the new reports: each is of an open task, ends it at most once, and declines only a cancel that was sent. */
  read({ told }: Rig): void {
    for (const { taskId, progress } of told.slice(this.#read)) {
      expect(this.open.has(taskId), `${taskId} ${progress.is} after its end`).toBe(true);
      if (ENDS.has(progress.is)) this.close(taskId);
      if (progress.is === "accepted") {
        expect(this.begun.has(taskId), `${taskId} accepted twice`).toBe(false);
        this.begun.add(taskId);
      }
      if (progress.is === "cancel_declined") {
        expect(this.cancels.has(taskId), `${taskId}: nobody asked to stop it`).toBe(true);
        this.cancels.delete(taskId);
      }
    }
    this.#read = told.length;
  }
}

function apply(rig: Rig, ledger: Ledger, e: Event): void {
  if (e.do === "send" || e.do === "resume") {
    if (ledger.open.has(e.taskId)) return;
    ledger.begin(e.taskId);
    if (e.do === "send") rig.send(e.taskId, e.verb, VERBS[e.verb]!);
    else if (!rig.resume(e.taskId, e.verb, VERBS[e.verb]!)) ledger.close(e.taskId);
  } else if (e.do === "cancel") {
    if (rig.orders.onCancel(e.taskId)) ledger.cancels.add(e.taskId);
  } else if (e.do === "drop") {
    ledger.close(e.taskId);
    rig.orders.onDrop(e.taskId);
  } else if (e.do === "ack") rig.ack(e.command, e.result);
  else if (e.do === "telemetry") {
    rig.vehicle.place(e.lat, 8, 100, 30);
    rig.orders.onTelemetry(rig.vehicle);
  } else rig.pass(e.ms);
}

const unanswered = ({ state }: Order) => {
  const of = state.is === "cancelling" ? state.of : state;
  return of.is === "waitingForAck" || of.is === "inProgress";
};

/** Invariants of a vehicle's orders after every event. */
function check(orders: readonly Order[]): void {
  const active = orders.filter(({ state }) => state.is !== "over");
  const ids = active.map(({ command }) => command.taskId);
  expect(new Set(ids).size, "one order a task").toBe(ids.length);
  const waiting = active.filter((one) => unanswered(one) && one.command.verb !== "abort");
  const commands = waiting.map(({ message }) => message.command);
  expect(new Set(commands).size, "one order of a command waits for its ack").toBe(commands.length);
  for (const { state, lateAcks } of orders) {
    for (const { left } of lateAcks) expect(left).toBeGreaterThanOrEqual(0);
    const sent = "sent" in state ? state.sent : null;
    if (sent === null) continue;
    expect(sent.unacked).toBeGreaterThanOrEqual(0);
    expect(sent.unacked).toBeLessThanOrEqual(sent.count);
    expect(sent.unmistakable).toBeLessThanOrEqual(sent.count);
  }
}

test("[MV-75] given any events in any order, each order ends once, and nothing waits for ever", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const rig = openOrders({ lat: 50.01, lon: 8 });
      const ledger = new Ledger();
      for (const e of events) {
        apply(rig, ledger, e);
        ledger.read(rig);
        check(rig.orders.ordersOf(rig.vehicle));
      }
      // Stops and first acks are given up in a few seconds each, progress after ten.
      rig.pass(20_000);
      ledger.read(rig);
      const states = rig.orders.ordersOf(rig.vehicle).map(({ state }) => state.is);
      expect(states.filter((is) => is !== "watched" && is !== "halted")).toEqual([]);
      // Every order that is still watched is open in the ledger.
      for (const { command } of rig.orders.ordersOf(rig.vehicle))
        expect(ledger.open.has(command.taskId), command.taskId).toBe(true);
      for (let i = 1; i <= TASKS; i++) rig.orders.onDrop(`t${i}`);
      rig.written.length = 0;
      rig.told.length = 0;
      rig.pass(10_000);
      expect([rig.orders.ordersOf(rig.vehicle), rig.written, rig.told]).toEqual([[], [], []]);
    }),
    { numRuns: 2000 },
  );
}, 60_000);
