/**
 * The streams of one room: numbers domain events, encodes each flush once for each kinds mask, writes it once to each session,
 * and catches up sessions that fell behind (docs/interface.md#stream, #numbering). Knows a Sink, no socket, and no clock.
 *
 * A sink must not call back into the hub from within `write` or `end`.
 */
import { type Refusal, refusal } from "../domain/errors.ts";
import {
  ALL_DOMAIN_MASK,
  type DomainEvent,
  EMPTY_COMMENT,
  type EventPayloads,
  type Kind,
  kindBit,
  SLICE_EVENTS,
  type SliceEvent,
  STREAM_ENDS,
  type StreamEnd,
} from "../domain/events.ts";
import { assert } from "../lib/assert.ts";
import {
  LAG_CATCH_UP_BYTES,
  LAG_CATCH_UP_MS,
  LAG_CLOSE_MS,
  SNAPSHOT_PIECE_BYTES,
  STREAM_PING_PERIOD_MS,
} from "../limits.ts";
import { type Block, encodeBlock, encodeEvent, type Queued } from "./block.ts";
import { endFrame, PING, resyncFrame } from "./frames.ts";
import { domainBit, Numbering, unkeptNumbers } from "./numbering.ts";
import { Opening, type OpeningOptions } from "./opening.ts";
import { RecentEvents } from "./recentEvents.ts";
import { CLOSED, type Cursor, Group, LIVE, Session, type StreamOwner } from "./session.ts";
import type { Sink } from "./sink.ts";

export interface HubOptions extends OpeningOptions {
  readonly sessionsMax: number;
  /** Gives the events their numbers (default: from 1, not stored). */
  readonly numbering?: Numbering;
}

/** What happened to sessions since the room opened. */
export interface HubCounts {
  opened: number;
  refused: number;
  lagged: number;
  caughtUp: number;
  resyncs: number;
  /** Domain events that resynced sessions did not get. */
  dropped: number;
  closedSlow: number;
}

const SLICES: ReadonlySet<string> = new Set(SLICE_EVENTS);
const EXPLAIN_BIT = kindBit("fusion_explain");
const ALL_MASK = ALL_DOMAIN_MASK | EXPLAIN_BIT;
const PING_SLOTS = STREAM_PING_PERIOD_MS / 1000;

export class Hub {
  readonly counts: HubCounts = { opened: 0, refused: 0, lagged: 0, caughtUp: 0, resyncs: 0, dropped: 0, closedSlow: 0 };
  readonly #sessionsMax: number;
  readonly #opening: Opening;
  readonly #groups = new Map<number, Group>();
  /** Sessions that are opening or lagging. */
  readonly #behind = new Set<Session>();
  /** Sessions that have not been sent the slices yet. */
  readonly #newcomers = new Set<Session>();
  readonly #recent = new RecentEvents(LAG_CATCH_UP_BYTES, LAG_CATCH_UP_MS);
  #queue: Queued[] = [];
  #wantedMask = 0;
  #sessions = 0;
  readonly #numbering: Numbering;
  #flushedGeneration: number;
  /** The time of the last call that had one; `onDrain` has none. */
  #nowMs = 0;
  #pingedSecond = 0;

  constructor(options: HubOptions) {
    this.#sessionsMax = options.sessionsMax;
    this.#opening = new Opening(options);
    this.#numbering = options.numbering ?? new Numbering(unkeptNumbers(0));
    this.#flushedGeneration = this.#numbering.last;
  }

  /** The workspace counter: +1 with every domain event, whether or not anyone listens. */
  get generation(): number {
    return this.#numbering.last;
  }

  get sessions(): number {
    return this.#sessions;
  }

  /** For refusing a stream before its status is written. */
  whyNotAttach(): Refusal<"too_many_streams" | "unavailable"> | null {
    if (this.#numbering.isExhausted)
      return refusal("unavailable", STREAM_ENDS.numbers_used_up.sentence, { "Retry-After": "2" });
    if (this.#sessions < this.#sessionsMax) return null;
    const most = `this workspace has ${this.#sessionsMax} open streams, the most it may have`;
    return refusal("too_many_streams", most, { "Retry-After": "10" });
  }

  get behind(): number {
    return this.#behind.size;
  }

  /** Whether any session selects this kind, so that it is built only when wanted. */
  wants(kind: Kind): boolean {
    return (this.#wantedMask & kindBit(kind)) !== 0;
  }

  // ---- events in

  /** Assigns the next number, which it returns, and queues the event for the next flush. */
  publish<N extends DomainEvent>(name: N, payload: EventPayloads[N], nowMs: number): number {
    const bit = domainBit(name);
    this.#nowMs = nowMs;
    const streamGen = this.#numbering.next(bit);
    if (streamGen === null) return this.#runOut();
    if ((this.#wantedMask & bit) !== 0) this.#queue.push({ class: "domain", name, bit, streamGen, payload });
    return streamGen;
  }

  /** As `publish`, for an event that no session selects (`wants`): it is numbered, and its payload need not be built. */
  publishUnwanted(name: DomainEvent, nowMs: number): number {
    const bit = domainBit(name);
    assert((this.#wantedMask & bit) === 0, `a session selects ${name}`);
    this.#nowMs = nowMs;
    return this.#numbering.next(bit) ?? this.#runOut();
  }

  /** The slice's payload as one JSON object: large slices are built from parts that were encoded before. */
  publishSlice(name: SliceEvent, json: string): void {
    assert(SLICES.has(name), `${name} is not a slice`);
    if (this.#sessions > 0) this.#queue.push({ class: "slice", name, json });
  }

  publishExplain(payload: EventPayloads["fusion_explain"]): void {
    if ((this.#wantedMask & EXPLAIN_BIT) !== 0)
      this.#queue.push({ class: "opt_in", name: "fusion_explain", bit: EXPLAIN_BIT, payload });
  }

  // ---- sessions

  /** Writes the snapshot; slices and deltas follow from the next flush on. */
  attach(sink: Sink, kindsMask: number, owner: StreamOwner, nowMs: number): Session | Refusal {
    assert((kindsMask & ~ALL_MASK) === 0, "a kinds mask has only known kinds");
    const refused = this.whyNotAttach();
    if (refused !== null) {
      this.counts.refused++;
      return refused;
    }
    // Queued events are in the snapshot already, so send them to the other sessions first.
    this.#send(nowMs);
    const session = new Session(sink, this.#join(kindsMask), owner, this.counts.opened % PING_SLOTS);
    const retry = this.#opening.retryOf(this.counts.opened++);
    this.#newcomers.add(session);
    this.#handOver(session, this.#opening.snapshot(nowMs));
    sink.onDrain = () => this.#drained(session);
    sink.onClose = () => this.#leave(session);
    if (sink.write(retry)) this.#drained(session);
    return session;
  }

  /** Ends the streams that match, such as those of a revoked key; returns how many. */
  closeWhere(predicate: (owner: StreamOwner) => boolean, end: StreamEnd): number {
    let closed = 0;
    for (const session of this.#everyone()) {
      if (!predicate(session.owner)) continue;
      this.#close(session, end);
      closed++;
    }
    return closed;
  }

  closeAll(end: StreamEnd): void {
    for (const session of this.#everyone()) this.#close(session, end);
  }

  // ---- time passes

  /** Sends what was published: one encoding for each kinds mask, one write for each session; then sends newcomers the slices. */
  flush(nowMs: number): void {
    this.#numbering.topUp(nowMs);
    this.#send(nowMs);
    if (this.#newcomers.size > 0) this.#welcome(nowMs);
  }

  #send(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#behind.size > 0) this.#closeSlow(nowMs);
    this.#flushedGeneration = this.#numbering.last;
    if (this.#queue.length === 0) return;
    const events = this.#queue.map(encodeEvent);
    this.#queue = [];
    let occurring = 0;
    for (const event of events) if (event.class !== "slice") occurring |= event.bit;
    if (this.#behind.size > 0) for (const event of events) this.#recent.push(event, nowMs);
    else this.#recent.skip(events.length);

    /** Masks that select the same of these events share a block; clients may use many masks, but few differ here. */
    const blocks = new Map<string, Block>();
    for (const group of this.#groups.values()) {
      const selected = group.mask & occurring;
      const key = (selected & ALL_DOMAIN_MASK) === 0 ? `${selected}` : `${selected} ${group.lastGen}`;
      let block = blocks.get(key);
      if (block === undefined) blocks.set(key, (block = encodeBlock(events, selected, group.lastGen)));
      if (block.count > 0) group.lastGen = block.lastGen;
      group.flushedCount += block.count;
      if (block.bytes.length > 0) this.#writeAll(group, block.bytes);
    }
  }

  /** Sends `: ping` to each live session once in 15 s, a fifteenth of them each second. Call at least once a second. */
  ping(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#behind.size > 0) this.#closeSlow(nowMs);
    const second = Math.floor(nowMs / 1000);
    const from = Math.max(this.#pingedSecond + 1, second - PING_SLOTS + 1);
    if (second === this.#pingedSecond) return;
    this.#pingedSecond = second;
    for (let due = from; due <= second; due++) {
      const slot = due % PING_SLOTS;
      for (const group of this.#groups.values()) {
        for (let i = group.live.length - 1; i >= 0; i--) {
          const session = group.live[i]!;
          if (session.pingSlot === slot && !session.sink.write(PING)) this.#lag(session, this.#cursorOf(session));
        }
      }
    }
  }

  // ---- inside

  /** An event without a number cannot be sent, so every client must read the picture again: ends all streams. */
  #runOut(): number {
    this.closeAll("numbers_used_up");
    return this.#numbering.last;
  }

  /**
   * Sends all slices to sessions that are new. Slices have no number, so a client could not notice a change between its
   * picture and its stream as a gap. Encoded once for all newcomers; a session still reading its snapshot waits.
   */
  #welcome(nowMs: number): void {
    let frames: Uint8Array | null = null;
    for (const session of this.#newcomers) {
      if (session.state.is !== "live") continue;
      this.#newcomers.delete(session);
      frames ??= this.#opening.slices(nowMs);
      session.group.removeLive(session);
      this.#handOver(session, frames);
      this.#drained(session);
    }
  }

  /** For bytes too large for one write: `#drained` writes them piece by piece. */
  #handOver(session: Session, bytes: Uint8Array): void {
    session.state = { is: "opening", bytes, offset: 0, cursor: this.#cursorOf(session) };
    this.#behind.add(session);
  }

  /** In the order of joining, as the sockets lie in memory. The last session takes the place of one that lags, and is next. */
  #writeAll(group: Group, bytes: Uint8Array): void {
    const { live } = group;
    for (let i = 0; i < live.length; ) {
      const session = live[i]!;
      if (session.sink.write(bytes)) i++;
      else this.#lag(session, this.#cursorOf(session));
    }
  }

  #drained(session: Session): void {
    switch (session.state.is) {
      case "closed":
        return;
      case "live":
        // The transport had buffered an accepted write; its timer wants another write all the same (ADR 0041).
        if (!session.sink.write(EMPTY_COMMENT)) this.#lag(session, this.#cursorOf(session));
        return;
      case "lagging":
        this.#catchUpFrom(session, session.state.cursor);
        return;
      case "opening": {
        const { bytes, cursor } = session.state;
        let { offset } = session.state;
        let taken = true;
        while (taken && offset < bytes.length) {
          taken = session.sink.write(bytes.subarray(offset, offset + SNAPSHOT_PIECE_BYTES));
          offset += SNAPSHOT_PIECE_BYTES;
        }
        if (offset < bytes.length)
          session.state = { is: "opening", bytes, offset, cursor: { ...cursor, sinceMs: this.#nowMs } };
        else if (!taken) this.#lag(session, cursor);
        else this.#catchUpFrom(session, cursor);
      }
    }
  }

  /** Sends the missed events if they are still kept, else a resync with their count; then the session is live again. */
  #catchUpFrom(session: Session, cursor: Cursor): void {
    const opening = session.state.is === "opening";
    const missed = session.group.flushedCount - cursor.flushedCount;
    let bytes: Uint8Array;
    if (this.#recent.covers(cursor.position)) {
      ({ bytes } = this.#recent.blockSince(cursor.position, cursor.prevGen, session.group.mask));
      if (!opening) this.counts.caughtUp++;
    } else {
      bytes = Buffer.from(resyncFrame(this.#flushedGeneration, missed, this.#opening.stamp(this.#nowMs)));
      this.counts.resyncs++;
      this.counts.dropped += missed;
    }
    if (bytes.length === 0 && !opening) bytes = EMPTY_COMMENT;
    if (bytes.length > 0 && !session.sink.write(bytes)) {
      this.#lag(session, this.#cursorOf(session));
      return;
    }
    this.#behind.delete(session);
    session.state = LIVE;
    session.group.addLive(session);
  }

  #cursorOf({ group }: Session): Cursor {
    return {
      position: this.#recent.end,
      prevGen: group.lastGen,
      flushedCount: group.flushedCount,
      sinceMs: this.#nowMs,
    };
  }

  #lag(session: Session, cursor: Cursor): void {
    if (session.state.is === "live") session.group.removeLive(session);
    if (session.state.is !== "lagging") this.counts.lagged++;
    session.state = { is: "lagging", cursor };
    this.#behind.add(session);
  }

  #closeSlow(nowMs: number): void {
    for (const session of this.#behind) {
      const { state } = session;
      if ((state.is !== "opening" && state.is !== "lagging") || nowMs - state.cursor.sinceMs < LAG_CLOSE_MS) continue;
      this.counts.closedSlow++;
      this.#close(session, null);
    }
  }

  /** null: without a last comment, because the client does not read. */
  #close(session: Session, end: StreamEnd | null): void {
    if (session.state.is === "closed") return;
    // Only a live session can get a last comment: the others are in the middle of a block.
    if (session.state.is === "live" && end !== null) session.sink.write(endFrame(end));
    this.#leave(session);
    session.sink.end();
  }

  #leave(session: Session): void {
    const { group } = session;
    if (session.state.is === "closed") return;
    if (session.state.is === "live") session.group.removeLive(session);
    this.#behind.delete(session);
    this.#newcomers.delete(session);
    session.state = CLOSED;
    session.sink.onDrain = null;
    session.sink.onClose = null;
    this.#sessions--;
    if (--group.members > 0) return;
    this.#groups.delete(group.mask);
    this.#wantedMask = 0;
    for (const mask of this.#groups.keys()) this.#wantedMask |= mask;
  }

  #join(mask: number): Group {
    let group = this.#groups.get(mask);
    if (group === undefined) {
      this.#groups.set(mask, (group = new Group(mask, this.#numbering.lastOf(mask))));
      this.#wantedMask |= mask;
    }
    group.members++;
    this.#sessions++;
    return group;
  }

  #everyone(): Session[] {
    const all = [...this.#behind];
    for (const group of this.#groups.values()) all.push(...group.live);
    return all;
  }
}
