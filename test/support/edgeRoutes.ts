/** Made-up routes that exercise the edge: each kind of access, body, answer and fault. */
import { Type as T } from "typebox";
import { UnavailableError } from "../../src/domain/errors.ts";
import { type Route, route } from "../../src/http/route.ts";
import type { Sink } from "../../src/stream/sink.ts";

const common = { tag: "Test", summary: "made up", errors: [] } as const;
const Thing = T.Object({ name: T.String({ minLength: 1 }), lat: T.Optional(T.Number({ minimum: -90, maximum: 90 })) });
export const BIG = new Uint8Array(10 << 20).fill(0x61);
/** The sinks of the streams that were opened, in order. */
export const sinks: Sink[] = [];
/** Answers the request that waits at /wait. */
export const gate = { release: () => {} };

export const routes: Route[] = [
  route({
    ...common,
    method: "GET",
    path: "/open",
    access: "open",
    reply: { 200: T.Object({ ip: T.String() }) },
    handle: ({ request }) => ({ status: 200, data: { ip: request.ip } }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/big",
    access: "open",
    reply: { 200: { bytes: true, contentType: "text/plain" } },
    handle: () => ({ status: 200, bytes: BIG, contentType: "text/plain" }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/api/me",
    access: "credential",
    reply: { 200: T.Object({ kind: T.String() }) },
    handle: ({ principal }) => ({ status: 200, data: { kind: principal.kind } }),
  }),
  route({
    ...common,
    method: "POST",
    path: "/api/logout",
    access: "session",
    body: T.Object({ token: T.Optional(T.String()) }),
    bodyOptional: true,
    reply: { 200: T.Unknown() },
    handle: ({ body }) => ({ status: 200, data: body }),
  }),
  route({
    ...common,
    method: "POST",
    path: "/api/ticket",
    access: "read",
    workspaceHeader: "required",
    reply: { 200: T.Unknown() },
    handle: () => ({ status: 200, data: {} }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/api/things",
    access: "read",
    query: T.Object({ limit: T.Optional(T.Integer({ maximum: 10 })), free: T.Optional(T.Boolean()) }),
    reply: { 200: T.Unknown() },
    handle: ({ query, room, role }) => ({ status: 200, data: { query, workspace: room.id, role } }),
  }),
  route({
    ...common,
    method: "POST",
    path: "/api/things",
    access: "registry",
    body: Thing,
    reply: { 201: Thing },
    handle: ({ body }) => ({ status: 201, data: body, headers: { Location: "/api/things/1" } }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/api/things/{id}",
    access: "read",
    params: T.Object({ id: T.String() }),
    reply: { 200: T.Unknown() },
    handle: ({ params }) => ({ status: 200, data: params }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/api/things/special",
    access: "read",
    reply: { 200: T.Unknown() },
    handle: () => ({ status: 200, data: "special" }),
  }),
  route({
    ...common,
    method: "DELETE",
    path: "/api/things/{id}",
    access: "session_administer",
    reply: { 204: null },
    handle: async () => ({ status: 204 }),
  }),
  route({
    ...common,
    method: "POST",
    path: "/api/raw",
    access: "push",
    body: { raw: true, contentTypes: ["application/json", "text/x"], bytesMax: 2000, gzip: true, schema: T.Unknown() },
    reply: { 200: T.Unknown() },
    handle: ({ body }) => ({ status: 200, data: { bytes: body.length, first: body[0] ?? null } }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/fault/{kind}",
    access: "open",
    params: T.Object({ kind: T.String() }),
    reply: { 200: T.Number() },
    errors: ["invalid_state"],
    async handle({ params, refuse }) {
      if (params.kind === "refused") return refuse("invalid_state", "not now", { "Retry-After": "3" });
      if (params.kind === "away") throw new UnavailableError("no database");
      if (params.kind === "header") return { status: 200, data: 1, headers: { Location: "/x\r\nSet-Cookie: a=b" } };
      throw new Error("secret detail");
    },
  }),
  route({
    ...common,
    method: "GET",
    path: "/wait",
    access: "open",
    reply: { 200: T.Unknown() },
    handle: () =>
      new Promise<{ status: 200; data: string }>((resolve) => {
        gate.release = () => resolve({ status: 200, data: "waited" });
      }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/stream",
    access: "ticket",
    query: T.Object({ ticket: T.Optional(T.String()) }),
    reply: { 200: { bytes: true, contentType: "text/event-stream" } },
    handle: () => ({
      status: 200,
      stream: (sink) => {
        sinks.push(sink);
        sink.write(Buffer.from("event: snapshot\ndata: {}\n\n"));
      },
    }),
  }),
  route({
    ...common,
    method: "GET",
    path: "/stream/broken",
    access: "ticket",
    reply: { 200: { bytes: true, contentType: "text/event-stream" } },
    handle: () => ({
      status: 200,
      stream(sink) {
        sink.write(Buffer.from(": first\n\n"));
        throw new Error("the owner of the stream fell over");
      },
    }),
  }),
];
