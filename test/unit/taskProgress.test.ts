/** Progress of tasks, with rooms that are open or closed and a database that takes every write, or none. */
import { expect, test } from "vitest";
import type { Database } from "../../src/db/client.ts";
import { refusal, UnavailableError } from "../../src/domain/errors.ts";
import type { Task } from "../../src/domain/task.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { NoRoom } from "../../src/room/face.ts";
import type { Room } from "../../src/room/room.ts";
import { TaskProgress } from "../../src/tasking/progress.ts";
import { openRoom, START_MS } from "../support/room.ts";

const DONE = { is: "succeeded", code: "done", text: "it is there" } as const;
const AT = new Date(START_MS).toISOString();

function taskOf(id: string, status: Task["status"]): Task {
  const at = { sent_at: AT, history: [], created_by: { kind: "key", id: "key_1", name: "k" } };
  return { id, asset_id: "ast_1", verb: "goto", status, status_version: 3, ...at } as unknown as Task;
}

/** A room with this task sent. */
async function roomWith(clock: ManualClock, id: string): Promise<Room> {
  const room = await openRoom(clock);
  room.tasks.put(taskOf(id, "executing"));
  return room;
}

function build(openWorkspace: () => Room | NoRoom | Promise<Room | NoRoom>) {
  const clock = new ManualClock(START_MS);
  const state = { away: false, open: [] as Task[] };
  // One row is the answer to every statement: the head of the log, and the row that was updated.
  const sql = Object.assign(() => [{ id: "row", seq: "0", hash: null }], { json: (value: unknown) => value });
  const transact = async (work: (given: unknown) => unknown) => {
    if (state.away) throw new UnavailableError("away");
    return work(sql);
  };
  const run = async (work: (given: unknown) => unknown) => work(() => state.open.map((task) => ({ task })));
  return { state, progress: new TaskProgress({ run, transact } as unknown as Database, clock, openWorkspace) };
}

const isOpen = (room: Room, id: string) => room.tasks.get(id) !== undefined;

test("[TK-60] given a final answer of a vehicle while its room is closed, the room is opened and the end is written", async () => {
  const clock = new ManualClock(START_MS);
  const room = await roomWith(clock, "tsk_1");
  const { progress } = build(() => Promise.resolve(room));
  await progress.apply("wsp_test", "tsk_1", DONE);
  expect(isOpen(room, "tsk_1")).toBe(false);
  expect(progress.counts).toEqual({ illegal: 0, lost: 0 });
});

test("[TK-60] while the room cannot be opened the end waits, and is written in the room that is opened next", async () => {
  const clock = new ManualClock(START_MS);
  const [before, now] = [await roomWith(clock, "tsk_1"), await roomWith(clock, "tsk_1")];
  let room: Room | NoRoom = before;
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

test("[TK-60] an answer for a deleted workspace is counted as lost", async () => {
  const { progress } = build(() => refusal("not_found", "there is no workspace"));
  await progress.apply("wsp_gone", "tsk_1", DONE);
  expect(progress.counts).toEqual({ illegal: 0, lost: 1 });
});

test("[TK-17] a command whose answer was lost is in its room's ledger only once its end is written", async () => {
  const room = await openRoom(new ManualClock(START_MS));
  const { state, progress } = build(() => room);
  state.open = [taskOf("tsk_stray", "queued")];
  state.away = true;
  await expect(progress.reload(room)).rejects.toBeInstanceOf(UnavailableError);
  expect(isOpen(room, "tsk_stray")).toBe(false);
  state.away = false;
  const generation = room.generation;
  await progress.reload(room);
  expect(isOpen(room, "tsk_stray")).toBe(false);
  // Both are published: the task, and its cancellation.
  expect(room.generation).toBe(generation + 2);
});
