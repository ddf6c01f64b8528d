/** Translates an asset's answer into a move of the task table, given the task's status (docs/interface.md#tasks). Pure. */
import type { CommandProgress } from "../domain/platformReport.ts";
import type { Move, TaskStatus } from "../domain/task.ts";

interface TableMove {
  readonly to: TaskStatus;
  readonly move: Omit<Move, "nowMs" | "by">;
}

type Ended = Extract<CommandProgress, { code: string }>;

function ended(to: TaskStatus, { code, text }: Pick<Ended, "code" | "text">): TableMove {
  return { to, move: { reason: text, reasonCode: code, result: { code, text, data: null } } };
}

/** null: the task has this status already, or is past it. Whether the table allows the move is checked by `moved`. */
export function moveOf(progress: CommandProgress, status: TaskStatus): TableMove | null {
  const step = stepOf(progress, status);
  const { resends } = progress;
  return step === null || resends === undefined ? step : { to: step.to, move: { ...step.move, resends } };
}

function stepOf(progress: CommandProgress, status: TaskStatus): TableMove | null {
  const isOpenEnded = status === "accepted" || status === "executing" || status === "cancel_requested";
  switch (progress.is) {
    case "accepted":
      return status === "sent" ? { to: "accepted", move: {} } : null;
    case "executing":
      return { to: "executing", move: { progressPct: progress.progressPct, etaMs: progress.etaMs ?? null } };
    case "cancel_declined":
      return status === "cancel_requested"
        ? { to: "executing", move: { reason: progress.text, reasonCode: "cancel_declined" } }
        : null;
    case "busy":
      // Only a task that was not begun goes back to the queue.
      return isOpenEnded
        ? ended("failed", { code: "temporarily_rejected", text: progress.text })
        : { to: "queued", move: { reason: progress.text, reasonCode: "temporarily_rejected" } };
    case "succeeded":
      return { to: "succeeded", move: { result: { code: progress.code, text: progress.text, data: null } } };
    case "cancelled":
      // A cancel that was not requested here is a failure.
      return ended(status === "cancel_requested" ? "cancelled" : "failed", progress);
    case "refused":
      return ended(isOpenEnded ? "failed" : "refused", progress);
    case "timed_out":
      return ended(status === "cancel_requested" ? "failed" : "timed_out", progress);
    default:
      return ended("failed", progress);
  }
}
