/**
 * The catalogue entries of a workspace in Postgres, one function for each statement. A write is one statement, so it needs no
 * transaction. Checks nothing: specs come in parsed.
 */
import type { JSONValue } from "postgres";
import type { Sql } from "../../db/client.ts";
import type { CatalogEntry, CatalogSpec } from "../../domain/catalogue.ts";

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly spec: CatalogSpec;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface NewEntry {
  readonly kind: string;
  readonly name: string;
  readonly nameKey: string;
  readonly spec: CatalogSpec;
}

function toEntry(row: Row): CatalogEntry {
  const { id, kind, name, spec } = row;
  return { id, kind, name, spec, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

export async function findEntries(sql: Sql, workspaceId: string): Promise<CatalogEntry[]> {
  const rows = await sql<Row[]>`
    select id, kind, name, spec, created_at, updated_at from catalogue_entries
    where workspace_id = ${workspaceId} order by name_key`;
  return rows.map(toEntry);
}

export async function findEntry(sql: Sql, workspaceId: string, id: string): Promise<CatalogEntry | null> {
  const rows = await sql<Row[]>`
    select id, kind, name, spec, created_at, updated_at from catalogue_entries
    where workspace_id = ${workspaceId} and id = ${id}`;
  return rows[0] === undefined ? null : toEntry(rows[0]);
}

/** Replaces the row of that name, which keeps its id (ADR 0060). null: there would be more than `entriesMax`. */
export async function insertEntry(
  sql: Sql,
  workspaceId: string,
  entry: NewEntry,
  entriesMax: number,
): Promise<CatalogEntry | null> {
  const rows = await sql<Row[]>`
    insert into catalogue_entries (workspace_id, kind, name, name_key, spec)
    select ${workspaceId}, ${entry.kind}, ${entry.name}, ${entry.nameKey}, ${sql.json(entry.spec as JSONValue)}
    where (select count(*) from catalogue_entries where workspace_id = ${workspaceId}) < ${entriesMax}
      or exists (select from catalogue_entries where workspace_id = ${workspaceId} and name_key = ${entry.nameKey})
    on conflict (workspace_id, name_key)
    do update set kind = excluded.kind, name = excluded.name, spec = excluded.spec, updated_at = now()
    returning id, kind, name, spec, created_at, updated_at`;
  return rows[0] === undefined ? null : toEntry(rows[0]);
}

/** Leaves existing rows as they are, because two requests may backfill at once. */
export async function insertMissingEntries(sql: Sql, workspaceId: string, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    workspace_id: workspaceId,
    kind: entry.kind,
    name: entry.name,
    name_key: entry.nameKey,
    spec: sql.json(entry.spec as JSONValue),
  }));
  await sql`insert into catalogue_entries ${sql(rows)} on conflict (workspace_id, name_key) do nothing`;
}

/** null: no such entry. "taken": another entry has the name. */
export async function updateEntry(
  sql: Sql,
  workspaceId: string,
  id: string,
  change: { kind: string | null; name: string | null; nameKey: string | null; spec: CatalogSpec },
): Promise<CatalogEntry | null | "taken"> {
  try {
    const rows = await sql<Row[]>`
      update catalogue_entries set
        kind = coalesce(${change.kind}, kind), name = coalesce(${change.name}, name),
        name_key = coalesce(${change.nameKey}, name_key), spec = ${sql.json(change.spec as JSONValue)}, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${id}
      returning id, kind, name, spec, created_at, updated_at`;
    return rows[0] === undefined ? null : toEntry(rows[0]);
  } catch (error) {
    if ((error as { code?: string }).code === "23505") return "taken";
    throw error;
  }
}
