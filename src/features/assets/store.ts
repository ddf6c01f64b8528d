/** The registry's rows in Postgres, one function for each statement. Decides nothing. */
import type { JSONValue } from "postgres";
import type { Sql } from "../../db/client.ts";
import type { Asset } from "../../domain/asset.ts";

type Row = Omit<Asset, "created_at" | "updated_at"> & { readonly created_at: Date; readonly updated_at: Date };

function toAsset({ created_at, updated_at, ...row }: Row): Asset {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

const COLUMNS = [
  "id",
  "kind",
  "name",
  "domain",
  "spec",
  "remote_id_serial",
  "performance",
  "placement",
  "payloads",
  "switches",
  "connection",
  "created_at",
  "updated_at",
  "version",
] as const;

export async function findAssets(sql: Sql, workspaceId: string): Promise<Asset[]> {
  const rows = await sql<Row[]>`
    select ${sql(COLUMNS)} from assets where workspace_id = ${workspaceId} order by created_at, id`;
  return rows.map(toAsset);
}

/** The row, and the rows that have its address or its serial. */
export async function findAssetsLike(sql: Sql, workspaceId: string, asset: Asset): Promise<Asset[]> {
  const rows = await sql<Row[]>`
    select ${sql(COLUMNS)} from assets where workspace_id = ${workspaceId} and (id = ${asset.id}
      or address = ${asset.connection?.address ?? null} or remote_id_serial = ${asset.remote_id_serial})`;
  return rows.map(toAsset);
}

/** null: another row has the address or the serial, so the transaction was rolled back. */
export async function unlessTaken<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing;
  } catch (fault) {
    if ((fault as { code?: string }).code === "23505") return null;
    throw fault;
  }
}

/** JSON, or an SQL null where the member is null. */
function json(sql: Sql, value: unknown) {
  return value === null ? null : sql.json(value as JSONValue);
}

/** false: the address or the serial belongs to another asset. */
export async function insertAsset(sql: Sql, workspaceId: string, asset: Asset): Promise<boolean> {
  const rows = await sql`
    insert into assets (workspace_id, id, kind, name, domain, spec, remote_id_serial, performance, placement, payloads,
      switches, connection, address, created_at, updated_at, version)
    values (${workspaceId}, ${asset.id}, ${asset.kind}, ${asset.name}, ${asset.domain}, ${json(sql, asset.spec)},
      ${asset.remote_id_serial}, ${json(sql, asset.performance)}, ${json(sql, asset.placement)},
      ${json(sql, asset.payloads)}, ${json(sql, asset.switches)}, ${json(sql, asset.connection)},
      ${asset.connection?.address ?? null}, ${asset.created_at}, ${asset.updated_at}, ${asset.version})
    on conflict do nothing returning id`;
  return rows.length === 1;
}

/** null: the row no longer has the version that was read, or was removed. */
export async function updateAsset(
  sql: Sql,
  workspaceId: string,
  asset: Asset,
  readVersion: number,
): Promise<Asset | null> {
  const rows = await sql<Row[]>`
    update assets set kind = ${asset.kind}, name = ${asset.name}, domain = ${asset.domain}, spec = ${json(sql, asset.spec)},
      remote_id_serial = ${asset.remote_id_serial}, performance = ${json(sql, asset.performance)},
      placement = ${json(sql, asset.placement)}, payloads = ${json(sql, asset.payloads)},
      switches = ${json(sql, asset.switches)}, connection = ${json(sql, asset.connection)},
      address = ${asset.connection?.address ?? null}, updated_at = ${asset.updated_at}, version = version + 1
    where workspace_id = ${workspaceId} and id = ${asset.id} and version = ${readVersion}
    returning ${sql(COLUMNS)}`;
  return rows[0] === undefined ? null : toAsset(rows[0]);
}

/** Writes a model's new name into its assets. `names`: the spellings of the old name. */
export async function renameModel(
  sql: Sql,
  workspaceId: string,
  names: readonly string[],
  name: string,
  updatedAt: string,
): Promise<Asset[]> {
  const rows = await sql<Row[]>`
    update assets set spec = jsonb_set(spec, '{model}', to_jsonb(${name}::text)), updated_at = ${updatedAt},
      version = version + 1
    where workspace_id = ${workspaceId} and spec ->> 'model' = any(${[...names]})
    returning ${sql(COLUMNS)}`;
  return rows.map(toAsset);
}

/** Removes the placement of the sensors that an asset carries. */
export async function unplaceGuests(
  sql: Sql,
  workspaceId: string,
  hostId: string,
  updatedAt: string,
): Promise<Asset[]> {
  const rows = await sql<Row[]>`
    update assets set placement = null, updated_at = ${updatedAt}, version = version + 1
    where workspace_id = ${workspaceId} and placement ->> 'host_asset_id' = ${hostId}
    returning ${sql(COLUMNS)}`;
  return rows.map(toAsset);
}

export async function findModelNames(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql<{ model: string }[]>`
    select distinct spec ->> 'model' as model from assets where workspace_id = ${workspaceId} and spec ? 'model'`;
  return rows.map(({ model }) => model);
}

export async function deleteAsset(sql: Sql, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql`delete from assets where workspace_id = ${workspaceId} and id = ${id} returning id`;
  return rows.length === 1;
}
