/** SQL of workspaces and memberships. */
import type { Sql } from "../../db/client.ts";
import type { Role } from "../../domain/access.ts";

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly origin_lat: number | null;
  readonly origin_lon: number | null;
  readonly origin_alt_m: number | null;
  readonly retention: { obs_h: number; track_h: number; event_d: number };
  readonly created_at: Date;
  readonly members_count: number;
}

interface MemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: Date;
}

export async function findWorkspace(sql: Sql, id: string): Promise<WorkspaceRow | null> {
  const [row] = await sql<WorkspaceRow[]>`
    select w.id, w.name, w.origin_lat, w.origin_lon, w.origin_alt_m, w.retention, w.created_at,
           (select count(*)::int from memberships m where m.workspace_id = w.id) as members_count
    from workspaces w where w.id = ${id}`;
  return row ?? null;
}

export async function findWorkspacesOf(sql: Sql, ids: readonly string[]): Promise<WorkspaceRow[]> {
  return sql<WorkspaceRow[]>`
    select w.id, w.name, w.origin_lat, w.origin_lon, w.origin_alt_m, w.retention, w.created_at,
           (select count(*)::int from memberships m where m.workspace_id = w.id) as members_count
    from workspaces w where w.id = any(${ids as string[]}) order by w.created_at, w.id`;
}

export async function updateWorkspace(
  sql: Sql,
  id: string,
  change: {
    name?: string;
    origin?: { lat: number; lon: number; alt: number } | null;
    retention?: WorkspaceRow["retention"];
  },
): Promise<void> {
  if (change.name !== undefined) await sql`update workspaces set name = ${change.name} where id = ${id}`;
  if (change.origin !== undefined) {
    const { lat, lon, alt } = change.origin ?? { lat: null, lon: null, alt: null };
    await sql`update workspaces set origin_lat = ${lat}, origin_lon = ${lon}, origin_alt_m = ${alt} where id = ${id}`;
  }
  if (change.retention !== undefined)
    await sql`update workspaces set retention = ${sql.json(change.retention)} where id = ${id}`;
}

export async function findMembers(sql: Sql, workspaceId: string): Promise<MemberRow[]> {
  return sql<MemberRow[]>`
    select m.user_id, u.email, u.name, m.role, m.created_at from memberships m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} order by m.created_at, m.user_id`;
}

/** Locks every membership of the workspace, so that two demotions cannot leave it without an owner. */
export async function lockMembers(sql: Sql, workspaceId: string): Promise<{ user_id: string; role: Role }[]> {
  return sql<{ user_id: string; role: Role }[]>`
    select user_id, role from memberships where workspace_id = ${workspaceId} order by user_id for update`;
}

export async function upsertUser(sql: Sql, id: string, email: string): Promise<{ id: string; name: string }> {
  const [row] = await sql<{ id: string; name: string }[]>`
    insert into users (id, email, name) values (${id}, ${email}, ${email.split("@")[0]!})
    on conflict (email) do update set email = excluded.email returning id, name`;
  return row!;
}

export async function insertMember(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<Date | null> {
  const [row] = await sql<{ created_at: Date }[]>`
    insert into memberships (workspace_id, user_id, role) values (${workspaceId}, ${userId}, ${role})
    on conflict do nothing returning created_at`;
  return row?.created_at ?? null;
}

export async function updateMemberRole(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<void> {
  await sql`update memberships set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`;
}

export async function deleteMember(sql: Sql, workspaceId: string, userId: string): Promise<void> {
  await sql`delete from memberships where workspace_id = ${workspaceId} and user_id = ${userId}`;
}
