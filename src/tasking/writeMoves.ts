/**
 * Moves of several tasks in the transaction that causes them. When a row is newer than the room's task (the answer of a
 * commit was lost, or another node wrote), the move is decided again from the row, so that only written moves are published.
 */
import type { Sql } from "../db/client.ts";
import type { Task, TaskStatus } from "../domain/task.ts";
import type { RoomFace } from "../room/face.ts";
import { findTask, updateTask } from "./store.ts";

export interface Moved {
  readonly task: Task;
  readonly previous: TaskStatus;
}

interface WrittenMoves {
  readonly moves: readonly Moved[];
  /** Rows that were newer than the room's tasks. */
  readonly news: readonly Task[];
}

export async function writeMoves(
  sql: Sql,
  workspaceId: string,
  tasks: readonly Task[],
  decide: (task: Task) => Moved | null,
): Promise<WrittenMoves> {
  const moves: Moved[] = [];
  const news: Task[] = [];
  for (const known of tasks) {
    const move = decide(known);
    if (move === null) continue;
    if (await updateTask(sql, workspaceId, move.task)) {
      moves.push(move);
      continue;
    }
    const row = await findTask(sql, workspaceId, known.id);
    if (row === null) continue;
    news.push(row);
    const again = decide(row);
    if (again !== null && (await updateTask(sql, workspaceId, again.task))) moves.push(again);
  }
  return { moves, news };
}

/** Call it after the commit. */
export function commitMoves(room: RoomFace, { moves, news }: WrittenMoves, nowMs: number): void {
  for (const row of news) commitRow(room, row, nowMs);
  for (const { task, previous } of moves) room.commit({ op: "task_moved", task, previous }, nowMs);
}

/**
 * Commits a row that was written without the room's knowledge, if it is newer than the room's task. Status decides: a
 * percentage raises the version in memory only, so a newer row may have a lower one.
 */
export function commitRow(room: RoomFace, row: Task, nowMs: number): void {
  const known = room.tasks.get(row.id);
  if (known === undefined || (row.status === known.status && row.status_version <= known.status_version)) return;
  const task = { ...row, status_version: Math.max(row.status_version, known.status_version + 1) };
  room.commit({ op: "task_moved", task, previous: known.status }, nowMs);
}
