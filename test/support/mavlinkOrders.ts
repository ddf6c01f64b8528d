/** Orders to one vehicle without a socket, on a manual clock: collects the messages and reports. */
import type { CommandProgress, OutgoingCommand } from "../../src/domain/platformReport.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { Orders } from "../../src/links/mavlink/orders.ts";
import { VehicleState } from "../../src/links/mavlink/vehicleState.ts";

const SOURCE = { protocol: "mavlink2", address: "10.0.0.1:1", systemId: "7", linkId: "l" };
/** Verbs that are never sent again without an answer. */
const NOT_RESENT = new Set(["arm", "takeoff"]);

export const RESULT = { ACCEPTED: 0, BUSY: 1, DENIED: 2, FAILED: 4, IN_PROGRESS: 5, CANCELLED: 6 } as const;
export const CMD = { TAKEOFF: 22, SET_MODE: 176, SPEED: 178, REPOSITION: 192, ARM: 400, VIDEO: 2500 } as const;

/** `place` is the position of the only track. */
export function openOrders(place: { lat: number; lon: number } | null = null) {
  const clock = new ManualClock(1_000_000);
  const vehicle = new VehicleState(SOURCE, 7, { address: "10.0.0.1", port: 1 });
  Object.assign(vehicle, { mavType: 2, autopilot: 3 });
  vehicle.place(50, 8, 100, 30);
  const written: number[] = [];
  /** Commands for which COMMAND_CANCEL was sent. */
  const asked: number[] = [];
  const told: { taskId: string; progress: CommandProgress }[] = [];
  const orders = new Orders({
    nowMs: () => clock.nowMs(),
    write: (_, { command }) => void written.push(command),
    askToDrop: (_, { command }) => void asked.push(command),
    progress: (taskId, progress) => void told.push({ taskId, progress }),
    placeOf: () => place,
  });
  const order = (taskId: string, verb: string, params: object = { kind: "none" }): OutgoingCommand => {
    const deadlineAtMs = clock.nowMs() + 600_000;
    return { taskId, source: SOURCE, verb, params: { ...params }, deadlineAtMs, resendSafe: !NOT_RESENT.has(verb) };
  };
  return {
    vehicle,
    orders,
    written,
    asked,
    told,
    order,
    resume: (...given: Parameters<typeof order>) =>
      orders.onResume({ ...order(...given), isInProgress: true }, vehicle),
    send: (...given: Parameters<typeof order>) => orders.onOrder(order(...given), vehicle),
    isFree: (...given: Parameters<typeof order>) => orders.isFree(order(...given), vehicle),
    ack: (command: number, result: number) => orders.onAck(vehicle, command, result, 255),
    of: (taskId: string) => told.filter((one) => one.taskId === taskId).map(({ progress }) => progress),
    words: (taskId: string) => told.filter((one) => one.taskId === taskId).map(({ progress }) => progress.is),
    /** Advances the clock with ten ticks a second, as the link does. */
    pass(ms: number): void {
      for (let left = ms; left > 0; left -= 100) {
        clock.advance(100);
        orders.onTick();
      }
    },
  };
}

export const toLat = (lat: number) => ({ kind: "point", lat, lon: 8 });
