/**
 * Who may do what (docs/interface.md#roles). One table: the edge checks it for every route, tests iterate it.
 * A route names a right (or one of the credential classes) in `access`; nothing else decides.
 */
import { type Refusal, refusal } from "./errors.ts";

export const ROLES = ["owner", "admin", "approver", "operator", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** No one may give, change or take away a role above their own, for members and keys alike. */
export function mayGrant(actor: Role, granted: Role): boolean {
  return ROLES.indexOf(granted) >= ROLES.indexOf(actor);
}

export const RIGHTS = {
  /** read, stream, export */
  read: ["owner", "admin", "approver", "operator", "viewer"],
  /** push signals */
  push: ["owner", "admin", "approver", "operator"],
  /** commands, tasks, identity, alerts, merge and split */
  command: ["owner", "admin", "approver", "operator"],
  /** approve and reject plans */
  approve: ["owner", "admin", "approver"],
  /** assets and scenarios */
  registry: ["owner", "admin", "operator"],
  /** zones, regions, rules, catalogue entries */
  configure: ["owner", "admin"],
  /** members, keys, retention */
  administer: ["owner", "admin"],
  /** raise the ceiling, delete the workspace */
  own: ["owner"],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

/**
 * open: no credential. ticket: a stream ticket. session: a session token, no workspace (logout).
 * credential: any credential, no workspace (me). A right: a member of the named workspace with a role that has it.
 * member: as read, but without opening the workspace's room, which would need the database; for data that is no workspace's.
 * session_<right>: as the right, but an API key is refused (key management).
 */
export type Access = "open" | "ticket" | "session" | "credential" | "member" | Right | "session_administer";

/** The right that the role must have in the named workspace; null where no workspace is named. */
export function rightOf(access: Access): Right | null {
  if (access === "session_administer") return "administer";
  if (access === "member") return "read";
  return access in RIGHTS ? (access as Right) : null;
}

function hasRight(role: Role, right: Right): boolean {
  return (RIGHTS[right] as readonly Role[]).includes(role);
}

/** null: the role has the right. A viewer that tries to write gets a code of its own. */
export function whyNotRole(role: Role, right: Right): Refusal<"read_only_role" | "forbidden"> | null {
  if (hasRight(role, right)) return null;
  if (role === "viewer") return refusal("read_only_role", "a viewer may read but not write in this workspace");
  return refusal("forbidden", `the role ${role} does not have the right "${right}" in this workspace`);
}

/** The caller of a request, after the credential was checked. */
export type Principal =
  | {
      readonly kind: "user";
      readonly userId: string;
      readonly email: string;
      readonly name: string;
      readonly sessionId: string;
      /** Workspace id to role, as last read from the registry. */
      readonly memberships: ReadonlyMap<string, Role>;
    }
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly name: string;
      readonly workspaceId: string;
      readonly role: Role;
    };

/** Who did something, as tasks and log entries name it. */
export interface Actor {
  readonly kind: "user" | "key" | "rule" | "plan" | "system";
  readonly id: string;
  readonly name: string;
}

export function actorOf(principal: Principal): Actor {
  return principal.kind === "user"
    ? { kind: "user", id: principal.userId, name: principal.email }
    : { kind: "key", id: principal.keyId, name: principal.name };
}

/** A change of a credential or a membership, for everything that relies on it. */
export type AccessChange =
  | { readonly is: "key_revoked"; readonly workspaceId: string; readonly keyId: string }
  | { readonly is: "member_removed"; readonly workspaceId: string; readonly userId: string }
  | { readonly is: "member_added"; readonly workspaceId: string; readonly userId: string }
  | { readonly is: "role_changed"; readonly userId: string };
