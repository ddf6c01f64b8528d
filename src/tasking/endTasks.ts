/** Ends the open tasks of a removed asset in the transaction that removes it, so that none stays open for ever. */
import type { Sql } from "../db/client.ts";
import { appendEvents } from "../db/eventLog.ts";
import type { Actor } from "../domain/access.ts";
import { moved, type TaskStatus } from "../domain/task.ts";
import type { Clock } from "../lib/clock.ts";
import type { RoomFace } from "../room/face.ts";
import { statusDraft } from "./drafts.ts";
import { commitMoves, writeMoves } from "./writeMoves.ts";

/** A task that was sent cannot be taken back, so it fails. */
const ENDS: Partial<Record<TaskStatus, TaskStatus>> = {
  queued: "cancelled",
  sent: "failed",
  accepted: "failed",
  executing: "failed",
  cancel_requested: "cancelled",
};

/** Call the returned function after the commit: it commits the moves to the room. */
export async function endTasks(
  clock: Clock,
  sql: Sql,
  room: RoomFace,
  assetId: string,
  actor: Actor,
): Promise<() => void> {
  const nowMs = clock.nowMs();
  const move = { nowMs, by: actor.id, reason: "the asset was removed", reasonCode: "asset_removed" };
  const written = await writeMoves(sql, room.id, room.tasks.openOf(assetId), (open) => {
    const task = moved(open, ENDS[open.status] ?? "failed", move);
    return task === null ? null : { task, previous: open.status };
  });
  const drafts = written.moves.map(({ task, previous }) => statusDraft(room, actor, task, previous, nowMs));
  await appendEvents(sql, room, drafts);
  return () => commitMoves(room, written, nowMs);
}
