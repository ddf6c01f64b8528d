/** The write journeys of one room, one after the other, so that no other slips between decide and tell. Bounded. */
import { RefusedError, refusal, UnavailableError } from "../domain/errors.ts";
import { WRITES_WAITING_MAX } from "../limits.ts";

const FULL = refusal("overloaded", "too many writes of this workspace wait for their turn; nothing was written", {
  "Retry-After": "2",
});

export class WriteQueue {
  #mayLag = false;
  /** Writes turned away because too many waited. */
  refusedFull = 0;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  #isEnded = false;

  /** A write was answered "unavailable" and may have been made: what is in memory may be behind its rows. */
  get mayLag(): boolean {
    return this.#mayLag;
  }

  /** The rows were read again since. */
  noteReloaded(): void {
    this.#mayLag = false;
  }

  get isIdle(): boolean {
    return this.#running === null;
  }

  /** What is urgent goes before everything that has not begun. */
  run<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    // Whoever asks again asks the room that is opened in its place.
    if (this.#isEnded) return Promise.reject(new UnavailableError("the workspace is being opened anew"));
    // Work that floods the queue must not keep an abort out of it.
    if (this.#waiting.length >= (isUrgent ? 2 : 1) * WRITES_WAITING_MAX) {
      this.refusedFull++;
      return Promise.reject(new RefusedError(FULL));
    }
    return new Promise<T>((resolve, reject) => {
      // However it fails, also before it has a promise: the queue goes on.
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

  /** Takes no more; resolves when what was taken is written. */
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
