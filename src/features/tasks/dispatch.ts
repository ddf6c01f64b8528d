/**
 * From the ledger to the links, and the clock over both: queued tasks go out when their asset can be reached, deadlines
 * end what did not. A separate journey from the command's, so that a slow radio never holds a reply (architecture §5).
 */
import type { Actor } from "../../domain/access.ts";
import { UnavailableError } from "../../domain/errors.ts";
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import type { Task } from "../../domain/task.ts";
import { VERB_TABLE } from "../../domain/verbs.ts";
import { assert } from "../../lib/assert.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { TaskProgress } from "./progress.ts";

export interface DispatchParts {
  readonly clock: Clock;
  readonly rooms: () => Iterable<Workspace>;
  readonly progress: TaskProgress;
  /** Hands the command to the link that hears the asset; false: no link takes it now. */
  readonly send: (workspace: Workspace, command: OutgoingCommand) => boolean;
  readonly onFault: (fault: unknown) => void;
}

/** A link that took a task and never said so much as "sent" has lost it. */
const HANDED_MAX_MS = 10_000;
/** The adapter answers for its own resends; this is for an adapter that went away meanwhile. */
const ANSWER_MAX_MS = 30_000;
const CLOCK: Actor = { kind: "system", id: "deadline", name: "the task's deadline" };

interface Handed {
  readonly atMs: number;
  notBeforeMs: number;
}

export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #handed = new Map<string, Handed>();
  readonly #ending = new Set<string>();
  /** Tasks that broke a rule of this house: never sent, ended by their deadline. */
  readonly #faulty = new Set<string>();
  #retriedAtMs = 0;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** Several times a second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const room of this.#parts.rooms())
      for (const task of room.forces.ledger.open()) {
        if (this.#isOver(task, nowMs)) this.#end(room, task);
        else if (task.status === "queued") this.#tryOffer(room, task, nowMs);
      }
    if (nowMs - this.#retriedAtMs < 1000) return;
    this.#retriedAtMs = nowMs;
    this.#forget(nowMs);
    this.#parts.progress.retry().catch(this.#parts.onFault);
  }

  /** What a link says of a task that it took. */
  progress(workspace: Workspace, taskId: string, progress: CommandProgress): void {
    const handed = this.#handed.get(taskId);
    if (progress.is === "busy" && handed !== undefined)
      handed.notBeforeMs = this.#parts.clock.nowMs() + Math.max(0, progress.retryAfterMs);
    this.#parts.progress.apply(workspace, taskId, progress).catch(this.#parts.onFault);
  }

  /** One task that must not go stops no other. */
  #tryOffer(room: Workspace, task: Task, nowMs: number): void {
    if (this.#faulty.has(task.id)) return;
    try {
      this.#offer(room, task, nowMs);
    } catch (fault) {
      this.#faulty.add(task.id);
      this.#parts.onFault(fault);
    }
  }

  #offer(room: Workspace, task: Task, nowMs: number): void {
    const handed = this.#handed.get(task.id);
    if (handed !== undefined && (handed.notBeforeMs === Number.POSITIVE_INFINITY || nowMs < handed.notBeforeMs)) return;
    if (this.#mustWait(room, task)) return;
    const command = outgoing(room, task);
    if (command === null || !this.#parts.send(room, command)) return;
    this.#handed.set(task.id, { atMs: nowMs, notBeforeMs: Number.POSITIVE_INFINITY });
  }

  /** One in flight a slot: what was sent before must be answered first, or its answer could be taken for this one's. */
  #mustWait(room: Workspace, task: Task): boolean {
    const slot = VERB_TABLE.get(task.verb)?.slot;
    return room.forces.ledger
      .openOf(task.asset_id)
      .some(({ id, status, verb }) => id !== task.id && status === "sent" && VERB_TABLE.get(verb)?.slot === slot);
  }

  #isOver(task: Task, nowMs: number): boolean {
    if (task.deadline_at !== null && Date.parse(task.deadline_at) <= nowMs) return true;
    return task.status === "sent" && task.sent_at !== null && nowMs - Date.parse(task.sent_at) > ANSWER_MAX_MS;
  }

  #end(room: Workspace, task: Task): void {
    if (this.#ending.has(task.id)) return;
    this.#ending.add(task.id);
    const isCancel = task.status === "cancel_requested";
    const reason = task.status === "queued" ? "it could not be sent in time" : "no answer, or no end, in time";
    room
      .serially(async () => {
        const now = room.forces.ledger.get(task.id);
        if (now === undefined || now.status !== task.status) return;
        const to = isCancel ? "failed" : "timed_out";
        await this.#parts.progress.move(room, CLOCK, now, to, { reason, reasonCode: "deadline" });
      })
      .catch((fault) => {
        // The database is away: the next tick tries again.
        if (!(fault instanceof UnavailableError)) this.#parts.onFault(fault);
      })
      .finally(() => this.#ending.delete(task.id));
  }

  #forget(nowMs: number): void {
    const open = new Set<string>();
    for (const room of this.#parts.rooms())
      for (const { id, status } of room.forces.ledger.open()) if (status === "queued") open.add(id);
    for (const id of this.#faulty) if (!open.has(id)) this.#faulty.delete(id);
    for (const [id, { atMs, notBeforeMs }] of this.#handed) {
      const isStuck = notBeforeMs === Number.POSITIVE_INFINITY && nowMs - atMs > HANDED_MAX_MS;
      if (isStuck || (!open.has(id) && nowMs - atMs > HANDED_MAX_MS)) this.#handed.delete(id);
    }
  }
}

/** What goes to the link; null while the asset is not heard, or its track has no place. */
function outgoing(room: Workspace, task: Task): OutgoingCommand | null {
  const { forces } = room;
  const entry = forces.fleet.find(task.asset_id);
  const verb = VERB_TABLE.get(task.verb);
  const source = entry === null ? null : forces.sourceOf(entry);
  if (entry === null || verb === undefined || source === null) return null;
  const { linkState, conflict } = forces.factsOf(entry, 0);
  if ((linkState !== "up" && linkState !== "degraded") || conflict) return null;
  // Decision 4, where it cannot be passed by: no approved plan, nothing that acts on a contact leaves this house.
  assert(
    !verb.actsOnContact || (task.plan_id !== null && forces.approvedPlanIds.has(task.plan_id)),
    "a task that acts on a contact has an approved plan",
  );
  const params = placed(room, task.params);
  if (params === null) return null;
  const deadlineAtMs = Date.parse(task.deadline_at ?? task.created_at);
  return { taskId: task.id, source, verb: task.verb, params, deadlineAtMs, resendSafe: verb.resendSafe };
}

/** Parameters that name a track say where it is now. */
function placed(room: Workspace, params: Task["params"]): Task["params"] | null {
  if (params.kind !== "track") return params;
  const track = room.picture.get(params.track_id as string);
  if (track === undefined || track.bearingOnly) return null;
  return { ...params, lat: track.lat, lon: track.lon, alt_hae_m: track.altHaeM };
}
