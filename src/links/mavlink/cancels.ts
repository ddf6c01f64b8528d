/**
 * How a vehicle is stopped: it is asked to drop what it answered IN_PROGRESS (COMMAND_CANCEL), and half a second later sent
 * what stops it, because no common autopilot knows that message. The stop is sent until it is acknowledged, four times at most.
 */
import type { OutgoingCommand } from "../../domain/platformReport.ts";
import { RESEND_AFTER_MS, RESENDS_MAX } from "./answers.ts";
import { type CommandMessage, commandOf } from "./commands.ts";
import { type Cancelling, NOT_SENT, type Order, type OrderPorts, sentOnceMore, steers } from "./order.ts";
import type { VehicleState } from "./vehicleState.ts";

const SENDINGS_MAX = RESENDS_MAX + 1;

/** The first step of a cancel. Nothing is sent yet. */
export function newCancel(order: Order, of: Cancelling["of"]): Cancelling {
  const { command, message, vehicle } = order;
  const end = endOf(command, message, vehicle);
  // The ack of a stop that is the same command could not be told from the ack of what it stops.
  const stop = of.is === "inProgress" && end?.command === message.command ? null : end;
  const asks = of.is === "inProgress" ? 1 : 0;
  return { is: "cancelling", of, asksLeft: stop === null ? SENDINGS_MAX : asks, stop, sent: NOT_SENT };
}

/** What ends it at the vehicle. null: a hold would end another order, the flight. */
function endOf(command: OutgoingCommand, message: CommandMessage, vehicle: VehicleState): CommandMessage | null {
  if (message.timed !== undefined || !steers(command)) return message.timed?.end ?? null;
  const hold = commandOf("hold", { kind: "none" }, vehicle);
  return "cannot" in hold ? null : hold;
}

/**
 * Sends the next step of a cancel if it is time.
 *
 * @param isTurning another order is under way that takes the vehicle off its route. The first stop waits for that order's
 *   ack: it would stop that order, and the ack says whether there is anything left to stop.
 * @param isAckOwed a late ack could be taken for that of the stop
 * @returns false when every step was taken and none was answered
 */
export function stepCancel(
  ports: OrderPorts,
  order: Order,
  state: Cancelling,
  isTurning: boolean,
  isAckOwed: (command: number) => boolean,
): boolean {
  const { vehicle, message, command } = order;
  const { asksLeft, stop, sent } = state;
  const nowMs = ports.nowMs();
  if (nowMs - sent.lastMs < RESEND_AFTER_MS) return true;
  if (sent.count === 0 && steers(command) && isTurning) return true;
  if (asksLeft > 0) {
    ports.askToDrop(vehicle, message);
    order.state = { ...state, asksLeft: asksLeft - 1, sent: { ...sent, lastMs: nowMs } };
    return true;
  }
  if (stop === null || sent.unmistakable >= SENDINGS_MAX) return false;
  ports.write(vehicle, stop, sent.count);
  order.state = { ...state, sent: sentOnceMore(sent, !isAckOwed(stop.command), nowMs) };
  return true;
}
