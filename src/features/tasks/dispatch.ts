/**
 * From the ledger to the links, and the clock over both: queued tasks go out when their asset can be reached, deadlines
 * end what did not. A separate journey from the command's, so that a slow radio never holds a reply (architecture §5).
 * `sent` is written before a link is handed the task: whatever happens in between, nothing is flown twice, and nothing
 * that the ledger says has ended.
 */
import type { Actor } from "../../domain/access.ts";
import { UnavailableError } from "../../domain/errors.ts";
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import type { Task, TaskStatus } from "../../domain/task.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { outgoing } from "./outgoing.ts";
import type { TaskProgress } from "./progress.ts";
import { slotOf } from "./turns.ts";

/** The links as the dispatcher sees them. */
export interface Carriers {
  /** A link that hears the asset could be handed the command now. */
  canCarry(workspace: Workspace, command: OutgoingCommand): boolean;
  /** false: none took it after all. */
  send(workspace: Workspace, command: OutgoingCommand): boolean;
  /** A link has it in hand. */
  carries(taskId: string): boolean;
  /** Work that was begun before this process started, or over a link that is gone: to be watched, not sent again. */
  resume(workspace: Workspace, command: OutgoingCommand): boolean;
  /** Asks the asset to drop what is carried. */
  cancel(taskId: string): void;
}

export interface DispatchParts {
  readonly clock: Clock;
  readonly rooms: () => Iterable<Workspace>;
  readonly progress: TaskProgress;
  readonly carriers: Carriers;
  readonly onFault: (fault: unknown) => void;
}

/** The adapter answers for its own resends; this is for an adapter that went away meanwhile. */
const ANSWER_MAX_MS = 30_000;
const AGAIN_MS = 1000;
const CLOCK: Actor = { kind: "system", id: "deadline", name: "the task's deadline" };
const DISPATCHER: Actor = { kind: "system", id: "dispatcher", name: "the dispatcher" };
const RUNNING: ReadonlySet<TaskStatus> = new Set(["accepted", "executing", "cancel_requested"]);

export class Dispatcher {
  readonly #parts: DispatchParts;
  /** Tasks of which a step is being written. */
  readonly #inHand = new Set<string>();
  readonly #notBeforeMs = new Map<string, number>();
  /** Tasks that broke a rule of this house: never sent, ended by their deadline. */
  readonly #faulty = new Set<string>();
  #retriedAtMs = 0;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** The database is away: the next tick tries again. */
  readonly #unlessAway = (fault: unknown): void => {
    if (!(fault instanceof UnavailableError)) this.#parts.onFault(fault);
  };

  /** Several times a second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const room of this.#parts.rooms())
      for (const task of room.forces.ledger.open()) if (!this.#inHand.has(task.id)) this.#look(room, task, nowMs);
    if (nowMs - this.#retriedAtMs < AGAIN_MS) return;
    this.#retriedAtMs = nowMs;
    this.#forget();
    for (const room of this.#parts.rooms())
      if (room.writes.mayLag) this.#parts.progress.catchUp(room).catch(this.#unlessAway);
    this.#parts.progress.retry().catch(this.#parts.onFault);
  }

  /** What a link says of a task that it took. */
  progress(workspace: Workspace, taskId: string, progress: CommandProgress): void {
    if (progress.is === "busy") this.#pause(taskId, progress.retryAfterMs);
    this.#parts.progress.apply(workspace, taskId, progress).catch(this.#parts.onFault);
  }

  /** Its cancel was written: the asset is asked. What it says comes back as progress. */
  cancel(room: Workspace, task: Task): void {
    const { carriers } = this.#parts;
    if (carriers.carries(task.id) || this.#resumed(room, task)) carriers.cancel(task.id);
    else this.progress(room, task.id, { is: "cancel_declined", text: "the asset cannot be reached now" });
  }

  #look(room: Workspace, task: Task, nowMs: number): void {
    if (isOver(task, nowMs)) this.#write(room, task, () => this.#end(room, task));
    else if (nowMs < (this.#notBeforeMs.get(task.id) ?? 0)) return;
    else if (task.status === "queued") this.#offer(room, task);
    else if (RUNNING.has(task.status) && !this.#parts.carriers.carries(task.id)) this.#resume(room, task);
  }

  /** One task that must not go stops no other. */
  #commandOf(room: Workspace, task: Task): OutgoingCommand | null {
    if (this.#faulty.has(task.id)) return null;
    try {
      return outgoing(room, task);
    } catch (fault) {
      this.#faulty.add(task.id);
      this.#parts.onFault(fault);
      return null;
    }
  }

  #offer(room: Workspace, task: Task): void {
    const { carriers } = this.#parts;
    if (mustWait(room, task)) return;
    const command = this.#commandOf(room, task);
    if (command !== null && carriers.canCarry(room, command)) this.#write(room, task, () => this.#send(room, task.id));
  }

  async #send(room: Workspace, taskId: string): Promise<void> {
    const { progress, carriers } = this.#parts;
    const task = room.forces.ledger.get(taskId);
    // A cancel, a newer order or the deadline may have been written while this waited for its turn.
    if (task === undefined || task.status !== "queued" || mustWait(room, task)) return;
    const command = this.#commandOf(room, task);
    if (command === null || !carriers.canCarry(room, command)) return;
    const sent = await progress.move(room, DISPATCHER, task, "sent", {});
    if (sent === null || carriers.send(room, command)) return;
    this.#pause(taskId, AGAIN_MS);
    const reason = "the link went away before it could be sent";
    await progress.move(room, DISPATCHER, sent, "queued", { reason, reasonCode: "no_link" });
  }

  #resume(room: Workspace, task: Task): void {
    this.#pause(task.id, AGAIN_MS);
    if (this.#resumed(room, task) && task.status === "cancel_requested") this.#parts.carriers.cancel(task.id);
  }

  #resumed(room: Workspace, task: Task): boolean {
    const command = this.#commandOf(room, task);
    return command !== null && this.#parts.carriers.resume(room, command);
  }

  async #end(room: Workspace, { id, status }: Task): Promise<void> {
    const now = room.forces.ledger.get(id);
    if (now === undefined || now.status !== status) return;
    const reason = status === "queued" ? "it could not be sent in time" : "no answer, or no end, in time";
    const to = status === "cancel_requested" ? "failed" : "timed_out";
    await this.#parts.progress.move(room, CLOCK, now, to, { reason, reasonCode: "deadline" });
  }

  #pause(taskId: string, forMs: number): void {
    this.#notBeforeMs.set(taskId, this.#parts.clock.nowMs() + Math.max(0, forMs));
  }

  #write(room: Workspace, { id }: Task, step: () => Promise<void>): void {
    this.#inHand.add(id);
    room
      .serially(step)
      .catch(this.#unlessAway)
      .finally(() => this.#inHand.delete(id));
  }

  #forget(): void {
    const open = new Set<string>();
    for (const room of this.#parts.rooms()) for (const { id } of room.forces.ledger.open()) open.add(id);
    for (const id of this.#faulty) if (!open.has(id)) this.#faulty.delete(id);
    for (const id of this.#notBeforeMs.keys()) if (!open.has(id)) this.#notBeforeMs.delete(id);
  }
}

/**
 * One in flight a slot: what was sent before must be answered first, or its answer could be taken for this one's; and a
 * stop that is on its way would stop what comes after it. `abort` waits for nobody.
 */
function mustWait(room: Workspace, task: Task): boolean {
  if (task.verb === "abort") return false;
  return room.forces.ledger
    .openOf(task.asset_id)
    .some(
      ({ id, status, verb }) =>
        id !== task.id &&
        (status === "sent" || status === "cancel_requested") &&
        (slotOf(verb) === slotOf(task.verb) || verb === "abort"),
    );
}

function isOver(task: Task, nowMs: number): boolean {
  if (task.deadline_at !== null && Date.parse(task.deadline_at) <= nowMs) return true;
  return task.status === "sent" && task.sent_at !== null && nowMs - Date.parse(task.sent_at) > ANSWER_MAX_MS;
}
