/** Routes that start, prolong and end a session (docs/interface.md#sign-in); the moves themselves are in signIn.ts. */
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { type RequestFacts, type Route, route } from "../../http/route.ts";
import { sha256 } from "../../lib/ids.ts";
import { type AuthParts, emailOf } from "./login.ts";
import { type CookieFault, clearRefreshCookie, readRefreshCookie, setRefreshCookie } from "./refreshCookie.ts";
import * as schema from "./schema.ts";
import { devLogin, refreshSession, verifyLogin } from "./signIn.ts";
import { revokeRefreshTokens } from "./store.ts";

type Started = Exclude<Awaited<ReturnType<typeof refreshSession>>, Refusal>;

const IN_A_COOKIE =
  "With `cookie: true` the refresh token goes into an HttpOnly cookie of our origin, and not into the answer.";

const COOKIE_FAULTS: Readonly<Record<Exclude<CookieFault, "absent">, string>> = {
  ambiguous: "there are two refresh cookies; sign in again",
  foreign: "the refresh cookie is taken from a page of our own origin only (Sec-Fetch-Site: same-origin)",
};

/** The answer with a new session, its refresh token in the cookie or in the body. */
async function give(parts: AuthParts, request: RequestFacts, session: Started, inCookie: boolean) {
  await parts.onSession(session.session_token);
  if (!inCookie) return { status: 200 as const, data: session };
  const { refresh_token: token, ...data } = session;
  return { status: 200 as const, data, headers: setRefreshCookie(request, parts.publicUrl, token) };
}

function verifyRoute(parts: AuthParts): Route {
  return route({
    method: "POST",
    path: "/api/auth/verify",
    access: "open",
    tag: "Sign-in",
    summary: "Exchange the code for a session",
    description: IN_A_COOKIE,
    body: schema.VerifyRequest,
    reply: { 200: schema.Session },
    errors: ["invalid_input", "code_invalid", "too_many_attempts", "unavailable"],
    async handle({ body, request, refuse }) {
      const outcome = await verifyLogin(parts, emailOf(body.email, refuse), body.code.trim());
      return isRefusal(outcome) ? refuse(outcome) : give(parts, request, outcome, body.cookie === true);
    },
  });
}

function refreshRoute(parts: AuthParts): Route {
  return route({
    method: "POST",
    path: "/api/auth/refresh",
    access: "open",
    tag: "Sign-in",
    summary: "Trade a refresh token, once, for the next session",
    description: `${IN_A_COOKIE} A body without \`refresh_token\` takes it from the cookie, for a page of our own origin only; the next one is then always in the cookie.`,
    body: schema.RefreshRequest,
    bodyOptional: true,
    reply: { 200: schema.Session },
    errors: ["invalid_input", "refresh_invalid", "unavailable"],
    async handle({ body, request, refuse }) {
      if (body.refresh_token !== undefined) {
        const outcome = await refreshSession(parts, body.refresh_token);
        return isRefusal(outcome) ? refuse(outcome) : give(parts, request, outcome, body.cookie === true);
      }
      const cookie = readRefreshCookie(request);
      if ("fault" in cookie) {
        if (cookie.fault === "absent")
          return refuse("invalid_input", "refresh_token is required where there is no cookie");
        return refuse("refresh_invalid", COOKIE_FAULTS[cookie.fault]);
      }
      const outcome = await refreshSession(parts, cookie.token);
      if (isRefusal(outcome))
        return refuse(outcome.code, outcome.sentence, clearRefreshCookie(request, parts.publicUrl));
      // Always in the cookie: otherwise a script in the page could ask for the token in the body and take it away.
      return give(parts, request, outcome, true);
    },
  });
}

function logoutRoute(parts: AuthParts): Route {
  return route({
    method: "POST",
    path: "/api/auth/logout",
    access: "session",
    tag: "Sign-in",
    summary: "Revoke refresh tokens",
    body: schema.LogoutRequest,
    bodyOptional: true,
    reply: { 200: schema.LoggedOut },
    description:
      "The one given, and with `cookie: true` the one in the cookie, which is cleared; without either, or where the cookie may not be read, all of the user. The session token itself runs out on its own.",
    errors: ["unavailable"],
    async handle({ body, principal, request }) {
      const revoke = (token: string | null) =>
        parts.db.run((sql) => revokeRefreshTokens(sql, principal.userId, token === null ? null : sha256(token)));
      if (body.cookie !== true) return { status: 200, data: { revoked: await revoke(body.refresh_token ?? null) } };
      const cookie = readRefreshCookie(request);
      const fromCookie = "token" in cookie ? cookie.token : null;
      // Both, where both are given: a token whose cookie is cleared must not live on. None: all of the user.
      let revoked = await revoke(body.refresh_token ?? fromCookie);
      if (body.refresh_token !== undefined && fromCookie !== null) revoked += await revoke(fromCookie);
      return { status: 200, data: { revoked }, headers: clearRefreshCookie(request, parts.publicUrl) };
    },
  });
}

function devLoginRoute(parts: AuthParts): Route {
  return route({
    method: "POST",
    path: "/api/auth/dev-login",
    access: "open",
    tag: "Sign-in",
    summary: "A session without a code, only in DEV_MODE",
    description: IN_A_COOKIE,
    body: schema.DevLoginRequest,
    reply: { 200: schema.Session },
    errors: ["feature_absent", "invalid_input", "invalid_state", "unavailable"],
    async handle({ body, request, refuse }) {
      if (!parts.devMode) refuse("feature_absent", "dev-login needs a deployment with DEV_MODE on");
      const session = await devLogin(parts, emailOf(body.email, refuse), body.workspace_name?.trim() || null);
      return isRefusal(session) ? refuse(session) : give(parts, request, session, body.cookie === true);
    },
  });
}

export function sessionRoutes(parts: AuthParts): Route[] {
  return [verifyRoute(parts), refreshRoute(parts), logoutRoute(parts), devLoginRoute(parts)];
}
