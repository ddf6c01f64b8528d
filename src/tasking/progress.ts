/**
 * Progress of tasks: answers of the asset, time-outs, cancels. Each is a move of the task table, written before it is
 * published; a move that the table does not allow is counted and dropped. While the database is away, moves wait in order.
 */
import type { Database } from "../db/client.ts";
import { appendEvents } from "../db/eventLog.ts";
import type { Actor } from "../domain/access.ts";
import { isForLater, isRefusal, UnavailableError } from "../domain/errors.ts";
import type { CommandProgress } from "../domain/platformReport.ts";
import { type Move, moved, type Task, type TaskStatus } from "../domain/task.ts";
import type { Clock } from "../lib/clock.ts";
import { TASK_MOVES_WAITING_MAX } from "../limits.ts";
import type { NoRoom, RoomFace } from "../room/face.ts";
import { statusDraft } from "./drafts.ts";
import { moveOf } from "./moveOf.ts";
import { findOpenTasks, findTask, updateTask } from "./store.ts";
import { type Step, Supersession } from "./supersession.ts";
import { commitRow } from "./writeMoves.ts";

const PERCENT_PERIOD_MS = 1000;
const SERVICE: Actor = { kind: "system", id: "service", name: "the service" };
const LINK: Actor = { kind: "system", id: "link", name: "the asset's link" };

/** Thrown to roll the transaction back. */
class RowIsNewer extends Error {}

function unlessNewer(fault: unknown): false {
  if (fault instanceof RowIsNewer) return false;
  throw fault;
}

/** Names its room by id, because the room may be closed and reopened while this waits. */
interface Waiting {
  readonly workspaceId: string;
  readonly taskId: string;
  readonly progress: CommandProgress;
}

interface TakenMove {
  readonly next: Task;
  readonly previous: TaskStatus;
  readonly actor: Actor;
}

type OpenWorkspace = (id: string) => RoomFace | NoRoom | Promise<RoomFace | NoRoom>;

export class TaskProgress {
  /** `illegal`: answers that do not fit their task's state. `lost`: too many were waiting, or the workspace is gone. */
  readonly counts = { illegal: 0, lost: 0 };
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #openWorkspace: OpenWorkspace;
  readonly #supersession = new Supersession();
  readonly #waiting: Waiting[] = [];
  #isRetrying = false;
  readonly #percentSentMs = new Map<string, number>();

  constructor(db: Database, clock: Clock, openWorkspace: OpenWorkspace) {
    this.#db = db;
    this.#clock = clock;
    this.#openWorkspace = openWorkspace;
  }

  /** Takes progress that an adapter reports. Progress of one task stays in order. */
  async apply(workspaceId: string, taskId: string, progress: CommandProgress): Promise<void> {
    const one = { workspaceId, taskId, progress };
    if (this.#waiting.some((earlier) => earlier.taskId === taskId)) return this.#wait(one);
    try {
      await this.#take(one);
    } catch (fault) {
      if (!isForLater(fault)) throw fault;
      this.#wait(one);
    }
  }

  async #take({ workspaceId, taskId, progress }: Waiting): Promise<void> {
    const opening = this.#openWorkspace(workspaceId);
    // No `await` for an open room, so that a later call cannot overtake this one.
    const room = opening instanceof Promise ? await opening : opening;
    if (!isRefusal(room)) return room.serially(() => this.#applyNow(room, taskId, progress));
    // With too many rooms open, try again later: one will close. A deleted workspace has no tasks.
    if (room.code !== "not_found") throw new UnavailableError(room.sentence);
    this.counts.lost++;
  }

  /** Once a second: applies the progress that waited for the database. */
  async retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    try {
      await this.#retryAll();
    } finally {
      this.#isRetrying = false;
    }
  }

  async #retryAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const one = this.#waiting[0]!;
      try {
        await this.#take(one);
      } catch (fault) {
        if (isForLater(fault)) return;
        // Drop a move that fails for good, so that the others can go on.
        this.#waiting.shift();
        throw fault;
      }
      this.#waiting.shift();
    }
  }

  /** Moves a task on behalf of `actor`; null when its state does not allow it. Call it in `room.serially`. */
  async move(
    room: RoomFace,
    actor: Actor,
    task: Task,
    to: TaskStatus,
    move: Omit<Move, "nowMs" | "by">,
  ): Promise<Task | null> {
    const [next] = await this.moveAll(room, [{ task, to, move, actor }]);
    return next ?? null;
  }

  /** Writes all steps or none and commits them in this order; steps that the table does not allow are left out. */
  async moveAll(room: RoomFace, steps: readonly Step[]): Promise<Task[]> {
    const nowMs = this.#clock.nowMs();
    const latest = new Map<string, Task>();
    const taken = steps.flatMap(({ task: given, to, move, actor }) => {
      const task = latest.get(given.id) ?? given;
      const next = moved(task, to, { ...move, nowMs, by: actor.id });
      if (next === null) return [];
      latest.set(next.id, next);
      return [{ next, previous: task.status, actor }];
    });
    if (taken.length === 0) return [];
    if (!(await this.#write(room, taken, nowMs))) {
      await this.#readAgain(room, new Set(taken.map(({ next }) => next.id)));
      return [];
    }
    for (const { next, previous } of taken) {
      room.commit({ op: "task_moved", task: next, previous }, nowMs);
      this.#supersession.note(next);
      if (next.ended_at !== null) this.#percentSentMs.delete(next.id);
    }
    return taken.map(({ next }) => next);
  }

  /** false: a row is newer than memory, so these moves were decided on stale tasks and none was written. */
  #write(room: RoomFace, taken: readonly TakenMove[], nowMs: number): Promise<boolean> {
    return this.#db
      .transact(async (sql) => {
        for (const { next } of taken) if (!(await updateTask(sql, room.id, next))) throw new RowIsNewer();
        const drafts = taken.map(({ next, previous, actor }) => statusDraft(room, actor, next, previous, nowMs));
        await appendEvents(sql, room, drafts);
        return true;
      })
      .catch(unlessNewer);
  }

  /**
   * Reloads the open tasks after a write whose outcome is unknown. A task that was written all the same is cancelled: its
   * client was answered that the command failed, and may have commanded something else since. Call it in `room.serially`.
   */
  async reload(room: RoomFace): Promise<void> {
    const { tasks } = room;
    const open = await this.#db.run((sql) => findOpenTasks(sql, room.id));
    const openIds = new Set(open.map(({ id }) => id));
    const ended = [...tasks.open()].map(({ id }) => id).filter((id) => !openIds.has(id));
    await this.#readAgain(room, new Set(ended));
    for (const task of open)
      if (tasks.get(task.id) === undefined) await this.#cancelStray(room, task);
      else commitRow(room, task, this.#clock.nowMs());
  }

  /** Writes the end before the room learns of the task: in the other order a fault in between would let it be flown. */
  async #cancelStray(room: RoomFace, task: Task): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const reason = "the answer to its command was lost, so it was not carried out";
    const next = moved(task, "cancelled", { nowMs, by: SERVICE.id, reason, reasonCode: "answer_lost" });
    const move = next && { next, previous: task.status, actor: SERVICE };
    if (move !== null && !(await this.#write(room, [move], nowMs))) return;
    room.commit({ op: "task_moved", task, previous: null }, nowMs);
    if (move !== null) room.commit({ op: "task_moved", task: move.next, previous: move.previous }, nowMs);
  }

  async #readAgain(room: RoomFace, ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      const row = await this.#db.run((sql) => findTask(sql, room.id, id));
      if (row !== null) commitRow(room, row, this.#clock.nowMs());
    }
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.length >= TASK_MOVES_WAITING_MAX) this.counts.lost++;
    else this.#waiting.push(waiting);
  }

  async #applyNow(room: RoomFace, taskId: string, progress: CommandProgress): Promise<void> {
    const task = room.tasks.get(taskId);
    if (task === undefined) return void this.counts.illegal++;
    if (progress.is === "executing" && (task.status === "executing" || task.status === "cancel_requested"))
      return this.#sendPercent(room, task, progress);
    const step = moveOf(progress, task.status);
    if (step === null) return void this.counts.illegal++;
    const steps = this.#supersession.after(room, { task, actor: LINK, ...step });
    const done = await this.moveAll(room, steps);
    if (done.length === 0) this.counts.illegal++;
  }

  /** Percentages are sent at most once a second and kept in memory only. */
  #sendPercent(room: RoomFace, task: Task, progress: Extract<CommandProgress, { is: "executing" }>): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - (this.#percentSentMs.get(task.id) ?? 0) < PERCENT_PERIOD_MS) return;
    this.#percentSentMs.set(task.id, nowMs);
    const next = { ...task, status_version: task.status_version + 1, progress_pct: progress.progressPct };
    room.commit({ op: "task_moved", task: next, previous: task.status }, nowMs);
  }
}
