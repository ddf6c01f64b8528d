/**
 * One order to one vehicle as a union: its state says what it waits for, and what does not exist in a state cannot be read
 * in it. `orders.ts` moves orders from state to state and has the diagram; here are the shapes, and questions about one order.
 */
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import { VERB_TABLE } from "../../domain/verbs.ts";
import { ANSWER_WITHIN_MS, RESEND_AFTER_MS, RESENDS_MAX } from "./answers.ts";
import type { CommandMessage } from "./commands.ts";
import type { VehicleState } from "./vehicleState.ts";

/** What orders need of their link. */
export interface OrderPorts {
  readonly nowMs: () => number;
  /** `confirmation` counts the times that it was sent before. */
  readonly write: (vehicle: VehicleState, message: CommandMessage, confirmation: number) => void;
  /** Sends COMMAND_CANCEL for a command that the vehicle answered IN_PROGRESS. */
  readonly askToDrop: (vehicle: VehicleState, message: CommandMessage) => void;
  readonly progress: (taskId: string, progress: CommandProgress) => void;
  /** Position of a live track; null: there is no such track. */
  readonly placeOf: (trackId: string) => { readonly lat: number; readonly lon: number } | null;
}

export interface Order {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  /** What the vehicle was sent; of a patrol the present leg. */
  message: CommandMessage;
  state: OrderState;
  /** Acks of finished exchanges that may still arrive, kept in every state. */
  lateAcks: readonly LateAck[];
}

type OrderState = WaitingForAck | InProgress | Watched | Halted | Cancelling | Over;

/** How often one message was sent. */
export interface Sent {
  readonly count: number;
  /** Of these, how many went out while no late ack could be taken for theirs. */
  readonly unmistakable: number;
  /** Of these, how many have no final ack yet. */
  readonly unacked: number;
  readonly lastMs: number;
}

export interface WaitingForAck {
  readonly is: "waitingForAck";
  readonly sent: Sent;
  readonly mayResend: boolean;
}

/** The vehicle answered IN_PROGRESS; its final ack is still to come. */
interface InProgress {
  readonly is: "inProgress";
  readonly sent: Sent;
  readonly ackedMs: number;
}

/** The vehicle accepted it. Telemetry shows when it is done; until then it may be steered (`steering.ts`). */
interface Watched {
  readonly is: "watched";
  readonly watch: Watch;
}

/** An abort was sent after it: it is not steered and cannot succeed any more. */
interface Halted {
  readonly is: "halted";
  readonly watch: Watch;
}

/** A cancel: the vehicle is asked to drop it, then sent what stops it (`cancels.ts`). */
export interface Cancelling {
  readonly is: "cancelling";
  /** What it is beneath, and is again when the vehicle declines to stop. */
  readonly of: InProgress | Watched | Halted | Abandoned;
  /** COMMAND_CANCEL goes out this many times more before `stop`. */
  readonly asksLeft: number;
  /** What stops it at the vehicle; null: only the vehicle itself can. */
  readonly stop: CommandMessage | null;
  /** Sendings of `stop`; `lastMs` is that of the last COMMAND_CANCEL, too. */
  readonly sent: Sent;
}

/** A newer order was not acknowledged, so nobody knows whether the vehicle is still on this one: it is not taken up again. */
interface Abandoned {
  readonly is: "abandoned";
  readonly why: string;
}

/** Its end was reported, or the ledger had ended it. It stays in the list for its late acks. */
interface Over {
  readonly is: "over";
}

export interface Watch {
  /** Index of the present leg of a patrol. */
  readonly leg: number;
  /** When the vehicle was last sent where to go. */
  readonly steeredMs: number;
  /** When the followed track last had a position. */
  readonly trackSeenMs: number;
  /** Steering messages since the last one that was acknowledged. */
  readonly unackedRepeats: number;
  /** `due`: begun before a restart and answered IN_PROGRESS only, so its final ack still comes. */
  readonly finalAck: "due" | "settled";
}

/** An acknowledgement names nothing but its command: until this one came, or is late, no other order of the command is sent. */
export interface LateAck {
  readonly command: number;
  readonly untilMs: number;
  readonly left: number;
}

export const NOT_SENT: Sent = { count: 0, unmistakable: 0, unacked: 0, lastMs: 0 };

export function sentOnceMore({ count, unmistakable, unacked }: Sent, isUnmistakable: boolean, nowMs: number): Sent {
  return {
    count: count + 1,
    unmistakable: unmistakable + (isUnmistakable ? 1 : 0),
    unacked: unacked + 1,
    lastMs: nowMs,
  };
}

export const OVER: Over = { is: "over" };

/** Minimum wait for the ack of a steering message. */
const REPEAT_ACK_MS = 500;
/** Orders of other slots that take a vehicle off its route, too. */
const ENDS_ROUTE = new Set(["set_mode", "disarm"]);

/** It is sent without waiting for anything. */
export const isUrgent = ({ verb }: OutgoingCommand): boolean => verb === "abort";

/** It ends the route of a vehicle although it is of another slot, which the ledger does not know. */
export const endsRoute = ({ verb }: OutgoingCommand): boolean => ENDS_ROUTE.has(verb);

/** It takes the vehicle off its present route. */
export function steers(command: OutgoingCommand): boolean {
  return VERB_TABLE.get(command.verb)?.slot === "movement" || endsRoute(command);
}

/** What the order is beneath a cancel. */
export function beneath({ state }: Order): Exclude<OrderState, Cancelling> | Abandoned {
  return state.is === "cancelling" ? state.of : state;
}

/** Replaces what the order is; a cancel stays on top of it. */
export function setBeneath(order: Order, of: InProgress | Watched | Halted | Abandoned): void {
  if (order.state.is === "cancelling") order.state = { ...order.state, of };
  else if (of.is !== "abandoned") order.state = of;
}

/** Of a watched or halted order, also beneath a cancel. */
export function setWatch(order: Order, watch: Watch): void {
  const state = beneath(order);
  if (state.is === "watched" || state.is === "halted") setBeneath(order, { ...state, watch });
}

export function watchOf(order: Order): Watch | null {
  const state = beneath(order);
  return state.is === "watched" || state.is === "halted" ? state.watch : null;
}

/** The vehicle moves because of it, and a newer order can take it off that. */
export function isRoute(order: Order): boolean {
  return watchOf(order) !== null && order.message.timed === undefined;
}

/** The vehicle has not said yet how it ends. */
function isUnanswered(order: Order): boolean {
  const { is } = beneath(order);
  return is === "waitingForAck" || is === "inProgress";
}

/** An order other than `besides` is under way that takes the vehicle off its route: routes are left alone meanwhile. */
export function isTurning(orders: readonly Order[], besides: Order | null = null): boolean {
  return orders.some((order) => order !== besides && isUnanswered(order) && steers(order.command));
}

/** Reported once, with the first answer. */
export function resendsOf(state: WaitingForAck | InProgress): { resends?: number } {
  return state.is === "inProgress" || state.sent.count === 1 ? {} : { resends: state.sent.count - 1 };
}

/** Time without an ack after which an order is given up. */
export function patienceMs({ mayResend, sent }: WaitingForAck): number {
  return mayResend && sent.unmistakable > RESENDS_MAX ? RESEND_AFTER_MS : ANSWER_WITHIN_MS;
}

/** Twice the round trip, because one round trip is not like the next. */
export function repeatAckMs({ rttMs }: VehicleState): number {
  return Math.min(ANSWER_WITHIN_MS, Math.max(REPEAT_ACK_MS, 2 * (rttMs ?? 0)));
}
