/**
 * Answers that may still come of orders that are over: an acknowledgement names nothing but its command, so the one to an
 * older order is told from a newer one's only by waiting for it. So long nothing of that command is ordered anew.
 */
import { ANSWER_WITHIN_MS, type Result } from "./answers.ts";
import type { VehicleState } from "./vehicleState.ts";

interface Owed {
  readonly vehicle: VehicleState;
  readonly command: number;
  readonly untilMs: number;
  left: number;
}

export class OwedAnswers {
  readonly #nowMs: () => number;
  #owed: Owed[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `answers`: of how many sendings none was heard. */
  note(vehicle: VehicleState, command: number, answers: number): void {
    if (answers > 0) this.#owed.push({ vehicle, command, untilMs: this.#nowMs() + ANSWER_WITHIN_MS, left: answers });
  }

  isAny(vehicle: VehicleState, command: number): boolean {
    return this.#of(vehicle, command) !== undefined;
  }

  /** true: it was the answer to an order that is over. */
  takes(vehicle: VehicleState, command: number, what: Result): boolean {
    const owed = this.#of(vehicle, command);
    if (owed === undefined) return false;
    // It is not the last word.
    if (what !== "in_progress") owed.left--;
    return true;
  }

  #of(vehicle: VehicleState, command: number): Owed | undefined {
    const nowMs = this.#nowMs();
    this.#owed = this.#owed.filter(({ left, untilMs }) => left > 0 && nowMs < untilMs);
    return this.#owed.find((one) => one.vehicle === vehicle && one.command === command);
  }
}
