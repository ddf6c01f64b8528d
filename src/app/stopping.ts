/**
 * Stops the service in an order that loses nothing that was accepted: take no new work, fuse and publish what was
 * accepted, end the streams, write the last events, close the database. A part that fails or hangs does not keep the
 * later ones from being stopped.
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
  /** Stops the timer that steps the rooms; from then on `stopInOrder` steps them. */
  readonly stopPace: () => void;
  readonly recorder: { end(): Promise<void> };
  readonly flushUse: () => Promise<void>;
  readonly db: { refuseWaiting(): void; stop(): Promise<void> };
  readonly stopEmbedded: () => Promise<void>;
}

/** The largest share of the deadline that one part may use. The last share is for the database. */
const SHARE = 1 / 4;

/** Stops every part. Rejects afterwards when one of them failed. */
export async function stopInOrder(parts: StoppingParts, deadlineMs: number): Promise<void> {
  const { clock, server, links, recorder, db, stopPace } = parts;
  const databaseAtMs = clock.monotonicMs() + deadlineMs * (1 - SHARE);
  // Never more than what is left before the database's share, so that all parts together keep the deadline.
  const share = () => Math.max(0, Math.min(deadlineMs * SHARE, databaseAtMs - clock.monotonicMs()));
  const faults: unknown[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (fault) {
      parts.log.error({ err: fault }, `stopping: ${what} failed; the other parts are stopped nevertheless`);
      faults.push(fault);
    }
  };
  // Requests that wait for a database that is still starting would use up the time of those that can be answered.
  db.refuseWaiting();
  // Close both inputs at once. What links received before that is fused below, with the last requests.
  await Promise.all([
    attempt("answering what is in flight", () => server.takeNoMore(share())),
    attempt("closing the links", () => links.stop()),
  ]);
  stopPace();
  await attempt("fusing what waits", () => fuseAll(parts, share()));
  // The streams end after the last step, so that clients get its events before the closing comment.
  await attempt("ending the streams", () => server.drain(share()));
  await attempt("the last writes of the rooms", () => within(parts.rooms.written(), share()));
  await attempt("writing the last events", () => within(recorder.end(), share()));
  await attempt("writing the times of last key use", parts.flushUse);
  await attempt("closing the database", () => db.stop());
  await attempt("stopping the embedded database", parts.stopEmbedded);
  if (faults.length > 0) throw new AggregateError(faults, "a part of the service failed to stop; the log names it");
}

/** Steps until nothing waits: one step fuses only as much as its time allows. Between steps the event loop runs. */
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
