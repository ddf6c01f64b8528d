/**
 * The description of the service (OpenAPI 3.0.3), made from the same route values that the edge serves, so the two cannot
 * differ. Pure: routes in, one object out.
 */
import type { TObject, TSchema } from "typebox";
import { rightOf } from "../domain/access.ts";
import { API_ERRORS, type ApiErrorCode } from "../domain/errors.ts";
import { assert } from "../lib/assert.ts";
import { hoistRepeated } from "./hoist.ts";
import type { BytesReply, RawBody, Route } from "./route.ts";
import { lowerSchema } from "./schema30.ts";
import { closeObjects } from "./validate.ts";

type Json = Record<string, unknown>;

const INFO = {
  title: "Picket",
  // The version of the description, frozen by the specification (docs/interface.md#change-policy), not of the service.
  version: "0.1.0",
  description: [
    "A counter-UAS command and control server: sensors push observations, a tracker fuses them, every client holds the live picture.",
    "Every JSON answer is an envelope: `{ok: true, data}` or `{ok: false, error, code}`. Branch on `code`, never on `error`.",
    "Hydrate once from `GET /api/picture`, then hold `GET /api/stream`; do not poll.",
    "Pages of other origins may call from a browser where the deployment names them in `CORS_ORIGINS`; never with cookies.",
    "Where both a session token and an API key are sent, the session token counts.",
    "A request that is not HTTP/1.1 as it should be (400, 431, 505) is answered by the parser with a page of its own, outside the envelope.",
  ].join("\n\n"),
} as const;

const RESPONSE_TEXT: Readonly<Record<number, string>> = {
  200: "success",
  201: "created; Location names it",
  204: "done; no body",
  302: "elsewhere; see Location",
  304: "not changed since If-None-Match",
};

/** All codes that a route can answer with: its own, and those of the edge that follow from what it declares. */
export function codesOf(route: Route): ApiErrorCode[] {
  const codes = new Set<ApiErrorCode>(["invalid_input", "internal", "unavailable"]);
  const { access } = route;
  if (access !== "open" && access !== "ticket") codes.add("unauthenticated").add("rate_limited");
  if (access === "credential" || access === "session") codes.add("forbidden");
  const right = rightOf(access);
  if (right !== null) codes.add("forbidden").add("not_a_member");
  // From opening the room.
  if (right !== null && access !== "member") codes.add("not_found").add("overloaded");
  if (right !== null && right !== "read") codes.add("read_only_role");
  if (route.body !== undefined) codes.add("payload_too_large").add("unsupported_media");
  for (const code of route.errors as ApiErrorCode[]) codes.add(code);
  return [...codes];
}

function failureSchema(codes: readonly ApiErrorCode[]): Json {
  return {
    type: "object",
    required: ["ok", "error", "code"],
    properties: {
      ok: { type: "boolean", enum: [false] },
      error: { type: "string", description: "for a person; the wording may change" },
      code: { type: "string", enum: codes },
    },
  };
}

const HEADERS: Readonly<Record<string, string>> = {
  Location: "the resource that the answer is about",
  Link: 'the next page, rel="next"; absent on the last one',
  "X-Next-Cursor": "`cursor` of the next page; absent on the last one",
  "Retry-After": "seconds to wait before it is worth another try; absent where that would not help",
  "WWW-Authenticate": "how to sign in",
};

/** Headers that an answer with this status may have, from what the route declares; null: none. */
function headersOf(route: Route, status: number): Json | null {
  const names: string[] = [];
  if (status === 201 || status === 302 || route.locates?.includes(status)) names.push("Location");
  if (status === 200 && "cursor" in (route.query?.properties ?? {})) names.push("Link", "X-Next-Cursor");
  if (status === 429 || status === 503) names.push("Retry-After");
  if (status === 401) names.push("WWW-Authenticate");
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => [name, { description: HEADERS[name], schema: { type: "string" } }]));
}

function withHeaders(route: Route, status: number, response: Json): Json {
  const headers = headersOf(route, status);
  return headers === null ? response : { ...response, headers };
}

function failures(route: Route): Json {
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = API_ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Json = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b))
    responses[status] = withHeaders(route, status, {
      description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].when}`).join("\n\n"),
      content: { "application/json": { schema: failureSchema(codes) } },
    });
  return responses;
}

const isBytes = (reply: TSchema | BytesReply): reply is BytesReply => (reply as { bytes?: unknown }).bytes === true;

function success(status: number, reply: TSchema | null | BytesReply): Json {
  const description = RESPONSE_TEXT[status] ?? "success";
  const base: Json = { description };
  if (reply === null) return base;
  if (isBytes(reply)) {
    const schema = reply.schema ? lowerSchema(reply.schema as Json) : { type: "string" };
    return { ...base, content: { [reply.contentType.split(";")[0]!]: { schema } } };
  }
  const schema = {
    type: "object",
    required: ["ok", "data"],
    properties: { ok: { type: "boolean", enum: [true] }, data: lowerSchema(reply as Json) },
  };
  return { ...base, content: { "application/json": { schema } } };
}

function parametersOf(schema: TObject | undefined, place: "path" | "query"): Json[] {
  const required = new Set<string>((schema as { required?: string[] } | undefined)?.required ?? []);
  return Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(([name, part]) => {
    const { description, ...lowered } = lowerSchema(closeObjects(part) as Json);
    const parameter: Json = { name, in: place, required: place === "path" || required.has(name), schema: lowered };
    return description === undefined ? parameter : { ...parameter, description };
  });
}

/** A path parameter without a schema is a string. */
function pathParameters(route: Route): Json[] {
  const declared = parametersOf(route.params, "path");
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!);
  return names.map(
    (name) =>
      declared.find((one) => one.name === name) ?? { name, in: "path", required: true, schema: { type: "string" } },
  );
}

function workspaceParameter(route: Route): Json[] {
  if (rightOf(route.access) === null) return [];
  return [
    { $ref: `#/components/parameters/${route.workspaceHeader === "required" ? "WorkspaceRequired" : "Workspace"}` },
  ];
}

function requestBody(route: Route): Json | undefined {
  const body = route.body as TSchema | RawBody | undefined;
  if (body === undefined) return undefined;
  const isRaw = "raw" in body && (body as RawBody).raw;
  const schema = isRaw ? lowerSchema((body as RawBody).schema as Json) : lowerSchema(closeObjects(body) as Json);
  const types = isRaw ? (body as RawBody).contentTypes : ["application/json"];
  return {
    required: route.bodyOptional !== true,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

function securityOf(route: Route): Json[] {
  if (route.access === "open" || route.access === "ticket") return [];
  if (route.access === "session" || route.access === "session_administer") return [{ session: [] }];
  return [{ session: [] }, { apiKey: [] }];
}

/** `GET /api/tracks/{id}` → `getTracksById`: stable as long as the path is. */
function operationIdOf(route: Route): string {
  const words = route.path
    .replace(/^\/api(?=\/)/, "")
    .split("/")
    .filter((part) => part !== "");
  const isFolder = route.path !== "/" && route.path.endsWith("/");
  const named = words.map((word) => {
    const text = word.startsWith("{") ? `by_${word.slice(1, -1)}` : word;
    return text
      .split(/[^A-Za-z0-9]+/)
      .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
      .join("");
  });
  const health = route.path === "/health" ? "Public" : "";
  return route.method.toLowerCase() + health + (named.join("") || "Root") + (isFolder ? "Page" : "");
}

function operation(route: Route): Json {
  const parameters = [...workspaceParameter(route), ...pathParameters(route), ...parametersOf(route.query, "query")];
  const body = requestBody(route);
  const responses: Json = {};
  for (const [status, reply] of Object.entries(route.reply))
    responses[status] = withHeaders(
      route,
      Number(status),
      success(Number(status), reply as TSchema | null | BytesReply),
    );
  const forms = Object.entries((route.otherForms ?? {}) as Record<string, Json>);
  const content = (responses[200] as { content?: Json } | undefined)?.content;
  if (content !== undefined) for (const [type, schema] of forms) content[type] = { schema: lowerSchema(schema) };
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...responses, ...failures(route) },
  };
}

function components(): Json {
  const workspace = { name: "X-Workspace-Id", in: "header", schema: { type: "string" } };
  return {
    securitySchemes: {
      session: { type: "http", scheme: "bearer", description: "session token, 30 minutes" },
      apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "API key of one workspace, dak_..." },
    },
    parameters: {
      Workspace: {
        ...workspace,
        required: false,
        description:
          "the workspace to act in; required with a session token, implied by an API key (sent with one, it must match)",
      },
      WorkspaceRequired: { ...workspace, required: true, description: "the workspace to act in" },
    },
  };
}

export function describeRoutes(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  const ids = new Set<string>();
  for (const route of routes) {
    const described = operation(route);
    assert(!ids.has(described.operationId as string), `two operations are called ${described.operationId}`);
    ids.add(described.operationId as string);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = described;
  }
  const tags = [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: `${name} routes` }));
  const { paths: hoisted, schemas } = hoistRepeated(paths);
  return {
    openapi: "3.0.3",
    info: INFO,
    servers: [{ url: "/" }],
    tags,
    paths: hoisted,
    components: { ...components(), schemas },
  };
}
