/** The tasks that a listener sent and what became of them: whose they are, which answers count, which never came. */
import type { CommandProgress } from "../../../domain/platformReport.ts";
import type { Fields } from "./messages.ts";
import { progressOf, stopAnswerOf, ulidOf } from "./tasks.ts";

const ANSWER_WITHIN_MS = 10_000;
const KEEP_MS = 86_400_000;

interface SentTask {
  readonly taskId: string;
  readonly nodeId: string;
  readonly sentMs: number;
  isAnswered: boolean;
  isCancelling: boolean;
  isExecuting: boolean;
}

interface News {
  readonly taskId: string;
  readonly progress: CommandProgress;
}

export class SentTasks {
  /** By the id that SAPIENT knows them under. */
  readonly #tasks = new Map<string, SentTask>();

  note(taskId: string, nodeId: string, nowMs: number): void {
    const fresh = { isAnswered: false, isCancelling: false, isExecuting: false };
    this.#tasks.set(ulidOf(taskId), { taskId, nodeId, sentMs: nowMs, ...fresh });
  }

  /** The node that is to stop it; null: no node has it. */
  cancel(taskId: string): string | null {
    const task = this.#tasks.get(ulidOf(taskId));
    if (task === undefined) return null;
    task.isCancelling = true;
    return task.nodeId;
  }

  /** Only the node that was asked can answer. null: that is no news. */
  answer(nodeId: string, ack: Fields): News | null {
    const id = String(ack.taskId);
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId) return null;
    // The first answer is that to the task itself, even when it was told to stop in between.
    const progress = task.isCancelling && task.isAnswered ? stopAnswerOf(ack) : progressOf(ack);
    if (progress === null) return null;
    task.isAnswered = true;
    if (progress.is === "cancel_declined") task.isCancelling = false;
    else if (progress.is !== "accepted") this.#tasks.delete(id);
    return { taskId: task.taskId, progress };
  }

  /** Its status report names the task that the node works on. null: that is no news. */
  active(nodeId: string, activeTaskId: unknown): News | null {
    const task = this.#tasks.get(String(activeTaskId));
    if (task === undefined || task.nodeId !== nodeId || task.isExecuting) return null;
    task.isAnswered = true;
    task.isExecuting = true;
    return { taskId: task.taskId, progress: { is: "executing", progressPct: null } };
  }

  /** The ids of tasks that no node answered in time; long forgotten ones go, too. */
  expire(nowMs: number): string[] {
    const silent: string[] = [];
    for (const [id, { taskId, sentMs, isAnswered }] of this.#tasks) {
      if (nowMs - sentMs < (isAnswered ? KEEP_MS : ANSWER_WITHIN_MS)) continue;
      this.#tasks.delete(id);
      if (!isAnswered) silent.push(taskId);
    }
    return silent;
  }
}
