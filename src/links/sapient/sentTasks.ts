/**
 * The commands that a listener sent and what became of them: whose they are, which answers count, which never came. One
 * command may be several tasks of the protocol; it is done when all of them are.
 */
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import { SAPIENT_ANSWER_WITHIN_MS } from "../../limits.ts";
import type { Fields } from "./messages.ts";
import { progressOf, stopAnswerOf, type TaskPart } from "./tasks.ts";

const STOP_AGAIN_MS = 2500;
const KEEP_MS = 86_400_000;
const GO_ON: ReadonlySet<string> = new Set(["look_at"]);

interface SentTask {
  readonly taskId: string;
  readonly nodeId: string;
  readonly sentMs: number;
  /** It goes on at the node until it is stopped. */
  readonly goesOn: boolean;
  /** What each part is for a person, by its id. */
  readonly labels: ReadonlyMap<string, string>;
  readonly openIds: Set<string>;
  readonly unansweredIds: Set<string>;
  /** Since when it is to be stopped, and when the node was told last; null: it is not. */
  stopping: { readonly sinceMs: number; toldMs: number } | null;
  isExecuting: boolean;
}

interface News {
  readonly taskId: string;
  readonly progress: CommandProgress;
}

/** Who is to be told to stop what, under the ids that SAPIENT knows. */
export interface StopOrder {
  readonly nodeId: string;
  readonly ids: readonly string[];
}

export class SentTasks {
  /** By the id that SAPIENT knows them under; a command of several parts under each of them. */
  readonly #tasks = new Map<string, SentTask>();

  /** `isAnswered`: it was begun earlier. */
  note({ taskId, verb, source }: OutgoingCommand, parts: readonly TaskPart[], nowMs: number, isAnswered = false): void {
    const ids = parts.map(({ id }) => id);
    const task: SentTask = {
      taskId,
      nodeId: source.systemId,
      sentMs: nowMs,
      goesOn: GO_ON.has(verb),
      labels: new Map(parts.map(({ id, label }) => [id, label])),
      openIds: new Set(ids),
      unansweredIds: new Set(isAnswered ? [] : ids),
      stopping: null,
      isExecuting: false,
    };
    for (const id of ids) this.#tasks.set(id, task);
  }

  /** Ended elsewhere. Who is to be told to stop; null: nobody, or nothing goes on there. */
  drop(taskId: string): StopOrder | null {
    const task = this.#find(taskId);
    if (task === undefined) return null;
    const order = stopOrderOf(task);
    this.#forget(task);
    return task.goesOn ? order : null;
  }

  /** Who is to stop it; null: no node has it. */
  cancel(taskId: string, nowMs: number): StopOrder | null {
    const task = this.#find(taskId);
    if (task === undefined) return null;
    task.stopping ??= { sinceMs: nowMs, toldMs: nowMs };
    return stopOrderOf(task);
  }

  /** Which nodes are to be told again to stop what, and which tasks go on because nobody answered. */
  stops(nowMs: number): { readonly again: StopOrder[]; readonly unanswered: string[] } {
    const again: StopOrder[] = [];
    const unanswered: string[] = [];
    for (const task of this.#each()) {
      const { taskId, stopping } = task;
      if (stopping === null) continue;
      if (nowMs - stopping.sinceMs >= SAPIENT_ANSWER_WITHIN_MS) {
        task.stopping = null;
        unanswered.push(taskId);
      } else if (nowMs - stopping.toldMs >= STOP_AGAIN_MS) {
        stopping.toldMs = nowMs;
        again.push(stopOrderOf(task));
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
    const isToStop = task.stopping !== null && !task.unansweredIds.has(id);
    const progress = isToStop ? stopAnswerOf(ack) : progressOf(ack);
    if (progress === null) return null;
    task.unansweredIds.delete(id);
    const whole = this.#wholeOf(task, id, progress);
    return whole === null ? null : { taskId: task.taskId, progress: whole };
  }

  /** What the answer to one part means for the command. null: the others are waited for. */
  #wholeOf(task: SentTask, id: string, progress: CommandProgress): CommandProgress | null {
    switch (progress.is) {
      case "cancel_declined":
        task.stopping = null;
        return progress;
      case "accepted":
        return task.unansweredIds.size === 0 ? progress : null;
      case "succeeded":
      case "cancelled":
        task.openIds.delete(id);
        this.#tasks.delete(id);
        return task.openIds.size === 0 ? progress : null;
      default:
        this.#forget(task);
        return "text" in progress && task.labels.size > 1 ? ofPart(task, id, progress.text) : progress;
    }
  }

  /** Another command stopped it. null: it is none of ours. */
  stopped(nodeId: string, id: string): News | null {
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId) return null;
    const progress = { is: "cancelled", code: "stopped", text: "another command stopped it" } as const;
    const whole = this.#wholeOf(task, id, progress);
    return whole === null ? null : { taskId: task.taskId, progress: whole };
  }

  /** The task that the node took last and that is not over, as far as is known here. */
  lastAcceptedBy(nodeId: string): string | null {
    let last: string | null = null;
    for (const [id, task] of this.#tasks) if (task.nodeId === nodeId && !task.unansweredIds.has(id)) last = id;
    return last;
  }

  /** The node has the task, and has not said yet whether it takes it. */
  isUnanswered(id: string): boolean {
    return this.#tasks.get(id)?.unansweredIds.has(id) === true;
  }

  /** Its status report names the task that the node works on. null: that is no news. */
  active(nodeId: string, activeTaskId: unknown): News | null {
    const id = String(activeTaskId);
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId || task.isExecuting) return null;
    task.unansweredIds.delete(id);
    task.isExecuting = true;
    return { taskId: task.taskId, progress: { is: "executing", progressPct: null } };
  }

  /** The ids of tasks that no node answered in time; long forgotten ones go, too. */
  expire(nowMs: number): string[] {
    const silent: string[] = [];
    for (const task of this.#each()) {
      const isAnswered = task.unansweredIds.size === 0;
      if (nowMs - task.sentMs < (isAnswered ? KEEP_MS : SAPIENT_ANSWER_WITHIN_MS)) continue;
      this.#forget(task);
      if (!isAnswered) silent.push(task.taskId);
    }
    return silent;
  }

  #find(taskId: string): SentTask | undefined {
    for (const task of this.#tasks.values()) if (task.taskId === taskId) return task;
    return undefined;
  }

  #each(): ReadonlySet<SentTask> {
    return new Set(this.#tasks.values());
  }

  #forget({ openIds }: SentTask): void {
    for (const id of openIds) this.#tasks.delete(id);
  }
}

function stopOrderOf({ nodeId, openIds }: SentTask): StopOrder {
  return { nodeId, ids: [...openIds] };
}

/** What was taken of a command besides the part that was not, is so: nobody takes it back. */
function ofPart({ labels, openIds, unansweredIds }: SentTask, id: string, text: string): CommandProgress {
  const label = (of: (other: string) => boolean) => [...labels].filter(([other]) => of(other)).map(([, name]) => name);
  const taken = label((other) => other !== id && !(openIds.has(other) && unansweredIds.has(other)));
  const rest = taken.length === 0 ? "" : `; ${taken.join(" and ")} went through`;
  return { is: "failed", code: "failed", text: `${labels.get(id)}: ${text}${rest}` };
}
