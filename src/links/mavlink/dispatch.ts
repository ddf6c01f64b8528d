/**
 * Commands on their way to vehicles (mavlink.io, "Command protocol"): one in flight a vehicle and
 * command, because acknowledgements name nothing but the command; sent again only where twice is as good as once; progress
 * restarts the patience. What goes on after its acknowledgement is in `underWay.ts`. Knows no socket: it is handed a way
 * to write.
 */
import type { OutgoingCommand } from "../../domain/platformReport.ts";
import {
  ANSWER_WITHIN_MS,
  BUSY_AGAIN_MS,
  RESEND_AFTER_MS,
  RESENDS_MAX,
  type Result,
  resultOf,
  wordOf,
} from "./answers.ts";
import { type CommandMessage, commandOf } from "./commands.ts";
import { OwedAnswers } from "./owed.ts";
import { Stops } from "./stops.ts";
import { type DispatchParts, isUrgent, steers, Ways } from "./underWay.ts";
import type { VehicleState } from "./vehicleState.ts";

const PROGRESS_WITHIN_MS = 10_000;

interface InFlight {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  readonly message: CommandMessage;
  attempts: number;
  /** Attempts whose answer could be told from one that is still to come of before. */
  fairAttempts: number;
  sentMs: number;
  heardMs: number;
  isInProgress: boolean;
  mayResend: boolean;
  /** Nobody waits for it any more; its answer, which may still come, is not taken for another's. */
  isDropped: boolean;
}

export class CommandDispatch {
  readonly #parts: DispatchParts;
  readonly #ways: Ways;
  readonly #inFlight: InFlight[] = [];
  readonly #owed: OwedAnswers;
  readonly #stops: Stops;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#ways = new Ways(parts);
    this.#owed = new OwedAnswers(parts.nowMs);
    this.#stops = new Stops(parts, this.#owed, (taskId, what) => this.#stopEnded(taskId, what));
  }

  /** The answer to one could be taken for another's: what is not free waits in the ledger. */
  isFree(command: OutgoingCommand, vehicle: VehicleState | undefined): boolean {
    if (vehicle === undefined) return false;
    const message = commandOf(command.verb, command.params, vehicle);
    return "cannot" in message || !this.#isBlocked(command, vehicle, message);
  }

  send(command: OutgoingCommand, vehicle: VehicleState | undefined): void {
    const { progress, nowMs, write } = this.#parts;
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
      if (isUrgent(command)) this.#clearFor(vehicle);
      const fairAttempts = this.#owed.isAny(vehicle, message.command) ? 0 : 1;
      const fresh = { attempts: 1, fairAttempts, sentMs: nowMs(), heardMs: 0, isInProgress: false, isDropped: false };
      this.#inFlight.push({ command, vehicle, message, mayResend: command.resendSafe, ...fresh });
      write(vehicle, message, 0);
    }
  }

  /**
   * Work of before, e.g. of before a restart: watched and steered on, not ordered anew. false: the vehicle is not heard, or
   * has not said yet where it is, without which nobody knows which leg it is on or what its heights mean.
   */
  resume(command: OutgoingCommand, vehicle: VehicleState | undefined): boolean {
    if (vehicle === undefined || vehicle.lat === null) return false;
    // It is where an offset took it from where it was: counted again from here, it would add up with each restart.
    const message = commandOf(command.verb, { ...command.params, alt_offset_m: 0 }, vehicle);
    if ("cannot" in message) return false;
    this.#ways.resume(command, vehicle, message);
    return true;
  }

  /** Asks the vehicle to drop it. false: the vehicle is not at it any more, and what ended it has been told. */
  cancel(taskId: string): boolean {
    const flying = this.#inFlight.find((one) => one.command.taskId === taskId && one.isInProgress);
    const going = flying ?? this.#ways.get(taskId);
    if (going === undefined) return false;
    if (this.#stops.has(taskId)) return true;
    const { command, vehicle, message } = going;
    const end = endOf(command, message, vehicle);
    this.#ways.hold(taskId);
    // The answer to a stop that is the same command could not be told from the answer to what it stops.
    const isSame = flying !== undefined && end?.command === message.command;
    const asked = flying !== undefined || end === null ? message : null;
    this.#stops.begin({ command, vehicle, asked, message: isSame ? null : end });
    this.#tickStops();
    return true;
  }

  /** The ledger says that it ended: nothing of it is sent any more. */
  drop(taskId: string): void {
    const flying = this.#inFlight.find((one) => one.command.taskId === taskId);
    if (flying !== undefined) flying.isDropped = true;
    this.#stops.drop(taskId);
    this.#ways.drop(taskId);
  }

  /** A COMMAND_ACK that was meant for us. */
  acknowledged(vehicle: VehicleState, command: number, result: number, progress: number): void {
    const what = resultOf(result);
    if (this.#owed.takes(vehicle, command, what)) return;
    const i = this.#inFlight.findIndex((one) => one.vehicle === vehicle && one.message.command === command);
    if (i === -1) {
      if (!this.#stops.answered(vehicle, command, what)) this.#ways.answered(vehicle, command, what);
      return;
    }
    const flying = this.#inFlight[i]!;
    flying.heardMs = this.#parts.nowMs();
    if (what === "in_progress") {
      const word = { is: "executing", progressPct: progress > 100 ? null : progress, ...resendsOf(flying) } as const;
      flying.isInProgress = true;
      if (!flying.isDropped) this.#parts.progress(flying.command.taskId, word);
      return;
    }
    this.#inFlight.splice(i, 1);
    // What was in progress for longer has answered every sending.
    const isRecent = this.#parts.nowMs() - flying.sentMs < ANSWER_WITHIN_MS;
    if (isRecent) this.#owed.note(vehicle, command, flying.attempts - 1);
    if (!flying.isDropped) this.#conclude(flying, what);
  }

  /** Something of this vehicle moved on: is what it was sent to do done? */
  observe(vehicle: VehicleState): void {
    if (!this.#isTurning(vehicle)) this.#ways.observe(vehicle);
  }

  /** Several times a second: what was not answered. */
  tick(): void {
    const nowMs = this.#parts.nowMs();
    for (const flying of [...this.#inFlight]) this.#lookAfter(flying, nowMs);
    this.#tickStops();
    this.#ways.tick(nowMs, (vehicle) => this.#isTurning(vehicle));
  }

  /** An order is on its way that takes it off the way that it is on: nothing of the older one is said meanwhile. */
  #isTurning(vehicle: VehicleState, besides: string | null = null): boolean {
    return this.#inFlight.some(
      (one) => one.vehicle === vehicle && !one.isDropped && one.command.taskId !== besides && steers(one.command),
    );
  }

  #tickStops(): void {
    this.#stops.tick(this.#parts.nowMs(), (vehicle, besides) => this.#isTurning(vehicle, besides));
  }

  #lookAfter(flying: InFlight, nowMs: number): void {
    const { command, vehicle, message } = flying;
    const silentMs = nowMs - Math.max(flying.heardMs, flying.sentMs);
    const patienceMs = flying.isInProgress && !flying.isDropped ? PROGRESS_WITHIN_MS : this.#patienceMs(flying);
    if (silentMs > patienceMs) {
      this.#inFlight.splice(this.#inFlight.indexOf(flying), 1);
      if (!flying.isInProgress) this.#owed.note(vehicle, message.command, flying.attempts);
      if (flying.isDropped) return;
      this.#stops.drop(command.taskId);
      // Nobody knows whether it turned: it is not called back to the way that it was on.
      if (steers(command)) this.#ways.leave(vehicle, command, "was ordered and not answered");
      const text = flying.isInProgress ? "progress stopped" : `no acknowledgement after ${flying.attempts} attempts`;
      this.#parts.progress(command.taskId, { is: "timed_out", code: "no_ack", text, ...resendsOf(flying) });
      return;
    }
    const isDue = flying.mayResend && !flying.isInProgress && !flying.isDropped && silentMs >= RESEND_AFTER_MS;
    if (!isDue || flying.fairAttempts > RESENDS_MAX) return;
    this.#parts.write(vehicle, message, flying.attempts);
    flying.attempts++;
    if (!this.#owed.isAny(vehicle, message.command)) flying.fairAttempts++;
    flying.sentMs = nowMs;
  }

  #patienceMs({ mayResend, fairAttempts }: InFlight): number {
    return mayResend && fairAttempts > RESENDS_MAX ? RESEND_AFTER_MS : ANSWER_WITHIN_MS;
  }

  /** What is urgent waits for no answer: it is sent again until its own is told from those of before. */
  #isBlocked(command: OutgoingCommand, vehicle: VehicleState, message: CommandMessage): boolean {
    if (isUrgent(command)) return false;
    const isSame = (one: { vehicle: VehicleState; message: CommandMessage }) =>
      one.vehicle === vehicle && one.message.command === message.command;
    return (
      this.#inFlight.some(isSame) ||
      this.#owed.isAny(vehicle, message.command) ||
      this.#stops.isUnanswered(vehicle, message.command) ||
      this.#ways.isUnanswered(vehicle, message.command)
    );
  }

  /** An abort goes out: nothing older is sent again, and nothing that goes on is steered. */
  #clearFor(vehicle: VehicleState): void {
    for (const flying of this.#inFlight) if (flying.vehicle === vehicle) flying.mayResend = false;
    this.#ways.halt(vehicle);
  }

  #conclude(flying: InFlight, what: Result): void {
    const { command, vehicle, message } = flying;
    const { taskId } = command;
    if (what === "accepted" && steers(command)) {
      this.#ways.supersede(vehicle, command);
      // What was to be stopped is not flown any more: the ledger ends it with the newer order.
      this.#stops.dropWaiting(vehicle, (id) => id !== taskId && !this.#isAt(id));
    }
    if (what === "accepted" && message.isDone !== null) {
      this.#goOn(flying);
      return;
    }
    this.#stops.drop(taskId);
    // What was halted for it is not taken up again.
    if (what !== "accepted" && isUrgent(command)) this.#ways.leave(vehicle, command, "was ordered");
    this.#parts.progress(taskId, { ...wordOf(what), ...resendsOf(flying) });
  }

  /** The vehicle took it on: from here it is watched. One that is being stopped is not told as begun, nor steered. */
  #goOn(flying: InFlight): void {
    const { command, vehicle, message } = flying;
    const { taskId } = command;
    this.#ways.begin(command, vehicle, message);
    if (this.#stops.has(taskId)) this.#ways.hold(taskId);
    else {
      this.#parts.progress(taskId, { is: "accepted", ...resendsOf(flying) });
      this.#parts.progress(taskId, { is: "executing", progressPct: null });
    }
  }

  #isAt(taskId: string): boolean {
    return this.#ways.get(taskId) !== undefined || this.#inFlight.some((one) => one.command.taskId === taskId);
  }

  #stopEnded(taskId: string, what: Result | null): void {
    if (what !== "accepted") {
      this.#ways.goOn(taskId);
      const text =
        what === null
          ? "the vehicle did not answer the order to stop"
          : `the vehicle answered ${what} to the order to stop`;
      this.#parts.progress(taskId, { is: "cancel_declined", text });
      return;
    }
    this.#ways.forget(taskId);
    const flying = this.#inFlight.find((one) => one.command.taskId === taskId);
    if (flying !== undefined) flying.isDropped = true;
    this.#parts.progress(taskId, { is: "cancelled", code: "stopped", text: "the vehicle was stopped" });
  }
}

/** What ends it at the vehicle. null: nothing but the vehicle itself; a hold would end the flight, which is another order. */
function endOf(command: OutgoingCommand, message: CommandMessage, vehicle: VehicleState): CommandMessage | null {
  if (message.timed !== undefined || !steers(command)) return message.timed?.end ?? null;
  const hold = commandOf("hold", { kind: "none" }, vehicle);
  return "cannot" in hold ? null : hold;
}

/** Told once, with the first word about it. */
function resendsOf({ attempts, isInProgress }: InFlight): { resends?: number } {
  return isInProgress || attempts === 1 ? {} : { resends: attempts - 1 };
}
