/**
 * Commands on their way to vehicles (mavlink.io, "Command protocol"; users.md U11, U12): one in flight a vehicle and
 * command, because acknowledgements name nothing but the command; sent again only where twice is as good as once; progress
 * restarts the patience. Knows no socket: it is handed a way to write.
 */
import type { CommandProgress, OutgoingCommand } from "../../../domain/platformReport.ts";
import { MAVLINK_COMMANDS_WAITING_MAX } from "../../../limits.ts";
import { type CommandMessage, commandOf } from "./commands.ts";
import type { VehicleState } from "./vehicleState.ts";

export interface DispatchParts {
  readonly nowMs: () => number;
  /** `confirmation` counts the times that it was sent before. */
  readonly write: (vehicle: VehicleState, message: CommandMessage, confirmation: number) => void;
  readonly progress: (taskId: string, progress: CommandProgress) => void;
  /** Where a live track is now; null: there is none. */
  readonly placeOf: (trackId: string) => { readonly lat: number; readonly lon: number } | null;
}

const RESEND_AFTER_MS = 500;
const RESENDS_MAX = 3;
/** From the last word about it. A command that may not be resent gets the same time to be answered. */
const ANSWER_WITHIN_MS = RESEND_AFTER_MS * (RESENDS_MAX + 1);
const PROGRESS_WITHIN_MS = 10_000;
/** Orders after which a vehicle is on no way any more. */
const ENDS_THE_WAY = new Set(["hold", "abort", "set_mode", "disarm"]);
const BUSY_AGAIN_MS = 1000;
const LEG_AGAIN_MS = 5000;
const FOLLOW_AGAIN_MS = 1000;
const TRACK_GONE_MS = 5000;
const MAV_RESULT = ["accepted", "busy", "denied", "unsupported", "failed", "in_progress", "cancelled"] as const;

interface InFlight {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  readonly message: CommandMessage;
  attempts: number;
  sentMs: number;
  heardMs: number;
  isInProgress: boolean;
}

/** Done so far as MAVLink goes, but not yet where it was sent to. */
interface UnderWay {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  /** Of the leg that it is on. */
  message: CommandMessage;
  leg: number;
  writtenMs: number;
  /** When the followed track was last there. */
  seenMs: number;
}

export class CommandDispatch {
  readonly #parts: DispatchParts;
  readonly #inFlight: InFlight[] = [];
  readonly #waiting: { command: OutgoingCommand; vehicle: VehicleState }[] = [];
  readonly #underWay = new Map<string, UnderWay>();
  /** Tasks whose cancel was sent as an order to stop, and the command that it went out as. */
  readonly #stopping = new Map<string, { readonly vehicle: VehicleState; readonly command: number }>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  send(command: OutgoingCommand, vehicle: VehicleState | undefined): void {
    if (vehicle === undefined) {
      // It was heard a moment ago and is not now: back to the queue until its deadline.
      this.#parts.progress(command.taskId, { is: "sent", attempt: 0 });
      this.#parts.progress(command.taskId, {
        is: "busy",
        retryAfterMs: BUSY_AGAIN_MS,
        text: "the vehicle is not heard",
      });
      return;
    }
    const waiting = this.#waiting.filter((one) => one.vehicle === vehicle).length;
    if (waiting >= MAVLINK_COMMANDS_WAITING_MAX) {
      const text = "too many commands wait for this vehicle";
      this.#sentThen(command, () => this.#parts.progress(command.taskId, { is: "failed", code: "overloaded", text }));
      return;
    }
    this.#waiting.push({ command, vehicle });
    this.#start();
  }

  cancel(taskId: string): void {
    const waiting = this.#waiting.findIndex(({ command }) => command.taskId === taskId);
    if (waiting !== -1) {
      this.#waiting.splice(waiting, 1);
      this.#parts.progress(taskId, { is: "cancelled", code: "not_sent", text: "cancelled before it was sent" });
      return;
    }
    const flying = this.#inFlight.find((one) => one.command.taskId === taskId && one.isInProgress);
    const vehicle = flying?.vehicle ?? this.#underWay.get(taskId)?.vehicle;
    const timed = this.#underWay.get(taskId)?.message.timed;
    const stop = vehicle === undefined ? null : (timed?.end ?? commandOf("hold", { kind: "none" }, vehicle));
    if (vehicle === undefined || stop === null || "cannot" in stop) return;
    this.#stopping.set(taskId, { vehicle, command: stop.command });
    this.#parts.write(vehicle, stop, 0);
  }

  /** A COMMAND_ACK that was meant for us. */
  acknowledged(vehicle: VehicleState, command: number, result: number, progress: number): void {
    const i = this.#inFlight.findIndex(
      (one) => one.vehicle === vehicle && one.message.command === command && one.attempts > 0,
    );
    if (i === -1) {
      this.#acknowledgedStop(vehicle, command, result);
      return;
    }
    const flying = this.#inFlight[i]!;
    flying.heardMs = this.#parts.nowMs();
    const what = MAV_RESULT[result] ?? "failed";
    if (what === "in_progress") {
      flying.isInProgress = true;
      const progressPct = progress > 100 ? null : progress;
      this.#parts.progress(flying.command.taskId, { is: "executing", progressPct });
      return;
    }
    this.#inFlight.splice(i, 1);
    this.#conclude(flying, what);
    this.#start();
  }

  /** Something of this vehicle moved on: is what it was sent to do done? */
  observe(vehicle: VehicleState): void {
    for (const [taskId, { vehicle: of, message }] of this.#underWay) {
      if (of !== vehicle || this.#stopping.has(taskId) || message.isDone?.(vehicle) !== true) continue;
      if (this.#nextLeg(taskId)) continue;
      this.#underWay.delete(taskId);
      this.#parts.progress(taskId, { is: "succeeded", code: "done", text: "telemetry shows that it was done" });
    }
  }

  /** On to the next leg of a way; false: that was the last. */
  #nextLeg(taskId: string): boolean {
    const way = this.#underWay.get(taskId)!;
    const { legs = [], isLoop = false } = way.message;
    if (legs.length < 2 || (way.leg === legs.length - 1 && !isLoop)) return false;
    way.leg = (way.leg + 1) % legs.length;
    way.message = { ...legs[way.leg]!, legs, isLoop };
    this.#parts.write(way.vehicle, way.message, 0);
    way.writtenMs = this.#parts.nowMs();
    const progressPct = isLoop ? null : Math.round((100 * way.leg) / legs.length);
    this.#parts.progress(taskId, { is: "executing", progressPct });
    return true;
  }

  /** Orders that are given again: a leg whose message may have been lost, a track that moved on. */
  #repeat(taskId: string, way: UnderWay, nowMs: number): void {
    const { followed, legs, timed } = way.message;
    if (this.#stopping.has(taskId)) return;
    if (timed !== undefined && nowMs - way.seenMs >= timed.seconds * 1000) {
      this.#underWay.delete(taskId);
      this.#parts.write(way.vehicle, timed.end, 0);
      this.#parts.progress(taskId, { is: "succeeded", code: "done", text: `it went on for ${timed.seconds} s` });
      return;
    }
    if (legs !== undefined && nowMs - way.writtenMs >= LEG_AGAIN_MS) {
      way.writtenMs = nowMs;
      this.#parts.write(way.vehicle, way.message, 0);
    }
    if (followed === undefined || nowMs - way.writtenMs < FOLLOW_AGAIN_MS) return;
    const place = this.#parts.placeOf(String(followed.track_id));
    if (place === null) {
      if (nowMs - way.seenMs < TRACK_GONE_MS) return;
      this.#underWay.delete(taskId);
      this.#parts.progress(taskId, { is: "failed", code: "track_gone", text: "the track that it followed is gone" });
      return;
    }
    const order = commandOf("follow", { ...followed, ...place }, way.vehicle);
    if ("cannot" in order) return;
    Object.assign(way, { message: order, writtenMs: nowMs, seenMs: nowMs });
    this.#parts.write(way.vehicle, order, 0);
  }

  /** Several times a second: what was not answered. */
  tick(): void {
    const nowMs = this.#parts.nowMs();
    for (let i = this.#inFlight.length - 1; i >= 0; i--) {
      const flying = this.#inFlight[i]!;
      const { command, vehicle, message } = flying;
      const silentMs = nowMs - Math.max(flying.heardMs, flying.sentMs);
      if (flying.isInProgress ? silentMs > PROGRESS_WITHIN_MS : silentMs > this.#patience(flying)) {
        this.#inFlight.splice(i, 1);
        const text = flying.isInProgress ? "progress stopped" : `no acknowledgement after ${flying.attempts} attempts`;
        this.#parts.progress(command.taskId, { is: "timed_out", code: "no_ack", text });
      } else if (
        !flying.isInProgress &&
        command.resendSafe &&
        flying.attempts <= RESENDS_MAX &&
        silentMs >= RESEND_AFTER_MS
      ) {
        this.#parts.write(vehicle, message, flying.attempts);
        flying.attempts++;
        flying.sentMs = nowMs;
      }
    }
    for (const [taskId, way] of this.#underWay)
      if (nowMs > way.command.deadlineAtMs) this.#underWay.delete(taskId);
      else this.#repeat(taskId, way, nowMs);
    this.#start();
  }

  #patience({ command, attempts }: InFlight): number {
    return command.resendSafe ? (attempts > RESENDS_MAX ? RESEND_AFTER_MS : ANSWER_WITHIN_MS) : ANSWER_WITHIN_MS;
  }

  #start(): void {
    for (let i = 0; i < this.#waiting.length; ) {
      const { command, vehicle } = this.#waiting[i]!;
      const message = commandOf(command.verb, command.params, vehicle);
      const blocked =
        !("cannot" in message) &&
        this.#inFlight.some((one) => one.vehicle === vehicle && one.message.command === message.command);
      if (blocked) {
        i++;
        continue;
      }
      this.#waiting.splice(i, 1);
      this.#launch(command, vehicle, message);
    }
  }

  #launch(command: OutgoingCommand, vehicle: VehicleState, message: ReturnType<typeof commandOf>): void {
    if (vehicle.conflicts.length > 0) {
      const text = `two vehicles use the system id ${vehicle.sysid}`;
      this.#sentThen(command, () =>
        this.#parts.progress(command.taskId, { is: "refused", code: "identity_conflict", text }),
      );
    } else if ("cannot" in message)
      this.#sentThen(command, () =>
        this.#parts.progress(command.taskId, { is: "failed", code: "cannot_say", text: message.cannot }),
      );
    else {
      const nowMs = this.#parts.nowMs();
      this.#inFlight.push({ command, vehicle, message, attempts: 1, sentMs: nowMs, heardMs: 0, isInProgress: false });
      this.#parts.write(vehicle, message, 0);
      this.#parts.progress(command.taskId, { is: "sent", attempt: 1 });
    }
  }

  /** A task ends from `sent`, so it goes through there also when nothing left the house. */
  #sentThen(command: OutgoingCommand, then: () => void): void {
    this.#parts.progress(command.taskId, { is: "sent", attempt: 0 });
    then();
  }

  #conclude({ command, vehicle, message }: InFlight, what: (typeof MAV_RESULT)[number]): void {
    const { taskId } = command;
    const { progress } = this.#parts;
    if (what === "accepted" && message.isDone !== null) {
      progress(taskId, { is: "accepted" });
      progress(taskId, { is: "executing", progressPct: null });
      if (message.timed === undefined) this.#supersedeUnderWay(vehicle);
      const nowMs = this.#parts.nowMs();
      this.#underWay.set(taskId, { command, vehicle, message, leg: 0, writtenMs: nowMs, seenMs: nowMs });
    } else if (what === "accepted") {
      if (ENDS_THE_WAY.has(command.verb)) this.#supersedeUnderWay(vehicle);
      progress(taskId, { is: "succeeded", code: what, text: "the vehicle accepted it" });
    } else if (what === "busy")
      progress(taskId, { is: "busy", retryAfterMs: BUSY_AGAIN_MS, text: "the vehicle cannot do it now" });
    else if (what === "denied" || what === "unsupported")
      progress(taskId, { is: "refused", code: what, text: `the vehicle answered ${what}` });
    else if (what === "cancelled") progress(taskId, { is: "cancelled", code: what, text: "the vehicle cancelled it" });
    else progress(taskId, { is: "failed", code: "failed", text: "the vehicle could not do it" });
  }

  /** A vehicle goes one way: the newer order took it off the older. */
  #supersedeUnderWay(vehicle: VehicleState): void {
    for (const [taskId, { vehicle: of, message }] of this.#underWay)
      if (of === vehicle && message.timed === undefined) this.#underWay.delete(taskId);
  }

  /** The answer to a stop that a cancel sent. */
  #acknowledgedStop(vehicle: VehicleState, command: number, result: number): void {
    for (const [taskId, stop] of this.#stopping) {
      if (stop.vehicle !== vehicle || stop.command !== command) continue;
      this.#stopping.delete(taskId);
      if (result === 0) {
        this.#underWay.delete(taskId);
        const flying = this.#inFlight.findIndex((one) => one.command.taskId === taskId);
        if (flying !== -1) this.#inFlight.splice(flying, 1);
        this.#parts.progress(taskId, { is: "cancelled", code: "stopped", text: "the vehicle was stopped" });
      } else this.#parts.progress(taskId, { is: "executing", progressPct: null });
    }
  }
}
