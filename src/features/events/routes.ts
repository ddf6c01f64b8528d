/** GET /api/events: the append-only, hash-chained log of who did what (§4.5, contract §12). */
import { Type } from "typebox";
import type { Database } from "../../db/client.ts";
import { EventEntry } from "../../domain/eventLog.ts";
import { PAGE_QUERY, pageHeaders, readCursor } from "../../http/page.ts";
import { type Route, route } from "../../http/route.ts";
import { LIST_LIMIT_DEFAULT } from "../../limits.ts";
import { findEvents } from "./store.ts";

const Time = Type.Optional(Type.String({ format: "date-time" }));
const Word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }));

const Query = Type.Object({
  from: Time,
  to: Time,
  after: Type.Optional(Type.Integer({ minimum: 0, description: "entries whose seq is beyond this one" })),
  name: Word("an event name, or a beginning with * such as audit.*"),
  subject: Word("id of what it is about"),
  actor: Word("id of who did it"),
  run_id: Word("id of a simulation run"),
  ...PAGE_QUERY,
});

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
      async handle({ workspace, query, refuse }) {
        const { from, to, after, name, subject, actor, run_id: runId, order, limit = LIST_LIMIT_DEFAULT } = query;
        const resumed = query.cursor === undefined ? null : Number(readCursor(query.cursor) ?? "none");
        if (resumed !== null && !Number.isSafeInteger(resumed))
          return refuse("invalid_input", "cursor is not one that this list gave out");
        const filter = {
          from: from ?? null,
          to: to ?? null,
          name: name ?? null,
          subject: subject ?? null,
          actor: actor ?? null,
          runId: runId ?? null,
          beyondSeq: resumed ?? after ?? null,
          descending: order === "desc",
          limit: limit + 1,
        };
        const entries = await parts.db.run((sql) => findEvents(sql, workspace.id, filter));
        const data = entries.slice(0, limit);
        const next = entries.length > limit ? String(data.at(-1)!.seq) : null;
        return { status: 200, data, headers: pageHeaders("/api/events", query, next) };
      },
    }),
  ];
}
