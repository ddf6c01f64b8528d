/**
 * Pages of other origins that may call the API from a browser (docs/interface.md#pages-of-other-origins), and the headers
 * that tell the browser so. A page sends its credential in a header of its own, so `Access-Control-Allow-Credentials` is
 * never given: no cookie of ours is any use to another origin.
 */
import type { Headers } from "./route.ts";

const ALLOWED_HEADERS = "Authorization, Content-Type, X-Api-Key, X-Request-Id, X-Workspace-Id";
/** Without this list a page reads only a handful of headers that the Fetch standard names. */
const EXPOSED_HEADERS =
  "Allow, ETag, Link, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Next-Cursor, X-Request-Id";
const PREFLIGHT_MAX_AGE_S = 600;
/** A cache must not give one origin's answer to another. */
const VARY: Headers = { Vary: "Origin" };

export class Cors {
  readonly #headers: ReadonlyMap<string, Headers>;

  /** Origins as browsers spell them: scheme, host and port, in lower case, without a path. */
  constructor(origins: readonly string[]) {
    this.#headers = new Map(
      origins.map((origin) => [
        origin,
        { ...VARY, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED_HEADERS },
      ]),
    );
  }

  /** What every answer to a request from this origin carries. `origin` is "" when the request names none. */
  headersFor(origin: string): Headers {
    return this.#headers.get(origin) ?? VARY;
  }

  /** What the answer to OPTIONS adds for a browser that asks whether it may send a request; empty for everyone else. */
  preflightHeaders(origin: string, requestedMethod: string, allow: string): Headers {
    if (requestedMethod === "" || !this.#headers.has(origin)) return {};
    return {
      "Access-Control-Allow-Methods": allow,
      "Access-Control-Allow-Headers": ALLOWED_HEADERS,
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
    };
  }
}
