/**
 * The route table, compiled once: path to methods, validators and counters. Matches paths itself instead of using the
 * addon's router, because a wrong method must answer 405 with Allow and HEAD must reach GET. Knows no socket.
 */
import type { TSchema } from "typebox";
import { type Right, rightOf } from "../domain/access.ts";
import { assert } from "../lib/assert.ts";
import { BODY_BYTES_MAX } from "../limits.ts";
import type { RouteMetrics } from "./metrics.ts";
import { compileParams, compileQuery, type ParamsReader, type QueryReader } from "./query.ts";
import type { BytesReply, RawBody, Route } from "./route.ts";
import { type Check, compileCheck } from "./validate.ts";

export interface CompiledBody {
  readonly bytesMax: number;
  readonly contentTypes: readonly string[];
  readonly gzip: boolean;
  /** null for a raw body: the route parses it. */
  readonly check: Check | null;
  readonly optional: boolean;
  /** The value for the handler when an optional body is absent or null. */
  readonly absent: unknown;
}

export interface CompiledRoute {
  readonly route: Route;
  /** "GET /api/tracks/{id}", for logs. */
  readonly label: string;
  readonly params: ParamsReader;
  readonly query: QueryReader;
  readonly body: CompiledBody | null;
  /** open and ticket routes have none. */
  readonly needsCredential: boolean;
  readonly sessionOnly: boolean;
  /** HEAD of a stream is refused: it would spend a ticket for no stream. */
  readonly isStream: boolean;
  /** The right that the role must have in the named workspace; null where no workspace is named. */
  readonly right: Right | null;
  /** The workspace's room is opened for the handler. */
  readonly needsRoom: boolean;
  readonly metrics: RouteMetrics;
}

/** All methods of one path. */
interface Resource {
  readonly methods: ReadonlyMap<string, CompiledRoute>;
  /** The value of Allow. */
  readonly allow: string;
}

interface Match {
  readonly resource: Resource;
  /** Raw values of the path parameters, in order. */
  readonly values: readonly string[];
}

export interface Router {
  readonly routes: readonly CompiledRoute[];
  find(path: string): Match | null;
}

const isRaw = (body: TSchema | RawBody): body is RawBody => (body as { raw?: unknown }).raw === true;

function compileBody(route: Route): CompiledBody | null {
  const body = route.body as TSchema | RawBody | undefined;
  if (body === undefined) return null;
  const optional = route.bodyOptional === true;
  if (isRaw(body))
    return {
      bytesMax: body.bytesMax,
      contentTypes: body.contentTypes,
      gzip: body.gzip,
      check: null,
      optional,
      absent: new Uint8Array(0),
    };
  const check = compileCheck(body, "the body");
  const absent = check.check({}) ? Object.freeze({}) : null;
  return { bytesMax: BODY_BYTES_MAX, contentTypes: ["application/json"], gzip: false, check, optional, absent };
}

function compile(route: Route, metricsOf: (method: string, path: string) => RouteMetrics): CompiledRoute {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!);
  return {
    route,
    label: `${route.method} ${route.path}`,
    params: compileParams(route.params, names),
    query: compileQuery(route.query, route.access === "open"),
    body: compileBody(route),
    needsCredential: route.access !== "open" && route.access !== "ticket",
    isStream: (route.reply[200] as Partial<BytesReply> | undefined)?.contentType === "text/event-stream",
    sessionOnly: route.access === "session" || route.access === "session_administer",
    right: rightOf(route.access),
    needsRoom: rightOf(route.access) !== null && route.access !== "member",
    metrics: metricsOf(route.method, route.path),
  };
}

interface Pattern {
  /** null stands for a parameter. */
  readonly segments: readonly (string | null)[];
  readonly match: Resource;
}

function matches(pattern: Pattern, segments: readonly string[]): boolean {
  for (let i = 0; i < segments.length; i++) {
    const literal = pattern.segments[i];
    if (literal === null ? segments[i] === "" : literal !== segments[i]) return false;
  }
  return true;
}

function allowOf(methods: ReadonlyMap<string, CompiledRoute>): string {
  const names = [...methods.keys()];
  if (methods.get("GET")?.isStream === false) names.push("HEAD");
  return [...names, "OPTIONS"].sort().join(", ");
}

/** Literal segments win over parameters: /api/tracks/merge is not a track. */
function byLiteralFirst(a: Pattern, b: Pattern): number {
  for (let i = 0; i < a.segments.length; i++) {
    const difference = Number(a.segments[i] === null) - Number(b.segments[i] === null);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function compileRouter(
  routes: readonly Route[],
  metricsOf: (method: string, path: string) => RouteMetrics,
): Router {
  const byPath = new Map<string, Map<string, CompiledRoute>>();
  const compiled = routes.map((route) => compile(route, metricsOf));
  for (const one of compiled) {
    const methods = byPath.get(one.route.path) ?? new Map<string, CompiledRoute>();
    assert(!methods.has(one.route.method), `two routes for ${one.route.method} ${one.route.path}`);
    byPath.set(one.route.path, methods.set(one.route.method, one));
  }
  const exact = new Map<string, Match>();
  const patterns = new Map<number, Pattern[]>();
  for (const [path, methods] of byPath) {
    const resource: Resource = { methods, allow: allowOf(methods) };
    if (!path.includes("{")) {
      exact.set(path, { resource, values: [] });
      continue;
    }
    const segments = path.split("/").map((part) => (part.startsWith("{") ? null : part));
    const same = patterns.get(segments.length) ?? [];
    patterns.set(segments.length, [...same, { segments, match: resource }].sort(byLiteralFirst));
  }
  return {
    routes: compiled,
    find(path) {
      const found = exact.get(path);
      if (found !== undefined) return found;
      const segments = path.split("/");
      const pattern = patterns.get(segments.length)?.find((one) => matches(one, segments));
      if (pattern === undefined) return null;
      return { resource: pattern.match, values: segments.filter((_, i) => pattern.segments[i] === null) };
    },
  };
}
