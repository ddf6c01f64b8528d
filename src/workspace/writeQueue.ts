/** The write journeys of one room, one after the other, so that no other slips between decide and tell. */
import { UnavailableError } from "../domain/errors.ts";

export class WriteQueue {
  /** A write was answered "unavailable" and may have been made: what is in memory may be behind its rows. */
  mayLag = false;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  #isEnded = false;

  get isIdle(): boolean {
    return this.#running === null;
  }

  /** What is urgent goes before everything that has not begun. */
  run<T>(work: () => Promise<T>, isUrgent = false): Promise<T> {
    // Whoever asks again asks the room that is opened in its place.
    if (this.#isEnded) return Promise.reject(new UnavailableError("the workspace is being opened anew"));
    return new Promise<T>((resolve, reject) => {
      const step = () => work().then(resolve, (fault) => this.#failed(fault, reject));
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
    // Whoever calls goes on first: nothing of its work is done before it has its promise.
    await Promise.resolve();
    for (let step = this.#waiting.shift(); step !== undefined; step = this.#waiting.shift()) await step();
    this.#running = null;
  }

  #failed(fault: unknown, reject: (fault: unknown) => void): void {
    if (fault instanceof UnavailableError && fault.outcomeUnknown) this.mayLag = true;
    reject(fault);
  }
}
