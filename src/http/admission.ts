/**
 * The rules of admission: credential, workspace, role, in that order (docs/interface.md#credentials). Pure: they work on
 * strings and a principal; the edge reads the headers and asks the registry.
 */
import { type Principal, type Role, whyNotRole } from "../domain/access.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { CompiledRoute } from "./router.ts";

interface Credential {
  /** The session token; "" when none was sent. */
  readonly bearer: string;
  /** The API key; "" when none was sent, and when a session token was: the session wins, so the role is never ambiguous. */
  readonly apiKey: string;
}

const SCHEME = /^bearer +(\S+) *$/i;

export function readCredential(authorization: string, apiKey: string): Credential | Refusal {
  if (authorization !== "") {
    const bearer = SCHEME.exec(authorization)?.[1];
    if (bearer !== undefined) return { bearer, apiKey: "" };
    if (apiKey === "")
      return refusal(
        "unauthenticated",
        "Authorization must be: Bearer <session token>; an API key goes into X-Api-Key",
      );
  }
  if (apiKey === "")
    return refusal("unauthenticated", "send a session token (Authorization: Bearer) or an API key (X-Api-Key)");
  return { bearer: "", apiKey };
}

export interface Place {
  readonly workspaceId: string;
  readonly role: Role;
}

/** Does the route take this class of credential? `logout` answers 401 and never 403, so a key is no credential there. */
export function whyNotCredential(compiled: CompiledRoute, principal: Principal): Refusal | null {
  if (!compiled.sessionOnly || principal.kind === "user") return null;
  if (compiled.right === null)
    return refusal("unauthenticated", "this route needs a session token; an API key does not do");
  return refusal("forbidden", "this route needs a session token; an API key cannot manage keys or members");
}

/** The workspace that the request acts in, with the role there. `header` is X-Workspace-Id, "" when absent. */
export function findPlace(compiled: CompiledRoute, principal: Principal, header: string): Place | Refusal {
  const required = compiled.route.workspaceHeader === "required";
  if (header === "" && (required || principal.kind === "user"))
    return refusal("invalid_input", "X-Workspace-Id is required; GET /api/me lists the workspaces of this credential");
  if (principal.kind === "user") {
    const role = principal.memberships.get(header);
    if (role === undefined)
      return refusal("not_a_member", "the user of this session is not a member of the workspace in X-Workspace-Id");
    return { workspaceId: header, role };
  }
  const foreign = whyNotForeign(principal, header);
  return foreign ?? { workspaceId: principal.workspaceId, role: principal.role };
}

/** A key acts in its own workspace only, and naming another is refused even where a route needs no workspace. */
export function whyNotForeign(principal: Principal, header: string): Refusal | null {
  if (principal.kind === "user" || header === "" || header === principal.workspaceId) return null;
  return refusal("forbidden", "this API key belongs to another workspace than the one in X-Workspace-Id");
}

export function whyNotRoleOf(compiled: CompiledRoute, role: Role): Refusal | null {
  return compiled.right === null ? null : whyNotRole(role, compiled.right);
}
