/**
 * Pages of other origins that may call the API from a browser (docs/interface.md#pages-of-other-origins), and the headers
 * that tell the browser so. A page sends its credential in a header, never in a cookie, so
 * `Access-Control-Allow-Credentials` is never sent.
 */
import type { Headers } from "./route.ts";

const ALLOWED_HEADERS = "Authorization, Content-Type, X-Api-Key, X-Request-Id, X-Workspace-Id";
/** Without this list a page could read only the few headers that the Fetch standard allows. */
const EXPOSED_HEADERS =
  "Allow, ETag, Link, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Next-Cursor, X-Request-Id";
const PREFLIGHT_MAX_AGE_S = 600;
/** Keeps a cache from giving one origin's answer to another. */
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

  /** Headers of every answer to a request from this origin. `origin` is "" when the request names none. */
  headersFor(origin: string): Headers {
    return this.#headers.get(origin) ?? VARY;
  }

  /** Further headers of the answer to a preflight; empty when the request is none, or its origin is not named. */
  preflightHeaders(origin: string, requestedMethod: string, allow: string): Headers {
    if (requestedMethod === "" || !this.#headers.has(origin)) return {};
    return {
      "Access-Control-Allow-Methods": allow,
      "Access-Control-Allow-Headers": ALLOWED_HEADERS,
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_S),
    };
  }
}
