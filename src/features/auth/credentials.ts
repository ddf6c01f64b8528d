/**
 * Who is asking: turns a credential into a principal. A cache of verified credentials, by a digest of their secret, makes
 * the hot path one hash and one look-up. A revoked key or a changed membership leaves it at once in this process and within
 * CREDENTIAL_CACHE_TTL_MS in others. While the database is away, cached credentials are accepted for longer.
 */
import { hash } from "node:crypto";
import type { Database } from "../../db/client.ts";
import type { Principal } from "../../domain/access.ts";
import { isRefusal, type Refusal, refusal, UnavailableError } from "../../domain/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  BEARER_BYTES_MAX,
  CREDENTIAL_CACHE_ENTRIES_MAX,
  CREDENTIAL_CACHE_STALE_TTL_MS,
  CREDENTIAL_CACHE_TTL_MS,
  CREDENTIAL_UNKNOWN_ENTRIES_MAX,
  CREDENTIAL_UNKNOWN_TTL_MS,
} from "../../limits.ts";
import { KeyUses } from "./keyUses.ts";
import { findKeyByHash, findMemberships } from "./store.ts";
import type { TokenKeys } from "./token.ts";

type Verified = Principal | Refusal;

interface Entry {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  /** When the database last confirmed it; -Infinity where it must be confirmed again before the next use. */
  confirmedAtMs: number;
}

const KEY = /^dak_[0-9A-Za-z]{43}$/;

const UNKNOWN = refusal(
  "unauthenticated",
  "the credential is not valid: it was never issued, has expired or was revoked",
);

interface AuthenticatorParts {
  readonly db: Database;
  readonly tokens: TokenKeys;
  readonly clock: Clock;
}

export class Authenticator {
  readonly #parts: AuthenticatorParts;
  /** Verified credentials by the digest of their secret, the oldest confirmation first. */
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<Verified>>();
  /** Digests of secrets that the database did not know, with the time until which it is not asked again. */
  readonly #unknown = new Map<string, number>();
  readonly #uses: KeyUses;
  /** Counts revocations. An answer that was asked for before the last one serves its request and is not cached. */
  #forgotten = 0;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
    this.#uses = new KeyUses(parts.db);
  }

  /** Synchronous when the credential is cached. Exactly one of the two arguments is not empty. */
  authenticate(bearer: string, apiKey: string): Verified | Promise<Verified> {
    const isKey = apiKey !== "";
    const secret = isKey ? apiKey : bearer;
    if (secret.length > BEARER_BYTES_MAX) return UNKNOWN;
    const digest = (isKey ? "k" : "t") + hash("sha256", secret, "base64url");
    const nowMs = this.#parts.clock.nowMs();
    const entry = this.#entries.get(digest);
    if (entry !== undefined && entry.expiresAtMs > nowMs && nowMs - entry.confirmedAtMs < CREDENTIAL_CACHE_TTL_MS) {
      const { principal } = entry;
      if (principal.kind === "key") this.#uses.note(principal.workspaceId, principal.keyId);
      return principal;
    }
    const known = this.#underWay.get(digest);
    if (known !== undefined) return known;
    const unknownUntilMs = this.#unknown.get(digest);
    if (unknownUntilMs !== undefined) {
      if (nowMs < unknownUntilMs) return UNKNOWN;
      this.#unknown.delete(digest);
    }
    const ask = () => (isKey ? this.#confirmKey(secret, digest) : this.#confirmToken(secret, digest));
    const asking: Promise<Verified> = this.#confirm(digest, ask, () => asking);
    this.#underWay.set(digest, asking);
    return asking;
  }

  forgetKey(keyId: string): void {
    this.#forgotten++;
    this.#underWay.clear();
    for (const [digest, { principal }] of this.#entries)
      if (principal.kind === "key" && principal.keyId === keyId) this.#entries.delete(digest);
  }

  /** To be called when a membership or role of the user changed. */
  forgetUser(userId: string): void {
    this.#forgotten++;
    this.#underWay.clear();
    for (const entry of this.#entries.values())
      if (entry.principal.kind === "user" && entry.principal.userId === userId)
        entry.confirmedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Writes the times of last use that were gathered since the last call. */
  flushUse(): Promise<void> {
    return this.#uses.flush();
  }

  /** Asks the database; while it is away, accepts what it confirmed before. */
  async #confirm(digest: string, ask: () => Promise<Verified>, current: () => Promise<Verified>): Promise<Verified> {
    const { clock } = this.#parts;
    try {
      const verified = await ask();
      if (isRefusal(verified)) {
        this.#entries.delete(digest);
        dropOldest(this.#unknown, CREDENTIAL_UNKNOWN_ENTRIES_MAX);
        this.#unknown.set(digest, clock.nowMs() + CREDENTIAL_UNKNOWN_TTL_MS);
      }
      return verified;
    } catch (fault) {
      const entry = this.#entries.get(digest);
      const believable = entry !== undefined && clock.nowMs() - entry.confirmedAtMs < CREDENTIAL_CACHE_STALE_TTL_MS;
      if (fault instanceof UnavailableError && believable && entry.expiresAtMs > clock.nowMs()) return entry.principal;
      throw fault;
    } finally {
      // After a revocation a newer request may have taken this place.
      if (this.#underWay.get(digest) === current()) this.#underWay.delete(digest);
    }
  }

  async #confirmKey(secret: string, digest: string): Promise<Verified> {
    // A text that is no key of ours needs no query.
    if (!KEY.test(secret)) return UNKNOWN;
    const { db, clock } = this.#parts;
    const askedAt = this.#forgotten;
    const row = await db.run((sql) => findKeyByHash(sql, Buffer.from(digest.slice(1), "base64url")));
    if (row === null) return UNKNOWN;
    const expiresAtMs = row.expires_at === null ? Number.POSITIVE_INFINITY : row.expires_at.getTime();
    if (expiresAtMs <= clock.nowMs()) return UNKNOWN;
    this.#uses.note(row.workspace_id, row.id);
    const { id: keyId, name, workspace_id: workspaceId, role } = row;
    return this.#keep(digest, { kind: "key", keyId, name, workspaceId, role }, expiresAtMs, askedAt);
  }

  async #confirmToken(token: string, digest: string): Promise<Verified> {
    const { db, tokens, clock } = this.#parts;
    const claims = await tokens.verify(token, clock.nowMs());
    if (claims === null) return UNKNOWN;
    const askedAt = this.#forgotten;
    const rows = await db.run((sql) => findMemberships(sql, claims.userId));
    const { userId, email, name, sessionId, expiresAtMs } = claims;
    const memberships = new Map(rows.map((row) => [row.id, row.role]));
    return this.#keep(digest, { kind: "user", userId, email, name, sessionId, memberships }, expiresAtMs, askedAt);
  }

  #keep(digest: string, principal: Principal, expiresAtMs: number, askedAt: number): Principal {
    if (askedAt !== this.#forgotten) return principal;
    this.#entries.delete(digest);
    dropOldest(this.#entries, CREDENTIAL_CACHE_ENTRIES_MAX);
    this.#entries.set(digest, { principal, expiresAtMs, confirmedAtMs: this.#parts.clock.nowMs() });
    return principal;
  }
}

/** Makes room for one more; the first entry of a Map is the oldest. */
function dropOldest(map: Map<string, unknown>, entriesMax: number): void {
  if (map.size >= entriesMax) map.delete(map.keys().next().value!);
}
