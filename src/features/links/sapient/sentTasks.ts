/** The tasks that a listener sent and what became of them: whose they are, which answers count, which never came. */
import type { CommandProgress, OutgoingCommand } from "../../../domain/platformReport.ts";
import type { Fields } from "./messages.ts";
import { progressOf, stopAnswerOf, ulidOf } from "./tasks.ts";

const ANSWER_WITHIN_MS = 10_000;
const STOP_AGAIN_MS = 2500;
const KEEP_MS = 86_400_000;
const GO_ON: ReadonlySet<string> = new Set(["look_at"]);

interface SentTask {
  readonly taskId: string;
  readonly nodeId: string;
  readonly sentMs: number;
  /** It goes on at the node until it is stopped. */
  readonly goesOn: boolean;
  isAnswered: boolean;
  /** Since when it is to be stopped, and when the node was told last; null: it is not. */
  stopping: { readonly sinceMs: number; toldMs: number } | null;
  isExecuting: boolean;
}

interface News {
  readonly taskId: string;
  readonly progress: CommandProgress;
}

export class SentTasks {
  /** By the id that SAPIENT knows them under. */
  readonly #tasks = new Map<string, SentTask>();

  /** `isAnswered`: it was begun earlier. */
  note({ taskId, verb, source }: OutgoingCommand, nowMs: number, isAnswered = false): void {
    const fresh = { isAnswered, stopping: null, isExecuting: false };
    const task = { taskId, nodeId: source.systemId, sentMs: nowMs, goesOn: GO_ON.has(verb), ...fresh };
    this.#tasks.set(ulidOf(taskId), task);
  }

  /** Ended elsewhere. The node that is to be told to stop; null: there is none, or nothing goes on there. */
  drop(taskId: string): string | null {
    const task = this.#tasks.get(ulidOf(taskId));
    this.#tasks.delete(ulidOf(taskId));
    return task?.goesOn === true ? task.nodeId : null;
  }

  /** The node that is to stop it; null: no node has it. */
  cancel(taskId: string, nowMs: number): string | null {
    const task = this.#tasks.get(ulidOf(taskId));
    if (task === undefined) return null;
    task.stopping ??= { sinceMs: nowMs, toldMs: nowMs };
    return task.nodeId;
  }

  /** Which nodes are to be told again to stop what, and which tasks go on because nobody answered. */
  stops(nowMs: number): { readonly again: { taskId: string; nodeId: string }[]; readonly unanswered: string[] } {
    const again: { taskId: string; nodeId: string }[] = [];
    const unanswered: string[] = [];
    for (const task of this.#tasks.values()) {
      const { taskId, nodeId, stopping } = task;
      if (stopping === null) continue;
      if (nowMs - stopping.sinceMs >= ANSWER_WITHIN_MS) {
        task.stopping = null;
        unanswered.push(taskId);
      } else if (nowMs - stopping.toldMs >= STOP_AGAIN_MS) {
        stopping.toldMs = nowMs;
        again.push({ taskId, nodeId });
      }
    }
    return { again, unanswered };
  }

  /** Only the node that was asked can answer. null: that is no news. */
  answer(nodeId: string, ack: Fields): News | null {
    const id = String(ack.taskId);
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId) return null;
    // The first answer is that to the task itself, even when it was told to stop in between.
    const progress = task.stopping !== null && task.isAnswered ? stopAnswerOf(ack) : progressOf(ack);
    if (progress === null) return null;
    task.isAnswered = true;
    if (progress.is === "cancel_declined") task.stopping = null;
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
