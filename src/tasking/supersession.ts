/**
 * Whose turn it is on an asset (ADR 0074): work that runs gives way when a newer order of its slot was taken on by the
 * asset, and not before; what has not begun gives way at once. `abort` is newer than everything of its asset. Pure but
 * for the memory of who took over last, because an answer to an older order may come after the newer one has ended.
 */
import type { Actor } from "../domain/access.ts";
import type { Move, Task, TaskStatus } from "../domain/task.ts";
import { VERB_TABLE } from "../domain/verbs.ts";
import type { RoomFace } from "../room/face.ts";

/** A move of the table on somebody's behalf. */
export interface Step {
  readonly task: Task;
  readonly to: TaskStatus;
  readonly move: Omit<Move, "nowMs" | "by">;
  readonly actor: Actor;
}

/** The asset is at it, or it did it. */
const TAKEN_ON: ReadonlySet<TaskStatus> = new Set(["accepted", "executing", "succeeded"]);
const GIVES_WAY: ReadonlySet<TaskStatus> = new Set(["queued", "accepted", "executing"]);
const LEADS_MAX = 20_000;

export const slotOf = (verb: string): string => VERB_TABLE.get(verb)?.slot ?? verb;

/** Whether the newer order takes the place of the older. Ids are in the order of writing. */
export function replaces(newer: Pick<Task, "id" | "verb">, older: Pick<Task, "id" | "verb">): boolean {
  return newer.id > older.id && (newer.verb === "abort" || slotOf(newer.verb) === slotOf(older.verb));
}

/** Of one whose cancel is on its way the end is what was asked for: the asset is not at it any more. */
function superseded(older: Task, newer: Pick<Task, "id" | "verb">): Step {
  const actor: Actor = { kind: "system", id: newer.id, name: newer.verb };
  const reason = `${newer.verb} (${newer.id}) took over`;
  const to = older.status === "cancel_requested" ? "cancelled" : "superseded";
  return { task: older, to, move: { reason, reasonCode: "superseded" }, actor };
}

export class Turns {
  /** By asset and slot: the newest order that the asset took on. */
  readonly #leads = new Map<string, Pick<Task, "id" | "verb">>();

  note(task: Task): void {
    if (!TAKEN_ON.has(task.status)) return;
    for (const name of [`${task.asset_id} ${slotOf(task.verb)}`, ...(task.verb === "abort" ? [task.asset_id] : [])]) {
      const lead = this.#leads.get(name);
      if (lead !== undefined && lead.id > task.id) continue;
      this.#leads.delete(name);
      if (this.#leads.size >= LEADS_MAX) this.#leads.delete(this.#leads.keys().next().value!);
      this.#leads.set(name, { id: task.id, verb: task.verb });
    }
  }

  /** The step itself, and those that follow from it. */
  after(room: RoomFace, step: Step): Step[] {
    const { task, to } = step;
    const others = room.tasks.openOf(task.asset_id).filter(({ id }) => id !== task.id);
    if (GIVES_WAY.has(to)) {
      const newer = this.#leadOver(task) ?? (to === "queued" ? others.find((one) => replaces(one, task)) : undefined);
      // From `sent` the table has no way to `superseded`: it goes through the answer.
      if (newer !== undefined) return [step, superseded(task, newer)];
    }
    if (!TAKEN_ON.has(to)) return [step];
    const gives = ({ status }: Task) => GIVES_WAY.has(status) || status === "cancel_requested";
    const older = others.filter((one) => gives(one) && replaces(task, one));
    return [step, ...older.map((one) => superseded(one, task))];
  }

  #leadOver(task: Task): Pick<Task, "id" | "verb"> | undefined {
    return [`${task.asset_id} ${slotOf(task.verb)}`, task.asset_id]
      .map((name) => this.#leads.get(name))
      .find((lead) => lead !== undefined && replaces(lead, task));
  }
}
