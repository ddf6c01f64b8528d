/**
 * The way of a request: route, framing, credential, workspace, role, validation, body, handler, answer. Each stage that
 * answers at once passes on without a promise, so a request whose credential is cached never leaves the socket's callback.
 */
import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { Principal } from "../domain/access.ts";
import {
  type ApiErrorCode,
  isRefusal,
  type Refusal,
  RefusedError,
  refusal,
  UnavailableError,
} from "../domain/errors.ts";
import { assert } from "../lib/assert.ts";
import type { Room } from "../room/room.ts";
import type { AccessLog } from "./accessLog.ts";
import { findPlace, type Place, readCredential, refuseForeign, refuseKind, refuseRoleOf } from "./admission.ts";
import { BodyCollector, decompress, interpretBody, readFraming, refuseTooLarge, refuseUnread } from "./body.ts";
import type { EdgeParts } from "./edgeParts.ts";
import { Exchange } from "./exchange.ts";
import { assertWritable, envelope, refusalAnswer, send, sendStreamHead } from "./reply.ts";
import type { Headers, Refuse } from "./route.ts";
import type { CompiledBody, CompiledRoute, Router } from "./router.ts";
import { ResponseSink } from "./sink.ts";

interface Pipeline {
  receive(res: HttpResponse, req: HttpRequest): void;
  /** From now on requests are answered 503 and connections close with their answer. */
  drain(): void;
  /** Requests whose answer is still to come. */
  readonly pending: number;
  readonly sinks: ReadonlySet<ResponseSink>;
}

/** The erased answer of a route. */
interface AnyAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly data?: unknown;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  readonly stream?: (sink: ResponseSink) => void;
}

const refuse: Refuse<ApiErrorCode> = (what: ApiErrorCode | Refusal, sentence?: string, headers?: Headers): never => {
  throw new RefusedError(isRefusal(what) ? what : refusal(what, sentence ?? "", headers));
};

export function createPipeline(parts: EdgeParts, router: Router, accessLog: AccessLog): Pipeline {
  const { clock, log, metrics } = parts;
  const sinks = new Set<ResponseSink>();
  const unrouted = metrics.route("any", "(no route)");
  let draining = false;
  let pending = 0;

  function finish(x: Exchange, status: number) {
    const ms = clock.monotonicMs() - x.startedMs;
    metrics.observe(x.compiled?.metrics ?? unrouted, status, ms);
    accessLog.note(x, status, ms);
  }

  function answer(
    x: Exchange,
    status: number,
    body: string | Uint8Array | null,
    contentType: string,
    headers?: Headers,
  ) {
    if (x.settled !== null) return;
    assertWritable(status, headers);
    if (draining) x.closes = true;
    finish(x, status);
    send(x, { status, body, contentType, headers });
  }

  function refuseWith(x: Exchange, refused: Refusal, closes = false) {
    if (closes) x.closes = true;
    const out = refusalAnswer(refused);
    answer(x, out.status, out.body, out.contentType, out.headers);
  }

  /** Whatever was thrown becomes an answer; nothing that a handler does ends the process. */
  function fail(x: Exchange, cause: unknown) {
    try {
      if (cause instanceof RefusedError) refuseWith(x, cause.refusal);
      else if (cause instanceof UnavailableError) {
        log.warn({ request_id: x.id, path: x.path, err: cause }, "a backing service does not answer");
        const outcome = cause.outcomeUnknown ? "look whether it was done before you try again" : "nothing was written";
        const sentence = `a backing service does not answer; ${outcome}`;
        refuseWith(x, refusal("unavailable", sentence, { "Retry-After": "2" }));
      } else {
        log.error({ request_id: x.id, method: x.method, path: x.path, err: cause }, "request failed");
        refuseWith(x, refusal("internal", `a fault of the service; the log has it under request id ${x.id}`));
      }
    } catch (second) {
      // Only a refusal whose own headers cannot be written comes here.
      log.error({ request_id: x.id, err: second }, "answer failed");
      if (x.settled === null) x.res.close();
    }
  }

  /** Passes a value on, at once when it is there. */
  function pass<T>(x: Exchange, value: T | Promise<T>, next: (value: T) => void) {
    if (!(value instanceof Promise)) return next(value);
    detach(x);
    value.then(next).catch((cause: unknown) => fail(x, cause));
  }

  function detach(x: Exchange) {
    if (x.detached || x.settled !== null) return;
    pending++;
    x.onSettled = () => pending--;
    x.detach();
    const body = x.compiled?.body ?? null;
    if (body !== null && x.unread === null && x.framing.length !== 0)
      x.collector ??= new BodyCollector(x.res, x.framing.length, body.bytesMax);
  }

  function receive(res: HttpResponse, req: HttpRequest) {
    const x = new Exchange(res, req, clock);
    try {
      begin(x, req);
    } catch (cause) {
      fail(x, cause);
    }
    x.leave();
  }

  /**
   * Answered after the callback: while an answer is pending the addon cuts a connection that brings another request,
   * whereas after an answer it would still read what a smuggler put behind this one.
   */
  function refuseFraming(x: Exchange) {
    detach(x);
    const refused = refusal(
      "invalid_input",
      "the framing of the body is ambiguous: one Content-Length, or Transfer-Encoding: chunked",
    );
    setImmediate(() => refuseWith(x, refused, true));
  }

  function begin(x: Exchange, req: HttpRequest) {
    const framing = readFraming(req);
    if (framing === null) return refuseFraming(x);
    x.framing = framing;
    x.query = req.getQuery() ?? "";
    if (draining) return refuseWith(x, refusal("unavailable", "the service is stopping", { "Retry-After": "5" }), true);
    const found = router.find(x.path);
    if (found === null) return refuseWith(x, refusal("not_found", `there is no route ${x.path.slice(0, 200)}`));
    const { methods, allow } = found.resource;
    if (x.method === "OPTIONS") return answer(x, 204, null, "", { Allow: allow });
    x.isHead = x.method === "HEAD";
    const compiled = methods.get(x.isHead ? "GET" : x.method);
    if (compiled === undefined || (x.isHead && compiled.isStream))
      return refuseWith(
        x,
        refusal("method_not_allowed", `${x.method.slice(0, 20)} is not a method of ${x.path.slice(0, 200)}`, {
          Allow: allow,
        }),
      );
    x.compiled = compiled;
    x.values = found.values;
    if (compiled.body !== null) x.unread = refuseUnread(compiled.body, framing, x.contentType);
    if (!compiled.needsCredential) return validate(x, compiled, null, null, null);
    const workspace = req.getHeader("x-workspace-id");
    const credential = readCredential(req.getHeader("authorization"), req.getHeader("x-api-key"));
    if (isRefusal(credential)) return refuseWith(x, credential);
    pass(x, parts.authenticate(credential.bearer, credential.apiKey), (principal) => {
      if (isRefusal(principal)) refuseWith(x, principal);
      else admit(x, compiled, principal, workspace);
    });
  }

  function admit(x: Exchange, compiled: CompiledRoute, principal: Principal, header: string) {
    x.principalId = principal.kind === "user" ? principal.userId : principal.keyId;
    const kind = refuseKind(compiled, principal) ?? (compiled.right === null ? refuseForeign(principal, header) : null);
    if (kind !== null) return refuseWith(x, kind);
    if (parts.limit !== undefined) {
      const limited = parts.limit(x.principalId);
      if (limited !== null) return refuseWith(x, limited);
    }
    if (compiled.right === null) return validate(x, compiled, principal, null, null);
    const place = findPlace(compiled, principal, header);
    if (isRefusal(place)) return refuseWith(x, place);
    x.workspaceId = place.workspaceId;
    const role = refuseRoleOf(compiled, place.role);
    if (role !== null) return refuseWith(x, role);
    if (!compiled.needsRoom) return validate(x, compiled, principal, place, null);
    pass(x, parts.openWorkspace(place.workspaceId), (workspace) => {
      if (isRefusal(workspace)) refuseWith(x, workspace);
      else validate(x, compiled, principal, place, workspace);
    });
  }

  function validate(
    x: Exchange,
    compiled: CompiledRoute,
    principal: Principal | null,
    place: Place | null,
    workspace: Room | null,
  ) {
    const params = compiled.params.read(x.values);
    if (params.refusal !== null) return refuseWith(x, params.refusal);
    const query = compiled.query.read(x.query);
    if (query.refusal !== null) return refuseWith(x, query.refusal);
    withBody(x, compiled.body, (body) => {
      x.receivedAtMs = clock.nowMs();
      const context = {
        params: params.value,
        query: query.value,
        body,
        request: x,
        principal,
        role: place?.role ?? null,
        workspace,
        refuse,
      };
      const answered = compiled.route.handle(context) as AnyAnswer | Promise<AnyAnswer>;
      pass(x, answered, (it) => give(x, compiled, it));
    });
  }

  function withBody(x: Exchange, body: CompiledBody | null, next: (value: unknown) => void) {
    if (body === null) return next(undefined);
    if (x.unread !== null) return refuseWith(x, x.unread, x.unread.code === "payload_too_large");
    const interpret = (bytes: Uint8Array) => {
      const parsed = interpretBody(body, bytes);
      if (parsed.refusal !== null) refuseWith(x, parsed.refusal);
      else next(parsed.value);
    };
    if (x.framing.length === 0) return interpret(new Uint8Array(0));
    detach(x);
    assert(x.collector !== null, "a detached exchange with a body collects it");
    x.collector.whenWhole((whole) => {
      // The socket's callback is the outermost frame here: what is thrown in it would end the process.
      try {
        if (x.settled !== null) return;
        if (whole === "too_large") return refuseWith(x, refuseTooLarge(body.bytesMax), true);
        if (x.framing.encoding !== "gzip") return interpret(whole);
        pass(x, decompress(whole, body.bytesMax), (bytes) =>
          bytes instanceof Uint8Array ? interpret(bytes) : refuseWith(x, bytes),
        );
      } catch (cause) {
        fail(x, cause);
      }
    });
  }

  function give(x: Exchange, compiled: CompiledRoute, it: AnyAnswer) {
    if (it.stream !== undefined) return startStream(x, it.stream, it.headers);
    if (it.bytes !== undefined)
      return answer(x, it.status, it.bytes, it.contentType ?? "application/octet-stream", it.headers);
    if (compiled.route.reply[it.status] === null) return answer(x, it.status, null, "", it.headers);
    answer(x, it.status, envelope(it.data), "application/json", it.headers);
  }

  function startStream(x: Exchange, start: (sink: ResponseSink) => void, headers: Headers | undefined) {
    if (x.settled !== null) return;
    if (draining) return refuseWith(x, refusal("unavailable", "the service is stopping", { "Retry-After": "5" }), true);
    assertWritable(200, headers);
    finish(x, 200);
    // A stream is not a request in flight; drain ends it by its own way.
    x.detach();
    x.onSettled?.("answered");
    const released = (ended: ResponseSink) => {
      sinks.delete(ended);
      metrics.streamClosed();
    };
    const failed = (cause: unknown) => log.error({ request_id: x.id, path: x.path, err: cause }, "a stream failed");
    const sink = new ResponseSink(x.res, released, failed);
    x.onSettled = (settled) => {
      if (settled === "aborted") sink.aborted();
    };
    sinks.add(sink);
    metrics.streamOpened();
    sendStreamHead(x, headers, () => sink.start(start));
  }

  return {
    receive,
    drain() {
      draining = true;
    },
    get pending() {
      return pending;
    },
    sinks,
  };
}
