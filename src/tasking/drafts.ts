/** Changes of the ledger as entries of the event log, under the names of their stream events. Pure. */
import type { EventDraft } from "../domain/eventLog.ts";
import type { Task, TaskStatus } from "../domain/task.ts";
import { toRfc3339 } from "../lib/clock.ts";
import type { RoomFace } from "../room/face.ts";

type Doer = EventDraft["actor"];

export function taskDraft(room: RoomFace, actor: Doer, task: Task, nowMs: number): EventDraft {
  return {
    name: "tasking",
    at: toRfc3339(nowMs),
    actor,
    subject: { kind: "task", id: task.id },
    streamGen: room.generation,
    env: task.env,
    data: { task },
  };
}

export function statusDraft(room: RoomFace, actor: Doer, task: Task, previous: TaskStatus, nowMs: number): EventDraft {
  const { id, asset_id, verb, status, status_version, reason, reason_code, result } = task;
  return {
    name: "tasking_status",
    at: toRfc3339(nowMs),
    actor,
    subject: { kind: "task", id },
    streamGen: room.generation,
    env: task.env,
    data: { task_id: id, asset_id, verb, status, previous, status_version, reason, reason_code, result },
  };
}
