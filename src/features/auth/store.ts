/** SQL of sign-in: users, open logins, refresh tokens. One statement a function; no rules. */

import type { Sql } from "../../db/client.ts";
import type { Role } from "../../domain/access.ts";

export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export interface MembershipRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export async function upsertLogin(sql: Sql, email: string, codeHash: Buffer, expiresAt: Date): Promise<void> {
  await sql`
    insert into logins (email, code_hash, attempts, expires_at) values (${email}, ${codeHash}, 0, ${expiresAt})
    on conflict (email) do update set code_hash = excluded.code_hash, attempts = 0, created_at = now(), expires_at = excluded.expires_at`;
}

/** Counts the attempt before the code is compared, so that parallel guesses are counted each. */
export async function countAttempt(sql: Sql, email: string) {
  const [row] = await sql<{ code_hash: Buffer; attempts: number; expires_at: Date }[]>`
    update logins set attempts = attempts + 1 where email = ${email} returning code_hash, attempts, expires_at`;
  return row ?? null;
}

/** True for exactly one caller. */
export async function deleteLogin(sql: Sql, email: string, codeHash: Buffer): Promise<boolean> {
  const rows = await sql`delete from logins where email = ${email} and code_hash = ${codeHash} returning email`;
  return rows.length === 1;
}

/** The new row, or null when the address has a user already. Concurrent callers wait for the first. */
export async function insertUser(sql: Sql, user: UserRow): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`
    insert into users (id, email, name) values (${user.id}, ${user.email}, ${user.name})
    on conflict (email) do nothing returning id, email, name`;
  return row ?? null;
}

export async function findUserByEmail(sql: Sql, email: string): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`select id, email, name from users where email = ${email}`;
  return row ?? null;
}

export async function findUser(sql: Sql, id: string): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`select id, email, name from users where id = ${id}`;
  return row ?? null;
}

export async function findMemberships(sql: Sql, userId: string): Promise<MembershipRow[]> {
  return sql<MembershipRow[]>`
    select w.id, w.name, m.role from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = ${userId} order by w.created_at, w.id`;
}

export async function insertRefreshToken(
  sql: Sql,
  tokenHash: Buffer,
  familyId: string,
  userId: string,
  expiresAt: Date,
): Promise<void> {
  await sql`
    insert into refresh_tokens (token_hash, family_id, user_id, expires_at) values (${tokenHash}, ${familyId}, ${userId}, ${expiresAt})`;
}

/** Locks the token's family until the transaction ends, so that a revocation does not miss a token that is being made. */
export async function lockFamilyOf(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(family_id, 0)) from refresh_tokens where token_hash = ${tokenHash}`;
}

/** The row, for the one call that spent the token; null for every other. */
export async function spendRefreshToken(sql: Sql, tokenHash: Buffer) {
  const [row] = await sql<{ user_id: string; family_id: string }[]>`
    update refresh_tokens set spent_at = now()
    where token_hash = ${tokenHash} and spent_at is null and revoked_at is null and expires_at > now()
    returning user_id, family_id`;
  return row ?? null;
}

/** A spent token that is shown again has been stolen, so its whole family is revoked (RFC 9700, 4.14.2). */
export async function revokeFamilyOfSpent(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql`
    update refresh_tokens set revoked_at = now()
    where revoked_at is null
      and family_id = (select family_id from refresh_tokens where token_hash = ${tokenHash} and spent_at is not null)`;
}

export async function revokeRefreshTokens(sql: Sql, userId: string, tokenHash: Buffer | null): Promise<number> {
  const rows = await sql`
    update refresh_tokens set revoked_at = now()
    where user_id = ${userId} and spent_at is null and revoked_at is null and expires_at > now()
      and (${tokenHash}::bytea is null or token_hash = ${tokenHash}::bytea)
    returning 1`;
  return rows.length;
}

export async function findKeyByHash(sql: Sql, secretHash: Buffer) {
  const [row] = await sql<{ workspace_id: string; id: string; name: string; role: Role; expires_at: Date | null }[]>`
    select workspace_id, id, name, role, expires_at from api_keys where secret_hash = ${secretHash} and revoked_at is null`;
  return row ?? null;
}

export async function touchKeys(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = now() where workspace_id = ${workspaceId} and id = any(${ids as string[]})`;
}

/** Refresh tokens and logins that can never be used again. */
export async function deleteExpired(sql: Sql): Promise<void> {
  await sql`delete from refresh_tokens where expires_at < now() - interval '1 day'`;
  await sql`delete from logins where expires_at < now() - interval '1 day'`;
}

export async function findWorkspaceName(sql: Sql, workspaceId: string): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`select name from workspaces where id = ${workspaceId}`;
  return row?.name ?? null;
}
