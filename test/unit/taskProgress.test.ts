/** What links say of tasks, over rooms that are open or not and a registry that takes every write, or none. */
import { expect, test } from "vitest";
import type { Database } from "../../src/db/client.ts";
import { type Refusal, refusal, UnavailableError } from "../../src/domain/errors.ts";
import type { Task } from "../../src/domain/task.ts";
import { TaskProgress } from "../../src/features/tasks/progress.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { openRoom, START_MS } from "../support/room.ts";

const DONE = { is: "succeeded", code: "done", text: "it is there" } as const;
const AT = new Date(START_MS).toISOString();

/** A room with this task under way. */
async function roomWith(clock: ManualClock, id: string): Promise<Workspace> {
  const room = await openRoom(clock);
  const task = {
    id,
    asset_id: "ast_1",
    verb: "goto",
    status: "executing",
    status_version: 3,
    sent_at: AT,
    history: [],
  };
  room.forces.ledger.put(task as unknown as Task);
  return room;
}

function build(openWorkspace: () => Workspace | Refusal | Promise<Workspace | Refusal>) {
  const clock = new ManualClock(START_MS);
  const state = { away: false };
  // One row is the answer to every statement: the head of the log, and the row that was updated.
  const sql = Object.assign(() => [{ id: "row", seq: "0", hash: null }], { json: (value: unknown) => value });
  const transact = async (work: (given: unknown) => unknown) => {
    if (state.away) throw new UnavailableError("away");
    return work(sql);
  };
  return { state, progress: new TaskProgress({ transact } as unknown as Database, clock, openWorkspace) };
}

const isOpen = (room: Workspace, id: string) => room.forces.ledger.get(id) !== undefined;

test("[TK-60] an end that a vehicle tells while its room is closed opens the room and is written", async () => {
  const clock = new ManualClock(START_MS);
  const room = await roomWith(clock, "tsk_1");
  const { progress } = build(() => Promise.resolve(room));
  await progress.apply("wsp_test", "tsk_1", DONE);
  expect(isOpen(room, "tsk_1")).toBe(false);
  expect(progress.counts).toEqual({ illegal: 0, lost: 0 });
});

test("[TK-60] where the room cannot be opened now the end waits, and is written in the room that is open then", async () => {
  const clock = new ManualClock(START_MS);
  const [before, now] = [await roomWith(clock, "tsk_1"), await roomWith(clock, "tsk_1")];
  let room: Workspace | Refusal = before;
  const { state, progress } = build(() => room);
  state.away = true;
  await progress.apply("wsp_test", "tsk_1", DONE);
  state.away = false;
  room = refusal("overloaded", "too many rooms");
  await progress.retry();
  room = now;
  await progress.retry();
  expect([isOpen(before, "tsk_1"), isOpen(now, "tsk_1")]).toEqual([true, false]);
  expect(progress.counts).toEqual({ illegal: 0, lost: 0 });
});

test("[TK-60] an answer for a workspace that is gone is counted as lost", async () => {
  const { progress } = build(() => refusal("not_found", "there is no workspace"));
  await progress.apply("wsp_gone", "tsk_1", DONE);
  expect(progress.counts).toEqual({ illegal: 0, lost: 1 });
});
