/**
 * The refresh token in a cookie (docs/interface.md#sign-in): a page of our own origin signs in without holding the token, so
 * that a script that gets into the page cannot take it away. No other route reads a cookie.
 */
import type { Headers, RequestFacts } from "../../http/route.ts";

const NAME = "picket_refresh";
/** No Max-Age: like the session storage of a page, it ends with the browser's session. */
const ATTRIBUTES = "HttpOnly; SameSite=Strict; Path=/api/auth";
const LOOPBACK_HOST = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/i;

/** Why the cookie of a request is not taken. */
export type CookieFault = "absent" | "ambiguous" | "foreign";

/**
 * The token in the request's cookie. Two cookies of the name are taken for none: one was set by a neighbour on a longer
 * path or a parent domain. A page of another origin is refused even where the browser sent the cookie along.
 */
export function readRefreshCookie(request: RequestFacts): { token: string } | { fault: CookieFault } {
  const values = request
    .header("cookie")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  if (values.length !== 1 || values[0] === "") return { fault: values.length > 1 ? "ambiguous" : "absent" };
  if (request.header("sec-fetch-site") !== "same-origin") return { fault: "foreign" };
  return { token: values[0]! };
}

/**
 * Secure but on loopback, where there is no TLS to ask for. A proxy that does not pass Host on makes every request look
 * like loopback; there the address in PUBLIC_URL tells that there is TLS.
 */
function attributesFor(request: RequestFacts, publicUrl: string | null): string {
  const isLoopback = LOOPBACK_HOST.test(request.header("host")) && publicUrl?.startsWith("https:") !== true;
  return isLoopback ? ATTRIBUTES : `${ATTRIBUTES}; Secure`;
}

export function setRefreshCookie(request: RequestFacts, publicUrl: string | null, token: string): Headers {
  return { "Set-Cookie": `${NAME}=${token}; ${attributesFor(request, publicUrl)}` };
}

export function clearRefreshCookie(request: RequestFacts, publicUrl: string | null): Headers {
  return { "Set-Cookie": `${NAME}=; ${attributesFor(request, publicUrl)}; Max-Age=0` };
}
