/**
 * Carries out a change of access: after a revoked key, a removed member or another role the cached credential is
 * dropped, and where access has ended the unused stream tickets are void and the open streams end.
 */
import type { AccessChange } from "../../domain/access.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Hub } from "../../stream/hub.ts";
import { type Holder, isHeldBy, type Tickets } from "./tickets.ts";

interface AccessParts {
  readonly credentials: { forgetKey(keyId: string): void; forgetUser(userId: string): void };
  readonly tickets: Tickets;
  readonly clock: Clock;
  /** The streams of a workspace; undefined when none can be open. */
  readonly hubOf: (workspaceId: string) => Pick<Hub, "closeWhere"> | undefined;
}

/** To be called after the change is in the database. */
export function accessChanges({ credentials, tickets, clock, hubOf }: AccessParts): (change: AccessChange) => void {
  return (change) => {
    if (change.is === "key_revoked") credentials.forgetKey(change.keyId);
    else credentials.forgetUser(change.userId);
    if (change.is === "role_changed") return;
    const { workspaceId } = change;
    if (change.is === "member_added") return tickets.admit({ kind: "user", userId: change.userId }, workspaceId);
    const holder: Holder =
      change.is === "key_revoked" ? { kind: "key", keyId: change.keyId } : { kind: "user", userId: change.userId };
    tickets.exclude(holder, workspaceId, clock.nowMs());
    hubOf(workspaceId)?.closeWhere((owner) => isHeldBy(owner, holder), change.is);
  };
}
