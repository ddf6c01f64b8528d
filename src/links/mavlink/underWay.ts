/**
 * What goes on after MAVLink is done with it: a flight to a point is watched until telemetry shows that it arrived, a
 * patrol is flown leg by leg, a followed track's newest place is told again and again, a recording is ended. Knows no
 * socket and no ledger: it is handed a way to write and one to tell.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import { VERB_TABLE } from "../../domain/verbs.ts";
import { ANSWER_WITHIN_MS, type Result, saysNo, wordOf } from "./answers.ts";
import { type CommandMessage, commandOf } from "./commands.ts";
import type { VehicleState } from "./vehicleState.ts";

/** What orders and their ways need of the link. */
export interface DispatchParts {
  readonly nowMs: () => number;
  /** `confirmation` counts the times that it was sent before. */
  readonly write: (vehicle: VehicleState, message: CommandMessage, confirmation: number) => void;
  /** COMMAND_CANCEL of what it has answered IN_PROGRESS. */
  readonly askToDrop: (vehicle: VehicleState, message: CommandMessage) => void;
  readonly progress: (taskId: string, progress: CommandProgress) => void;
  /** Where a live track is now; null: there is none. */
  readonly placeOf: (trackId: string) => { readonly lat: number; readonly lon: number } | null;
}

const LEG_AGAIN_MS = 5000;
const FOLLOW_AGAIN_MS = 1000;
const TRACK_GONE_MS = 5000;
/** So long an order that was given again is waited for, at least; and so long after that another order can go. */
const REPEAT_ANSWER_MS = 500;
const REPEAT_PAUSE_MS = 500;
/** Orders of other slots after which a vehicle is on no way any more. */
const ENDS_THE_WAY = new Set(["set_mode", "disarm"]);

/** Nothing goes before it. */
export const isUrgent = ({ verb }: OutgoingCommand): boolean => verb === "abort";

/** It takes the vehicle off the way that it is on. */
export function steers({ verb }: OutgoingCommand): boolean {
  return VERB_TABLE.get(verb)?.slot === "movement" || ENDS_THE_WAY.has(verb);
}

interface Way {
  readonly command: OutgoingCommand;
  readonly vehicle: VehicleState;
  /** Of the leg that it is on. */
  message: CommandMessage;
  leg: number;
  writtenMs: number;
  /** When the followed track was last there. */
  seenMs: number;
  /** The last order that was given again was answered. */
  isAnswered: boolean;
  /** Begun before a restart and answered with progress only: how it ended is still to be said. */
  isAtIt: boolean;
  /** It is being stopped: nothing is said of it, and its end is the stop's. */
  isHeld: boolean;
  /** An abort was ordered: it is never called on again. */
  isHalted: boolean;
}

export class Ways {
  readonly #parts: DispatchParts;
  readonly #ways = new Map<string, Way>();

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  get(taskId: string): Pick<Way, "command" | "vehicle" | "message"> | undefined {
    return this.#ways.get(taskId);
  }

  begin(command: OutgoingCommand, vehicle: VehicleState, message: CommandMessage, leg = 0): void {
    const nowMs = this.#parts.nowMs();
    const isAtIt = command.isAtIt === true;
    const fresh = { leg, writtenMs: nowMs, seenMs: nowMs, isAnswered: true, isHeld: false, isHalted: false };
    this.#ways.set(command.taskId, { command, vehicle, message, ...fresh, isAtIt });
  }

  /** Begun earlier: of several legs it is on the one whose end is nearest. */
  resume(command: OutgoingCommand, vehicle: VehicleState, message: CommandMessage): void {
    const { legs, isLoop = false } = message;
    const leg = legs === undefined ? 0 : nearest(legs, vehicle);
    this.begin(command, vehicle, legs === undefined ? message : { ...legs[leg]!, legs, isLoop }, leg);
  }

  hold(taskId: string): void {
    const way = this.#ways.get(taskId);
    if (way !== undefined) way.isHeld = true;
  }

  goOn(taskId: string): void {
    const way = this.#ways.get(taskId);
    if (way !== undefined) way.isHeld = false;
  }

  forget(taskId: string): void {
    this.#ways.delete(taskId);
  }

  /** Ended elsewhere. What runs by itself at the vehicle is ended there, too, unless a newer order lets it go on. */
  drop(taskId: string): void {
    const way = this.#ways.get(taskId);
    this.#ways.delete(taskId);
    const end = way?.message.timed?.end;
    if (way === undefined || end === undefined) return;
    if (this.#of(way.vehicle).some(({ message }) => message.timed?.end.command === end.command)) return;
    this.#parts.write(way.vehicle, end, 0);
  }

  halt(vehicle: VehicleState): void {
    for (const way of this.#movesOf(vehicle)) way.isHalted = true;
  }

  /** A vehicle goes one way: the newer order took it off the older. */
  supersede(vehicle: VehicleState, by: OutgoingCommand): void {
    // The ledger knows it of orders of one slot.
    if (ENDS_THE_WAY.has(by.verb)) this.leave(vehicle, by, "took the vehicle off it");
    else for (const way of this.#movesOf(vehicle)) this.#ways.delete(way.command.taskId);
  }

  /** Given up for another order, whatever became of that. */
  leave(vehicle: VehicleState, by: OutgoingCommand, what: string): void {
    for (const { command } of this.#movesOf(vehicle)) {
      this.#ways.delete(command.taskId);
      this.#parts.progress(command.taskId, { is: "failed", code: "overtaken", text: `${by.verb} ${what}` });
    }
  }

  /** An order of this kind was given again just now, and its answer is still to come. */
  isUnanswered(vehicle: VehicleState, command: number): boolean {
    const sinceMs = this.#parts.nowMs() - repeatAnswerMs(vehicle);
    return this.#of(vehicle).some(
      (way) => !way.isAnswered && way.message.command === command && way.writtenMs > sinceMs,
    );
  }

  /** An acknowledgement that is of no order in flight: of one that was given again, or begun before a restart. */
  answered(vehicle: VehicleState, command: number, what: Result): void {
    if (what === "in_progress") return;
    const ways = this.#of(vehicle).filter(({ message }) => message.command === command);
    const way = ways.find((one) => !one.isAnswered) ?? ways.find((one) => one.isAtIt);
    if (way === undefined) return;
    if (way.isAnswered) this.#lastWord(way, what);
    else {
      way.isAnswered = true;
      if (what !== "failed" && !saysNo(what)) return;
      this.#ways.delete(way.command.taskId);
      const text = `the vehicle answered ${what} when it was told where to go next`;
      this.#parts.progress(way.command.taskId, { is: "failed", code: what, text });
    }
  }

  /** What telemetry can show it goes on to show; everything else ends as the vehicle says. */
  #lastWord(way: Way, what: Result): void {
    way.isAtIt = false;
    if (what === "accepted" && way.message.isDone !== null) return;
    this.#ways.delete(way.command.taskId);
    this.#parts.progress(way.command.taskId, wordOf(what));
  }

  observe(vehicle: VehicleState): void {
    for (const way of this.#of(vehicle)) {
      if (way.isHeld || way.isHalted || way.message.isDone?.(vehicle) !== true) continue;
      if (this.#nextLeg(way)) continue;
      const { taskId } = way.command;
      this.#ways.delete(taskId);
      this.#parts.progress(taskId, { is: "succeeded", code: "done", text: "telemetry shows that it was done" });
    }
  }

  tick(nowMs: number, isTurning: (vehicle: VehicleState) => boolean): void {
    for (const way of [...this.#ways.values()])
      if (nowMs > way.command.deadlineAtMs) this.drop(way.command.taskId);
      else if (way.message.timed !== undefined) this.#endTimed(way, way.message.timed, nowMs);
      else if (!way.isHeld && !way.isHalted && !isTurning(way.vehicle)) this.#steer(way, nowMs);
  }

  #of(vehicle: VehicleState): Way[] {
    return [...this.#ways.values()].filter((way) => way.vehicle === vehicle);
  }

  #movesOf(vehicle: VehicleState): Way[] {
    return this.#of(vehicle).filter(({ message }) => message.timed === undefined);
  }

  #order(way: Way, message: CommandMessage): void {
    way.message = message;
    way.writtenMs = this.#parts.nowMs();
    way.isAnswered = false;
    this.#parts.write(way.vehicle, message, 0);
  }

  /** On to the next leg of a way; false: that was the last. */
  #nextLeg(way: Way): boolean {
    const { legs = [], isLoop = false } = way.message;
    if (legs.length < 2 || (way.leg === legs.length - 1 && !isLoop)) return false;
    way.leg = (way.leg + 1) % legs.length;
    this.#order(way, { ...legs[way.leg]!, legs, isLoop });
    const progressPct = isLoop ? null : Math.round((100 * way.leg) / legs.length);
    this.#parts.progress(way.command.taskId, { is: "executing", progressPct });
    return true;
  }

  #endTimed(way: Way, { seconds, end }: NonNullable<CommandMessage["timed"]>, nowMs: number): void {
    if (way.isHeld || nowMs - way.seenMs < seconds * 1000) return;
    const { taskId } = way.command;
    this.#ways.delete(taskId);
    this.#parts.write(way.vehicle, end, 0);
    this.#parts.progress(taskId, { is: "succeeded", code: "done", text: `it went on for ${seconds} s` });
  }

  /** Orders that are given again: a leg whose message may have been lost, a track that moved on. */
  #steer(way: Way, nowMs: number): void {
    const { followed, legs } = way.message;
    if (legs !== undefined && nowMs - way.writtenMs >= LEG_AGAIN_MS) this.#order(way, way.message);
    // One at a time: its answer could be taken for a newer order's, which must find a moment to go.
    const againMs = way.isAnswered ? FOLLOW_AGAIN_MS : repeatAnswerMs(way.vehicle) + REPEAT_PAUSE_MS;
    if (followed === undefined || nowMs - way.writtenMs < Math.max(FOLLOW_AGAIN_MS, againMs)) return;
    const place = this.#parts.placeOf(String(followed.track_id));
    if (place === null) {
      if (nowMs - way.seenMs < TRACK_GONE_MS) return;
      const { taskId } = way.command;
      this.#ways.delete(taskId);
      this.#parts.progress(taskId, { is: "failed", code: "track_gone", text: "the track that it followed is gone" });
      return;
    }
    const order = commandOf("follow", { ...followed, ...place }, way.vehicle);
    if ("cannot" in order) return;
    way.seenMs = nowMs;
    this.#order(way, order);
  }
}

/** Twice its round trip, because one of them is not like the next. */
function repeatAnswerMs({ rttMs }: VehicleState): number {
  return Math.min(ANSWER_WITHIN_MS, Math.max(REPEAT_ANSWER_MS, 2 * (rttMs ?? 0)));
}

/** Index of the leg that ends nearest to where the vehicle is. */
function nearest(legs: readonly CommandMessage[], { lat, lon }: VehicleState): number {
  if (lat === null || lon === null) return 0;
  const distances = legs.map(({ params }) =>
    geodesicDistanceM({ lat, lon }, { lat: params[4] / 1e7, lon: params[5] / 1e7 }),
  );
  return distances.indexOf(Math.min(...distances));
}
