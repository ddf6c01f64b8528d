/**
 * Events that no request wrote (alerts of a room) on their way into the log: kept for a moment, written in batches, kept
 * longer while the database is away. Bounded: events that do not fit, and those that the log refuses, are counted and
 * logged.
 */
import type { Logger } from "pino";
import type { Database } from "../db/client.ts";
import { appendEvents } from "../db/eventLog.ts";
import { FencedError, type RoomWriter } from "../db/fencing.ts";
import type { Alert } from "../domain/alert.ts";
import { UnavailableError } from "../domain/errors.ts";
import type { EventDraft } from "../domain/eventLog.ts";
import { trackEditDraft } from "../features/tracks/editDrafts.ts";
import { toRfc3339 } from "../lib/clock.ts";
import { EVENTS_PER_STATEMENT_MAX, EVENTS_WAITING_MAX } from "../limits.ts";
import type { RoomFace } from "../room/face.ts";
import type { Rooms } from "../room/rooms.ts";

interface Waiting {
  readonly writer: RoomWriter;
  readonly drafts: EventDraft[];
}

export class EventRecorder {
  readonly #db: Pick<Database, "transact">;
  readonly #log: Pick<Logger, "error">;
  /** In order, by the room that raised them. */
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #flushing: Promise<void> | null = null;
  /** Events that will never be in the log: the queue was full, the log refused them, or another process took over. */
  dropped = 0;

  constructor(db: Pick<Database, "transact">, log: Pick<Logger, "error">) {
    this.#db = db;
    this.#log = log;
  }

  add(writer: RoomWriter, draft: EventDraft): void {
    if (this.#count >= EVENTS_WAITING_MAX) {
      if (this.dropped++ === 0) this.#log.error("the event log's queue is full: events are lost from here on");
      return;
    }
    this.#count++;
    const key = `${writer.id} ${writer.ownerEpoch}`;
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, { writer, drafts: [draft] });
    else waiting.drafts.push(draft);
  }

  /** To be called a few times a second. Events that cannot be written now are tried again with the next call. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Once, when nothing is added any more. A flush under way may have begun before the last events were added. */
  async end(): Promise<void> {
    await this.#flushing;
    await this.flush();
    if (this.#count === 0) return;
    this.dropped += this.#count;
    this.#log.error(
      { events: this.#count },
      "the service stops while the database is away: these events are not in the event log",
    );
  }

  async #flushAll(): Promise<void> {
    for (const [key, waiting] of this.#waiting) {
      await this.#writeAll(waiting);
      if (waiting.drafts.length === 0) this.#waiting.delete(key);
    }
  }

  /** In order. A batch that the log refuses is halved until the refused event is alone; that one is dropped. */
  async #writeAll({ writer, drafts }: Waiting): Promise<void> {
    let size = EVENTS_PER_STATEMENT_MAX;
    while (drafts.length > 0) {
      const batch = drafts.slice(0, size);
      try {
        // A batch and not the whole queue, because a transaction has a deadline.
        await this.#db.transact((sql) => appendEvents(sql, writer, batch));
      } catch (fault) {
        if (fault instanceof FencedError) return this.#dropFenced(writer, drafts);
        if (fault instanceof UnavailableError) return;
        if (batch.length > 1) {
          size = Math.ceil(batch.length / 2);
          continue;
        }
        this.#drop(writer, batch[0]!, fault);
      }
      this.#count -= batch.length;
      drafts.splice(0, batch.length);
      size = Math.min(EVENTS_PER_STATEMENT_MAX, 2 * size);
    }
  }

  /** The room's process lost the workspace: its successor raises the alerts that still hold. */
  #dropFenced({ id, ownerEpoch }: RoomWriter, drafts: EventDraft[]): void {
    const events = drafts.length;
    this.#count -= events;
    this.dropped += events;
    drafts.length = 0;
    const text = "another process has taken the workspace over: the last events of this one are not in the log";
    this.#log.error({ workspace: id, epoch: ownerEpoch, events }, text);
  }

  #drop({ id: workspaceId }: RoomWriter, { name, at, subject }: EventDraft, fault: unknown): void {
    this.dropped++;
    this.#log.error(
      { err: fault, workspace: workspaceId, event: name, at, subject },
      "the database refuses an event, so it is not in the event log; the others are written. Please report this line",
    );
  }
}

/** What rooms change without a write of a request: alerts, and what an operator says of tracks. */
export function recordRooms(recorder: EventRecorder, rooms: Pick<Rooms, "listen">): void {
  rooms.listen({
    published(room, event, nowMs) {
      if (event.name === "alert") recorder.add(writerOf(room), alertDraft(room, event.body, nowMs));
    },
    changed(room, change, nowMs) {
      const draft = trackEditDraft(room, change, nowMs);
      if (draft !== null) recorder.add(writerOf(room), draft);
    },
  });
}

const writerOf = ({ id, ownerEpoch }: RoomFace): RoomWriter => ({ id, ownerEpoch });

function alertDraft(room: RoomFace, alert: Alert, nowMs: number): EventDraft {
  return {
    name: "alert",
    at: toRfc3339(nowMs),
    env: room.environment,
    actor: { kind: "system", id: "links", name: "links" },
    subject: alert.subject,
    streamGen: room.generation,
    data: { ...alert },
  };
}
