/** The stream's ticket, the stream itself, and the picture that a client hydrates from (docs/interface.md#stream). */
import { Type } from "typebox";
import type { Principal } from "../../domain/access.ts";
import { isRefusal } from "../../domain/errors.ts";
import { UtcTime } from "../../domain/shape.ts";
import { type Route, route } from "../../http/route.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { STREAMS_PER_PROCESS_MAX } from "../../limits.ts";
import type { NoRoom, RoomFace } from "../../room/face.ts";
import type { StreamOwner } from "../../stream/session.ts";
import { parseKinds } from "./kinds.ts";
import { Picture, StreamEvent } from "./schema.ts";
import type { Tickets } from "./tickets.ts";

export interface StreamParts {
  readonly tickets: Tickets;
  readonly clock: Clock;
  readonly openWorkspace: (id: string) => RoomFace | NoRoom | Promise<RoomFace | NoRoom>;
  /** Streams open in the process, over all workspaces. */
  readonly streamsOpen: () => number;
}

const StreamTicket = Type.Object({
  ticket: Type.String({ description: "stk_..., valid for one minute and one stream" }),
  expires_at: UtcTime,
  workspace_id: Type.String(),
});

const StreamQuery = Type.Object({
  ticket: Type.Optional(Type.String({ maxLength: 128 })),
  kinds: Type.Optional(
    Type.String({ maxLength: 500, description: "comma-separated event names; absent: all domain events; empty: none" }),
  ),
});

function ownerOf(principal: Principal): StreamOwner {
  return principal.kind === "user"
    ? { kind: "user", userId: principal.userId, sessionId: principal.sessionId }
    : { kind: "key", keyId: principal.keyId };
}

function ticketRoute({ tickets, clock }: StreamParts): Route {
  return route({
    method: "POST",
    path: "/api/auth/stream-ticket",
    access: "read",
    workspaceHeader: "required",
    tag: "Stream",
    summary: "Mint a ticket for one stream",
    reply: { 200: StreamTicket },
    errors: ["overloaded"],
    handle({ room, principal, refuse }) {
      const minted = tickets.mint(room.id, ownerOf(principal), clock.nowMs());
      if (minted === null)
        return refuse("overloaded", "too many stream tickets are waiting to be used", { "Retry-After": "5" });
      const data = { ticket: minted.secret, expires_at: toRfc3339(minted.expiresAtMs), workspace_id: room.id };
      return { status: 200, data };
    },
  });
}

function streamRoute(parts: StreamParts): Route {
  const { tickets, clock, openWorkspace, streamsOpen } = parts;
  return route({
    method: "GET",
    path: "/api/stream",
    access: "ticket",
    tag: "Stream",
    summary: "The live picture as server-sent events: one snapshot, then deltas",
    query: StreamQuery,
    description:
      "The ticket is spent by opening the stream; a reconnect needs a new one. A refusal for `kinds` does not spend it. The " +
      "schema is that of one event: its name and its data. This version does not send `coa`, `engagement`, `bda`, " +
      "`swarm_command`, `threat`, `plan`, `posture` and `influence` yet.",
    reply: { 200: { bytes: true, contentType: "text/event-stream", schema: StreamEvent } },
    errors: ["invalid_input", "ticket_invalid", "too_many_streams", "not_found", "overloaded", "unavailable"],
    async handle({ query, refuse }) {
      const kinds = parseKinds(query.kinds);
      if (isRefusal(kinds)) return refuse(kinds);
      if (streamsOpen() >= STREAMS_PER_PROCESS_MAX)
        return refuse("too_many_streams", "this node has reached its limit of open streams", { "Retry-After": "10" });
      const ticket = query.ticket === undefined ? null : tickets.spend(query.ticket, clock.nowMs());
      if (ticket === null)
        return refuse("ticket_invalid", "the ticket is missing, unknown, spent or expired; mint another");
      const room = await openWorkspace(ticket.workspaceId);
      if (isRefusal(room)) return refuse(room);
      if (!tickets.isAdmitted(ticket))
        return refuse("ticket_invalid", "the key was revoked or the membership ended after the ticket was minted");
      const refused = room.whyNotStream();
      if (refused !== null) return refuse(refused);
      return {
        status: 200,
        stream(sink) {
          // The status is sent, so where access ended or the last place was taken since, all that is left is to end.
          if (!tickets.isAdmitted(ticket)) return sink.end();
          const session = room.openStream(sink, kinds, ticket.owner, clock.nowMs());
          if (isRefusal(session)) sink.end();
        },
      };
    },
  });
}

export function streamRoutes(parts: StreamParts): Route[] {
  return [
    ticketRoute(parts),
    streamRoute(parts),
    route({
      method: "GET",
      path: "/api/picture",
      access: "read",
      tag: "Stream",
      summary: "The whole current state in one answer, for hydration",
      reply: { 200: Picture },
      errors: [],
      handle({ room }) {
        return {
          status: 200,
          bytes: room.encoded.pictureBody(parts.clock.nowMs()),
          contentType: "application/json",
        };
      },
    }),
  ];
}
