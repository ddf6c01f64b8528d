/** Commands and the task ledger (docs/interface.md#commands, #tasks, #lists). */
import { Type } from "typebox";
import { isRefusal } from "../../domain/errors.ts";
import { TASK_STATUSES, Task } from "../../domain/task.ts";
import { PAGE_QUERY, pageOfFound, readCursor, WRONG_CURSOR } from "../../http/page.ts";
import { QueryTime, readQueryTime } from "../../http/queryTime.ts";
import { ById, type Route, route } from "../../http/route.ts";
import { LIST_LIMIT_DEFAULT } from "../../limits.ts";
import { findTask, findTasks } from "../../tasking/store.ts";
import { cancelRoute, commandRoute, type TaskParts } from "./commandRoutes.ts";

const TAG = "Tasks";
const Query = Type.Object({
  asset_id: Type.Optional(Type.String({ maxLength: 64 })),
  status: Type.Optional(Type.String({ maxLength: 200, description: "one status, or several with commas" })),
  verb: Type.Optional(Type.String({ maxLength: 64 })),
  since: QueryTime,
  ...PAGE_QUERY,
});

function readStatuses(list: string | undefined): string[] | null | undefined {
  if (list === undefined) return null;
  const names = list.split(",").map((name) => name.trim());
  return names.every((name) => (TASK_STATUSES as readonly string[]).includes(name)) ? names : undefined;
}

/** The last id of the page before; null: not a cursor of this list. */
function readTaskId(cursor: string, order: "asc" | "desc" | undefined): string | null {
  const id = readCursor(cursor, order);
  return id !== null && /^tsk_[0-9a-z]{26}$/.test(id) ? id : null;
}

export function taskRoutes(parts: TaskParts): Route[] {
  const { db } = parts;
  return [
    commandRoute(parts),
    cancelRoute(parts),
    route({
      method: "GET",
      path: "/api/tasks",
      access: "read",
      tag: TAG,
      summary: "The task ledger, refused commands included",
      query: Query,
      reply: { 200: Type.Array(Task) },
      errors: ["invalid_input", "unavailable"],
      async handle({ room, query, refuse }) {
        const { asset_id: assetId, verb, order, limit = LIST_LIMIT_DEFAULT } = query;
        const statuses = readStatuses(query.status);
        if (statuses === undefined)
          return refuse("invalid_input", `status must be a comma list of ${TASK_STATUSES.join(", ")}`);
        const since = readQueryTime("since", query.since);
        if (isRefusal(since)) return refuse(since);
        const beyondId = query.cursor === undefined ? null : readTaskId(query.cursor, order);
        if (query.cursor !== undefined && beyondId === null) return refuse("invalid_input", WRONG_CURSOR);
        const filter = {
          // Tasks that were commanded under its adoption key, before it was adopted, belong to it.
          assetIds: assetId === undefined ? null : room.forces.namesOf(assetId),
          statuses,
          verb: verb ?? null,
          since,
          beyondId,
          descending: order === "desc",
          limit: limit + 1,
        };
        const found = await db.run((sql) => findTasks(sql, room.id, filter));
        const { data, headers } = pageOfFound("/api/tasks", query, found, ({ id }) => id);
        const current = data.map((task) => {
          // Progress percentages are in memory only. A task whose status has changed since is listed as it was found,
          // because the filter may not match it any more.
          const open = room.tasks.get(task.id);
          return open?.status === task.status && open.status_version > task.status_version ? open : task;
        });
        return { status: 200, data: current, headers };
      },
    }),
    route({
      method: "GET",
      path: "/api/tasks/{id}",
      access: "read",
      tag: TAG,
      summary: "One task",
      params: ById,
      reply: { 200: Task },
      errors: ["not_found", "unavailable"],
      async handle({ room, params, refuse }) {
        const open = room.tasks.get(params.id);
        const task = open ?? (await db.run((sql) => findTask(sql, room.id, params.id)));
        return task === null
          ? refuse("not_found", `no task ${params.id} in this workspace`)
          : { status: 200, data: task };
      },
    }),
  ];
}
