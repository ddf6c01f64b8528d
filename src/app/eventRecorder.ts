/**
 * Events that no request wrote (alerts of a room) on their way into the log: kept for a moment, written in batches, kept
 * longer while the database is away. Bounded; what does not fit, and what the log cannot take, is counted and said.
 */
import type { Logger } from "pino";
import type { Database } from "../db/client.ts";
import { appendEvents } from "../db/eventLog.ts";
import { UnavailableError } from "../domain/errors.ts";
import type { EventDraft } from "../domain/eventLog.ts";
import { EVENTS_PER_STATEMENT_MAX, EVENTS_WAITING_MAX } from "../limits.ts";

export class EventRecorder {
  readonly #db: Pick<Database, "transact">;
  readonly #log: Pick<Logger, "error">;
  readonly #waiting = new Map<string, EventDraft[]>();
  #count = 0;
  #flushing: Promise<void> | null = null;
  /** Events that will never be in the log: the queue was full, or the log cannot take them. */
  dropped = 0;

  constructor(db: Pick<Database, "transact">, log: Pick<Logger, "error">) {
    this.#db = db;
    this.#log = log;
  }

  add(workspaceId: string, draft: EventDraft): void {
    if (this.#count >= EVENTS_WAITING_MAX) {
      if (this.dropped++ === 0) this.#log.error("the event log's queue is full: events are lost from here on");
      return;
    }
    this.#count++;
    const drafts = this.#waiting.get(workspaceId);
    if (drafts === undefined) this.#waiting.set(workspaceId, [draft]);
    else drafts.push(draft);
  }

  /** A few times a second. Of what cannot be written now the next time tries again. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Once, when nothing is added any more: a flush that is under way may have passed what came last. */
  async end(): Promise<void> {
    await this.#flushing;
    await this.flush();
    if (this.#count === 0) return;
    this.dropped += this.#count;
    this.#log.error({ events: this.#count }, "the database is away at the end: these events are not in the log");
  }

  async #flushAll(): Promise<void> {
    for (const [workspaceId, drafts] of this.#waiting) {
      await this.#writeAll(workspaceId, drafts);
      if (drafts.length === 0) this.#waiting.delete(workspaceId);
    }
  }

  /** In order. A batch that the log refuses is halved until the event is alone that is to blame: that one is dropped. */
  async #writeAll(workspaceId: string, drafts: EventDraft[]): Promise<void> {
    let size = EVENTS_PER_STATEMENT_MAX;
    while (drafts.length > 0) {
      const batch = drafts.slice(0, size);
      try {
        // Not all that waits: a transaction has a deadline.
        await this.#db.transact((sql) => appendEvents(sql, workspaceId, batch));
      } catch (fault) {
        if (fault instanceof UnavailableError) return;
        if (batch.length > 1) {
          size = Math.ceil(batch.length / 2);
          continue;
        }
        this.#drop(workspaceId, batch[0]!, fault);
      }
      this.#count -= batch.length;
      drafts.splice(0, batch.length);
      size = Math.min(EVENTS_PER_STATEMENT_MAX, 2 * size);
    }
  }

  #drop(workspaceId: string, { name, at, subject }: EventDraft, fault: unknown): void {
    this.dropped++;
    this.#log.error(
      { err: fault, workspace: workspaceId, event: name, at, subject },
      "an event is not in the log, because the database refuses it; the others go on: please report it with this line",
    );
  }
}
