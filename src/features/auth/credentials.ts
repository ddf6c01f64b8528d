/**
 * Who is asking: credential to principal. Verified credentials are kept by a digest of their secret, so that the hot
 * path costs one hash and one look-up; a revoked key or a changed membership is forgotten at once in this process and
 * within CREDENTIAL_CACHE_TTL_MS elsewhere. While the database is away, what was verified before is believed longer.
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

interface Authenticator {
  /** Synchronous on a hit. Exactly one of the two is not empty. */
  authenticate(bearer: string, apiKey: string): Verified | Promise<Verified>;
  forgetKey(keyId: string): void;
  /** Memberships or roles of the user changed. */
  forgetUser(userId: string): void;
  /** Writes the times of last use that have gathered; called now and then. */
  flushUse(): Promise<void>;
}

const KEY = /^dak_[0-9A-Za-z]{43}$/;
/** Short: it only takes the weight off the registry when a client repeats a dead credential. */
const UNKNOWN_TTL_MS = 2000;
const UNKNOWN_ENTRIES_MAX = 10_000;

const UNKNOWN = refusal(
  "unauthenticated",
  "the credential is not valid: it was never issued, has expired or was revoked",
);

export function createAuthenticator(parts: { db: Database; tokens: TokenKeys; clock: Clock }): Authenticator {
  const { db, tokens, clock } = parts;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, Promise<Verified>>();
  /** Keys used since they were last written, by workspace. */
  const usedKeys = new Map<string, Set<string>>();
  /** Digests of secrets that the registry did not know, with the time until which that is believed. */
  const unknown = new Map<string, number>();
  /** Grows when something is forgotten: an answer that was asked for before is used once and not kept. */
  let forgotten = 0;

  const noteUse = (workspaceId: string, keyId: string) => {
    const used = usedKeys.get(workspaceId);
    if (used === undefined) usedKeys.set(workspaceId, new Set([keyId]));
    else used.add(keyId);
  };

  const keep = (digest: string, principal: Principal, expiresAtMs: number, askedAt: number): Principal => {
    if (askedAt !== forgotten) return principal;
    entries.delete(digest);
    // The oldest confirmed goes first: Map keeps the order of insertion.
    if (entries.size >= CREDENTIAL_CACHE_ENTRIES_MAX) entries.delete(entries.keys().next().value!);
    entries.set(digest, { principal, expiresAtMs, confirmedAtMs: clock.nowMs() });
    return principal;
  };

  const confirmKey = async (secret: string, digest: string): Promise<Verified> => {
    // No look-up for what cannot be a key of ours.
    if (!KEY.test(secret)) return UNKNOWN;
    const askedAt = forgotten;
    const row = await db.run((sql) => findKeyByHash(sql, Buffer.from(digest.slice(1), "base64url")));
    if (row === null) return UNKNOWN;
    const expiresAtMs = row.expires_at === null ? Number.POSITIVE_INFINITY : row.expires_at.getTime();
    if (expiresAtMs <= clock.nowMs()) return UNKNOWN;
    noteUse(row.workspace_id, row.id);
    return keep(
      digest,
      { kind: "key", keyId: row.id, name: row.name, workspaceId: row.workspace_id, role: row.role },
      expiresAtMs,
      askedAt,
    );
  };

  const confirmToken = async (token: string, digest: string): Promise<Verified> => {
    const claims = await tokens.verify(token, clock.nowMs());
    if (claims === null) return UNKNOWN;
    const askedAt = forgotten;
    const rows = await db.run((sql) => findMemberships(sql, claims.userId));
    const { userId, email, name, sessionId, expiresAtMs } = claims;
    const memberships = new Map(rows.map((row) => [row.id, row.role]));
    return keep(digest, { kind: "user", userId, email, name, sessionId, memberships }, expiresAtMs, askedAt);
  };

  /** Asks the registry; with the database away, believes what it said before. */
  const confirm = async (
    digest: string,
    ask: () => Promise<Verified>,
    current: () => Promise<Verified>,
  ): Promise<Verified> => {
    try {
      const verified = await ask();
      if (isRefusal(verified)) {
        entries.delete(digest);
        if (unknown.size >= UNKNOWN_ENTRIES_MAX) unknown.delete(unknown.keys().next().value!);
        unknown.set(digest, clock.nowMs() + UNKNOWN_TTL_MS);
      }
      return verified;
    } catch (fault) {
      const entry = entries.get(digest);
      const believable = entry !== undefined && clock.nowMs() - entry.confirmedAtMs < CREDENTIAL_CACHE_STALE_TTL_MS;
      if (fault instanceof UnavailableError && believable && entry.expiresAtMs > clock.nowMs()) return entry.principal;
      throw fault;
    } finally {
      // After a forget the place may belong to a newer question.
      if (underWay.get(digest) === current()) underWay.delete(digest);
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
        const { principal } = entry;
        if (principal.kind === "key") noteUse(principal.workspaceId, principal.keyId);
        return principal;
      }
      const known = underWay.get(digest);
      if (known !== undefined) return known;
      const unknownUntilMs = unknown.get(digest);
      if (unknownUntilMs !== undefined) {
        if (nowMs < unknownUntilMs) return UNKNOWN;
        unknown.delete(digest);
      }
      const ask = () => (isKey ? confirmKey(secret, digest) : confirmToken(secret, digest));
      const asking: Promise<Verified> = confirm(digest, ask, () => asking);
      underWay.set(digest, asking);
      return asking;
    },
    forgetKey(keyId) {
      forgotten++;
      underWay.clear();
      for (const [digest, { principal }] of entries)
        if (principal.kind === "key" && principal.keyId === keyId) entries.delete(digest);
    },
    forgetUser(userId) {
      forgotten++;
      underWay.clear();
      for (const entry of entries.values())
        if (entry.principal.kind === "user" && entry.principal.userId === userId)
          entry.confirmedAtMs = Number.NEGATIVE_INFINITY;
    },
    async flushUse() {
      if (db.state !== "up") return;
      for (const [workspaceId, ids] of [...usedKeys]) {
        // Taken before the write, so that a use during it is not taken for written; given back where it fails.
        usedKeys.delete(workspaceId);
        try {
          await db.run((sql) => touchKeys(sql, workspaceId, [...ids]));
        } catch (fault) {
          for (const id of ids) noteUse(workspaceId, id);
          throw fault;
        }
      }
    },
  };
}
