/**
 * Whose acknowledgement it is. A COMMAND_ACK names nothing but its command, so every sending that may still be acknowledged
 * is kept, those of orders that are over included. While one is outstanding no other order of its command is sent.
 */
import { ANSWER_WITHIN_MS } from "./answers.ts";
import { beneath, type LateAck, type Order, patienceMs, repeatAckMs, type Sent, watchOf } from "./order.ts";

/** What an ack can settle, in the order of asking: the longest outstanding first. */
const ROLES = ["late", "order", "stop", "repeat", "final"] as const;
type Role = (typeof ROLES)[number];

/** Which exchange of these orders an ack of this command settles; null: none, e.g. another ground station's. */
export function claimOn(orders: readonly Order[], command: number, nowMs: number): { order: Order; role: Role } | null {
  for (const role of ROLES) {
    const order = orders.find((one) => waitsFor(one, role, command, nowMs));
    if (order !== undefined) return { order, role };
  }
  return null;
}

function waitsFor(order: Order, role: Role, command: number, nowMs: number): boolean {
  const { state, message } = order;
  switch (role) {
    case "late":
      return owesAck(order, command, nowMs);
    case "order":
      return message.command === command && sentOf(order) !== null;
    case "stop":
      return state.is === "cancelling" && state.stop?.command === command && state.sent.count > 0;
    case "repeat":
      return message.command === command && (watchOf(order)?.unackedRepeats ?? 0) > 0;
    case "final":
      return message.command === command && watchOf(order)?.finalAck === "due";
  }
}

/** A new sending of the command would meet an ack that is not its own. */
export function isAckOutstanding(order: Order, command: number, nowMs: number): boolean {
  const { state, message, vehicle } = order;
  if (owesAck(order, command, nowMs)) return true;
  if (state.is === "cancelling" && state.stop?.command === command) return true;
  if (message.command !== command) return false;
  const watch = watchOf(order);
  if (watch === null) return sentOf(order) !== null;
  return watch.unackedRepeats > 0 && nowMs - watch.steeredMs < repeatAckMs(vehicle);
}

/** A finished exchange of this order may still be acknowledged. */
export function owesAck({ lateAcks }: Order, command: number, nowMs: number): boolean {
  return lateAcks.some((late) => late.command === command && isDue(late, nowMs));
}

export const isDue = ({ left, untilMs }: LateAck, nowMs: number): boolean => left > 0 && nowMs < untilMs;

/** How often the order itself was sent, while its final ack is still to come; null after that. */
function sentOf(order: Order): Sent | null {
  const state = beneath(order);
  return state.is === "waitingForAck" || state.is === "inProgress" ? state.sent : null;
}

/** An ack of a finished exchange came. IN_PROGRESS is not final: the vehicle is still at it, so the wait begins again. */
export function settleLateAck(order: Order, command: number, isFinal: boolean, nowMs: number): void {
  const first = order.lateAcks.findIndex((late) => late.command === command && isDue(late, nowMs));
  order.lateAcks = order.lateAcks.map((late, i) => {
    if (i !== first) return late;
    return isFinal ? { ...late, left: late.left - 1 } : { ...late, untilMs: nowMs + ANSWER_WITHIN_MS };
  });
}

/** The final ack of the order came. What was sent besides is acknowledged, too, unless the vehicle was at it for long. */
export function settleOrderAck(order: Order, nowMs: number): void {
  const sent = sentOf(order);
  if (sent === null) return;
  if (nowMs - sent.lastMs < ANSWER_WITHIN_MS) owe(order, order.message.command, sent.unacked - 1, nowMs);
  setSent(order, { ...sent, unacked: 0 });
}

function setSent(order: Order, sent: Sent): void {
  const { state } = order;
  if (state.is === "waitingForAck" || state.is === "inProgress") order.state = { ...state, sent };
  else if (state.is === "cancelling" && state.of.is === "inProgress")
    order.state = { ...state, of: { ...state.of, sent } };
}

/** The stop of a cancel ends, answered or not. */
export function keepStopAcks(order: Order, nowMs: number): void {
  const { state } = order;
  if (state.is === "cancelling" && state.stop !== null) owe(order, state.stop.command, state.sent.unacked, nowMs);
}

/** What the order itself is, beneath a cancel, ends: whatever of it is not acknowledged may be yet. */
export function keepOwnAcks(order: Order, nowMs: number): void {
  const { command } = order.message;
  const state = beneath(order);
  if (state.is === "waitingForAck") {
    const givenUpMs = Math.max(nowMs, state.sent.lastMs + patienceMs(state));
    owe(order, command, state.sent.unacked, nowMs, givenUpMs + ANSWER_WITHIN_MS);
  }
  if (state.is === "inProgress") {
    // A vehicle that has been at it for long has answered every sending but for its end.
    const isRecent = nowMs - state.sent.lastMs < ANSWER_WITHIN_MS;
    owe(order, command, isRecent ? state.sent.unacked : Math.min(1, state.sent.unacked), nowMs);
  }
  const watch = watchOf(order);
  if (watch === null) return;
  owe(order, command, watch.unackedRepeats, nowMs, watch.steeredMs + repeatAckMs(order.vehicle));
  if (watch.finalAck === "due") owe(order, command, 1, nowMs);
}

export function keepAcks(order: Order, nowMs: number): void {
  keepStopAcks(order, nowMs);
  keepOwnAcks(order, nowMs);
}

/** `left` acks of this command may come within two seconds. */
export function owe(
  order: Order,
  command: number,
  left: number,
  nowMs: number,
  untilMs = nowMs + ANSWER_WITHIN_MS,
): void {
  const late: LateAck = { command, left, untilMs };
  if (isDue(late, nowMs)) order.lateAcks = [...order.lateAcks.filter((one) => isDue(one, nowMs)), late];
}
