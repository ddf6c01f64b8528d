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
  for (const task of news) {
    const previous = room.tasks.get(task.id)?.status ?? task.status;
    room.commit({ op: "task_moved", task, previous }, nowMs);
  }
  for (const { task, previous } of moves) room.commit({ op: "task_moved", task, previous }, nowMs);
}
