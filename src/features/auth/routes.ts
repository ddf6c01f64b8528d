/** Sign-in routes (§4.3): translate between the wire and the moves of signIn.ts. */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { cleanEmail } from "../../domain/email.ts";
import { type ApiErrorCode, isRefusal } from "../../domain/errors.ts";
import { type Headers, type Route, route } from "../../http/route.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { sha256 } from "../../lib/ids.ts";
import * as limits from "../../limits.ts";
import { type Mailer, MailRefusedError } from "../../mail.ts";
import * as schema from "./schema.ts";
import { devLogin, openLogin, refreshSession, type SignInParts, verifyLogin } from "./signIn.ts";
import { findMemberships, findWorkspaceName, revokeRefreshTokens } from "./store.ts";

export interface AuthParts extends SignInParts {
  /** null without SMTP_URL. */
  readonly mailer: Mailer | null;
  readonly devMode: boolean;
}

type Refuse = (code: "rate_limited", sentence: string, headers?: Headers) => never;

async function takeToken(limiter: RateLimiterMemory, key: string, what: string, refuse: Refuse): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (over) {
    if (!(over instanceof RateLimiterRes)) throw over;
    refuse("rate_limited", `too many sign-ins ${what}; wait and try again`, { "Retry-After": String(Math.ceil(over.msBeforeNext / 1000)) });
  }
}

function emailOf(value: string, refuse: (code: "invalid_input", sentence: string) => never): string {
  return cleanEmail(value) ?? refuse("invalid_input", "email must be an e-mail address");
}

/** A move's refusal has one of these codes; the narrow type keeps the route's declaration honest. */
function pass<T, E extends ApiErrorCode>(outcome: T, refuse: (code: E, sentence: string) => never): Exclude<T, { refused: true }> {
  if (isRefusal(outcome)) return refuse(outcome.code as E, outcome.sentence);
  return outcome as Exclude<T, { refused: true }>;
}

function loginRoute(parts: AuthParts): Route {
  const perAddress = new RateLimiterMemory({ points: limits.LOGINS_PER_ADDRESS_MAX, duration: limits.LOGINS_PER_ADDRESS_WINDOW_S });
  const perIp = new RateLimiterMemory({ points: limits.LOGINS_PER_IP_MAX, duration: limits.LOGINS_PER_IP_WINDOW_S });
  return route({
    method: "POST", path: "/api/auth/login", access: "open", tag: "Sign-in",
    summary: "Send a six-digit sign-in code",
    description: "Answers the same whether or not the address is known. In DEV_MODE the code is in the answer.",
    body: schema.LoginRequest, reply: { 200: schema.LoginSent },
    errors: ["invalid_input", "rate_limited", "mail_refused", "not_configured", "unavailable"],
    async handle({ body, request, refuse }) {
      const email = emailOf(body.email, refuse);
      if (parts.mailer === null && !parts.devMode) refuse("not_configured", "this deployment cannot send sign-in mail: SMTP_URL is not set");
      if (!parts.devMode) await takeToken(perIp, request.ip, "from this address of the network", refuse);
      await takeToken(perAddress, email, "for this e-mail address", refuse);
      const { code, expiresAtMs } = await openLogin(parts, email);
      try {
        await parts.mailer?.send(email, "Your Picket sign-in code", `Your sign-in code is ${code}. It is good for ten minutes and for one use.\n`);
      } catch (fault) {
        if (!(fault instanceof MailRefusedError)) throw fault;
        refuse("mail_refused", "the mail provider did not take the sign-in code; check the address or try again later");
      }
      return { status: 200, data: { sent: true as const, expires_at: toRfc3339(expiresAtMs), ...(parts.devMode ? { code } : {}) } };
    },
  });
}

function sessionRoutes(parts: AuthParts): Route[] {
  return [
    route({
      method: "POST", path: "/api/auth/verify", access: "open", tag: "Sign-in",
      summary: "Exchange the code for a session", body: schema.VerifyRequest, reply: { 200: schema.Session },
      errors: ["invalid_input", "code_invalid", "too_many_attempts", "unavailable"],
      async handle({ body, refuse }) {
        const outcome = await verifyLogin(parts, emailOf(body.email, refuse), body.code.trim());
        return { status: 200, data: pass(outcome, refuse) };
      },
    }),
    route({
      method: "POST", path: "/api/auth/refresh", access: "open", tag: "Sign-in",
      summary: "Trade a refresh token, once, for the next session", body: schema.RefreshRequest, reply: { 200: schema.Session },
      errors: ["refresh_invalid", "unavailable"],
      async handle({ body, refuse }) {
        return { status: 200, data: pass(await refreshSession(parts, body.refresh_token), refuse) };
      },
    }),
    route({
      method: "POST", path: "/api/auth/logout", access: "session", tag: "Sign-in",
      summary: "Revoke refresh tokens", body: schema.LogoutRequest, bodyOptional: true, reply: { 200: schema.LoggedOut },
      description: "The one given, or all of the user. The session token itself runs out on its own.",
      errors: ["unavailable"],
      async handle({ body, principal }) {
        const token = body.refresh_token;
        const revoked = await parts.db.run((sql) => revokeRefreshTokens(sql, principal.userId, token === undefined ? null : sha256(token)));
        return { status: 200, data: { revoked } };
      },
    }),
    route({
      method: "POST", path: "/api/auth/dev-login", access: "open", tag: "Sign-in",
      summary: "A session without a code, only in DEV_MODE", body: schema.DevLoginRequest, reply: { 200: schema.Session },
      errors: ["feature_absent", "invalid_input", "unavailable"],
      async handle({ body, refuse }) {
        if (!parts.devMode) refuse("feature_absent", "dev-login needs a deployment with DEV_MODE on");
        return { status: 200, data: await devLogin(parts, emailOf(body.email, refuse), body.workspace_name?.trim() || null) };
      },
    }),
  ];
}

function meRoute(parts: AuthParts): Route {
  return route({
    method: "GET", path: "/api/me", access: "credential", tag: "Sign-in",
    summary: "Who this credential is, and the workspaces that it reaches", reply: { 200: schema.Me }, errors: ["unavailable"],
    async handle({ principal }) {
      if (principal.kind === "user") {
        const workspaces = await parts.db.run((sql) => findMemberships(sql, principal.userId));
        return { status: 200, data: { user: { id: principal.userId, email: principal.email, name: principal.name }, key: null, workspaces } };
      }
      const name = await parts.db.run((sql) => findWorkspaceName(sql, principal.workspaceId));
      const workspaces = [{ id: principal.workspaceId, name: name ?? "", role: principal.role }];
      return { status: 200, data: { user: null, key: { id: principal.keyId, name: principal.name }, workspaces } };
    },
  });
}

export function authRoutes(parts: AuthParts): Route[] {
  return [loginRoute(parts), ...sessionRoutes(parts), meRoute(parts)];
}
