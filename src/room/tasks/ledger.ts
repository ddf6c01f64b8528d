/**
 * The open tasks of one room (docs/interface.md#tasks), by id and by asset: a cache of the table for decisions that cannot
 * wait for the database. `src/tasking` writes a row first and commits it here afterwards; ended tasks are in Postgres only.
 */
import { isTerminal, type Task } from "../../domain/task.ts";
import { assert } from "../../lib/assert.ts";
import type { ChangeOf } from "../changes.ts";
import { type Applies, NO_EVENTS, type Part, type RoomEvent } from "../part.ts";

export class Ledger implements Part, Applies<"task_moved"> {
  readonly slice = null;
  readonly #open = new Map<string, Task>();
  readonly #byAsset = new Map<string, Set<string>>();
  /** Bumped with every change; the commitments in asset views depend on it. */
  version = 0;

  readonly #namesOf: (assetId: string) => readonly string[];

  /** `namesOf`: all ids of an asset, because a platform may be commanded under its key before it is adopted. */
  constructor(open: Iterable<Task> = [], namesOf: (assetId: string) => readonly string[] = (id) => [id]) {
    this.#namesOf = namesOf;
    for (const task of open) this.put(task);
  }

  apply({ task, previous }: ChangeOf<"task_moved">): readonly RoomEvent[] {
    this.put(task);
    if (previous === null) return [{ name: "tasking", body: { task } }];
    const { id, asset_id, status, status_version, reason, progress_pct } = task;
    return [
      {
        name: "tasking_status",
        body: { task_id: id, asset_id, status, previous, status_version, reason, progress_pct },
      },
    ];
  }

  refresh(): readonly RoomEvent[] {
    return NO_EVENTS;
  }

  json(): string {
    return JSON.stringify({ tasks: [...this.open()] });
  }

  get(id: string): Task | undefined {
    return this.#open.get(id);
  }

  open(): Iterable<Task> {
    return this.#open.values();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Oldest first. */
  openOf(assetId: string): Task[] {
    const names = this.#namesOf(assetId);
    const ids = names.flatMap((name) => [...(this.#byAsset.get(name) ?? [])]);
    return (names.length > 1 ? ids.sort() : ids).map((id) => this.#open.get(id)!);
  }

  /** Keeps the newer form of a task; an ended task is removed. A form with a lower version is ignored (L1). */
  put(task: Task): void {
    const known = this.#open.get(task.id);
    if (known !== undefined && known.status_version > task.status_version) return;
    assert(known === undefined || known.asset_id === task.asset_id, "a task keeps its asset");
    this.version++;
    if (isTerminal(task.status)) {
      this.#open.delete(task.id);
      const ofAsset = this.#byAsset.get(task.asset_id);
      ofAsset?.delete(task.id);
      if (ofAsset?.size === 0) this.#byAsset.delete(task.asset_id);
      return;
    }
    this.#open.set(task.id, task);
    const ofAsset = this.#byAsset.get(task.asset_id);
    if (ofAsset === undefined) this.#byAsset.set(task.asset_id, new Set([task.id]));
    else ofAsset.add(task.id);
  }
}
