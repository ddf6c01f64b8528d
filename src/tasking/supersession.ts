/**
 * Which task supersedes which (ADR 0074): a running task is superseded once the asset has taken on a newer order of its
 * slot, a queued one as soon as the newer one is written. `abort` supersedes all older orders of its asset. Pure except for
 * the latest orders taken on, kept because an answer to an older order may arrive after the newer one has ended.
 */
import type { Actor } from "../domain/access.ts";
import type { Move, Task, TaskStatus } from "../domain/task.ts";
import { VERB_TABLE } from "../domain/verbs.ts";
import type { RoomFace } from "../room/face.ts";

/** A move of a task on behalf of `actor`. */
export interface Step {
  readonly task: Task;
  readonly to: TaskStatus;
  readonly move: Omit<Move, "nowMs" | "by">;
  readonly actor: Actor;
}

/** The asset is carrying it out, or has done so. */
const TAKEN_ON: ReadonlySet<TaskStatus> = new Set(["accepted", "executing", "succeeded"]);
const GIVES_WAY: ReadonlySet<TaskStatus> = new Set(["queued", "accepted", "executing"]);
const LATEST_MAX = 20_000;

export const slotOf = (verb: string): string => VERB_TABLE.get(verb)?.slot ?? verb;

/** Whether `newer` supersedes `older`. Ids sort by the time of writing. */
export function replaces(newer: Pick<Task, "id" | "verb">, older: Pick<Task, "id" | "verb">): boolean {
  return newer.id > older.id && (newer.verb === "abort" || slotOf(newer.verb) === slotOf(older.verb));
}

/**
 * A task with a pending cancel ends as `cancelled`, not `superseded`: the operator asked for that, and the vehicle has
 * stopped.
 */
function superseded(older: Task, newer: Pick<Task, "id" | "verb">): Step {
  const actor: Actor = { kind: "system", id: newer.id, name: newer.verb };
  const reason = `${newer.verb} (${newer.id}) took over`;
  const to = older.status === "cancel_requested" ? "cancelled" : "superseded";
  return { task: older, to, move: { reason, reasonCode: "superseded" }, actor };
}

export class Supersession {
  /** By asset and slot, and for an abort by asset: the newest order that the asset has taken on. */
  readonly #latest = new Map<string, Pick<Task, "id" | "verb">>();

  note(task: Task): void {
    if (!TAKEN_ON.has(task.status)) return;
    for (const name of [`${task.asset_id} ${slotOf(task.verb)}`, ...(task.verb === "abort" ? [task.asset_id] : [])]) {
      const latest = this.#latest.get(name);
      if (latest !== undefined && latest.id > task.id) continue;
      this.#latest.delete(name);
      if (this.#latest.size >= LATEST_MAX) this.#latest.delete(this.#latest.keys().next().value!);
      this.#latest.set(name, { id: task.id, verb: task.verb });
    }
  }

  /** The step itself, and the supersessions that follow from it. */
  after(room: RoomFace, step: Step): Step[] {
    const { task, to } = step;
    const others = room.tasks.openOf(task.asset_id).filter(({ id }) => id !== task.id);
    if (GIVES_WAY.has(to)) {
      const newer = this.#latestOver(task) ?? (to === "queued" ? others.find((one) => replaces(one, task)) : undefined);
      // The table has no move from `sent` to `superseded`, so the answer is written first.
      if (newer !== undefined) return [step, superseded(task, newer)];
    }
    if (!TAKEN_ON.has(to)) return [step];
    const isOpen = ({ status }: Task) => GIVES_WAY.has(status) || status === "cancel_requested";
    const older = others.filter((one) => isOpen(one) && replaces(task, one));
    return [step, ...older.map((one) => superseded(one, task))];
  }

  #latestOver(task: Task): Pick<Task, "id" | "verb"> | undefined {
    return [`${task.asset_id} ${slotOf(task.verb)}`, task.asset_id]
      .map((name) => this.#latest.get(name))
      .find((latest) => latest !== undefined && replaces(latest, task));
  }
}
