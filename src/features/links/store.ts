/** Links and ignored discoveries in Postgres, one function a statement. Secrets are sealed before they come here. */
import type { JSONValue } from "postgres";
import type { Sql } from "../../db/client.ts";

export interface LinkRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly name: string;
  readonly asset_id: string | null;
  readonly protocol: string;
  readonly direction: "in" | "out" | "both";
  readonly transport: string;
  readonly role: "listen" | "connect";
  readonly address: string;
  readonly port: number | null;
  readonly options: Record<string, unknown>;
  readonly secret_sealed: Uint8Array | null;
  readonly secret_prefix: string | null;
  readonly created_at: Date;
}

/** Links of all workspaces, for the start of the process. */
export async function findEveryLink(sql: Sql): Promise<LinkRow[]> {
  return sql<LinkRow[]>`select * from links order by workspace_id, created_at`;
}

export async function insertLink(sql: Sql, row: LinkRow): Promise<void> {
  await sql`
    insert into links (workspace_id, id, name, asset_id, protocol, direction, transport, role, address, port, options,
      secret_sealed, secret_prefix, created_at)
    values (${row.workspace_id}, ${row.id}, ${row.name}, ${row.asset_id}, ${row.protocol}, ${row.direction},
      ${row.transport}, ${row.role}, ${row.address}, ${row.port}, ${sql.json(row.options as JSONValue)},
      ${row.secret_sealed}, ${row.secret_prefix}, ${row.created_at})`;
}

export async function deleteLink(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from links where workspace_id = ${workspaceId} and id = ${id} returning id`;
  return rows.length === 1;
}

export async function findIgnoredKeys(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`select key from ignored_discoveries where workspace_id = ${workspaceId}`;
  return rows.map(({ key }) => key);
}

export async function insertIgnoredKey(
  sql: Sql,
  workspaceId: string,
  key: string,
  by: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into ignored_discoveries (workspace_id, key, ignored_by, ignored_at)
    values (${workspaceId}, ${key}, ${by}, ${at}) on conflict do nothing`;
}

/** The workspace that owns the deployment's MAVLink socket by default (docs/interface.md#links); null: there is none yet. */
export async function findFirstWorkspace(sql: Sql): Promise<string | null> {
  const rows = await sql<{ id: string }[]>`
    select id as id from workspaces order by created_at, id limit 1`;
  return rows[0]?.id ?? null;
}
