/**
 * Stream tickets (docs/interface.md#stream): good for a minute, for one stream, naming one workspace. Kept in memory by the
 * SHA-256 of the secret: they outlive nothing that a restart would not end anyway (ADR 0007).
 */
import { hash } from "node:crypto";
import { newSecret } from "../../lib/ids.ts";
import { STREAM_TICKET_TTL_S, STREAM_TICKETS_OPEN_MAX } from "../../limits.ts";
import type { StreamOwner } from "../../stream/session.ts";

interface Ticket {
  readonly workspaceId: string;
  readonly owner: StreamOwner;
  readonly expiresAtMs: number;
}

export class Tickets {
  readonly #open = new Map<string, Ticket>();

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

  /** The ticket, if this is its first use and it is in time; exactly one caller gets it. */
  spend(secret: string, nowMs: number): Ticket | null {
    const digest = hash("sha256", secret, "base64url");
    const ticket = this.#open.get(digest);
    if (ticket === undefined) return null;
    this.#open.delete(digest);
    return ticket.expiresAtMs > nowMs ? ticket : null;
  }

  /** Their credential was withdrawn. */
  forgetWhere(predicate: (owner: StreamOwner, workspaceId: string) => boolean): void {
    for (const [digest, ticket] of this.#open)
      if (predicate(ticket.owner, ticket.workspaceId)) this.#open.delete(digest);
  }

  sweep(nowMs: number): void {
    for (const [digest, ticket] of this.#open) if (ticket.expiresAtMs <= nowMs) this.#open.delete(digest);
  }
}
