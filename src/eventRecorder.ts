/**
 * Events that no request wrote (alerts of a room) on their way into the log: kept for a moment, written in batches, kept
 * longer while the database is away. Bounded; what does not fit is counted and said.
 */
import type { Logger } from "pino";
import type { Database } from "./db/client.ts";
import { appendEvents } from "./db/eventLog.ts";
import { UnavailableError } from "./domain/errors.ts";
import type { EventDraft } from "./domain/eventLog.ts";
import { EVENTS_WAITING_MAX } from "./limits.ts";

export class EventRecorder {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #waiting = new Map<string, EventDraft[]>();
  #count = 0;
  #dropped = 0;
  #isBusy = false;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  add(workspaceId: string, draft: EventDraft): void {
    if (this.#count >= EVENTS_WAITING_MAX) {
      if (this.#dropped++ === 0) this.#log.error("the event log's queue is full: events are lost from here on");
      return;
    }
    this.#count++;
    const drafts = this.#waiting.get(workspaceId);
    if (drafts === undefined) this.#waiting.set(workspaceId, [draft]);
    else drafts.push(draft);
  }

  /** A few times a second, and once more at the end. */
  async flush(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (const [workspaceId, drafts] of this.#waiting) {
        const batch = drafts.slice();
        await this.#db.transact((sql) => appendEvents(sql, workspaceId, batch));
        this.#count -= batch.length;
        drafts.splice(0, batch.length);
        if (drafts.length === 0) this.#waiting.delete(workspaceId);
      }
    } catch (fault) {
      if (!(fault instanceof UnavailableError)) this.#log.error({ err: fault }, "events were not written to the log");
    } finally {
      this.#isBusy = false;
    }
  }
}
