/** Sign-in routes (docs/interface.md#sign-in): translate between the wire and the moves of signIn.ts. */
import { isRefusal } from "../../domain/errors.ts";
import { type Route, route } from "../../http/route.ts";
import { sha256 } from "../../lib/ids.ts";
import { type AuthParts, emailOf, loginRoute } from "./login.ts";
import * as schema from "./schema.ts";
import { devLogin, refreshSession, verifyLogin } from "./signIn.ts";
import { findMemberships, findWorkspaceName, revokeRefreshTokens } from "./store.ts";

export type { AuthParts };

function sessionRoutes(parts: AuthParts): Route[] {
  const give = async <T extends { readonly session_token: string }>(session: T) => {
    await parts.onSession(session.session_token);
    return { status: 200 as const, data: session };
  };
  return [
    route({
      method: "POST",
      path: "/api/auth/verify",
      access: "open",
      tag: "Sign-in",
      summary: "Exchange the code for a session",
      body: schema.VerifyRequest,
      reply: { 200: schema.Session },
      errors: ["invalid_input", "code_invalid", "too_many_attempts", "unavailable"],
      async handle({ body, refuse }) {
        const outcome = await verifyLogin(parts, emailOf(body.email, refuse), body.code.trim());
        return isRefusal(outcome) ? refuse(outcome) : give(outcome);
      },
    }),
    route({
      method: "POST",
      path: "/api/auth/refresh",
      access: "open",
      tag: "Sign-in",
      summary: "Trade a refresh token, once, for the next session",
      body: schema.RefreshRequest,
      reply: { 200: schema.Session },
      errors: ["refresh_invalid", "unavailable"],
      async handle({ body, refuse }) {
        const outcome = await refreshSession(parts, body.refresh_token);
        return isRefusal(outcome) ? refuse(outcome) : give(outcome);
      },
    }),
    route({
      method: "POST",
      path: "/api/auth/logout",
      access: "session",
      tag: "Sign-in",
      summary: "Revoke refresh tokens",
      body: schema.LogoutRequest,
      bodyOptional: true,
      reply: { 200: schema.LoggedOut },
      description: "The one given, or all of the user. The session token itself runs out on its own.",
      errors: ["unavailable"],
      async handle({ body, principal }) {
        const token = body.refresh_token;
        const revoked = await parts.db.run((sql) =>
          revokeRefreshTokens(sql, principal.userId, token === undefined ? null : sha256(token)),
        );
        return { status: 200, data: { revoked } };
      },
    }),
    route({
      method: "POST",
      path: "/api/auth/dev-login",
      access: "open",
      tag: "Sign-in",
      summary: "A session without a code, only in DEV_MODE",
      body: schema.DevLoginRequest,
      reply: { 200: schema.Session },
      errors: ["feature_absent", "invalid_input", "unavailable"],
      async handle({ body, refuse }) {
        if (!parts.devMode) refuse("feature_absent", "dev-login needs a deployment with DEV_MODE on");
        return give(await devLogin(parts, emailOf(body.email, refuse), body.workspace_name?.trim() || null));
      },
    }),
  ];
}

function meRoute(parts: AuthParts): Route {
  return route({
    method: "GET",
    path: "/api/me",
    access: "credential",
    tag: "Sign-in",
    summary: "Who this credential is, and the workspaces that it reaches",
    reply: { 200: schema.Me },
    errors: ["unavailable"],
    async handle({ principal }) {
      if (principal.kind === "user") {
        const workspaces = await parts.db.run((sql) => findMemberships(sql, principal.userId));
        return {
          status: 200,
          data: { user: { id: principal.userId, email: principal.email, name: principal.name }, key: null, workspaces },
        };
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
