/** Which tasks an answer supersedes. */
import { expect, test } from "vitest";
import type { Task, TaskStatus } from "../../src/domain/task.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { Supersession } from "../../src/tasking/supersession.ts";
import { openRoom, START_MS } from "../support/room.ts";

const task = (id: string, verb: string, status: TaskStatus) =>
  ({ id, asset_id: "ast_1", verb, status, status_version: 1, history: [] }) as unknown as Task;
const ACTOR = { kind: "system", id: "link", name: "link" } as const;

async function steps(open: Task[], id: string, to: TaskStatus, before: Task[] = []) {
  const room = await openRoom(new ManualClock(START_MS));
  const supersession = new Supersession();
  for (const one of before) supersession.note(one);
  for (const one of open) room.tasks.put(one);
  const step = { task: room.tasks.get(id)!, to, move: {}, actor: ACTOR };
  return supersession.after(room, step).map(({ task: { id: moved }, to: state }) => `${moved} ${state}`);
}

test("[TK-22] an order that is taken on ends the older ones of its slot, also those being cancelled; abort ends all", async () => {
  const open = [
    task("tsk_1", "patrol", "cancel_requested"),
    task("tsk_2", "follow", "executing"),
    task("tsk_3", "look_at", "executing"),
    task("tsk_4", "goto", "sent"),
  ];
  expect(await steps(open, "tsk_4", "accepted")).toEqual(["tsk_4 accepted", "tsk_1 cancelled", "tsk_2 superseded"]);
  expect(await steps(open, "tsk_4", "refused")).toEqual(["tsk_4 refused"]);
  const abort = [...open, task("tsk_5", "abort", "sent")];
  expect(await steps(abort, "tsk_5", "succeeded")).toEqual([
    "tsk_5 succeeded",
    "tsk_1 cancelled",
    "tsk_2 superseded",
    "tsk_3 superseded",
  ]);
});

test("[TK-22] an older order that comes back busy, or is answered late, gives way to the newer", async () => {
  const open = [task("tsk_1", "goto", "sent"), task("tsk_2", "goto", "queued")];
  expect(await steps(open, "tsk_1", "queued")).toEqual(["tsk_1 queued", "tsk_1 superseded"]);
  expect(await steps(open, "tsk_1", "accepted")).toEqual(["tsk_1 accepted"]);
  const late = [task("tsk_1", "goto", "sent")];
  expect(await steps(late, "tsk_1", "accepted", [task("tsk_9", "abort", "succeeded")])).toEqual([
    "tsk_1 accepted",
    "tsk_1 superseded",
  ]);
  expect(await steps(late, "tsk_1", "succeeded", [task("tsk_9", "abort", "succeeded")])).toEqual(["tsk_1 succeeded"]);
});
