/** The writes of the ledger: a command, and the cancel of one (docs/interface.md#commands, #tasks). */
import { Type } from "typebox";
import { actorOf, type Principal } from "../../domain/access.ts";
import { isRefusal, refusal } from "../../domain/errors.ts";
import { prose } from "../../domain/members.ts";
import { Task } from "../../domain/task.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { RoomFace } from "../../room/face.ts";
import type { TaskProgress } from "../../tasking/progress.ts";
import { findTask } from "../../tasking/store.ts";
import { type CommandParts, commandAsset } from "./command.ts";
import { AssetCommand, DryRun } from "./schema.ts";

export interface TaskParts extends CommandParts {
  readonly progress: TaskProgress;
  /** Asks the asset to stop; its answer arrives as progress. */
  readonly cancel: (room: RoomFace, task: Task) => void;
}

const TAG = "Tasks";

export function commandRoute(parts: TaskParts): Route {
  return route({
    method: "POST",
    path: "/api/assets/{id}/command",
    access: "command",
    tag: TAG,
    summary: "Command an asset with a verb that it advertises; refused commands are written too",
    params: ById,
    body: AssetCommand,
    reply: { 200: DryRun, 201: Task },
    locates: [409],
    errors: [
      "not_found",
      "feature_absent",
      "invalid_input",
      "invalid_position",
      "params_kind_mismatch",
      "verb_not_advertised",
      "verb_unavailable",
      "unavailable",
    ],
    async handle({ room, principal, params, body, refuse }) {
      const done = await commandAsset(parts, room, principal, params.id, body);
      if (isRefusal(done)) return refuse(done);
      if (done.is === "dry_run") return { status: 200, data: { would: done.would } };
      const { task } = done;
      const headers = { Location: `/api/tasks/${task.id}` };
      if (task.history[0]?.status !== "refused") return { status: 201, data: task, headers };
      const code = task.reason_code === "verb_not_advertised" ? task.reason_code : "verb_unavailable";
      return refuse(code, task.reason ?? "the command was refused", headers);
    },
  });
}

/** The task with its cancel written, or a refusal. */
function cancelTask(
  { db, progress, cancel }: TaskParts,
  room: RoomFace,
  principal: Principal,
  id: string,
  reason: string,
) {
  return room.serially(async () => {
    const task = room.tasks.get(id);
    if (task === undefined) {
      const ended = await db.run((sql) => findTask(sql, room.id, id));
      if (ended === null) return refusal("not_found", `no task ${id} in this workspace`);
      return refusal("invalid_state", `the task has already ended: it is ${ended.status}`);
    }
    const to = task.status === "queued" ? "cancelled" : "cancel_requested";
    const next = await progress.move(room, actorOf(principal), task, to, { reason, reasonCode: "cancelled" });
    if (next === null) return refusal("invalid_state", `a task that is ${task.status} cannot be cancelled now`);
    // Inside `serially`, so that the asset's own report of its end cannot come between.
    if (next.status === "cancel_requested") cancel(room, next);
    return next;
  });
}

export function cancelRoute(parts: TaskParts): Route {
  return route({
    method: "POST",
    path: "/api/tasks/{id}/cancel",
    access: "command",
    tag: TAG,
    summary: "Cancel a task: at once while it is queued, by asking the asset once it was sent",
    params: ById,
    body: Type.Object({ reason: Type.Optional(prose(1000, "why, for the log")) }),
    bodyOptional: true,
    reply: { 200: Task },
    errors: ["not_found", "invalid_state", "unavailable"],
    async handle({ room, principal, params, body, refuse }) {
      const reason = body?.reason ?? "cancelled by the operator";
      const task = await cancelTask(parts, room, principal, params.id, reason);
      if (isRefusal(task)) return refuse(task);
      return { status: 200, data: task };
    },
  });
}
