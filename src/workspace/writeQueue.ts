/** The write journeys of one room, one after the other, so that no other slips between decide and tell. */
import { UnavailableError } from "../domain/errors.ts";

export class WriteQueue {
  /** A write was answered "unavailable" and may have been made: what is in memory may be behind its rows. */
  mayLag = false;
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch((fault) => {
      if (fault instanceof UnavailableError && fault.outcomeUnknown) this.mayLag = true;
    });
    return next;
  }
}
