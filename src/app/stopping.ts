/**
 * The end of the service, in an order in which nothing that was taken is lost: no new work, what was taken is fused and
 * told, streams end, the log and the database close. A part that fails or hangs keeps none after it from its own end.
 */
import type { Logger } from "pino";
import type { Server } from "../http/server.ts";
import type { Clock } from "../lib/clock.ts";
import type { Rooms } from "../room/rooms.ts";

export interface StoppingParts {
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  readonly log: Pick<Logger, "error">;
  readonly server: Pick<Server, "takeNoMore" | "drain">;
  readonly links: { stop(): Promise<void> };
  readonly rooms: Pick<Rooms, "step" | "flush" | "isFused" | "written">;
  /** The beat of the rooms; from here on they are stepped by the stop itself. */
  readonly stopPace: () => void;
  readonly recorder: { end(): Promise<void> };
  readonly flushUse: () => Promise<void>;
  readonly db: { refuseWaiting(): void; stop(): Promise<void> };
  readonly stopEmbedded: () => Promise<void>;
}

/** What a part may take of the deadline at most; the last share is the database's, which has a deadline of its own. */
const SHARE = 1 / 4;

/** Rejects when all that could be stopped is stopped and a part of it failed. */
export async function stopInOrder(parts: StoppingParts, deadlineMs: number): Promise<void> {
  const { clock, server, links, recorder, db, stopPace } = parts;
  const databaseAtMs = clock.monotonicMs() + deadlineMs * (1 - SHARE);
  // Of what those before it have left: together they keep the deadline, too.
  const share = () => Math.max(0, Math.min(deadlineMs * SHARE, databaseAtMs - clock.monotonicMs()));
  const faults: unknown[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (fault) {
      parts.log.error({ err: fault }, `stopping: ${what} failed; the rest is stopped all the same`);
      faults.push(fault);
    }
  };
  // Requests that wait for a database that is still starting would use up the time of those that can be answered.
  db.refuseWaiting();
  // Both ways in at once. What a link still heard is fused below, with what the last requests brought.
  await Promise.all([
    attempt("answering what is in flight", () => server.takeNoMore(share())),
    attempt("closing the links", () => links.stop()),
  ]);
  stopPace();
  await attempt("fusing what waits", () => fuseAll(parts, share()));
  // Streams end here, so that their last comment comes after what the last step told.
  await attempt("ending the streams", () => server.drain(share()));
  await attempt("the last writes of the rooms", () => within(parts.rooms.written(), share()));
  await attempt("writing the last events", () => within(recorder.end(), share()));
  await attempt("writing the times of last key use", parts.flushUse);
  await attempt("closing the database", () => db.stop());
  await attempt("stopping the embedded database", parts.stopEmbedded);
  if (faults.length > 0) throw new AggregateError(faults, "not everything ended as it should");
}

/** A step leaves what goes beyond its time to the next one; between two of them sockets have their turn. */
async function fuseAll({ rooms, clock }: StoppingParts, deadlineMs: number): Promise<void> {
  const endAtMs = clock.monotonicMs() + deadlineMs;
  do {
    rooms.step(clock.nowMs());
    rooms.flush(clock.nowMs());
    await new Promise((resolve) => setImmediate(resolve));
  } while (!rooms.isFused && clock.monotonicMs() < endAtMs);
  if (!rooms.isFused) throw new Error(`observations that waited were not fused within ${Math.round(deadlineMs)} ms`);
}

function within(work: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((_, reject) => {
    const late = () => reject(new Error(`it took longer than ${Math.round(deadlineMs)} ms`));
    timer = setTimeout(late, deadlineMs);
  });
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
}
