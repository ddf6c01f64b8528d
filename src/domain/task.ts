/**
 * The task of every command (docs/interface.md#commands, #tasks): its shape, its eleven states and the moves between them.
 * Pure. Verbs are in `verbs.ts` and `availability.ts`, the ledger of a room in `room/tasks/ledger.ts`.
 */
import { type Static, Type } from "typebox";
import { toRfc3339 } from "../lib/clock.ts";
import { ENVIRONMENTS } from "./modality.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

/** The first moves and the newest are kept, because a task may go back to the queue any number of times. */
const HISTORY_MAX = 64;
const HISTORY_FIRST = 8;
const TextOrNull = nullable(Type.String());

export const TASK_STATUSES = [
  "refused",
  "queued",
  "sent",
  "accepted",
  "executing",
  "cancel_requested",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "superseded",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/**
 * A terminal state allows no move. From `sent` a task may go back to `queued`, when the asset cannot do it now
 * (TEMPORARILY_REJECTED). A task that was sent and not answered can be neither superseded nor cancelled, because what the asset
 * does is unknown.
 */
export const TASK_MOVES: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  refused: [],
  queued: ["sent", "cancelled", "timed_out", "superseded"],
  sent: ["accepted", "executing", "refused", "failed", "timed_out", "succeeded", "queued"],
  accepted: ["executing", "succeeded", "failed", "timed_out", "cancel_requested", "superseded"],
  executing: ["succeeded", "failed", "timed_out", "cancel_requested", "superseded"],
  cancel_requested: ["cancelled", "succeeded", "failed", "executing"],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  superseded: [],
};

export function isTerminal(status: TaskStatus): boolean {
  return TASK_MOVES[status].length === 0;
}

export function mayMove(from: TaskStatus, to: TaskStatus): boolean {
  return TASK_MOVES[from].includes(to);
}

/** Who did something, as clients read it. */
export const ActorView = Type.Object({
  kind: Type.Enum(["user", "key", "rule", "plan", "system"] as const),
  id: Type.String(),
  name: Type.String(),
  on_behalf_of: Type.Optional(TextOrNull),
});

export const Task = Shape("Task", {
  id: Type.String(),
  asset_id: Type.String(),
  verb: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  status: Type.Enum(TASK_STATUSES),
  status_version: Type.Integer({ minimum: 1 }),
  reason: nullable(Type.String({ description: "why it was refused, failed or ended early: a sentence" })),
  reason_code: TextOrNull,
  rule_id: TextOrNull,
  created_by: ActorView,
  created_at: UtcTime,
  sent_at: nullable(UtcTime),
  acked_at: nullable(UtcTime),
  started_at: nullable(UtcTime),
  ended_at: nullable(UtcTime),
  deadline_at: nullable(UtcTime),
  attempts: Type.Integer({ minimum: 0, description: "how often it was sent, resends included" }),
  progress_pct: nullable(Type.Number()),
  eta_at: nullable(UtcTime),
  result: nullable(Type.Object({ code: Type.String(), text: Type.String(), data: Type.Unknown() })),
  parent_task_id: TextOrNull,
  plan_id: TextOrNull,
  threat_id: TextOrNull,
  engagement_id: TextOrNull,
  idempotency_key: TextOrNull,
  command_reason: nullable(Type.String({ description: "`reason` of the command: why the person gave it" })),
  env: Type.Enum(ENVIRONMENTS),
  history: Type.Array(
    Type.Object({ status: Type.Enum(TASK_STATUSES), at: UtcTime, by: Type.String(), note: TextOrNull }),
  ),
});
export type Task = Static<typeof Task>;

export interface Move {
  readonly nowMs: number;
  /** An actor's id, or the protocol that answered. */
  readonly by: string;
  readonly reason?: string | null;
  readonly reasonCode?: string | null;
  readonly ruleId?: string | null;
  readonly progressPct?: number | null;
  readonly etaMs?: number | null;
  readonly result?: Task["result"];
  /** How often the link sent it again since it was handed over. */
  readonly resends?: number;
}

const STAMP: Partial<Record<TaskStatus, "sent_at" | "acked_at" | "started_at">> = {
  sent: "sent_at",
  accepted: "acked_at",
  executing: "started_at",
};

/** In these states the previous reason (busy, cancelled too late) no longer applies; the history keeps it. */
const ENDS_REASON: ReadonlySet<TaskStatus> = new Set(["sent", "accepted", "succeeded"]);

/** The task after a move, with the next version; null: its state does not allow the move. */
export function moved(task: Task, to: TaskStatus, move: Move): Task | null {
  if (!mayMove(task.status, to)) return null;
  const at = toRfc3339(move.nowMs);
  const stamp = STAMP[to];
  const isAnswer = task.status === "sent" && to !== "queued" && to !== "timed_out";
  return {
    ...task,
    status: to,
    status_version: task.status_version + 1,
    reason: move.reason ?? (ENDS_REASON.has(to) ? null : task.reason),
    reason_code: move.reasonCode ?? (ENDS_REASON.has(to) ? null : task.reason_code),
    rule_id: move.ruleId ?? task.rule_id,
    ...(isAnswer ? { acked_at: task.acked_at ?? at } : {}),
    ...(stamp === undefined ? {} : { [stamp]: task[stamp] ?? at }),
    ended_at: isTerminal(to) ? at : null,
    attempts: task.attempts + (to === "sent" ? 1 : 0) + (move.resends ?? 0),
    progress_pct: to === "succeeded" ? 100 : (move.progressPct ?? task.progress_pct),
    eta_at: isTerminal(to) ? null : move.etaMs != null ? toRfc3339(move.etaMs) : task.eta_at,
    result: move.result ?? task.result,
    history: [...keptOf(task.history), { status: to, at, by: move.by, note: move.reason ?? null }],
  };
}

/** Shortened, so that one more move fits. */
function keptOf(history: Task["history"]): Task["history"] {
  if (history.length < HISTORY_MAX) return history;
  return [...history.slice(0, HISTORY_FIRST), ...history.slice(HISTORY_FIRST + 1 - HISTORY_MAX)];
}
