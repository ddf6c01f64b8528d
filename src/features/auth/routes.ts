/** Sign-in (docs/interface.md#sign-in): the code by mail, the session, and who is asking. */
import { type Route, route } from "../../http/route.ts";
import { type AuthParts, loginRoute } from "./login.ts";
import * as schema from "./schema.ts";
import { sessionRoutes } from "./sessionRoutes.ts";
import { findMemberships, findWorkspaceName } from "./store.ts";

export type { AuthParts };

function meRoute(parts: AuthParts): Route {
  return route({
    method: "GET",
    path: "/api/me",
    access: "credential",
    tag: "Sign-in",
    summary: "Whose credential this is, and the workspaces that it reaches",
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
