/**
 * Stream tickets (docs/interface.md#stream): valid for a minute, for one stream of one workspace. Kept in memory, by the
 * SHA-256 of the secret: a restart ends the streams as well (ADR 0007).
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

/** A key, or a user with all sessions: access to a workspace ends for either as a whole. */
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
   * Holders whose access ended, and when, oldest first. A request that was under way at that time may still mint a ticket,
   * and a stream may still be waiting for its room to open; both must come to nothing.
   */
  readonly #excluded = new Map<string, number>();

  get count(): number {
    return this.#open.size;
  }

  /** null while too many are open. */
  mint(workspaceId: string, owner: StreamOwner, nowMs: number): { secret: string; expiresAtMs: number } | null {
    if (this.#open.size >= STREAM_TICKETS_OPEN_MAX) this.sweep(nowMs);
    if (this.#open.size >= STREAM_TICKETS_OPEN_MAX) return null;
    const secret = newSecret("stk");
    const expiresAtMs = nowMs + STREAM_TICKET_TTL_S * 1000;
    this.#open.set(hash("sha256", secret, "base64url"), { workspaceId, owner, expiresAtMs });
    return { secret, expiresAtMs };
  }

  /** The ticket, at its first use, if it has not expired and its holder still has access; else null. */
  spend(secret: string, nowMs: number): Ticket | null {
    const digest = hash("sha256", secret, "base64url");
    const ticket = this.#open.get(digest);
    if (ticket === undefined) return null;
    this.#open.delete(digest);
    return ticket.expiresAtMs > nowMs && this.isAdmitted(ticket) ? ticket : null;
  }

  /** False once the holder's access has ended. To be checked again after any wait between `spend` and the stream. */
  isAdmitted({ owner, workspaceId }: Ticket): boolean {
    return !this.#excluded.has(nameOf(owner, workspaceId));
  }

  /** From now on no ticket of the holder opens a stream. */
  exclude(holder: Holder, workspaceId: string, nowMs: number): void {
    const name = nameOf(holder, workspaceId);
    this.#excluded.delete(name);
    if (this.#excluded.size >= ACCESS_ENDS_KEPT_MAX) this.#excluded.delete(this.#excluded.keys().next().value!);
    this.#excluded.set(name, nowMs);
  }

  /** The holder's tickets open streams again. */
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
