/**
 * The steps of sign-in: open a login, verify its code, trade a refresh token, make a user's first workspace. Each is at most
 * one transaction; the routes only translate.
 */
import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import type { Database, Sql } from "../../db/client.ts";
import { insertWorkspace } from "../../db/newWorkspace.ts";
import { isRefusal, type Refusal, refusal } from "../../domain/errors.ts";
import { assert } from "../../lib/assert.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { newId, newSecret, sha256 } from "../../lib/ids.ts";
import { LOGIN_CODE_ATTEMPTS_MAX, LOGIN_CODE_TTL_S, REFRESH_TOKEN_TTL_S } from "../../limits.ts";
import * as store from "./store.ts";
import type { TokenKeys } from "./token.ts";

export interface SignInParts {
  readonly db: Database;
  readonly tokens: TokenKeys;
  readonly clock: Clock;
  /** Mixed into the hash of a code: there are only a million codes, so a stolen table could be searched without it. */
  readonly pepper: string;
  /** How many workspaces one user may make. */
  readonly workspacesPerUserMax: number;
}

const hashCode = (pepper: string, email: string, code: string): Buffer =>
  createHmac("sha256", pepper).update(`${email}\u0000${code}`).digest();

export async function openLogin(parts: SignInParts, email: string): Promise<{ code: string; expiresAtMs: number }> {
  const code = String(randomInt(0, 1_000_000)).padStart(6, "0");
  const expiresAtMs = parts.clock.nowMs() + LOGIN_CODE_TTL_S * 1000;
  await parts.db.run((sql) =>
    store.upsertLogin(sql, email, hashCode(parts.pepper, email, code), new Date(expiresAtMs)),
  );
  return { code, expiresAtMs };
}

/** The first five wrong codes are `code_invalid`, any further one, even the right one, is `too_many_attempts`. */
async function checkCode(
  parts: SignInParts,
  email: string,
  code: string,
): Promise<Buffer | Refusal<"code_invalid" | "too_many_attempts">> {
  const login = await parts.db.run((sql) => store.countAttempt(sql, email));
  const wrong = refusal("code_invalid", "the code is wrong or has expired; ask for a new one");
  if (login === null) return wrong;
  if (login.attempts > LOGIN_CODE_ATTEMPTS_MAX)
    return refusal("too_many_attempts", "too many wrong codes for this login; ask for a new one");
  const given = hashCode(parts.pepper, email, code);
  if (!timingSafeEqual(given, login.code_hash) || login.expires_at.getTime() <= parts.clock.nowMs()) return wrong;
  return login.code_hash;
}

export async function verifyLogin(parts: SignInParts, email: string, code: string) {
  const codeHash = await checkCode(parts, email, code);
  if (!Buffer.isBuffer(codeHash)) return codeHash;
  return parts.db.transact(async (sql) => {
    if (!(await store.deleteLogin(sql, email, codeHash))) return refusal("code_invalid", "the code was used already");
    const user = await ensureUser(parts, sql, email, null);
    assert(!isRefusal(user), "a new user has made no workspace yet");
    return startSession(parts, sql, user, newId("fam", parts.clock.nowMs()));
  });
}

export function devLogin(parts: SignInParts, email: string, workspaceName: string | null) {
  return parts.db.transact(async (sql) => {
    const user = await ensureUser(parts, sql, email, workspaceName);
    return isRefusal(user) ? user : startSession(parts, sql, user, newId("fam", parts.clock.nowMs()));
  });
}

/**
 * A token works once. A spent one that is shown again revokes its whole family; the refusal is returned and not thrown,
 * because an exception would roll that back.
 */
export async function refreshSession(parts: SignInParts, token: string) {
  const tokenHash = sha256(token);
  return parts.db.transact(async (sql) => {
    await store.lockFamilyOf(sql, tokenHash);
    const spent = await store.spendRefreshToken(sql, tokenHash);
    const user = spent === null ? null : await store.findUser(sql, spent.user_id);
    if (spent === null || user === null) {
      await store.revokeFamilyOfSpent(sql, tokenHash);
      return refusal("refresh_invalid", "the refresh token is unknown, spent or expired; sign in again");
    }
    return startSession(parts, sql, user, spent.family_id);
  });
}

/** Makes the user at the first sign-in of an address, with a workspace that is named after the address and owned by it. */
async function ensureUser(
  parts: SignInParts,
  sql: Sql,
  email: string,
  workspaceName: string | null,
): Promise<store.UserRow | Refusal<"invalid_state">> {
  const nowMs = parts.clock.nowMs();
  const created = await store.insertUser(sql, { id: newId("usr", nowMs), email, name: email.split("@")[0]! });
  const user = created ?? (await store.findUserByEmail(sql, email))!;
  const names = workspaceName === null ? [] : (await store.findMemberships(sql, user.id)).map((m) => m.name);
  if (created === null && (workspaceName === null || names.includes(workspaceName))) return user;
  const named = { id: newId("wsp", nowMs), name: workspaceName ?? email, ownerId: user.id };
  return (await insertWorkspace(sql, named, parts.workspacesPerUserMax)) ?? user;
}

async function startSession(parts: SignInParts, sql: Sql, user: store.UserRow, familyId: string) {
  const nowMs = parts.clock.nowMs();
  const { token, expiresAtMs } = await parts.tokens.sign(
    { userId: user.id, email: user.email, name: user.name, sessionId: familyId },
    nowMs,
  );
  const refreshToken = newSecret("rft");
  const refreshExpiresAt = new Date(nowMs + REFRESH_TOKEN_TTL_S * 1000);
  await store.insertRefreshToken(sql, sha256(refreshToken), familyId, user.id, refreshExpiresAt);
  return {
    session_token: token,
    expires_at: toRfc3339(expiresAtMs),
    refresh_token: refreshToken,
    refresh_expires_at: refreshExpiresAt.toISOString(),
    user: { id: user.id, email: user.email, name: user.name },
    workspaces: await store.findMemberships(sql, user.id),
  };
}
