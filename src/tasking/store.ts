/** The task ledger's rows, one function per statement. A task is one JSON value; members used in queries are columns too. */
import type { JSONValue } from "postgres";
import type { Sql } from "../db/client.ts";
import { isTerminal, type Task } from "../domain/task.ts";

interface Row {
  readonly task: Task;
}

export async function insertTask(sql: Sql, workspaceId: string, task: Task): Promise<void> {
  await sql`
    insert into tasks (workspace_id, id, asset_id, verb, status, idempotency_key, created_at, is_open, task)
    values (${workspaceId}, ${task.id}, ${task.asset_id}, ${task.verb}, ${task.status}, ${task.idempotency_key},
      ${task.created_at}, ${!isTerminal(task.status)}, ${sql.json(task as JSONValue)})`;
}

/** false: the row already has a newer form, or has ended; it stays as it is (L1). */
export async function updateTask(sql: Sql, workspaceId: string, task: Task): Promise<boolean> {
  const rows = await sql`
    update tasks set status = ${task.status}, is_open = ${!isTerminal(task.status)}, task = ${sql.json(task as JSONValue)}
    where workspace_id = ${workspaceId} and id = ${task.id} and is_open
      and (task ->> 'status_version')::int < ${task.status_version}
    returning id`;
  return rows.length === 1;
}

export async function findTask(sql: Sql, workspaceId: string, id: string): Promise<Task | null> {
  const rows = await sql<Row[]>`select task from tasks where workspace_id = ${workspaceId} and id = ${id}`;
  return rows[0]?.task ?? null;
}

/** Under any id of the asset, because it may have been adopted since. */
export async function findTaskByKey(
  sql: Sql,
  workspaceId: string,
  assetIds: readonly string[],
  key: string,
): Promise<Task | null> {
  const rows = await sql<Row[]>`
    select task from tasks
    where workspace_id = ${workspaceId} and asset_id in ${sql(assetIds)} and idempotency_key = ${key}
    order by id limit 1`;
  return rows[0]?.task ?? null;
}

/** For a room that opens; oldest first. */
export async function findOpenTasks(sql: Sql, workspaceId: string): Promise<Task[]> {
  const rows = await sql<Row[]>`select task from tasks where workspace_id = ${workspaceId} and is_open order by id`;
  return rows.map((row) => row.task);
}

interface TaskFilter {
  /** The ids of one asset. */
  readonly assetIds: readonly string[] | null;
  readonly statuses: readonly string[] | null;
  readonly verb: string | null;
  readonly since: Date | null;
  /** Only tasks after this id in the order of the list; ids sort by time. */
  readonly beyondId: string | null;
  readonly descending: boolean;
  readonly limit: number;
}

export async function findTasks(sql: Sql, workspaceId: string, filter: TaskFilter): Promise<Task[]> {
  const { assetIds, statuses, verb, since, beyondId, descending, limit } = filter;
  const rows = await sql<Row[]>`
    select task from tasks where workspace_id = ${workspaceId}
      ${assetIds === null ? sql`` : sql`and asset_id in ${sql(assetIds)}`}
      ${statuses === null ? sql`` : sql`and status in ${sql(statuses)}`}
      ${verb === null ? sql`` : sql`and verb = ${verb}`}
      ${since === null ? sql`` : sql`and created_at >= ${since}`}
      ${beyondId === null ? sql`` : descending ? sql`and id < ${beyondId}` : sql`and id > ${beyondId}`}
    order by id ${descending ? sql`desc` : sql`asc`} limit ${limit}`;
  return rows.map((row) => row.task);
}
