/** The streams of a simulated run. The acts on them are noted, so that a replay can repeat them on another room. */
import { ALL_DOMAIN_MASK, kindBit } from "../../../src/domain/events.ts";
import type { Room } from "../../../src/room/room.ts";
import type { Sink } from "../../../src/stream/sink.ts";
import type { Draws } from "./draws.ts";

const EVERYTHING = ALL_DOMAIN_MASK | kindBit("fusion_explain");
const MASKS = [0, ALL_DOMAIN_MASK, kindBit("alert"), kindBit("track_update") | kindBit("track_removed")];
/** Explains cost more than all other events, so few streams ask for them, and briefly. */
const EXPLAINED = 0.1;
const EXPLAINED_MS = 1000;
const OWNER = { kind: "key", keyId: "key_sim" } as const;
/** The stream that is reopened whenever it has ended. */
export const MAIN = 0;
const OTHERS_MAX = 3;

/** An act on a stream. */
export type StreamAct =
  | { readonly is: "attach"; readonly stream: number; readonly mask: number; readonly nowMs: number }
  | { readonly is: "leave" | "refuse" | "drain"; readonly stream: number }
  | { readonly is: "ping"; readonly nowMs: number };

class Watcher implements Sink {
  onDrain: (() => void) | null = null;
  onClose: (() => void) | null = null;
  refuses = false;
  #isBlocked = false;
  isEnded = false;
  text = "";
  leavesAtMs = Number.POSITIVE_INFINITY;

  write(block: Uint8Array): boolean {
    if (this.isEnded || this.#isBlocked) throw new Error("a stream was written to although it refused or had ended");
    this.text += Buffer.from(block).toString();
    this.#isBlocked = this.refuses;
    return !this.#isBlocked;
  }

  end(): void {
    this.isEnded = true;
  }

  drain(): void {
    this.refuses = false;
    if (!this.#isBlocked || this.isEnded) return;
    this.#isBlocked = false;
    this.onDrain?.();
  }

  leave(): void {
    this.isEnded = true;
    this.onClose?.();
  }
}

export class Watchers {
  readonly #room: Room;
  readonly #open = new Map<number, Watcher>();

  constructor(room: Room) {
    this.#room = room;
  }

  do(act: StreamAct): void {
    if (act.is === "ping") this.#room.hub.ping(act.nowMs);
    else if (act.is === "attach") {
      const watcher = new Watcher();
      this.#open.set(act.stream, watcher);
      if (act.mask === EVERYTHING) watcher.leavesAtMs = act.nowMs + EXPLAINED_MS;
      this.#room.openStream(watcher, act.mask, OWNER, act.nowMs);
    } else {
      const watcher = this.#open.get(act.stream);
      if (act.is === "leave") watcher?.leave();
      else if (act.is === "drain") watcher?.drain();
      else if (watcher !== undefined) watcher.refuses = true;
    }
  }

  isOpen(stream: number): boolean {
    return this.#open.get(stream)?.isEnded === false;
  }

  /** The text of each stream since the last call. */
  takeTexts(): ReadonlyMap<number, string> {
    const texts = new Map<number, string>();
    for (const [stream, watcher] of this.#open) {
      texts.set(stream, watcher.text);
      watcher.text = "";
      if (watcher.isEnded) this.#open.delete(stream);
    }
    return texts;
  }

  /** The next act on the streams: clients connect, leave, block and recover. */
  next(draws: Draws, nowMs: number): StreamAct | null {
    if (!this.isOpen(MAIN) && this.#room.whyNotStream() === null)
      return { is: "attach", stream: MAIN, mask: ALL_DOMAIN_MASK, nowMs };
    for (const [stream, { leavesAtMs, isEnded }] of this.#open)
      if (!isEnded && nowMs >= leavesAtMs) return { is: "leave", stream };
    if (!draws.chance(0.02)) return null;
    const stream = 1 + draws.below(OTHERS_MAX);
    if (this.isOpen(stream)) return { is: draws.weighted({ leave: 1, refuse: 2, drain: 3 }), stream };
    if (this.#room.whyNotStream() !== null) return null;
    return { is: "attach", stream, mask: draws.chance(EXPLAINED) ? EVERYTHING : draws.pick(MASKS), nowMs };
  }
}
