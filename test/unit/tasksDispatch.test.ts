/** The dispatcher: what waits goes when it can, once, in turn; what must not go never does, whatever stands in the ledger. */
import { expect, test } from "vitest";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import type { Task } from "../../src/domain/task.ts";
import { Dispatcher } from "../../src/features/tasks/dispatch.ts";
import type { TaskProgress } from "../../src/features/tasks/progress.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { openRoom, START_MS } from "../support/room.ts";

const AT = new Date(START_MS).toISOString();

async function room(): Promise<{ room: Workspace; clock: ManualClock }> {
  const clock = new ManualClock(START_MS);
  const opened = await openRoom(clock);
  const source = { protocol: "mavlink2", address: "10.0.0.1:1", systemId: "1", linkId: "l" };
  opened.hear({ source, atMs: START_MS, identity: { typeGuess: "quadrotor" } });
  return { room: opened, clock };
}

function task(id: string, assetId: string, verb: string, more: Partial<Task> = {}): Task {
  return {
    id,
    asset_id: assetId,
    verb,
    params: { kind: "none" },
    status: "queued",
    status_version: 1,
    created_at: AT,
    deadline_at: new Date(START_MS + 60_000).toISOString(),
    sent_at: null,
    plan_id: null,
    env: "live",
    history: [],
    ...more,
  } as unknown as Task;
}

function dispatcher(of: Workspace, clock: ManualClock, isReachable = true) {
  const sent: OutgoingCommand[] = [];
  const faults: unknown[] = [];
  const progress = { apply: async () => undefined, retry: async () => undefined, move: async () => null };
  const parts = {
    clock,
    rooms: () => [of],
    progress: progress as unknown as TaskProgress,
    send: (_: Workspace, command: OutgoingCommand) => {
      if (isReachable) sent.push(command);
      return isReachable;
    },
    onFault: (fault: unknown) => void faults.push(fault),
  };
  return { dispatcher: new Dispatcher(parts), sent, faults };
}

test("[TK-12] a task that acts on a contact is not sent without an approved plan, even when it stands in the ledger as queued", async () => {
  const { room: of, clock } = await room();
  const [platform] = of.forces.fleet.platforms();
  const { dispatcher: one, sent, faults } = dispatcher(of, clock);
  of.forces.ledger.put(task("tsk_1", platform!.key, "respond", { plan_id: "pln_made_up", params: { kind: "none" } }));
  of.forces.ledger.put(task("tsk_2", platform!.key, "respond"));
  of.forces.ledger.put(task("tsk_3", platform!.key, "set_speed"));
  for (let i = 0; i < 5; i++) one.tick();
  expect(sent.map(({ taskId }) => taskId)).toEqual(["tsk_3"]);
  expect(faults).toHaveLength(2);
  expect(String(faults[0])).toContain("approved plan");
});

test("[TK-13] a task is handed over once, waits while an older one of its slot is unanswered, and while nothing carries it", async () => {
  const { room: of, clock } = await room();
  const [platform] = of.forces.fleet.platforms();
  const away = dispatcher(of, clock, false);
  of.forces.ledger.put(task("tsk_1", platform!.key, "hold", { status: "sent", sent_at: AT }));
  of.forces.ledger.put(task("tsk_2", platform!.key, "goto"));
  of.forces.ledger.put(task("tsk_3", platform!.key, "arm"));
  away.dispatcher.tick();
  expect(away.sent).toEqual([]);
  const { dispatcher: one, sent } = dispatcher(of, clock);
  for (let i = 0; i < 3; i++) one.tick();
  expect(sent.map(({ taskId }) => taskId)).toEqual(["tsk_3"]);
  of.forces.ledger.put(task("tsk_1", platform!.key, "hold", { status: "succeeded", status_version: 2 }));
  one.tick();
  expect(sent.map(({ taskId }) => taskId)).toEqual(["tsk_3", "tsk_2"]);
  one.progress(of, "tsk_2", { is: "busy", retryAfterMs: 1000, text: "later" });
  clock.advance(500);
  one.tick();
  expect(sent).toHaveLength(2);
  clock.advance(600);
  one.tick();
  expect(sent).toHaveLength(3);
});
