/**
 * The commands that a listener sent, and what their acks mean. One command may be several SAPIENT tasks; it is done when all of
 * them are.
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
  /** It runs at the node until it is stopped. */
  readonly goesOn: boolean;
  /** By SAPIENT id: the name of each part for a person. */
  readonly labels: ReadonlyMap<string, string>;
  readonly openIds: Set<string>;
  readonly unansweredIds: Set<string>;
  /** When the cancel came and when a stop was last sent; null: it is not being cancelled. */
  stopping: { readonly sinceMs: number; sentMs: number } | null;
  isExecuting: boolean;
}

interface News {
  readonly taskId: string;
  readonly progress: CommandProgress;
}

/** A stop to send: the node, and the SAPIENT ids of the tasks. */
export interface StopOrder {
  readonly nodeId: string;
  readonly ids: readonly string[];
}

export class SentTasks {
  /** By SAPIENT id; a command of several parts under each of them. */
  readonly #tasks = new Map<string, SentTask>();

  /** `isAnswered`: it was begun and acknowledged earlier. */
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

  /** The ledger ended the task. Returns the stop to send; null: nothing of it runs at a node. */
  drop(taskId: string): StopOrder | null {
    const task = this.#find(taskId);
    if (task === undefined) return null;
    const order = stopOrderOf(task);
    this.#forget(task);
    return task.goesOn ? order : null;
  }

  /** Returns the stop to send; null: no node has the task. */
  cancel(taskId: string, nowMs: number): StopOrder | null {
    const task = this.#find(taskId);
    if (task === undefined) return null;
    task.stopping ??= { sinceMs: nowMs, sentMs: nowMs };
    return stopOrderOf(task);
  }

  /** Stops to send again, and tasks whose stop was not answered in time: they go on. */
  stops(nowMs: number): { readonly again: StopOrder[]; readonly unanswered: string[] } {
    const again: StopOrder[] = [];
    const unanswered: string[] = [];
    for (const task of this.#each()) {
      const { taskId, stopping } = task;
      if (stopping === null) continue;
      if (nowMs - stopping.sinceMs >= SAPIENT_ANSWER_WITHIN_MS) {
        task.stopping = null;
        unanswered.push(taskId);
      } else if (nowMs - stopping.sentMs >= STOP_AGAIN_MS) {
        stopping.sentMs = nowMs;
        again.push(stopOrderOf(task));
      }
    }
    return { again, unanswered };
  }

  /** Takes an ack, from the task's own node only. null: nothing to report. */
  answer(nodeId: string, ack: Fields): News | null {
    const id = String(ack.taskId);
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId) return null;
    // The first ack is for the task itself, even if a stop was sent after it.
    const isToStop = task.stopping !== null && !task.unansweredIds.has(id);
    const progress = isToStop ? stopAnswerOf(ack) : progressOf(ack);
    if (progress === null) return null;
    task.unansweredIds.delete(id);
    const whole = this.#wholeOf(task, id, progress);
    return whole === null ? null : { taskId: task.taskId, progress: whole };
  }

  /** What the ack of one part means for the command. null: wait for the others. */
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

  /** Another command stopped the task. null: it is not ours. */
  stopped(nodeId: string, id: string): News | null {
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId) return null;
    const progress = { is: "cancelled", code: "stopped", text: "another command stopped it" } as const;
    const whole = this.#wholeOf(task, id, progress);
    return whole === null ? null : { taskId: task.taskId, progress: whole };
  }

  /** The task that the node accepted last and, as far as we know, has not ended. */
  lastAcceptedBy(nodeId: string): string | null {
    let last: string | null = null;
    for (const [id, task] of this.#tasks) if (task.nodeId === nodeId && !task.unansweredIds.has(id)) last = id;
    return last;
  }

  /** The node has not acknowledged the task yet. */
  isUnanswered(id: string): boolean {
    return this.#tasks.get(id)?.unansweredIds.has(id) === true;
  }

  /** A status report names the task that the node works on. null: nothing to report. */
  active(nodeId: string, activeTaskId: unknown): News | null {
    const id = String(activeTaskId);
    const task = this.#tasks.get(id);
    if (task === undefined || task.nodeId !== nodeId || task.isExecuting) return null;
    task.unansweredIds.delete(id);
    task.isExecuting = true;
    return { taskId: task.taskId, progress: { is: "executing", progressPct: null } };
  }

  /** Removes tasks that were not acknowledged in time and returns their ids. Acknowledged ones are removed after a day. */
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

/** The report of a part that failed. The parts that the node took before stay in force, and the text names them. */
function ofPart({ labels, openIds, unansweredIds }: SentTask, id: string, text: string): CommandProgress {
  const label = (of: (other: string) => boolean) => [...labels].filter(([other]) => of(other)).map(([, name]) => name);
  const taken = label((other) => other !== id && !(openIds.has(other) && unansweredIds.has(other)));
  const rest = taken.length === 0 ? "" : `; ${taken.join(" and ")} took effect`;
  return { is: "failed", code: "failed", text: `${labels.get(id)}: ${text}${rest}` };
}
