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

/** Arguments and result of `writeCorked`: cork runs its callback at once, so these three save a closure for each answer. */
let corked: Exchange | null = null;
let corkedOut: Outgoing | null = null;
let isWhole = true;

function writeCorked(): void {
  const x = corked!;
  const out = corkedOut!;
  writeHead(x, out);
  isWhole = true;
  if (out.body === null) writeNoBody(x, out.status);
  else if (x.isHead) writeLength(x, out.body);
  else isWhole = tryBody(x, out.body, 0);
}

/** Sets a Content-Length of 0 where there may be one: without it a client waits for the connection to close (redirects). */
function writeNoBody(x: Exchange, status: number): void {
  if (BODILESS.has(status) && !x.closes) x.res.endWithoutBody();
  else x.res.end("", x.closes);
}

/** In this build of the addon any argument to endWithoutBody drops the connection, so write the length here. */
function writeLength(x: Exchange, body: string | Uint8Array): void {
  x.res.writeHeader("Content-Length", String(lengthOf(body)));
  x.res.endWithoutBody();
}

const lengthOf = (body: string | Uint8Array) => (typeof body === "string" ? Buffer.byteLength(body) : body.byteLength);

/**
 * Hands the socket what it takes of the body from `offset` on. False: some is left, and the exchange must try again when the
 * socket is writable. `end` would copy what is left into the process, however large and whether or not the peer reads.
 */
export function tryBody(x: Exchange, body: string | Uint8Array, offset: number): boolean {
  if (x.closes) {
    // tryEnd cannot close. One answer for each connection may therefore be copied: nothing comes after it.
    x.res.end(body, true);
    return true;
  }
  return x.res.tryEnd(offset === 0 ? body : bytesOf(body).subarray(offset), lengthOf(body))[1];
}

export const bytesOf = (body: string | Uint8Array): Uint8Array => (typeof body === "string" ? Buffer.from(body) : body);

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

/**
 * Writes the answer in one cork. Does nothing when the peer has left or an answer was given before. False: the socket did not
 * take all of it (unsent.ts).
 */
export function send(x: Exchange, out: Outgoing): boolean {
  if (x.settled !== null) return true;
  corked = x;
  corkedOut = out;
  try {
    x.res.cork(writeCorked);
  } finally {
    corked = null;
    corkedOut = null;
  }
  x.settle("answered");
  return isWhole;
}
