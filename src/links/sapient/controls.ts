/**
 * Start, stop and pause of a task that the node has. A control is sent under the task's id, so its ack has the same id: here is
 * which task is meant, and which acks are for the control. Knows no socket.
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

/** What an ack means for the control and for the task that it is about. */
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
  /** By the id of the task that is controlled. */
  readonly #orders = new Map<string, Order>();
  /** The task that each node paused last. */
  readonly #pausedBy = new Map<string, string>();

  /** The task that is meant: for `start` the paused one, else the node's present one. null: there is none. */
  targetOf(verb: Control, nodeId: string, currentId: string | null): string | null {
    return verb === "start" ? (this.#pausedBy.get(nodeId) ?? null) : currentId;
  }

  /** false: another control of this task is not acknowledged yet. */
  note({ taskId, source, verb }: OutgoingCommand, id: string, nowMs: number): boolean {
    if (this.#orders.has(id) || !isControl(verb)) return false;
    this.#orders.set(id, { taskId, nodeId: source.systemId, control: verb, sentMs: nowMs });
    return true;
  }

  drop(taskId: string): void {
    for (const [id, order] of this.#orders) if (order.taskId === taskId) this.#orders.delete(id);
  }

  /** null: the ack is not for a control. */
  answer(nodeId: string, ack: Fields): OrderAnswer | null {
    const id = String(ack.taskId);
    const order = this.#orders.get(id);
    const progressOfAck = progressOf(ack);
    if (order === undefined || order.nodeId !== nodeId || progressOfAck === null) return null;
    this.#orders.delete(id);
    const { taskId, control } = order;
    if (progressOfAck.is === "refused") return { taskId, progress: progressOfAck, ofTask: "goes_on" };
    if (progressOfAck.is === "failed") return { taskId, progress: progressOfAck, ofTask: "failed" };
    if (control === "pause") this.#pausedBy.set(nodeId, id);
    else if (this.#pausedBy.get(nodeId) === id) this.#pausedBy.delete(nodeId);
    const text = reasonsOf(ack) || `the node accepted to ${control} its task ${id}`;
    const progress: CommandProgress = { is: "succeeded", code: "taken", text };
    return { taskId, progress, ofTask: control === "stop" ? "stopped" : "goes_on" };
  }

  /** Removes controls that were not acknowledged in time, and returns their task ids. */
  expire(nowMs: number): string[] {
    const silent = [...this.#orders].filter(([, { sentMs }]) => nowMs - sentMs >= SAPIENT_ANSWER_WITHIN_MS);
    for (const [id] of silent) this.#orders.delete(id);
    return silent.map(([, { taskId }]) => taskId);
  }
}
