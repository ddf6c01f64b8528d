/** The eleven states of a task and the moves between them, pair by pair against the table of ADR 0074. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CommandProgress } from "../../src/domain/platformReport.ts";
import { isTerminal, mayMove, moved, TASK_STATUSES, type Task, type TaskStatus } from "../../src/domain/task.ts";
import { canonicalJson } from "../../src/lib/canonicalJson.ts";
import { Ledger } from "../../src/room/tasks/ledger.ts";
import { moveOf } from "../../src/tasking/moveOf.ts";

/** The table of ADR 0074. */
const WRITTEN = `queued → sent | cancelled | timed_out | superseded; sent → accepted | executing | refused | failed | timed_out | succeeded;
accepted → executing | succeeded | failed | timed_out | cancel_requested | superseded; executing → succeeded | failed | timed_out | cancel_requested | superseded;
cancel_requested → cancelled | succeeded | failed | executing`;
const ALLOWED = new Set(
  WRITTEN.split(";").flatMap((line) => {
    const [from, to] = line.trim().split(" → ") as [string, string];
    return to.split(" | ").map((one) => `${from} ${one.trim()}`);
  }),
).add("sent queued"); // "TEMPORARILY_REJECTED returns to queued with back-off"

function task(status: TaskStatus): Task {
  return {
    id: "tsk_1",
    asset_id: "ast_1",
    verb: "hold",
    params: { kind: "none" },
    status,
    status_version: 1,
    reason: null,
    reason_code: null,
    rule_id: null,
    created_by: { kind: "key", id: "key_1", name: "k" },
    created_at: "2026-11-21T10:00:00.000Z",
    sent_at: null,
    acked_at: null,
    started_at: null,
    ended_at: null,
    deadline_at: null,
    attempts: 0,
    progress_pct: null,
    eta_at: null,
    result: null,
    parent_task_id: null,
    plan_id: null,
    threat_id: null,
    engagement_id: null,
    idempotency_key: null,
    command_reason: null,
    env: "live",
    history: [],
  };
}
const MOVE = { nowMs: Date.UTC(2026, 10, 21, 10, 1), by: "test" };

test("[TK-9] every pair of states moves or does not, as ADR 0074 says", () => {
  for (const from of TASK_STATUSES)
    for (const to of TASK_STATUSES) {
      expect(mayMove(from, to), `${from} ${to}`).toBe(ALLOWED.has(`${from} ${to}`));
      expect(moved(task(from), to, MOVE) === null, `${from} ${to}`).toBe(!ALLOWED.has(`${from} ${to}`));
    }
  expect(TASK_STATUSES.filter(isTerminal)).toEqual([
    "refused",
    "succeeded",
    "failed",
    "timed_out",
    "cancelled",
    "superseded",
  ]);
});

test("[TK-10] a move stamps its time, counts attempts and is added to the history", () => {
  const sent = moved(task("queued"), "sent", MOVE)!;
  expect(sent).toMatchObject({
    status: "sent",
    status_version: 2,
    attempts: 1,
    sent_at: "2026-11-21T10:01:00.000Z",
    ended_at: null,
  });
  const done = moved(sent, "succeeded", { ...MOVE, result: { code: "x", text: "y", data: null } })!;
  expect(done).toMatchObject({
    status_version: 3,
    progress_pct: 100,
    acked_at: "2026-11-21T10:01:00.000Z",
    ended_at: "2026-11-21T10:01:00.000Z",
  });
  expect(done.history.map(({ status }) => status)).toEqual(["sent", "succeeded"]);
});

test("[TK-71] attempts counts how often a task was sent, the link's own resends included", () => {
  const sent = moved(task("queued"), "sent", MOVE)!;
  const after = (progress: CommandProgress) => {
    const { to, move } = moveOf(progress, "sent")!;
    return moved(sent, to, { ...MOVE, ...move })!;
  };
  expect(after({ is: "accepted" }).attempts).toBe(1);
  expect(after({ is: "timed_out", code: "no_ack", text: "no", resends: 3 })).toMatchObject({
    status: "timed_out",
    attempts: 4,
  });
  const again = after({ is: "busy", retryAfterMs: 1, text: "busy", resends: 1 });
  expect([again.attempts, moved(again, "sent", MOVE)!.attempts]).toEqual([2, 3]);
});

test("[TK-73] a task that is put back again and again keeps its first moves and the newest", () => {
  let current = task("queued");
  for (let i = 0; i < 200; i++) {
    current = moved(current, i % 2 === 0 ? "sent" : "queued", { ...MOVE, by: String(i) })!;
    expect(current.history.length).toBe(Math.min(i + 1, 64));
  }
  const numbers = current.history.map(({ by }) => Number(by));
  expect(numbers).toEqual([...Array(8).keys(), ...Array.from({ length: 56 }, (_, i) => 144 + i)]);
});

test("[TK-11] in whatever order answers come, a terminal state is final and versions only grow", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TASK_STATUSES), { maxLength: 60 }), (wanted) => {
      const ledger = new Ledger([task("queued")]);
      let current = task("queued");
      let ended: TaskStatus | null = null;
      for (const to of wanted) {
        const next = moved(current, to, MOVE);
        if (next === null) continue;
        expect(ended).toBeNull();
        expect(next.status_version).toBe(current.status_version + 1);
        ledger.put(next);
        // An older version that arrives late changes nothing.
        ledger.put(current.status_version < next.status_version && !isTerminal(next.status) ? current : next);
        current = next;
        if (isTerminal(next.status)) ended = next.status;
        expect(ledger.get("tsk_1")?.status ?? null).toBe(ended === null ? next.status : null);
      }
    }),
  );
});

describe("[EV-2] canonical JSON is RFC 8785's", () => {
  test.each([
    [{ b: 1, a: [true, null, "€\n"] }, '{"a":[true,null,"€\\n"],"b":1}'],
    [
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}',
    ],
    [[333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0], "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]"],
  ])("%j", (value, text) => expect(canonicalJson(value)).toBe(text));
});
