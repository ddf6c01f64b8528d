/**
 * Who is asking: credential to principal. Verified credentials are kept by a digest of their secret, so that the hot
 * path costs one hash and one look-up; a revoked key or a changed membership is forgotten at once in this process and
 * within CREDENTIAL_CACHE_TTL_MS elsewhere. While the database is away, what was verified before is believed longer.
 */
import { hash } from "node:crypto";
import type { Principal } from "../../domain/access.ts";
import { isRefusal, type Refusal, refusal, UnavailableError } from "../../domain/errors.ts";
import type { Database } from "../../db/client.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  BEARER_BYTES_MAX, CREDENTIAL_CACHE_ENTRIES_MAX, CREDENTIAL_CACHE_STALE_TTL_MS, CREDENTIAL_CACHE_TTL_MS,
} from "../../limits.ts";
import { findKeyByHash, findMemberships, touchKeys } from "./store.ts";
import type { TokenKeys } from "./token.ts";

type Verified = Principal | Refusal;

interface Entry {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  /** When the registry last confirmed it; -Infinity after it was told to forget. */
  confirmedAtMs: number;
}

export interface Authenticator {
  /** Synchronous on a hit. Exactly one of the two is not empty. */
  authenticate(bearer: string, apiKey: string): Verified | Promise<Verified>;
  forgetKey(keyId: string): void;
  /** Memberships or roles of the user changed. */
  forgetUser(userId: string): void;
  /** Writes the times of last use that have gathered; called now and then. */
  flushUse(): Promise<void>;
}

const UNKNOWN = refusal("unauthenticated", "the credential is not valid: it was never issued, has expired or was revoked");

export function createAuthenticator(parts: { db: Database; tokens: TokenKeys; clock: Clock }): Authenticator {
  const { db, tokens, clock } = parts;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, Promise<Verified>>();
  const usedKeys = new Set<string>();

  const keep = (digest: string, principal: Principal, expiresAtMs: number): Principal => {
    entries.delete(digest);
    // The oldest confirmed goes first: Map keeps the order of insertion.
    if (entries.size >= CREDENTIAL_CACHE_ENTRIES_MAX) entries.delete(entries.keys().next().value!);
    entries.set(digest, { principal, expiresAtMs, confirmedAtMs: clock.nowMs() });
    return principal;
  };

  const confirmKey = async (secret: string, digest: string): Promise<Verified> => {
    const row = await db.run((sql) => findKeyByHash(sql, Buffer.from(digest.slice(1), "base64url")));
    if (row === null || !secret.startsWith("dak_")) return UNKNOWN;
    const expiresAtMs = row.expires_at === null ? Number.POSITIVE_INFINITY : row.expires_at.getTime();
    if (expiresAtMs <= clock.nowMs()) return UNKNOWN;
    return keep(digest, { kind: "key", keyId: row.id, name: row.name, workspaceId: row.workspace_id, role: row.role }, expiresAtMs);
  };

  const confirmToken = async (token: string, digest: string): Promise<Verified> => {
    const claims = await tokens.verify(token, clock.nowMs());
    if (claims === null) return UNKNOWN;
    const rows = await db.run((sql) => findMemberships(sql, claims.userId));
    const { userId, email, name, sessionId, expiresAtMs } = claims;
    const memberships = new Map(rows.map((row) => [row.id, row.role]));
    return keep(digest, { kind: "user", userId, email, name, sessionId, memberships }, expiresAtMs);
  };

  /** Asks the registry; with the database away, believes what it said before. */
  const confirm = async (digest: string, ask: () => Promise<Verified>): Promise<Verified> => {
    try {
      const verified = await ask();
      if (isRefusal(verified)) entries.delete(digest);
      return verified;
    } catch (fault) {
      const entry = entries.get(digest);
      const believable = entry !== undefined && clock.nowMs() - entry.confirmedAtMs < CREDENTIAL_CACHE_STALE_TTL_MS;
      if (fault instanceof UnavailableError && believable && entry.expiresAtMs > clock.nowMs()) return entry.principal;
      throw fault;
    } finally {
      underWay.delete(digest);
    }
  };

  return {
    authenticate(bearer, apiKey) {
      const isKey = apiKey !== "";
      const secret = isKey ? apiKey : bearer;
      if (secret.length > BEARER_BYTES_MAX) return UNKNOWN;
      const digest = (isKey ? "k" : "t") + hash("sha256", secret, "base64url");
      const entry = entries.get(digest);
      const nowMs = clock.nowMs();
      if (entry !== undefined && entry.expiresAtMs > nowMs && nowMs - entry.confirmedAtMs < CREDENTIAL_CACHE_TTL_MS) {
        if (entry.principal.kind === "key") usedKeys.add(entry.principal.keyId);
        return entry.principal;
      }
      const known = underWay.get(digest);
      if (known !== undefined) return known;
      const asking = confirm(digest, () => (isKey ? confirmKey(secret, digest) : confirmToken(secret, digest)));
      underWay.set(digest, asking);
      return asking;
    },
    forgetKey(keyId) {
      for (const [digest, { principal }] of entries) if (principal.kind === "key" && principal.keyId === keyId) entries.delete(digest);
    },
    forgetUser(userId) {
      for (const entry of entries.values())
        if (entry.principal.kind === "user" && entry.principal.userId === userId) entry.confirmedAtMs = Number.NEGATIVE_INFINITY;
    },
    async flushUse() {
      if (usedKeys.size === 0 || db.state !== "up") return;
      const ids = [...usedKeys];
      usedKeys.clear();
      await db.run((sql) => touchKeys(sql, ids));
    },
  };
}
