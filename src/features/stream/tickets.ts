/**
 * Stream tickets (docs/interface.md#stream): good for a minute, for one stream, naming one workspace. Kept in memory by
 * the SHA-256 of the secret: they outlive nothing that a restart would not end anyway (ADR 0007).
 */
import { hash } from "node:crypto";
import { newSecret } from "../../lib/ids.ts";
import {
  ACCESS_ENDS_KEPT_MAX,
  ACCESS_ENDS_KEPT_MS,
  STREAM_TICKET_TTL_S,
  STREAM_TICKETS_OPEN_MAX,
} from "../../limits.ts";
import type { StreamOwner } from "../../stream/session.ts";

interface Ticket {
  readonly workspaceId: string;
  readonly owner: StreamOwner;
  readonly expiresAtMs: number;
}

/** Whose streams end together: those of a key, or those of a user in one workspace, whatever the session. */
export type Holder =
  | { readonly kind: "user"; readonly userId: string }
  | { readonly kind: "key"; readonly keyId: string };

const idOf = (holder: Holder) => (holder.kind === "key" ? holder.keyId : holder.userId);
const nameOf = (holder: Holder, workspaceId: string) => `${workspaceId} ${idOf(holder)}`;

export function isHeldBy(owner: StreamOwner, holder: Holder): boolean {
  return idOf(owner) === idOf(holder);
}

export class Tickets {
  readonly #open = new Map<string, Ticket>();
  /**
   * Holders without access any more, and since when, oldest first. A request that was under way when access ended may
   * still mint a ticket, and a stream may still be waiting for its room to open; neither may come to anything.
   */
  readonly #excluded = new Map<string, number>();

  get count(): number {
    return this.#open.size;
  }

  /** null when too many are open; they expire within a minute. */
  mint(workspaceId: string, owner: StreamOwner, nowMs: number): { secret: string; expiresAtMs: number } | null {
    if (this.#open.size >= STREAM_TICKETS_OPEN_MAX) this.sweep(nowMs);
    if (this.#open.size >= STREAM_TICKETS_OPEN_MAX) return null;
    const secret = newSecret("stk");
    const expiresAtMs = nowMs + STREAM_TICKET_TTL_S * 1000;
    this.#open.set(hash("sha256", secret, "base64url"), { workspaceId, owner, expiresAtMs });
    return { secret, expiresAtMs };
  }

  /** The ticket, if this is its first use, it is in time and its holder still has access; exactly one caller gets it. */
  spend(secret: string, nowMs: number): Ticket | null {
    const digest = hash("sha256", secret, "base64url");
    const ticket = this.#open.get(digest);
    if (ticket === undefined) return null;
    this.#open.delete(digest);
    return ticket.expiresAtMs > nowMs && this.isAdmitted(ticket) ? ticket : null;
  }

  /** False once the holder's access has ended; to be asked again after any wait between `spend` and the stream. */
  isAdmitted({ owner, workspaceId }: Ticket): boolean {
    return !this.#excluded.has(nameOf(owner, workspaceId));
  }

  /** The holder's access ended: no ticket of theirs opens a stream from now on. */
  exclude(holder: Holder, workspaceId: string, nowMs: number): void {
    const name = nameOf(holder, workspaceId);
    this.#excluded.delete(name);
    if (this.#excluded.size >= ACCESS_ENDS_KEPT_MAX) this.#excluded.delete(this.#excluded.keys().next().value!);
    this.#excluded.set(name, nowMs);
  }

  /** The holder has access again. */
  admit(holder: Holder, workspaceId: string): void {
    this.#excluded.delete(nameOf(holder, workspaceId));
  }

  sweep(nowMs: number): void {
    for (const [digest, ticket] of this.#open) if (ticket.expiresAtMs <= nowMs) this.#open.delete(digest);
    for (const [name, sinceMs] of this.#excluded) {
      if (nowMs - sinceMs < ACCESS_ENDS_KEPT_MS) break;
      this.#excluded.delete(name);
    }
  }
}
