/**
 * Start, stop and pause: said of a task that the node has, under that task's id, so that its answer comes under the same
 * id. Which task that is, and which answers are to the order. Knows no socket.
 */
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import { SAPIENT_ANSWER_WITHIN_MS } from "../../limits.ts";
import type { Content, Fields } from "./messages.ts";
import { CONTROL, progressOf, reasonsOf } from "./tasks.ts";

export type Control = keyof typeof CONTROL;

interface Order {
  readonly taskId: string;
  readonly nodeId: string;
  readonly control: Control;
  readonly sentMs: number;
}

/** What an answer means for the order, and for the task that the order is about. */
interface OrderAnswer {
  readonly taskId: string;
  readonly progress: CommandProgress;
  readonly ofTask: "goes_on" | "stopped" | "failed";
}

export function isControl(verb: string): verb is Control {
  return verb in CONTROL;
}

export function controlContent(verb: Control, id: string): Content {
  return { case: "task", value: { taskId: id, control: CONTROL[verb] } };
}

export class Controls {
  /** By the id of the task that they are about. */
  readonly #orders = new Map<string, Order>();
  /** The task that each node paused last. */
  readonly #pausedBy = new Map<string, string>();

  /** What this is said of: to go on, what was paused; else what the node works on. null: it has no such task. */
  targetOf(verb: Control, nodeId: string, currentId: string | null): string | null {
    return verb === "start" ? (this.#pausedBy.get(nodeId) ?? null) : currentId;
  }

  /** False: another order about this task has no answer yet. */
  note({ taskId, source, verb }: OutgoingCommand, id: string, nowMs: number): boolean {
    if (this.#orders.has(id) || !isControl(verb)) return false;
    this.#orders.set(id, { taskId, nodeId: source.systemId, control: verb, sentMs: nowMs });
    return true;
  }

  drop(taskId: string): void {
    for (const [id, order] of this.#orders) if (order.taskId === taskId) this.#orders.delete(id);
  }

  /** null: it is no answer to an order. */
  answer(nodeId: string, ack: Fields): OrderAnswer | null {
    const id = String(ack.taskId);
    const order = this.#orders.get(id);
    const said = progressOf(ack);
    if (order === undefined || order.nodeId !== nodeId || said === null) return null;
    this.#orders.delete(id);
    const { taskId, control } = order;
    if (said.is === "refused") return { taskId, progress: said, ofTask: "goes_on" };
    if (said.is === "failed") return { taskId, progress: said, ofTask: "failed" };
    if (control === "pause") this.#pausedBy.set(nodeId, id);
    else if (this.#pausedBy.get(nodeId) === id) this.#pausedBy.delete(nodeId);
    const text = reasonsOf(ack) || `the node took the order to ${control} its task ${id}`;
    const progress: CommandProgress = { is: "succeeded", code: "taken", text };
    return { taskId, progress, ofTask: control === "stop" ? "stopped" : "goes_on" };
  }

  /** The ids of orders that no node answered in time. */
  expire(nowMs: number): string[] {
    const silent = [...this.#orders].filter(([, { sentMs }]) => nowMs - sentMs >= SAPIENT_ANSWER_WITHIN_MS);
    for (const [id] of silent) this.#orders.delete(id);
    return silent.map(([, { taskId }]) => taskId);
  }
}
