/** Who may change whose role; a workspace always keeps an owner. Pure. */
import { mayGrant, type Role } from "../../domain/access.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";

export function whyNotGrant(actor: Role, granted: Role): Refusal<"forbidden"> | null {
  if (mayGrant(actor, granted)) return null;
  return refusal("forbidden", `the role ${actor} cannot give or take the role ${granted}`);
}

/** `next` is null for a removal. */
export function whyNotChange(
  members: readonly { user_id: string; role: Role }[],
  userId: string,
  actor: Role,
  next: Role | null,
): Refusal<"not_found" | "forbidden" | "invalid_state"> | null {
  const member = members.find((m) => m.user_id === userId);
  if (member === undefined) return refusal("not_found", `no member ${userId} in this workspace`);
  const grant = whyNotGrant(actor, member.role) ?? (next === null ? null : whyNotGrant(actor, next));
  if (grant !== null) return grant;
  const owners = members.filter((m) => m.role === "owner").length;
  if (member.role === "owner" && next !== "owner" && owners === 1)
    return refusal("invalid_state", "the last owner cannot be removed or demoted; make another member owner first");
  return null;
}
