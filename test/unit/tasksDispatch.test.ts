/** The dispatcher: queued tasks are sent once and in order when they can be; a task that must not go is never sent. */
import { expect, test } from "vitest";
import { UnavailableError } from "../../src/domain/errors.ts";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import { type Move, moved, type Task, type TaskStatus } from "../../src/domain/task.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";
import { Dispatcher } from "../../src/tasking/dispatcher.ts";
import { outgoing } from "../../src/tasking/outgoing.ts";
import type { TaskProgress } from "../../src/tasking/progress.ts";
import { openRoom, START_MS } from "../support/room.ts";

const AT = new Date(START_MS).toISOString();

async function room(): Promise<{ room: Room; clock: ManualClock; asset: string }> {
  const clock = new ManualClock(START_MS);
  const opened = await openRoom(clock);
  const source = { protocol: "mavlink2", address: "10.0.0.1:1", systemId: "1", linkId: "l" };
  const report = { source, atMs: START_MS, identity: { typeGuess: "quadrotor" } };
  opened.commit({ op: "platform_reported", report }, START_MS);
  const [platform] = opened.forces.fleet.platforms();
  return { room: opened, clock, asset: platform!.key };
}

function task(id: string, assetId: string, verb: string, more: Partial<Task> = {}): Task {
  return {
    id,
    asset_id: assetId,
    verb,
    params: { kind: "none" },
    status: "queued",
    status_version: 1,
    reason: null,
    created_at: AT,
    deadline_at: new Date(START_MS + 60_000).toISOString(),
    sent_at: null,
    plan_id: null,
    env: "live",
    history: [],
    ...more,
  } as unknown as Task;
}

/** A task as its row was just written. */
function put(of: Room, clock: ManualClock, one: Task): void {
  of.commit({ op: "task_moved", task: one, previous: of.tasks.get(one.id)?.status ?? null }, clock.nowMs());
}

/** Moves are committed without a row; `away`: the database is away. */
function dispatcher(of: Room, clock: ManualClock, state = { reachable: true, takes: true, away: false, writeMs: 0 }) {
  const sent: string[] = [];
  const resumed: string[] = [];
  const cancelled: string[] = [];
  const faults: unknown[] = [];
  const carried = new Set<string>();
  const progress = {
    apply: async () => undefined,
    retry: async () => undefined,
    async move(_: Room, __: unknown, task: Task, to: TaskStatus, move: Partial<Move>) {
      return (await progress.moveAll(of, [{ task, to, move }]))[0] ?? null;
    },
    async moveAll(_: Room, steps: readonly { task: Task; to: TaskStatus; move: Partial<Move> }[]) {
      if (state.away) throw new UnavailableError("away");
      clock.advance(state.writeMs);
      return steps.flatMap(({ task: one, to, move }) => {
        const next = moved(one, to, { ...move, nowMs: clock.nowMs(), by: "test" });
        if (next !== null) of.commit({ op: "task_moved", task: next, previous: one.status }, clock.nowMs());
        return next ?? [];
      });
    },
  };
  const take = (list: string[]) => (_: Room, command: OutgoingCommand) => {
    if (!state.takes) return false;
    list.push(command.taskId);
    carried.add(command.taskId);
    return true;
  };
  const one = new Dispatcher({
    clock,
    progress: progress as unknown as TaskProgress,
    carriers: {
      canCarry: () => state.reachable,
      send: take(sent),
      resume: take(resumed),
      carries: (id) => carried.has(id),
      cancel: (id) => cancelled.push(id) > 0,
    },
    onFault: (fault) => void faults.push(fault),
  });
  one.opened(of);
  of.listen({ changed: (change) => one.changed(of, change) });
  /** One tick, with all its writes. */
  const tick = async () => {
    one.tick();
    await of.serially(async () => undefined);
    await of.serially(async () => undefined);
  };
  const status = (id: string) => of.tasks.get(id)?.status ?? "ended";
  return { dispatcher: one, state, sent, resumed, cancelled, faults, tick, status };
}

test("[TK-12] a task that acts on a contact is not sent without an approved plan, even when the ledger has it as queued", async () => {
  const { room: of, clock, asset } = await room();
  const { tick, sent, faults } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "respond", { plan_id: "pln_made_up", params: { kind: "none" } }));
  put(of, clock, task("tsk_2", asset, "respond"));
  put(of, clock, task("tsk_3", asset, "set_speed"));
  for (let i = 0; i < 5; i++) await tick();
  expect(sent).toEqual(["tsk_3"]);
  expect(faults).toHaveLength(2);
  expect(String(faults[0])).toContain("approved plan");
});

test("[TK-13] a task is handed over once; it waits while an older one of its slot is unanswered, and while no link carries it", async () => {
  const { room: of, clock, asset } = await room();
  const { dispatcher: one, state, sent, tick, status } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "hold", { status: "sent", sent_at: AT }));
  put(of, clock, task("tsk_2", asset, "goto"));
  put(of, clock, task("tsk_3", asset, "arm"));
  state.reachable = false;
  await tick();
  expect([sent, status("tsk_3")]).toEqual([[], "queued"]);
  state.reachable = true;
  // Without any change: the dispatcher checks queued tasks ten times a second.
  clock.advance(100);
  for (let i = 0; i < 3; i++) await tick();
  expect([sent, status("tsk_2")]).toEqual([["tsk_3"], "queued"]);
  put(of, clock, task("tsk_1", asset, "hold", { status: "succeeded", status_version: 9 }));
  await tick();
  expect([sent, status("tsk_2")]).toEqual([["tsk_3", "tsk_2"], "sent"]);
  one.progress(of.id, "tsk_2", { is: "busy", retryAfterMs: 1000, text: "later" });
  put(of, clock, task("tsk_2", asset, "goto", { status_version: 9 }));
  clock.advance(500);
  await tick();
  expect(sent).toHaveLength(2);
  clock.advance(600);
  await tick();
  expect(sent).toHaveLength(3);
});

test("[TK-14] no task is handed over before `sent` is written, or after it has ended", async () => {
  const { room: of, clock, asset } = await room();
  const { dispatcher: one, state, sent, tick, status } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "arm"));
  state.away = true;
  for (let i = 0; i < 5; i++) await tick();
  expect([sent, status("tsk_1")]).toEqual([[], "queued"]);
  state.away = false;
  // Its end is written while the tick is still checking it.
  one.tick();
  put(of, clock, task("tsk_1", asset, "arm", { status: "cancelled", status_version: 2 }));
  await tick();
  expect([sent, status("tsk_1")]).toEqual([[], "ended"]);
  put(of, clock, task("tsk_2", asset, "arm"));
  state.takes = false;
  await tick();
  expect([sent, status("tsk_2"), of.tasks.get("tsk_2")!.reason_code]).toEqual([[], "queued", "no_link"]);
  state.takes = true;
  clock.advance(1100);
  await tick();
  expect([sent, status("tsk_2")]).toEqual([["tsk_2"], "sent"]);
});

test("[TK-20] an order is not sent after its deadline, however long the database takes to write it", async () => {
  const { room: of, clock, asset } = await room();
  const { state, sent, tick, status } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "arm", { deadline_at: new Date(START_MS + 500).toISOString() }));
  state.writeMs = 700;
  await tick();
  expect([sent, status("tsk_1")]).toEqual([[], "ended"]);
});

test.each([
  [
    ["arm", "disarm", "look_at"],
    ["tsk_0", "tsk_2"],
  ],
  [["arm", "look_at", "abort"], ["tsk_2"]],
])(
  "[TK-21] of %j the ready tasks are written together, one for each slot, and an abort before all that waits",
  async (verbs, go) => {
    const { room: of, clock, asset } = await room();
    const { sent, tick } = dispatcher(of, clock);
    for (const [i, verb] of verbs.entries()) put(of, clock, task(`tsk_${i}`, asset, verb));
    await tick();
    expect(sent).toEqual(go);
  },
);

test("[TK-15] abort waits for no other task; a stop that is under way holds back the tasks after it", async () => {
  const { room: of, clock, asset } = await room();
  const { sent, tick } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "goto", { status: "sent", sent_at: AT }));
  put(of, clock, task("tsk_2", asset, "look_at", { status: "cancel_requested" }));
  put(of, clock, task("tsk_3", asset, "look_at"));
  put(of, clock, task("tsk_4", asset, "abort"));
  await tick();
  expect(sent).toEqual(["tsk_4"]);
});

test("[TK-16] tasks that ran before a restart are watched again, not sent again; their cancel is passed on", async () => {
  const { room: of, clock, asset } = await room();
  const { dispatcher: one, state, sent, resumed, cancelled, tick } = dispatcher(of, clock);
  put(of, clock, task("tsk_1", asset, "orbit", { status: "executing" }));
  put(of, clock, task("tsk_2", asset, "look_at", { status: "cancel_requested" }));
  state.takes = false;
  await tick();
  state.takes = true;
  clock.advance(1100);
  for (let i = 0; i < 3; i++) await tick();
  expect([sent, resumed, cancelled]).toEqual([[], ["tsk_1", "tsk_2"], ["tsk_2"]]);
  one.cancel(of, of.tasks.get("tsk_1")!);
  expect(cancelled).toEqual(["tsk_2", "tsk_1"]);
});

test("[MV-67] a link is handed orders that are executing without having been accepted", async () => {
  const { room: of, asset } = await room();
  const moves = (...statuses: TaskStatus[]) => statuses.map((status) => ({ status, at: AT, by: "l", note: null }));
  const isInProgress = (more: Partial<Task>) => outgoing(of, task("tsk_1", asset, "takeoff", more))!.isInProgress;
  expect(isInProgress({ acked_at: null, history: moves("queued") })).toBe(false);
  expect(isInProgress({ acked_at: AT, history: moves("queued", "sent", "executing") })).toBe(true);
  expect(isInProgress({ acked_at: AT, history: moves("queued", "sent", "accepted", "executing") })).toBe(false);
});

test("[TK-72] a busy asset is asked again after growing pauses, at most ten seconds; for an abort each second", async () => {
  const { room: of, clock, asset } = await room();
  const { dispatcher: one, sent, tick } = dispatcher(of, clock);
  const pausesOf = async (id: string, verb: string) => {
    const pauses: number[] = [];
    for (let version = 1; version < 60; version += 10) {
      put(of, clock, task(id, asset, verb, { status_version: version, deadline_at: null }));
      const before = sent.length;
      let waitedMs = 0;
      for (; sent.length === before; waitedMs += 500) {
        clock.advance(500);
        await tick();
      }
      pauses.push(waitedMs);
      one.progress(of.id, id, { is: "busy", retryAfterMs: 1000, text: "later" });
    }
    return pauses.slice(1);
  };
  expect(await pausesOf("tsk_1", "goto")).toEqual([1000, 2000, 4000, 8000, 10_000]);
  put(of, clock, task("tsk_1", asset, "goto", { status: "cancelled", status_version: 99 }));
  expect(await pausesOf("tsk_2", "abort")).toEqual([1000, 1000, 1000, 1000, 1000]);
});

test("[TK-74] a task is looked at when it, its asset or its link changed, otherwise only at its own pace", async () => {
  const { room: of, clock, asset } = await room();
  let looks = 0;
  const { dispatcher: one, tick } = dispatcher(of, clock, {
    get reachable() {
      looks++;
      return false;
    },
    takes: true,
    away: false,
    writeMs: 0,
  });
  put(of, clock, task("tsk_1", asset, "goto"));
  for (let i = 0; i < 20; i++) await tick();
  expect(looks).toBe(1);
  clock.advance(100);
  await tick();
  expect(looks).toBe(2);
  // A second task of the asset: both are checked.
  put(of, clock, task("tsk_2", asset, "look_at"));
  await tick();
  expect(looks).toBe(4);
  of.commit({ op: "link_closed", linkId: "l" }, clock.nowMs());
  await tick();
  expect(looks).toBeGreaterThanOrEqual(4);
  one.closed(of);
  clock.advance(60_000);
  await tick();
  expect(of.tasks.count).toBe(2);
});
