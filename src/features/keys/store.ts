/** SQL of API keys. Only the SHA-256 of a secret reaches the database. */
import type { Sql } from "../../db/client.ts";
import type { Role } from "../../domain/access.ts";

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly created_by: string;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

interface NewKey {
  readonly workspaceId: string;
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly secretHash: Buffer;
  readonly role: Role;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
}

export async function insertKey(sql: Sql, key: NewKey): Promise<Date> {
  const [row] = await sql<{ created_at: Date }[]>`
    insert into api_keys (workspace_id, id, name, prefix, secret_hash, role, created_by, expires_at)
    values (${key.workspaceId}, ${key.id}, ${key.name}, ${key.prefix}, ${key.secretHash}, ${key.role}, ${key.createdBy}, ${key.expiresAt})
    returning created_at`;
  return row!.created_at;
}

/** Newest first: ids sort by time. */
export async function findKeys(
  sql: Sql,
  workspaceId: string,
  olderThanId: string | null,
  limit: number,
): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select id, name, prefix, role, created_at, created_by, last_used_at, expires_at, revoked_at
    from api_keys where workspace_id = ${workspaceId} ${olderThanId === null ? sql`` : sql`and id < ${olderThanId}`}
    order by id desc limit ${limit}`;
}

export async function countLiveKeys(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from api_keys where workspace_id = ${workspaceId} and revoked_at is null`;
  return row!.n;
}

/** False where there is no such key or it was revoked before. */
export async function revokeKey(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql`
    update api_keys set revoked_at = now() where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null returning id`;
  return rows.length === 1;
}
