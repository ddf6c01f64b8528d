/**
 * What comes back of a task: answers of the asset, time-outs, a cancel. Each is a move of the table, written before it is
 * told; one that the table does not allow is counted and dropped. While the database is away moves wait their turn.
 */
import type { Database } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import type { Actor } from "../../domain/access.ts";
import { UnavailableError } from "../../domain/errors.ts";
import type { CommandProgress } from "../../domain/platformReport.ts";
import { type Move, moved, type Task, type TaskStatus } from "../../domain/task.ts";
import { VERB_TABLE } from "../../domain/verbs.ts";
import type { Clock } from "../../lib/clock.ts";
import { TASK_MOVES_WAITING_MAX } from "../../limits.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { statusDraft } from "./drafts.ts";
import { updateTask } from "./store.ts";

const PERCENT_PERIOD_MS = 1000;

interface Waiting {
  readonly workspace: Workspace;
  readonly taskId: string;
  readonly progress: CommandProgress;
}

export class TaskProgress {
  readonly counts = { illegal: 0, lost: 0 };
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #waiting: Waiting[] = [];
  readonly #percentToldMs = new Map<string, number>();

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** What an adapter says of a task. Order is kept. */
  async apply(workspace: Workspace, taskId: string, progress: CommandProgress): Promise<void> {
    if (this.#waiting.some((one) => one.taskId === taskId)) return this.#wait({ workspace, taskId, progress });
    try {
      await workspace.serially(() => this.#applyNow(workspace, taskId, progress));
    } catch (fault) {
      if (!(fault instanceof UnavailableError)) throw fault;
      this.#wait({ workspace, taskId, progress });
    }
  }

  /** Once a second: what waited for the database. */
  async retry(): Promise<void> {
    while (this.#waiting.length > 0) {
      const { workspace, taskId, progress } = this.#waiting[0]!;
      try {
        await workspace.serially(() => this.#applyNow(workspace, taskId, progress));
      } catch (fault) {
        if (fault instanceof UnavailableError) return;
        throw fault;
      } finally {
        // Also one that fails for good: it must not stand in the way of the others.
        if (this.#db.state === "up") this.#waiting.shift();
      }
    }
  }

  /** Moves a task on behalf of somebody; null when its state does not allow it. */
  async move(
    workspace: Workspace,
    actor: Actor,
    task: Task,
    to: TaskStatus,
    move: Omit<Move, "nowMs" | "by">,
  ): Promise<Task | null> {
    const nowMs = this.#clock.nowMs();
    const next = moved(task, to, { ...move, nowMs, by: actor.id });
    if (next === null) return null;
    await this.#db.transact(async (sql) => {
      await updateTask(sql, workspace.id, next);
      await appendEvents(sql, workspace.id, [statusDraft(workspace, actor, next, task.status, nowMs)]);
    });
    workspace.forces.commitTask(next, task.status, nowMs);
    if (next.ended_at !== null) this.#percentToldMs.delete(next.id);
    return next;
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.length >= TASK_MOVES_WAITING_MAX) this.counts.lost++;
    else this.#waiting.push(waiting);
  }

  async #applyNow(workspace: Workspace, taskId: string, progress: CommandProgress): Promise<void> {
    const task = workspace.forces.ledger.get(taskId);
    if (task === undefined) return void this.counts.illegal++;
    if (progress.is === "executing" && (task.status === "executing" || task.status === "cancel_requested"))
      return this.#tellPercent(workspace, task, progress);
    if (progress.is === "cancel_declined" && task.status !== "cancel_requested") return void this.counts.illegal++;
    const actor: Actor = { kind: "system", id: "link", name: "the asset's link" };
    const [to, move] = moveOf(progress);
    const next = await this.move(workspace, actor, task, to, move);
    if (next === null) this.counts.illegal++;
    else if (next.status === "accepted" || next.status === "executing") await this.#yieldToNewer(workspace, next);
  }

  /** Percentages are for the eye: told at most once a second, kept in memory only. */
  #tellPercent(workspace: Workspace, task: Task, progress: Extract<CommandProgress, { is: "executing" }>): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - (this.#percentToldMs.get(task.id) ?? 0) < PERCENT_PERIOD_MS) return;
    this.#percentToldMs.set(task.id, nowMs);
    const next = { ...task, status_version: task.status_version + 1, progress_pct: progress.progressPct };
    workspace.forces.commitTask(next, task.status, nowMs);
  }

  /** While it was on its way a newer task of its slot was written: now that its answer is in, that one takes over. */
  async #yieldToNewer(workspace: Workspace, task: Task): Promise<void> {
    const slot = VERB_TABLE.get(task.verb)?.slot;
    const newer = workspace.forces.ledger
      .openOf(task.asset_id)
      .find(({ id, verb }) => id > task.id && (VERB_TABLE.get(verb)?.slot === slot || verb === "abort"));
    if (newer === undefined) return;
    const actor: Actor = { kind: "system", id: newer.id, name: newer.verb };
    await this.move(workspace, actor, task, "superseded", {
      reason: `${newer.verb} (${newer.id}) took over`,
      reasonCode: "superseded",
    });
  }
}

function moveOf(progress: CommandProgress): [TaskStatus, Omit<Move, "nowMs" | "by">] {
  switch (progress.is) {
    case "sent":
    case "accepted":
      return [progress.is, {}];
    case "executing":
      return ["executing", { progressPct: progress.progressPct, etaMs: progress.etaMs ?? null }];
    case "cancel_declined":
      return ["executing", { reason: progress.text, reasonCode: "cancel_declined" }];
    case "busy":
      return ["queued", { reason: progress.text, reasonCode: "temporarily_rejected" }];
    case "succeeded":
      return ["succeeded", { result: { code: progress.code, text: progress.text, data: null } }];
    default:
      return [
        progress.is,
        {
          reason: progress.text,
          reasonCode: progress.code,
          result: { code: progress.code, text: progress.text, data: null },
        },
      ];
  }
}
