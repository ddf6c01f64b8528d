/**
 * One request and its answer. Keeps what the request object loses after the socket's callback, and whether the socket may still
 * be written to. The only state that a request has at the edge; knows no route's meaning.
 */
import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { Refusal } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { REQUEST_ID_LENGTH_MAX } from "../limits.ts";
import { type BodyCollector, type Framing, NO_BODY } from "./body.ts";
import { nextRequestId } from "./requestId.ts";
import type { Headers, RequestFacts } from "./route.ts";
import type { CompiledRoute } from "./router.ts";

/**
 * Headers that outlive the socket's callback. Credentials are not among them, because no handler needs the secret itself,
 * save the cookie: the refresh token in it is what the refresh route trades.
 */
const KEPT_HEADERS = [
  "accept",
  "accept-encoding",
  "content-encoding",
  "cookie",
  "host",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "sec-fetch-site",
  "traceparent",
  "user-agent",
  "x-forwarded-for",
  "x-workspace-id",
] as const;
const IS_KEPT: ReadonlySet<string> = new Set([...KEPT_HEADERS, "content-type"]);
const SAFE_ID = new RegExp(`^[A-Za-z0-9._:~-]{1,${REQUEST_ID_LENGTH_MAX}}$`);

type Settled = "answered" | "aborted";

export class Exchange implements RequestFacts {
  readonly res: HttpResponse;
  readonly id: string;
  readonly contentType: string;
  readonly method: string;
  readonly path: string;
  readonly startedMs: number;
  receivedAtMs = 0;
  /** Set once the path is known. */
  compiled: CompiledRoute | null = null;
  query = "";
  values: readonly string[] = [];
  workspaceId = "";
  isHead = false;
  framing: Framing = NO_BODY;
  /** Why the body is not read. Answered only after the credential was checked. */
  unread: Refusal | null = null;
  collector: BodyCollector | null = null;
  /** null while the exchange is open. */
  settled: Settled | null = null;
  /** The connection ends with this answer. */
  closes = false;
  /** True after the socket's callback was left with the answer still to come. */
  detached = false;
  /** Who asked, for the log: user or key id. */
  principalId = "";
  /** Headers of every answer to this request besides its own: those for pages of other origins. */
  added: Headers | null = null;
  onSettled: ((settled: Settled) => void) | null = null;
  /** Called when the connection is cut after the answer was given and before all of it was written. */
  onCut: (() => void) | null = null;
  #listens = false;
  #req: HttpRequest | null;
  #headers: string[] | null = null;
  #ip: string | null = null;

  constructor(res: HttpResponse, req: HttpRequest, clock: Clock) {
    this.res = res;
    this.#req = req;
    this.method = req.getCaseSensitiveMethod();
    this.path = req.getUrl();
    this.contentType = req.getHeader("content-type");
    this.startedMs = clock.monotonicMs();
    const given = req.getHeader("x-request-id");
    this.id = given !== "" && SAFE_ID.test(given) ? given : nextRequestId();
  }

  /** The peer's address; behind a proxy, the proxy's. */
  get ip(): string {
    if (this.#ip === null && this.settled === null)
      this.#ip = Buffer.from(this.res.getRemoteAddressAsText()).toString("latin1");
    return this.#ip ?? "";
  }

  header(name: string): string {
    if (!IS_KEPT.has(name)) return "";
    if (name === "content-type") return this.contentType;
    if (this.#req !== null) return this.#req.getHeader(name);
    return this.#headers?.[KEPT_HEADERS.indexOf(name as (typeof KEPT_HEADERS)[number])] ?? "";
  }

  /**
   * Called in the socket's callback when the answer will come after it: copies the headers, and listens for the peer
   * closing the connection. The request object must not be used afterwards.
   */
  detach(): void {
    if (this.detached || this.settled !== null) return;
    this.detached = true;
    const req = this.#req!;
    this.#headers = KEPT_HEADERS.map((name) => req.getHeader(name));
    this.#req = null;
    void this.ip;
    this.listen();
  }

  /** Listens for the end of the connection. Must be called before the socket's callback is left with something to write. */
  listen(): void {
    if (this.#listens) return;
    this.#listens = true;
    this.res.onAborted(() => {
      this.settle("aborted");
      this.onCut?.();
    });
  }

  /** Called when the socket's callback returns. */
  leave(): void {
    this.#req = null;
  }

  settle(settled: Settled): void {
    if (this.settled !== null) return;
    this.settled = settled;
    this.onSettled?.(settled);
  }
}
