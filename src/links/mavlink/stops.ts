/**
 * Orders to stop that cancels sent: what the vehicle is still answering it is asked to drop (COMMAND_CANCEL), and what
 * stops it follows, because no common autopilot knows that message; each is sent until it is answered, so many times.
 */
import type { OutgoingCommand } from "../../domain/platformReport.ts";
import { RESEND_AFTER_MS, RESENDS_MAX, type Result } from "./answers.ts";
import type { CommandMessage } from "./commands.ts";
import type { OwedAnswers } from "./owed.ts";
import { type DispatchParts, steers } from "./underWay.ts";
import type { VehicleState } from "./vehicleState.ts";

interface Stop {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  /** What it is asked to drop; null: it has answered that. */
  readonly asked: CommandMessage | null;
  /** What stops it; null: nothing does but asking. */
  readonly message: CommandMessage | null;
}

interface Sent extends Stop {
  attempts: number;
  /** Attempts whose answer could be told from one that is still to come of before. */
  fairAttempts: number;
  sentMs: number;
}

export class Stops {
  readonly #parts: DispatchParts;
  readonly #owed: OwedAnswers;
  readonly #stops = new Map<string, Sent>();
  /** null: it was never answered. */
  readonly #ended: (taskId: string, what: Result | null) => void;

  constructor(parts: DispatchParts, owed: OwedAnswers, ended: (taskId: string, what: Result | null) => void) {
    this.#parts = parts;
    this.#owed = owed;
    this.#ended = ended;
  }

  has(taskId: string): boolean {
    return this.#stops.has(taskId);
  }

  begin(stop: Stop): void {
    this.#stops.set(stop.command.taskId, { ...stop, attempts: 0, fairAttempts: 0, sentMs: 0 });
  }

  drop(taskId: string): void {
    const stop = this.#stops.get(taskId);
    if (stop !== undefined) this.#over(stop, 0);
  }

  /** Of those that wait for the answer to a newer order: what they were to stop is not flown any more. */
  dropWaiting(vehicle: VehicleState, isOver: (taskId: string) => boolean): void {
    for (const [taskId, stop] of this.#stops)
      if (stop.attempts === 0 && stop.vehicle === vehicle && isOver(taskId)) this.#stops.delete(taskId);
  }

  isUnanswered(vehicle: VehicleState, command: number): boolean {
    return this.#of(vehicle, command) !== undefined;
  }

  /** An acknowledgement of no order in flight. true: it was the answer to a stop. */
  answered(vehicle: VehicleState, command: number, what: Result): boolean {
    const stop = this.#of(vehicle, command);
    if (stop === undefined) return false;
    if (what === "in_progress") stop.sentMs = this.#parts.nowMs();
    else this.#end(stop, what);
    return true;
  }

  /** `isTurning`: an order other than this task's is on its way that takes the vehicle off the way that it is on. */
  tick(nowMs: number, isTurning: (vehicle: VehicleState, besides: string) => boolean): void {
    for (const stop of [...this.#stops.values()]) this.#again(stop, nowMs, isTurning);
  }

  #of(vehicle: VehicleState, command: number): Sent | undefined {
    return [...this.#stops.values()].find((one) => one.vehicle === vehicle && one.message?.command === command);
  }

  #again(stop: Sent, nowMs: number, isTurning: (vehicle: VehicleState, besides: string) => boolean): void {
    const { command, vehicle, asked, message } = stop;
    if (nowMs - stop.sentMs < RESEND_AFTER_MS) return;
    const asks = asksOf(stop);
    // A stop would stop the newer order. Its answer says whether there is anything left to stop.
    if (stop.attempts <= asks && steers(command) && isTurning(vehicle, command.taskId)) return;
    if (stop.fairAttempts >= asks + (message === null ? 0 : RESENDS_MAX + 1)) {
      this.#end(stop, null);
      return;
    }
    if (asked !== null && stop.attempts < asks) this.#parts.askToDrop(vehicle, asked);
    else if (message !== null) this.#parts.write(vehicle, message, stop.attempts - asks);
    stop.attempts++;
    if (message === null || !this.#owed.isAny(vehicle, message.command)) stop.fairAttempts++;
    stop.sentMs = nowMs;
  }

  #end(stop: Sent, what: Result | null): void {
    this.#over(stop, what === null ? 0 : 1);
    this.#ended(stop.command.taskId, what);
  }

  #over(stop: Sent, answers: number): void {
    this.#stops.delete(stop.command.taskId);
    if (stop.message === null) return;
    this.#owed.note(stop.vehicle, stop.message.command, stop.attempts - asksOf(stop) - answers);
  }
}

/** How often it is asked before it is stopped. Where something stops it for certain, once is enough. */
function asksOf({ asked, message }: Stop): number {
  if (asked === null) return 0;
  return message === null ? RESENDS_MAX + 1 : 1;
}
