/** Runs the write journeys of one room one at a time, so that none comes between another's decision and commit. Bounded. */
import { RefusedError, refusal, UnavailableError } from "../domain/errors.ts";
import { WRITES_WAITING_MAX } from "../limits.ts";

const FULL = refusal("overloaded", "too many writes of this workspace are waiting; nothing was written", {
  "Retry-After": "2",
});

export class WriteQueue {
  #mayLag = false;
  /** Writes refused because too many were waiting. */
  refusedFull = 0;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  #isEnded = false;

  /** A write was answered "unavailable" and may have been made all the same, so memory may be behind the rows. */
  get mayLag(): boolean {
    return this.#mayLag;
  }

  /** The rows were read again. */
  noteReloaded(): void {
    this.#mayLag = false;
  }

  get isIdle(): boolean {
    return this.#running === null;
  }

  /** The room was closed. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** An urgent job goes before all that have not begun. */
  run<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    // A retry reaches the room that is opened in place of this one.
    if (this.#isEnded) return Promise.reject(new UnavailableError("the workspace is being reopened"));
    // Urgent work has a larger bound, so that a flood of other writes cannot keep an abort out.
    if (this.#waiting.length >= (isUrgent ? 2 : 1) * WRITES_WAITING_MAX) {
      this.refusedFull++;
      return Promise.reject(new RefusedError(FULL));
    }
    return new Promise<T>((resolve, reject) => {
      // async, so that a job that throws before it returns a promise does not stop the queue either.
      const step = async () => {
        try {
          resolve(await work());
        } catch (fault) {
          if (fault instanceof UnavailableError && fault.outcomeUnknown) this.#mayLag = true;
          reject(fault);
        }
      };
      if (isUrgent) this.#waiting.unshift(step);
      else this.#waiting.push(step);
      this.#running ??= this.#runAll();
    });
  }

  /** Takes no more jobs; resolves when the accepted ones are done. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#running ?? Promise.resolve();
  }

  async #runAll(): Promise<void> {
    // Yield once, so that `run` returns its promise before the first job starts.
    await Promise.resolve();
    for (let step = this.#waiting.shift(); step !== undefined; step = this.#waiting.shift()) await step();
    this.#running = null;
  }
}
