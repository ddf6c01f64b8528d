/**
 * Hands tasks from the ledger to the links: sends a queued task when its asset can be reached, and ends a task at its
 * deadline. This journey is separate from the command's, so that a slow radio never delays a reply
 * (docs/architecture.md#journey-of-a-command). `sent` is written before a link gets the task, so that after a crash in
 * between no task is flown twice, and no ended task is flown.
 *
 * A change of a task, of the registry or of a link puts the tasks concerned on the agenda of their room at once; every other
 * task is on it for its deadline, its next attempt, or the next check of its link.
 */
import type { Actor } from "../domain/access.ts";
import { isForLater } from "../domain/errors.ts";
import type { CommandProgress, OutgoingCommand, PlatformSource } from "../domain/platformReport.ts";
import { isTerminal, type Task, type TaskStatus } from "../domain/task.ts";
import type { Clock } from "../lib/clock.ts";
import type { Change } from "../room/changes.ts";
import type { RoomFace } from "../room/face.ts";
import { Agenda } from "./agenda.ts";
import { outgoing, sourceOf } from "./outgoing.ts";
import type { TaskProgress } from "./progress.ts";
import { slotOf } from "./supersession.ts";

/** The links as the dispatcher sees them. */
interface Carriers {
  /** True when a link that hears the asset can take the command now. */
  canCarry(room: RoomFace, command: OutgoingCommand): boolean;
  /** false: no link took it. */
  send(room: RoomFace, command: OutgoingCommand): boolean;
  /** True while a link carries the task and still hears the asset at `source`. */
  carries(taskId: string, source: PlatformSource | null): boolean;
  /** Watches a task that was sent before this process started or over a link that is gone; does not send it again. */
  resume(room: RoomFace, command: OutgoingCommand): boolean;
  /** Asks the asset to stop. false: it is not carrying the task out any more. */
  cancel(taskId: string): boolean;
}

interface DispatcherParts {
  readonly clock: Clock;
  readonly progress: TaskProgress;
  readonly carriers: Carriers;
  readonly onFault: (fault: unknown) => void;
}

/** Adapters time out by themselves; this bound is for a task whose adapter has gone. */
const ANSWER_MAX_MS = 30_000;
const AGAIN_MS = 1000;
/** How often a queued task is checked: only its link knows when the vehicle is free again. */
const QUEUED_LOOK_MS = 100;
/** How often a running task is checked: its link may have gone. */
const WATCH_MS = 1000;
/** A busy asset is asked again after twice the last pause, up to this. */
const BUSY_AGAIN_MAX_MS = 10_000;
/** Tasks written in one transaction. */
const BATCH_MAX = 100;
const CLOCK: Actor = { kind: "system", id: "deadline", name: "the task's deadline" };
const DISPATCHER: Actor = { kind: "system", id: "dispatcher", name: "the dispatcher" };
const RUNNING: ReadonlySet<TaskStatus> = new Set(["accepted", "executing", "cancel_requested"]);

/** One open room with its agenda. */
interface Desk {
  readonly room: RoomFace;
  readonly agenda: Agenda;
  /** Version of the fleet when all tasks were put on the agenda last. */
  fleetVersion: number;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** By workspace. */
  readonly #desks = new Map<string, Desk>();
  /** Tasks with a write in progress. */
  readonly #beingWritten = new Set<string>();
  readonly #notBeforeMs = new Map<string, number>();
  /** The last pause of a task whose asset was busy. */
  readonly #busyPauseMs = new Map<string, number>();
  /** Tasks that failed an assertion in `outgoing`. Never sent; their deadline ends them. */
  readonly #faulty = new Set<string>();
  /** Tasks in `cancel_requested` whose asset was asked to stop. */
  readonly #askedToStop = new Set<string>();
  #retriedAtMs = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** While the database is away or the write queue is full, the next tick tries again. */
  readonly #unlessAway = (fault: unknown): void => {
    if (!isForLater(fault)) this.#parts.onFault(fault);
  };

  /** A room was opened: the next tick checks its open tasks. */
  opened(room: RoomFace): void {
    const desk = { room, agenda: new Agenda(), fleetVersion: room.forces.fleet.version };
    this.#desks.set(room.id, desk);
    this.#lookSoon(desk);
  }

  closed(room: RoomFace): void {
    const desk = this.#desks.get(room.id);
    if (desk?.room !== room) return;
    this.#desks.delete(room.id);
    for (const task of room.tasks.open()) this.#forget(task.id);
  }

  /** An open room changed: the next tick checks the tasks concerned. */
  changed(room: RoomFace, change: Change): void {
    const desk = this.#desks.get(room.id);
    if (desk?.room !== room) return;
    if (change.op === "task_moved") {
      const { id, asset_id: assetId, status } = change.task;
      if (status !== "cancel_requested") this.#askedToStop.delete(id);
      if (isTerminal(status)) {
        desk.agenda.remove(id);
        this.#forget(id);
      }
      // Other tasks of the asset may have waited for this one.
      for (const task of room.tasks.openOf(assetId)) this.#lookAgain(desk, task);
    } else if (desk.fleetVersion !== room.forces.fleet.version) this.#lookSoon(desk);
  }

  /** Several times a second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const desk of this.#desks.values()) this.#lookAt(desk, nowMs);
    if (nowMs - this.#retriedAtMs < AGAIN_MS) return;
    this.#retriedAtMs = nowMs;
    this.#parts.progress.retry().catch(this.#parts.onFault);
  }

  #lookSoon(desk: Desk): void {
    desk.fleetVersion = desk.room.forces.fleet.version;
    for (const task of desk.room.tasks.open()) this.#lookAgain(desk, task);
  }

  /** With the next tick, or when its pause is over. */
  #lookAgain({ agenda }: Desk, { id }: Task): void {
    agenda.put(id, this.#notBeforeMs.get(id) ?? 0);
  }

  /** A link reports progress of a task that it carries. */
  progress(workspaceId: string, taskId: string, progress: CommandProgress): void {
    if (progress.is === "busy") this.#pause(taskId, this.#backOffMs(workspaceId, taskId, progress.retryAfterMs));
    this.#parts.progress.apply(workspaceId, taskId, progress).catch(this.#parts.onFault);
  }

  /** The cancel was written: asks the asset to stop. Its answer arrives as progress. */
  cancel(room: RoomFace, task: Task): void {
    const { carriers } = this.#parts;
    this.#askedToStop.add(task.id);
    const isCarried = carriers.carries(task.id, sourceOf(room, task)) || this.#resumed(room, task);
    if (isCarried && carriers.cancel(task.id)) return;
    // If the task has just ended, that progress arrives before this one and stands.
    const text = isCarried ? "the asset is not carrying it out any more" : "the asset cannot be reached now";
    this.progress(room.id, task.id, { is: "cancel_declined", text });
  }

  #lookAt({ room, agenda }: Desk, nowMs: number): void {
    const ready: string[] = [];
    // Ids sort by age: older tasks go first.
    for (const id of agenda.take(nowMs).sort()) {
      const task = room.tasks.get(id);
      if (task === undefined) continue;
      // First of all, so that no fault below leaves the task without an entry.
      agenda.put(id, this.#nextLookMs(task, nowMs));
      if (this.#beingWritten.has(id)) continue;
      if (isOver(task, nowMs)) this.#write(room, [id], () => this.#end(room, task));
      else if (nowMs < (this.#notBeforeMs.get(id) ?? 0)) continue;
      else if (RUNNING.has(task.status)) this.#watch(room, task);
      else if (this.#mayGo(room, task) === null) continue;
      else if (task.verb === "abort") this.#write(room, [id], () => this.#send(room, [id]), true);
      else ready.push(id);
    }
    for (let i = 0; i < ready.length; i += BATCH_MAX) {
      const batch = ready.slice(i, i + BATCH_MAX);
      this.#write(room, batch, () => this.#send(room, batch));
    }
  }

  /** The time of its deadline, or of its next check after any pause, whichever comes first. */
  #nextLookMs(task: Task, nowMs: number): number {
    const everyMs = task.status === "queued" ? QUEUED_LOOK_MS : WATCH_MS;
    const soonestMs = Math.max(nowMs + everyMs, this.#notBeforeMs.get(task.id) ?? 0);
    return Math.min(soonestMs, Math.max(nowMs + 1, overAtMs(task)));
  }

  /** null also for a task that fails an assertion, so that it does not stop the others. */
  #commandOf(room: RoomFace, task: Task): OutgoingCommand | null {
    if (this.#faulty.has(task.id)) return null;
    try {
      return outgoing(room, task);
    } catch (fault) {
      this.#faulty.add(task.id);
      this.#parts.onFault(fault);
      return null;
    }
  }

  #mayGo(room: RoomFace, task: Task): OutgoingCommand | null {
    if (task.status !== "queued" || isOver(task, this.#parts.clock.nowMs()) || mustWait(room, task)) return null;
    const command = this.#commandOf(room, task);
    return command !== null && this.#parts.carriers.canCarry(room, command) ? command : null;
  }

  /** Writes those that may go now as `sent` in one transaction, then hands them over. Aborts come here one by one, first. */
  async #send(room: RoomFace, taskIds: readonly string[]): Promise<void> {
    const { progress, carriers } = this.#parts;
    // A cancel, a newer task or the deadline may have been written while these waited in the queue.
    const slots = new Set<string>();
    const going = taskIds.flatMap((id) => {
      const task = room.tasks.get(id);
      const command = task === undefined ? null : this.#mayGo(room, task);
      if (task === undefined || command === null) return [];
      // One unanswered task per slot: the second is sent when the first is answered.
      const slot = `${task.asset_id} ${slotOf(task.verb)}`;
      if (slots.has(slot)) return [];
      slots.add(slot);
      return [{ task, command }];
    });
    const steps = going.map(({ task }) => ({ task, to: "sent" as const, move: {}, actor: DISPATCHER }));
    const sent = new Map((await progress.moveAll(room, steps)).map((task) => [task.id, task]));
    for (const { command } of going) {
      const task = sent.get(command.taskId);
      if (task !== undefined) await this.#handOver(room, task, command, carriers);
    }
  }

  async #handOver(room: RoomFace, task: Task, command: OutgoingCommand, carriers: Carriers): Promise<void> {
    // The write may have taken long, and no task is flown after its deadline.
    if (isOver(task, this.#parts.clock.nowMs())) {
      const reason = "its deadline passed before it could be sent";
      await this.#parts.progress.move(room, CLOCK, task, "timed_out", { reason, reasonCode: "deadline" });
    } else if (!carriers.send(room, command)) {
      this.#pause(task.id, AGAIN_MS);
      const reason = "the link was lost before it could be sent";
      await this.#parts.progress.move(room, DISPATCHER, task, "queued", { reason, reasonCode: "no_link" });
    }
  }

  #watch(room: RoomFace, task: Task): void {
    const isCancelled = task.status === "cancel_requested";
    if (this.#parts.carriers.carries(task.id, sourceOf(room, task))) {
      // Its cancel was written, and the answer of the database lost.
      if (isCancelled && !this.#askedToStop.has(task.id)) this.cancel(room, task);
      return;
    }
    this.#pause(task.id, AGAIN_MS);
    if (this.#resumed(room, task) && isCancelled) this.cancel(room, task);
  }

  #resumed(room: RoomFace, task: Task): boolean {
    const command = this.#commandOf(room, task);
    return command !== null && this.#parts.carriers.resume(room, command);
  }

  async #end(room: RoomFace, { id, status }: Task): Promise<void> {
    const now = room.tasks.get(id);
    if (now === undefined || now.status !== status) return;
    const reason =
      status === "queued"
        ? "it could not be sent before its deadline"
        : "the asset did not answer, or did not finish, before the deadline";
    const to = status === "cancel_requested" ? "failed" : "timed_out";
    await this.#parts.progress.move(room, CLOCK, now, to, { reason, reasonCode: "deadline" });
  }

  /** Pauses double from one busy answer to the next; those of `abort` stay the same. */
  #backOffMs(workspaceId: string, taskId: string, retryAfterMs: number): number {
    if (this.#desks.get(workspaceId)?.room.tasks.get(taskId)?.verb === "abort") return retryAfterMs;
    const beforeMs = this.#busyPauseMs.get(taskId);
    const pauseMs = beforeMs === undefined ? retryAfterMs : Math.min(BUSY_AGAIN_MAX_MS, 2 * beforeMs);
    this.#busyPauseMs.set(taskId, pauseMs);
    return pauseMs;
  }

  #pause(taskId: string, forMs: number): void {
    this.#notBeforeMs.set(taskId, this.#parts.clock.nowMs() + Math.max(0, forMs));
  }

  #write(room: RoomFace, ids: readonly string[], step: () => Promise<void>, isUrgent = false): void {
    for (const id of ids) this.#beingWritten.add(id);
    room
      .serially(step, isUrgent)
      .catch(this.#unlessAway)
      .finally(() => {
        for (const id of ids) this.#beingWritten.delete(id);
        const desk = this.#desks.get(room.id);
        if (desk?.room !== room) return;
        for (const id of ids) {
          const task = room.tasks.get(id);
          if (task !== undefined) this.#lookAgain(desk, task);
        }
      });
  }

  #forget(taskId: string): void {
    this.#faulty.delete(taskId);
    this.#askedToStop.delete(taskId);
    this.#busyPauseMs.delete(taskId);
    this.#notBeforeMs.delete(taskId);
  }
}

/**
 * One unanswered task per slot: an earlier task must be answered first, because its answer could be taken for this one's,
 * and a pending cancel or abort would stop this one too. `abort` never waits.
 */
function mustWait(room: RoomFace, task: Task): boolean {
  if (task.verb === "abort") return false;
  return room.tasks
    .openOf(task.asset_id)
    .some(
      ({ id, status, verb }) =>
        id !== task.id &&
        (status === "sent" || status === "cancel_requested") &&
        (slotOf(verb) === slotOf(task.verb) || verb === "abort"),
    );
}

/** When its deadline, or the time for an answer, is over; milliseconds since the epoch. */
function overAtMs({ deadline_at: deadlineAt, status, sent_at: sentAt }: Task): number {
  const deadlineMs = deadlineAt === null ? Number.POSITIVE_INFINITY : Date.parse(deadlineAt);
  return status === "sent" && sentAt !== null
    ? Math.min(deadlineMs, Date.parse(sentAt) + ANSWER_MAX_MS + 1)
    : deadlineMs;
}

function isOver(task: Task, nowMs: number): boolean {
  return overAtMs(task) <= nowMs;
}
