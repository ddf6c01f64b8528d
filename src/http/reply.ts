/**
 * Writes answers to the socket: the envelope (docs/interface.md#envelope), ready bytes, bodiless statuses. Every answer carries
 * the request id, nosniff and, unless the route says otherwise, no-store. Decides nothing.
 */
import type { HttpResponse } from "uWebSockets.js";
import { API_ERRORS, type Refusal } from "../domain/errors.ts";
import { assert } from "../lib/assert.ts";
import type { Exchange } from "./exchange.ts";
import type { Headers } from "./route.ts";

const STATUS_LINES: Readonly<Record<number, string>> = {
  200: "200 OK",
  201: "201 Created",
  204: "204 No Content",
  302: "302 Found",
  303: "303 See Other",
  304: "304 Not Modified",
  308: "308 Permanent Redirect",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  409: "409 Conflict",
  413: "413 Content Too Large",
  415: "415 Unsupported Media Type",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  501: "501 Not Implemented",
  502: "502 Bad Gateway",
  503: "503 Service Unavailable",
};
const JSON_TYPE = "application/json";
/** For HTML answers whose route sets no policy. */
const HTML_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** 204 and 304 have no body by definition; some clients wait for one when there is a Content-Length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const UNSAFE_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

interface Outgoing {
  readonly status: number;
  readonly body: string | Uint8Array | null;
  readonly contentType: string;
  readonly headers: Headers | undefined;
}

export function envelope(data: unknown): string {
  return `{"ok":true,"data":${JSON.stringify(data) ?? "null"}}`;
}

function refusalEnvelope(refused: Refusal): string {
  return JSON.stringify({ ok: false, error: refused.sentence, code: refused.code });
}

export function refusalAnswer(refused: Refusal): Outgoing {
  const status = API_ERRORS[refused.code].status;
  const headers =
    refused.code === "unauthenticated" ? { "WWW-Authenticate": "Bearer", ...refused.headers } : refused.headers;
  return { status, body: refusalEnvelope(refused), contentType: JSON_TYPE, headers };
}

/**
 * A header value of a route can contain an id from a request; a line break in it would start another header. Called before
 * anything is counted or written, so that the fault can still be answered.
 */
export function assertWritable(status: number, headers: Headers | undefined): void {
  assert(STATUS_LINES[status] !== undefined, `no status line for ${status}`);
  if (headers === undefined) return;
  for (const name of Object.keys(headers))
    assert(!UNSAFE_IN_HEADER.test(headers[name]!), `header ${name} must not hold control or wide characters`);
}

function writeHeaders(res: HttpResponse, headers: Headers): void {
  for (const name of Object.keys(headers)) res.writeHeader(name, headers[name]!);
}

function writeHead(x: Exchange, out: Outgoing): void {
  const { res } = x;
  const own = out.headers;
  if (out.status !== 200) res.writeStatus(STATUS_LINES[out.status]!);
  if (out.body !== null) res.writeHeader("Content-Type", out.contentType);
  res.writeHeader("X-Request-Id", x.id);
  res.writeHeader("X-Content-Type-Options", "nosniff");
  if (own?.["Cache-Control"] === undefined) res.writeHeader("Cache-Control", "no-store");
  if (out.contentType.startsWith("text/html") && own?.["Content-Security-Policy"] === undefined)
    res.writeHeader("Content-Security-Policy", HTML_POLICY);
  if (own !== undefined) writeHeaders(res, own);
  if (x.added !== null) writeHeaders(res, x.added);
}

/** Arguments of `writeCorked`: cork runs its callback at once, so these two save a closure for each answer. */
let corked: Exchange | null = null;
let corkedOut: Outgoing | null = null;

function writeCorked(): void {
  const x = corked!;
  const out = corkedOut!;
  const { res } = x;
  writeHead(x, out);
  if (out.body === null) {
    // Sets a Content-Length of 0: without it a client waits for the connection to close (redirects).
    if (BODILESS.has(out.status) && !x.closes) res.endWithoutBody();
    else res.end("", x.closes);
  } else if (x.isHead) {
    // In this build of the addon any argument to endWithoutBody drops the connection, so write the length here.
    res.writeHeader(
      "Content-Length",
      String(typeof out.body === "string" ? Buffer.byteLength(out.body) : out.body.byteLength),
    );
    res.endWithoutBody();
  } else res.end(out.body, x.closes);
}

/** Writes status and headers of a stream, and its first block, in one cork. The exchange stays open until the peer leaves. */
export function sendStreamHead(x: Exchange, headers: Headers | undefined, start: () => void): void {
  x.res.cork(() => {
    x.res.writeStatus("200 OK");
    x.res.writeHeader("Content-Type", "text/event-stream");
    x.res.writeHeader("X-Request-Id", x.id);
    x.res.writeHeader("X-Content-Type-Options", "nosniff");
    x.res.writeHeader("Cache-Control", "no-store");
    // Tells a buffering proxy to pass events on at once.
    x.res.writeHeader("X-Accel-Buffering", "no");
    if (headers !== undefined) writeHeaders(x.res, headers);
    if (x.added !== null) writeHeaders(x.res, x.added);
    start();
  });
}

/** Writes the whole answer in one cork. Does nothing when the peer has left or an answer was given before. */
export function send(x: Exchange, out: Outgoing): void {
  if (x.settled !== null) return;
  corked = x;
  corkedOut = out;
  try {
    x.res.cork(writeCorked);
  } finally {
    corked = null;
    corkedOut = null;
  }
  x.settle("answered");
}
