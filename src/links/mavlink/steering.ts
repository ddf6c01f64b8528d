/**
 * Orders that go on after the vehicle accepted them: a patrol is flown leg by leg, a followed track's newest position is sent
 * again and again, a recording is ended after its time. Each function sends what is due and returns what to report.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import type { CommandProgress } from "../../domain/platformReport.ts";
import { owe } from "./acks.ts";
import { type CommandMessage, commandOf } from "./commands.ts";
import { type Order, type OrderPorts, repeatAckMs, type Watch, watchOf } from "./order.ts";
import type { VehicleState } from "./vehicleState.ts";

const LEG_AGAIN_MS = 5000;
const FOLLOW_AGAIN_MS = 1000;
const TRACK_GONE_MS = 5000;
/** Pause after an unacknowledged steering message in which another order can go out. */
const REPEAT_PAUSE_MS = 500;

export function newWatch(nowMs: number, finalAck: Watch["finalAck"] = "settled", leg = 0): Watch {
  return { leg, steeredMs: nowMs, trackSeenMs: nowMs, unackedRepeats: 0, finalAck };
}

/** The leg that an order begun earlier is on: the one whose end is nearest. Without legs it is the order itself, leg 0. */
export function presentLeg(message: CommandMessage, vehicle: VehicleState): { message: CommandMessage; leg: number } {
  const { legs, isLoop = false } = message;
  if (legs === undefined) return { message, leg: 0 };
  const leg = nearest(legs, vehicle);
  return { message: { ...legs[leg]!, legs, isLoop }, leg };
}

/** Telemetry shows that the order, or its present leg, is done: sends the next leg, if there is one. */
export function afterArrival(ports: OrderPorts, order: Order, watch: Watch): CommandProgress {
  const { legs = [], isLoop = false } = order.message;
  const isLast = watch.leg >= legs.length - 1;
  if (legs.length < 2 || (isLast && !isLoop))
    return { is: "succeeded", code: "done", text: "telemetry shows that it was done" };
  const leg = (watch.leg + 1) % legs.length;
  repeat(ports, order, { ...watch, leg }, { ...legs[leg]!, legs, isLoop });
  return { is: "executing", progressPct: isLoop ? null : Math.round((100 * leg) / legs.length) };
}

/** Ends a recording when its time is over. */
export function endTimed(ports: OrderPorts, order: Order, watch: Watch): CommandProgress | null {
  const { timed } = order.message;
  if (timed === undefined || ports.nowMs() - watch.steeredMs < timed.seconds * 1000) return null;
  writeEnd(ports, order, timed.end);
  return { is: "succeeded", code: "done", text: `it went on for ${timed.seconds} s` };
}

/** What ends the recording that runs by this order; null: none runs by it. */
export function timedEndOf(order: Order): CommandMessage | null {
  return watchOf(order) === null ? null : (order.message.timed?.end ?? null);
}

export function writeEnd(ports: OrderPorts, order: Order, end: CommandMessage): void {
  ports.write(order.vehicle, end, 0);
  owe(order, end.command, 1, ports.nowMs());
}

/** Sends a leg again, because it may have been lost, or the newest position of a followed track. */
export function steer(ports: OrderPorts, order: Order, watch: Watch): CommandProgress | null {
  const sinceMs = ports.nowMs() - watch.steeredMs;
  const { followed, legs } = order.message;
  if (followed !== undefined)
    return sinceMs < followAgainMs(order, watch) ? null : follow(ports, order, watch, followed);
  if (legs !== undefined && sinceMs >= LEG_AGAIN_MS) repeat(ports, order, watch, order.message);
  return null;
}

/** One at a time: its ack could be taken for a newer order's, which must find a moment to go out. */
function followAgainMs({ vehicle }: Order, { unackedRepeats }: Watch): number {
  return Math.max(FOLLOW_AGAIN_MS, unackedRepeats === 0 ? 0 : repeatAckMs(vehicle) + REPEAT_PAUSE_MS);
}

function follow(
  ports: OrderPorts,
  order: Order,
  watch: Watch,
  followed: NonNullable<CommandMessage["followed"]>,
): CommandProgress | null {
  const nowMs = ports.nowMs();
  const place = ports.placeOf(String(followed.track_id));
  if (place === null) {
    if (nowMs - watch.trackSeenMs < TRACK_GONE_MS) return null;
    return { is: "failed", code: "track_gone", text: "the track that it followed is gone" };
  }
  const message = commandOf("follow", { ...followed, ...place }, order.vehicle);
  if (!("cannot" in message)) repeat(ports, order, { ...watch, trackSeenMs: nowMs }, message);
  return null;
}

function repeat(ports: OrderPorts, order: Order, watch: Watch, message: CommandMessage): void {
  const nowMs = ports.nowMs();
  // An ack that took longer than this was lost.
  const unacked = nowMs - watch.steeredMs < repeatAckMs(order.vehicle) ? watch.unackedRepeats : 0;
  order.message = message;
  order.state = { is: "watched", watch: { ...watch, steeredMs: nowMs, unackedRepeats: unacked + 1 } };
  ports.write(order.vehicle, message, 0);
}

function nearest(legs: readonly CommandMessage[], { lat, lon }: VehicleState): number {
  if (lat === null || lon === null) return 0;
  const distances = legs.map(({ params }) =>
    geodesicDistanceM({ lat, lon }, { lat: params[4] / 1e7, lon: params[5] / 1e7 }),
  );
  return distances.indexOf(Math.min(...distances));
}
