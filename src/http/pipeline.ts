/**
 * The stages of a request, in order: framing, route, credential, workspace and role, parameters, body, handler, answer.
 * A stage that has its answer at once passes on without a promise, so a request whose credential is known never leaves
 * the socket's callback.
 */
import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { Principal } from "../domain/access.ts";
import { type ApiErrorCode, isRefusal, type Refusal, RefusedError, refusal } from "../domain/errors.ts";
import { assert } from "../lib/assert.ts";
import type { RoomFace } from "../room/face.ts";
import type { AccessLog } from "./accessLog.ts";
import { findPlace, type Place, readCredential, whyNotCredential, whyNotForeign, whyNotRoleOf } from "./admission.ts";
import { decompress, interpretBody, readFraming, tooLarge, whyNotRead } from "./body.ts";
import { Cors } from "./cors.ts";
import type { EdgeParts } from "./edgeParts.ts";
import { Exchange } from "./exchange.ts";
import { OpenStreams } from "./openStreams.ts";
import { envelope } from "./reply.ts";
import { Responder } from "./responder.ts";
import type { Headers, Refuse } from "./route.ts";
import type { CompiledBody, CompiledRoute, Router } from "./router.ts";
import type { ResponseSink } from "./sink.ts";

/** A route's answer with its types erased. */
interface AnyAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly data?: unknown;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  readonly stream?: (sink: ResponseSink) => void;
}

/** What admission found: who asks, and the workspace with its room where the route needs them. */
interface Admitted {
  readonly principal: Principal | null;
  readonly place: Place | null;
  readonly room: RoomFace | null;
}

const ANYONE: Admitted = { principal: null, place: null, room: null };

const refuse: Refuse<ApiErrorCode> = (what: ApiErrorCode | Refusal, sentence?: string, headers?: Headers): never => {
  throw new RefusedError(isRefusal(what) ? what : refusal(what, sentence ?? "", headers));
};

export class Pipeline {
  readonly #parts: EdgeParts;
  readonly #router: Router;
  readonly #responder: Responder;
  readonly #streams: OpenStreams;
  readonly #cors: Cors | null;

  constructor(parts: EdgeParts, router: Router, accessLog: AccessLog) {
    const { clock, log, metrics } = parts;
    this.#parts = parts;
    this.#router = router;
    this.#responder = new Responder({ clock, log, metrics, accessLog });
    this.#streams = new OpenStreams(parts, this.#responder);
    this.#cors = parts.corsOrigins?.length ? new Cors(parts.corsOrigins) : null;
  }

  /** From now on requests are answered 503 and connections close with their answer. */
  drain() {
    this.#responder.drain();
  }

  /** Requests whose answer is still to come. */
  get pending(): number {
    return this.#responder.pending;
  }

  /** Answers whose last bytes wait for their peer to read. */
  get unsent(): number {
    return this.#responder.unsent;
  }

  get streams(): OpenStreams {
    return this.#streams;
  }

  receive(res: HttpResponse, req: HttpRequest) {
    const x = new Exchange(res, req, this.#parts.clock);
    if (this.#cors !== null) x.added = this.#cors.headersFor(req.getHeader("origin"));
    try {
      this.#begin(x, req);
    } catch (cause) {
      this.#responder.fail(x, cause);
    }
    x.leave();
  }

  // ---- framing and route

  #begin(x: Exchange, req: HttpRequest) {
    const framing = readFraming(req);
    if (framing === null) return this.#refuseFraming(x);
    x.framing = framing;
    x.query = req.getQuery() ?? "";
    if (this.#responder.isDraining) return this.#responder.refuseStopping(x);
    const compiled = this.#findRoute(x, req);
    if (compiled === null) return;
    if (compiled.body !== null) x.unread = whyNotRead(compiled.body, framing, x.contentType);
    if (compiled.needsCredential) this.#authenticate(x, req, compiled);
    else this.#validate(x, compiled, ANYONE);
  }

  /**
   * Answered after the callback: while an answer is pending, the addon cuts a connection that sends another request;
   * after an answer it would still read a request that was smuggled in behind this one.
   */
  #refuseFraming(x: Exchange) {
    this.#responder.detach(x);
    const refused = refusal(
      "invalid_input",
      "the framing of the body is ambiguous: one Content-Length, or Transfer-Encoding: chunked",
    );
    setImmediate(() => this.#responder.refuseAndClose(x, refused));
  }

  /** null: the request was answered here. */
  #findRoute(x: Exchange, req: HttpRequest): CompiledRoute | null {
    const found = this.#router.find(x.path);
    if (found === null) {
      this.#responder.refuse(x, refusal("not_found", `there is no route ${x.path.slice(0, 200)}`));
      return null;
    }
    const { methods, allow } = found.resource;
    if (x.method === "OPTIONS") {
      const preflight = this.#cors?.preflightHeaders(
        req.getHeader("origin"),
        req.getHeader("access-control-request-method"),
        allow,
      );
      this.#responder.answer(x, 204, null, "", { Allow: allow, ...preflight });
      return null;
    }
    x.isHead = x.method === "HEAD";
    const compiled = methods.get(x.isHead ? "GET" : x.method);
    if (compiled === undefined || (x.isHead && compiled.isStream)) {
      const sentence = `${x.method.slice(0, 20)} is not a method of ${x.path.slice(0, 200)}`;
      this.#responder.refuse(x, refusal("method_not_allowed", sentence, { Allow: allow }));
      return null;
    }
    x.compiled = compiled;
    x.values = found.values;
    return compiled;
  }

  // ---- credential, workspace and role

  #authenticate(x: Exchange, req: HttpRequest, compiled: CompiledRoute) {
    const header = req.getHeader("x-workspace-id");
    const credential = readCredential(req.getHeader("authorization"), req.getHeader("x-api-key"));
    if (isRefusal(credential)) return this.#responder.refuse(x, credential);
    this.#responder.pass(x, this.#parts.authenticate(credential.bearer, credential.apiKey), (principal) => {
      if (isRefusal(principal)) this.#responder.refuse(x, principal);
      else this.#admit(x, compiled, principal, header);
    });
  }

  /** `header` is X-Workspace-Id. */
  #admit(x: Exchange, compiled: CompiledRoute, principal: Principal, header: string) {
    x.principalId = principal.kind === "user" ? principal.userId : principal.keyId;
    const refused =
      whyNotCredential(compiled, principal) ??
      (compiled.right === null ? whyNotForeign(principal, header) : null) ??
      this.#parts.limit?.(x.principalId) ??
      null;
    if (refused !== null) return this.#responder.refuse(x, refused);
    if (compiled.right === null) return this.#validate(x, compiled, { principal, place: null, room: null });
    const place = findPlace(compiled, principal, header);
    if (isRefusal(place)) return this.#responder.refuse(x, place);
    x.workspaceId = place.workspaceId;
    const role = whyNotRoleOf(compiled, place.role);
    if (role !== null) return this.#responder.refuse(x, role);
    if (!compiled.needsRoom) return this.#validate(x, compiled, { principal, place, room: null });
    this.#responder.pass(x, this.#parts.openWorkspace(place.workspaceId), (room) => {
      if (isRefusal(room)) this.#responder.refuse(x, room);
      else this.#validate(x, compiled, { principal, place, room });
    });
  }

  // ---- parameters and body

  #validate(x: Exchange, compiled: CompiledRoute, admitted: Admitted) {
    const params = compiled.params.read(x.values);
    if (params.refusal !== null) return this.#responder.refuse(x, params.refusal);
    const query = compiled.query.read(x.query);
    if (query.refusal !== null) return this.#responder.refuse(x, query.refusal);
    this.#readBody(x, compiled.body, (body) => {
      x.receivedAtMs = this.#parts.clock.nowMs();
      const context = {
        params: params.value,
        query: query.value,
        body,
        request: x,
        principal: admitted.principal,
        role: admitted.place?.role ?? null,
        room: admitted.room,
        refuse,
      };
      const answered = compiled.route.handle(context) as AnyAnswer | Promise<AnyAnswer>;
      this.#responder.pass(x, answered, (it) => this.#give(x, compiled, it));
    });
  }

  #readBody(x: Exchange, body: CompiledBody | null, next: (value: unknown) => void) {
    if (body === null) return next(undefined);
    if (x.unread?.code === "payload_too_large") return this.#responder.refuseAndClose(x, x.unread);
    if (x.unread !== null) return this.#responder.refuse(x, x.unread);
    if (x.framing.length === 0) return this.#interpret(x, body, new Uint8Array(0), next);
    this.#responder.detach(x);
    assert(x.collector !== null, "a detached exchange with a body collects it");
    x.collector.whenWhole((whole) => {
      // This runs directly in the socket's callback, where an exception would end the process.
      try {
        if (x.settled !== null) return;
        if (whole === "too_large") return this.#responder.refuseAndClose(x, tooLarge(body.bytesMax));
        if (x.framing.encoding !== "gzip") return this.#interpret(x, body, whole, next);
        this.#responder.pass(x, decompress(whole, body.bytesMax), (bytes) => {
          if (isRefusal(bytes)) this.#responder.refuse(x, bytes);
          else this.#interpret(x, body, bytes, next);
        });
      } catch (cause) {
        this.#responder.fail(x, cause);
      }
    });
  }

  #interpret(x: Exchange, body: CompiledBody, bytes: Uint8Array, next: (value: unknown) => void) {
    const parsed = interpretBody(body, bytes);
    if (parsed.refusal !== null) this.#responder.refuse(x, parsed.refusal);
    else next(parsed.value);
  }

  // ---- answer

  #give(x: Exchange, compiled: CompiledRoute, it: AnyAnswer) {
    const { status, headers } = it;
    if (it.stream !== undefined) this.#streams.open(x, it.stream, headers);
    else if (it.bytes !== undefined)
      this.#responder.answer(x, status, it.bytes, it.contentType ?? "application/octet-stream", headers);
    else if (compiled.route.reply[status] === null) this.#responder.answer(x, status, null, "", headers);
    else this.#responder.answer(x, status, envelope(it.data), "application/json", headers);
  }
}
