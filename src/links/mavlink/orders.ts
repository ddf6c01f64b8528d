/**
 * Orders on their way to vehicles (mavlink.io, "Command protocol"; ADR 0074): one list a vehicle, one function an event. Knows
 * no socket and no ledger: it is handed ports to write and to report.
 *
 *   onOrder                                              onResume (after a restart, or from another port)
 *      |                                                    |
 *      v          accepted, and telemetry shows the end     v      an abort goes out
 *   waitingForAck ------------------------------------->  watched ------------------> halted
 *      |      |                                            ^   |                        |
 *      |      | in progress                                |   | onCancel               | onCancel
 *      |      v           accepted, telemetry shows the end|   v                        v
 *      |   inProgress -------------------------------------+  cancelling <--------------+
 *      |      |  |                                            ^  |   |
 *      |      |  +------------- onCancel --------------------+  |   | the stop was declined or not answered:
 *      |      |                                                 |   +--> back to what it was
 *      v      v                                                 v
 *     over: its end is reported once, or the ledger ended it (onDrop, from every state). Late acks are waited for
 *
 * - An order is sent again only where twice is as good as once, and given up when no ack comes.
 * - An order that takes the vehicle off its route ends the watched ones when it is accepted. If it is never acknowledged,
 *   nobody knows which of them is flown: watched ones end, one that is being cancelled is still stopped.
 */
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import {
  claimOn,
  isAckOutstanding,
  isDue,
  keepAcks,
  keepOwnAcks,
  keepStopAcks,
  owesAck,
  settleLateAck,
  settleOrderAck,
} from "./acks.ts";
import { BUSY_AGAIN_MS, RESEND_AFTER_MS, RESENDS_MAX, type Result, resultOf, saysNo, wordOf } from "./answers.ts";
import { newCancel, stepCancel } from "./cancels.ts";
import { commandOf } from "./commands.ts";
import {
  beneath,
  type Cancelling,
  endsRoute,
  isRoute,
  isTurning,
  isUrgent,
  NOT_SENT,
  type Order,
  type OrderPorts,
  OVER,
  patienceMs,
  resendsOf,
  sentOnceMore,
  setBeneath,
  setWatch,
  steers,
  type WaitingForAck,
  watchOf,
} from "./order.ts";
import { afterArrival, endTimed, newWatch, presentLeg, steer, timedEndOf, writeEnd } from "./steering.ts";
import type { VehicleState } from "./vehicleState.ts";

const PROGRESS_WITHIN_MS = 10_000;

export class Orders {
  readonly #ports: OrderPorts;
  readonly #byVehicle = new Map<VehicleState, readonly Order[]>();

  constructor(ports: OrderPorts) {
    this.#ports = ports;
  }

  /** Whether it could be sent now. What is not free waits in the ledger, so that no ack is taken for another order's. */
  isFree(command: OutgoingCommand, vehicle: VehicleState | undefined): boolean {
    if (vehicle === undefined) return false;
    const message = commandOf(command.verb, command.params, vehicle);
    if (isUrgent(command) || "cannot" in message) return true;
    const nowMs = this.#ports.nowMs();
    return !this.ordersOf(vehicle).some((order) => isAckOutstanding(order, message.command, nowMs));
  }

  onOrder(command: OutgoingCommand, vehicle: VehicleState | undefined): void {
    const { progress, write, nowMs } = this.#ports;
    const { taskId } = command;
    // It was heard, and free, a moment ago: back to the queue until its deadline.
    if (vehicle === undefined || !this.isFree(command, vehicle)) {
      const text = vehicle === undefined ? "the vehicle is not heard" : "the vehicle has not answered the order before";
      progress(taskId, { is: "busy", retryAfterMs: BUSY_AGAIN_MS, text });
      return;
    }
    const message = commandOf(command.verb, command.params, vehicle);
    if (vehicle.conflicts.length > 0 && !isUrgent(command)) {
      const text = `two vehicles use the system id ${vehicle.sysid}`;
      progress(taskId, { is: "refused", code: "identity_conflict", text });
    } else if ("cannot" in message) progress(taskId, { is: "failed", code: "cannot_say", text: message.cannot });
    else {
      this.onDrop(taskId);
      if (isUrgent(command)) this.#haltAll(vehicle);
      const sent = sentOnceMore(NOT_SENT, !this.#isAckOwed(vehicle, message.command), nowMs());
      const state: WaitingForAck = { is: "waitingForAck", sent, mayResend: command.resendSafe };
      this.#add({ command, vehicle, message, state, lateAcks: [] });
      write(vehicle, message, 0);
    }
  }

  /**
   * Work begun earlier, e.g. before a restart: watched and steered on, not ordered again. false: the vehicle is not heard, or
   * has not reported its position, without which neither its leg nor its heights are known.
   */
  onResume(command: OutgoingCommand, vehicle: VehicleState | undefined): boolean {
    if (vehicle === undefined || vehicle.lat === null) return false;
    // The offset was applied when the order was first sent. Applied again at each restart, it would add up.
    const whole = commandOf(command.verb, { ...command.params, alt_offset_m: 0 }, vehicle);
    if ("cannot" in whole) return false;
    this.onDrop(command.taskId);
    const { message, leg } = presentLeg(whole, vehicle);
    const watch = newWatch(this.#ports.nowMs(), command.isInProgress === true ? "due" : "settled", leg);
    this.#add({ command, vehicle, message, state: { is: "watched", watch }, lateAcks: [] });
    return true;
  }

  /** Begins to stop it. false: nothing of it is under way at the vehicle, and what ended it was reported. */
  onCancel(taskId: string): boolean {
    const order = this.#find(taskId);
    if (order === undefined) return false;
    const { state } = order;
    if (state.is === "cancelling") return true;
    if (state.is === "waitingForAck" || state.is === "over") return false;
    const cancel = newCancel(order, state);
    order.state = cancel;
    this.#tickCancel(order, cancel);
    return true;
  }

  /** The ledger ended it: nothing more of it is sent or reported. A recording is stopped, unless another one still runs. */
  onDrop(taskId: string): void {
    const order = this.#find(taskId);
    if (order !== undefined) this.#drop(order);
  }

  /** A COMMAND_ACK for us. */
  onAck(vehicle: VehicleState, command: number, result: number, progress: number): void {
    const nowMs = this.#ports.nowMs();
    const claim = claimOn(this.ordersOf(vehicle), command, nowMs);
    if (claim === null) return;
    const { order, role } = claim;
    const what = resultOf(result);
    if (role === "late") settleLateAck(order, command, what !== "in_progress", nowMs);
    else if (role === "order") this.#onOrderAck(order, what, progress);
    else if (role === "stop") this.#onStopAck(order, what);
    else if (role === "repeat") this.#onRepeatAck(order, what);
    else if (what !== "in_progress") this.#onFinalAck(order, what);
  }

  /** The vehicle reported something: is what it was sent to do done? */
  onTelemetry(vehicle: VehicleState): void {
    const orders = this.ordersOf(vehicle);
    if (orders.length === 0 || isTurning(orders)) return;
    for (const order of orders) {
      const { state } = order;
      if (state.is !== "watched" || order.message.isDone?.(vehicle) !== true) continue;
      const report = afterArrival(this.#ports, order, state.watch);
      if (report.is === "executing") this.#report(order, report);
      else this.#end(order, report);
    }
  }

  /** Several times a second: resends, steering, and what was not answered in time. */
  onTick(): void {
    for (const [vehicle, orders] of this.#byVehicle) {
      for (const order of orders) this.#tickAck(order);
      for (const order of orders) if (order.state.is === "cancelling") this.#tickCancel(order, order.state);
      for (const order of orders) this.#tickWatched(order);
      this.#prune(vehicle);
    }
  }

  /** Oldest first; those that are over stay while a late ack may come. */
  ordersOf(vehicle: VehicleState): readonly Order[] {
    return this.#byVehicle.get(vehicle) ?? [];
  }

  // ---- acks

  #onOrderAck(order: Order, what: Result, progress: number): void {
    const state = beneath(order);
    if (state.is !== "waitingForAck" && state.is !== "inProgress") return;
    const { command, message } = order;
    const nowMs = this.#ports.nowMs();
    const resends = resendsOf(state);
    if (what === "in_progress") {
      setBeneath(order, { is: "inProgress", sent: state.sent, ackedMs: nowMs });
      this.#report(order, { is: "executing", progressPct: progress > 100 ? null : progress, ...resends });
      return;
    }
    settleOrderAck(order, nowMs);
    const isAccepted = what === "accepted";
    if (isAccepted && steers(command)) this.#endRoutes(order);
    if (isAccepted && message.isDone !== null) this.#watch(order, resends);
    else {
      // What an abort halted is not taken up again, whatever becomes of the abort.
      if (!isAccepted && isUrgent(command)) this.#abandonRoutes(order, "was ordered");
      this.#end(order, { ...wordOf(what), ...resends });
    }
  }

  /** A cancel on top of it goes on: then it is neither reported as begun nor steered. */
  #watch(order: Order, resends: { resends?: number }): void {
    setBeneath(order, { is: "watched", watch: newWatch(this.#ports.nowMs()) });
    if (order.state.is === "cancelling") return;
    this.#report(order, { is: "accepted", ...resends });
    this.#report(order, { is: "executing", progressPct: null });
  }

  #onStopAck(order: Order, what: Result): void {
    const { state } = order;
    if (state.is !== "cancelling") return;
    const { sent } = state;
    if (what === "in_progress") order.state = { ...state, sent: { ...sent, lastMs: this.#ports.nowMs() } };
    else {
      const settled: Cancelling = { ...state, sent: { ...sent, unacked: sent.unacked - 1 } };
      order.state = settled;
      this.#endCancel(order, settled, what);
    }
  }

  /** `what` is null when the stop was never answered. */
  #endCancel(order: Order, { of }: Cancelling, what: Result | null): void {
    if (what === "accepted") this.#end(order, { is: "cancelled", code: "stopped", text: "the vehicle was stopped" });
    else if (of.is === "abandoned") this.#end(order, overtaken(of.why));
    else {
      keepStopAcks(order, this.#ports.nowMs());
      order.state = of;
      const answer = what === null ? "did not answer" : `answered ${what} to`;
      this.#report(order, { is: "cancel_declined", text: `the vehicle ${answer} the order to stop` });
    }
  }

  /** A steering message is answered. While it is being stopped the stop decides. */
  #onRepeatAck(order: Order, what: Result): void {
    const watch = watchOf(order);
    if (watch === null || what === "in_progress") return;
    setWatch(order, { ...watch, unackedRepeats: watch.unackedRepeats - 1 });
    if (order.state.is === "cancelling" || (what !== "failed" && !saysNo(what))) return;
    const text = `the vehicle answered ${what} when it was told where to go next`;
    this.#end(order, { is: "failed", code: what, text });
  }

  /** How work of before a restart ended; what telemetry can show ends when it does. */
  #onFinalAck(order: Order, what: Result): void {
    const watch = watchOf(order);
    if (watch === null) return;
    setWatch(order, { ...watch, finalAck: "settled" });
    if (what !== "accepted" || order.message.isDone === null) this.#end(order, wordOf(what));
  }

  // ---- time

  #tickAck(order: Order): void {
    const nowMs = this.#ports.nowMs();
    const state = beneath(order);
    if (state.is === "inProgress") {
      if (nowMs - state.ackedMs > PROGRESS_WITHIN_MS) this.#timeOut(order, { text: "progress stopped" });
    } else if (state.is === "waitingForAck") {
      const { sent, mayResend } = state;
      const silentMs = nowMs - sent.lastMs;
      if (silentMs > patienceMs(state)) {
        const text = `no acknowledgement after ${sent.count} attempts`;
        this.#timeOut(order, { text, ...resendsOf(state) });
      } else if (mayResend && silentMs >= RESEND_AFTER_MS && sent.unmistakable <= RESENDS_MAX)
        this.#resend(order, state);
    }
  }

  #resend(order: Order, state: WaitingForAck): void {
    const { vehicle, message } = order;
    this.#ports.write(vehicle, message, state.sent.count);
    const isUnmistakable = !this.#isAckOwed(vehicle, message.command);
    order.state = { ...state, sent: sentOnceMore(state.sent, isUnmistakable, this.#ports.nowMs()) };
  }

  /** Without an ack nobody knows whether the vehicle changed course, so its earlier routes are not steered any more. */
  #timeOut(order: Order, what: { readonly text: string; readonly resends?: number }): void {
    if (steers(order.command)) this.#abandonRoutes(order, "was ordered and not answered");
    this.#end(order, { is: "timed_out", code: "no_ack", ...what });
  }

  #tickCancel(order: Order, state: Cancelling): void {
    const { vehicle } = order;
    const isTurningOff = isTurning(this.ordersOf(vehicle), order);
    const isUnderWay = stepCancel(this.#ports, order, state, isTurningOff, (command) =>
      this.#isAckOwed(vehicle, command),
    );
    if (!isUnderWay) this.#endCancel(order, state, null);
  }

  #tickWatched(order: Order): void {
    const { state, command, vehicle } = order;
    if (state.is !== "watched" && state.is !== "halted") return;
    if (this.#ports.nowMs() > command.deadlineAtMs) this.#drop(order);
    else if (state.is === "watched") {
      const isTimed = order.message.timed !== undefined;
      if (!isTimed && isTurning(this.ordersOf(vehicle))) return;
      const end = isTimed ? endTimed(this.#ports, order, state.watch) : steer(this.#ports, order, state.watch);
      if (end !== null) this.#end(order, end);
    }
  }

  // ---- orders of one vehicle

  /** A vehicle has one route: the order that it accepted ends every other one. The ledger knows it of orders of one slot. */
  #endRoutes(by: Order): void {
    for (const order of this.ordersOf(by.vehicle)) {
      if (order === by || !isRoute(order)) continue;
      if (endsRoute(by.command)) this.#end(order, overtaken(`${by.command.verb} took the vehicle off it`));
      else this.#close(order);
    }
  }

  /** Routes are given up for another order, whatever became of that. One that is being cancelled is stopped all the same. */
  #abandonRoutes(by: Order, what: string): void {
    for (const order of this.ordersOf(by.vehicle)) {
      if (order === by || !isRoute(order)) continue;
      const why = `${by.command.verb} ${what}`;
      if (order.state.is !== "cancelling") this.#end(order, overtaken(why));
      else {
        keepOwnAcks(order, this.#ports.nowMs());
        setBeneath(order, { is: "abandoned", why });
      }
    }
  }

  /** An abort goes out: nothing older is sent again, and nothing that is watched is steered. */
  #haltAll(vehicle: VehicleState): void {
    for (const order of this.ordersOf(vehicle)) {
      const { state } = order;
      const watch = watchOf(order);
      if (state.is === "waitingForAck") order.state = { ...state, mayResend: false };
      else if (watch !== null && isRoute(order)) setBeneath(order, { is: "halted", watch });
    }
  }

  #drop(order: Order): void {
    const timedEnd = timedEndOf(order);
    this.#close(order);
    const isRunning = this.ordersOf(order.vehicle).some((one) => timedEndOf(one)?.command === timedEnd?.command);
    if (timedEnd !== null && !isRunning) writeEnd(this.#ports, order, timedEnd);
  }

  #end(order: Order, report: CommandProgress): void {
    this.#close(order);
    this.#report(order, report);
  }

  #close(order: Order): void {
    keepAcks(order, this.#ports.nowMs());
    order.state = OVER;
  }

  #report({ command }: Order, report: CommandProgress): void {
    this.#ports.progress(command.taskId, report);
  }

  #isAckOwed(vehicle: VehicleState, command: number): boolean {
    return this.ordersOf(vehicle).some((order) => owesAck(order, command, this.#ports.nowMs()));
  }

  #find(taskId: string): Order | undefined {
    for (const orders of this.#byVehicle.values()) {
      const found = orders.find(({ command, state }) => command.taskId === taskId && state.is !== "over");
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #add(order: Order): void {
    this.#byVehicle.set(order.vehicle, [...this.ordersOf(order.vehicle), order]);
  }

  #prune(vehicle: VehicleState): void {
    const nowMs = this.#ports.nowMs();
    const orders = this.ordersOf(vehicle);
    const left = orders.filter(
      ({ state, lateAcks }) => state.is !== "over" || lateAcks.some((one) => isDue(one, nowMs)),
    );
    if (left.length === 0) this.#byVehicle.delete(vehicle);
    else if (left.length < orders.length) this.#byVehicle.set(vehicle, left);
  }
}

function overtaken(text: string): CommandProgress {
  return { is: "failed", code: "overtaken", text };
}
