/**
 * The task of every command (contract §5, §7): its shape, its eleven states and the moves between them. Pure. Who may
 * command what is in `verbs.ts` and `availability.ts`; the ledger of a room is `workspace/ledger.ts`.
 */
import { type Static, type TSchema, Type } from "typebox";
import { ENVIRONMENTS } from "./modality.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ format: "date-time" });
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

/** Terminal states have no way out. `queued` twice: TEMPORARILY_REJECTED returns there from `sent` with back-off. */
export const TASK_MOVES: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  refused: [],
  queued: ["sent", "cancelled", "timed_out", "superseded"],
  sent: [
    "accepted",
    "executing",
    "refused",
    "failed",
    "timed_out",
    "succeeded",
    "queued",
    "superseded",
    "cancel_requested",
  ],
  accepted: ["executing", "succeeded", "failed", "timed_out", "cancel_requested", "superseded"],
  executing: ["succeeded", "failed", "timed_out", "cancel_requested", "superseded"],
  cancel_requested: ["cancelled", "succeeded", "failed", "executing", "timed_out"],
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

const ActorView = Type.Object({
  kind: Type.Enum(["user", "key", "rule", "plan", "system"] as const),
  id: Type.String(),
  name: Type.String(),
  on_behalf_of: Type.Optional(TextOrNull),
});

export const Task = Type.Object({
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
  created_at: Time,
  sent_at: nullable(Time),
  acked_at: nullable(Time),
  started_at: nullable(Time),
  ended_at: nullable(Time),
  deadline_at: nullable(Time),
  attempts: Type.Integer({ minimum: 0 }),
  progress_pct: nullable(Type.Number()),
  eta_at: nullable(Time),
  result: nullable(Type.Object({ code: Type.String(), text: Type.String(), data: Type.Unknown() })),
  parent_task_id: TextOrNull,
  plan_id: TextOrNull,
  threat_id: TextOrNull,
  engagement_id: TextOrNull,
  idempotency_key: TextOrNull,
  command_reason: nullable(Type.String({ description: "`reason` of the command: why the person gave it" })),
  env: Type.Enum(ENVIRONMENTS),
  history: Type.Array(Type.Object({ status: Type.Enum(TASK_STATUSES), at: Time, by: Type.String(), note: TextOrNull })),
});
export type Task = Static<typeof Task>;
