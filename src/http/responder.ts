/**
 * How a request ends: with an answer, a refusal, a fault of ours, or because the peer has left. Counts the requests whose
 * answer is still to come. Knows no route's meaning.
 */
import type { Logger } from "pino";
import { type Refusal, RefusedError, refusal, UnavailableError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { ANSWERS_WITHOUT_BODY_PER_SECOND_MAX } from "../limits.ts";
import type { AccessLog } from "./accessLog.ts";
import { BodyCollector } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { EdgeMetrics, RouteMetrics } from "./metrics.ts";
import { assertWritable, refusalAnswer, send } from "./reply.ts";
import type { Headers } from "./route.ts";
import { UnsentAnswers } from "./unsent.ts";

interface ResponderParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: EdgeMetrics;
  readonly accessLog: AccessLog;
}

export class Responder {
  readonly #parts: ResponderParts;
  readonly #unrouted: RouteMetrics;
  readonly #unsent: UnsentAnswers;
  #withoutBody = { second: 0, count: 0 };
  #isDraining = false;
  #pending = 0;

  constructor(parts: ResponderParts) {
    this.#parts = parts;
    this.#unrouted = parts.metrics.route("any", "(no route)");
    this.#unsent = new UnsentAnswers(() => parts.metrics.answerCut());
  }

  /** Requests whose answer is still to come. */
  get pending(): number {
    return this.#pending;
  }

  /** Answers whose last bytes wait for their peer to read. */
  get unsent(): number {
    return this.#unsent.count;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on connections close with their answer. */
  drain(): void {
    this.#isDraining = true;
  }

  answer(
    x: Exchange,
    status: number,
    body: string | Uint8Array | null,
    contentType: string,
    headers: Headers | undefined,
  ): void {
    if (x.settled !== null) return;
    assertWritable(status, headers);
    if (this.#isDraining) x.closes = true;
    this.note(x, status);
    const isUnnoticed = (body === null || x.isHead) && !x.detached;
    if (isUnnoticed && this.#isOneTooMany(x.startedMs)) this.#cut(x);
    else if (!send(x, { status, body, contentType, headers })) this.#unsent.add(x, body!);
  }

  /**
   * An answer without a body is written whether or not the peer reads, and nothing tells, so a peer could pile them up: beyond
   * this many a second in the process, the connection is cut instead.
   */
  #isOneTooMany(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#withoutBody.second) this.#withoutBody = { second, count: 0 };
    return ++this.#withoutBody.count > ANSWERS_WITHOUT_BODY_PER_SECOND_MAX;
  }

  #cut(x: Exchange): void {
    this.#parts.metrics.answerCut();
    x.settle("aborted");
    x.res.close();
  }

  refuse(x: Exchange, refused: Refusal): void {
    const out = refusalAnswer(refused);
    this.answer(x, out.status, out.body, out.contentType, out.headers);
  }

  /** Refuses, and closes the connection so that nothing behind this request is read. */
  refuseAndClose(x: Exchange, refused: Refusal): void {
    x.closes = true;
    this.refuse(x, refused);
  }

  refuseStopping(x: Exchange): void {
    this.refuseAndClose(x, refusal("unavailable", "the service is stopping", { "Retry-After": "5" }));
  }

  /** Answers for whatever a handler threw, so that no handler can end the process. */
  fail(x: Exchange, cause: unknown): void {
    const { log } = this.#parts;
    try {
      if (cause instanceof RefusedError) this.refuse(x, cause.refusal);
      else if (cause instanceof UnavailableError) {
        log.warn({ request_id: x.id, path: x.path, err: cause }, "a backing service does not answer");
        const outcome = cause.outcomeUnknown
          ? "it may have been done: read the resource before you try again"
          : "nothing was written";
        const sentence = `a backing service does not answer; ${outcome}`;
        this.refuse(x, refusal("unavailable", sentence, { "Retry-After": "2" }));
      } else {
        log.error({ request_id: x.id, method: x.method, path: x.path, err: cause }, "request failed");
        this.refuse(x, refusal("internal", `a fault of the service; the log has it under request id ${x.id}`));
      }
    } catch (second) {
      // A refusal whose own headers cannot be written.
      log.error({ request_id: x.id, err: second }, "answer failed");
      if (x.settled === null) x.res.close();
    }
  }

  /** Hands the value to the next stage; synchronously when it is no promise, so that no callback is left without need. */
  pass<T>(x: Exchange, value: T | Promise<T>, next: (value: T) => void) {
    if (!(value instanceof Promise)) return next(value);
    this.detach(x);
    value.then(next).catch((cause: unknown) => this.fail(x, cause));
  }

  /** Prepares for an answer after the socket's callback: keeps the headers, and starts to gather the body. */
  detach(x: Exchange): void {
    if (x.detached || x.settled !== null) return;
    this.#pending++;
    x.onSettled = () => this.#pending--;
    x.detach();
    const body = x.compiled?.body ?? null;
    if (body !== null && x.unread === null && x.framing.length !== 0)
      x.collector ??= new BodyCollector(x.res, x.framing.length, body.bytesMax);
  }

  /** Counts and logs the status that the request ends with. */
  note(x: Exchange, status: number): void {
    const ms = this.#parts.clock.monotonicMs() - x.startedMs;
    this.#parts.metrics.observe(x.compiled?.metrics ?? this.#unrouted, status, ms);
    this.#parts.accessLog.note(x, status, ms);
  }
}
