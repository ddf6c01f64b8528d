/** GET /api/events: the append-only, hash-chained log of who did what (docs/interface.md#event-log). */
import { Type } from "typebox";
import type { Database } from "../../db/client.ts";
import { isRefusal } from "../../domain/errors.ts";
import { EventEntry } from "../../domain/eventLog.ts";
import { PAGE_QUERY, pageOfFound, readCursor, WRONG_CURSOR } from "../../http/page.ts";
import { QueryTime, readQueryTime } from "../../http/queryTime.ts";
import { type Route, route } from "../../http/route.ts";
import { LIST_LIMIT_DEFAULT } from "../../limits.ts";
import { findEvents } from "./store.ts";

const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }));

const Query = Type.Object({
  from: QueryTime,
  to: QueryTime,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "entries whose seq is larger, in either order",
    }),
  ),
  name: Word("an event name, or a beginning with * such as audit.*"),
  subject: Word("id of what it is about"),
  actor: Word("id of who did it"),
  run_id: Word("id of a simulation run"),
  ...PAGE_QUERY,
});

/** The `seq` at the end of the page before; null where the cursor is not one of this list. */
function readSeq(cursor: string, order: "asc" | "desc" | undefined): number | null {
  const text = readCursor(cursor, order) ?? "";
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

export function eventRoutes(parts: { readonly db: Database }): Route[] {
  return [
    route({
      method: "GET",
      path: "/api/events",
      access: "read",
      tag: "Events",
      summary: "The event log: append-only, each entry chained to the one before it",
      query: Query,
      reply: { 200: Type.Array(EventEntry) },
      errors: ["invalid_input", "unavailable"],
      async handle({ room, query, refuse }) {
        const { after, name, subject, actor, run_id: runId, order, limit = LIST_LIMIT_DEFAULT } = query;
        const from = readQueryTime("from", query.from);
        if (isRefusal(from)) return refuse(from);
        const to = readQueryTime("to", query.to);
        if (isRefusal(to)) return refuse(to);
        const beyondSeq = query.cursor === undefined ? null : readSeq(query.cursor, order);
        if (query.cursor !== undefined && beyondSeq === null) return refuse("invalid_input", WRONG_CURSOR);
        const filter = {
          from,
          to,
          name: name ?? null,
          subject: subject ?? null,
          actor: actor ?? null,
          runId: runId ?? null,
          afterSeq: after ?? null,
          beyondSeq,
          descending: order === "desc",
          limit: limit + 1,
        };
        const entries = await parts.db.run((sql) => findEvents(sql, room.id, filter));
        return { status: 200, ...pageOfFound("/api/events", query, entries, ({ seq }) => String(seq)) };
      },
    }),
  ];
}
