/**
 * Time as a parameter. Only `main.ts` makes the real clock; rooms, rules and tests take one, so that a
 * simulation can run a day in a second and a replay sees the times of the record.
 */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. May step. */
  nowMs(): number;
  /** Monotonic time for durations, milliseconds, never steps back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A clock that stands still until it is moved. For simulations, evaluation and tests. */
export class ManualClock implements Clock {
  #nowMs: number;
  constructor(startMs: number) {
    this.#nowMs = startMs;
  }
  nowMs(): number {
    return this.#nowMs;
  }
  monotonicMs(): number {
    return this.#nowMs;
  }
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }
  advance(byMs: number): void {
    this.#nowMs += byMs;
  }
}

/** RFC 3339 UTC with milliseconds, the only time format on the wire. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** 0 stands for "never". */
export function timeOrNull(epochMs: number): string | null {
  return epochMs > 0 ? toRfc3339(epochMs) : null;
}
