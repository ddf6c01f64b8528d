/**
 * One open stream: where it writes, which kinds it selects, and how far it got. Its state is a union, so that a field which
 * does not exist in a state cannot be read in it. The hub moves it from state to state; a live session keeps no position at all.
 */
import type { Sink } from "./sink.ts";

/** The credential behind a stream, for ending it when that is revoked. */
export type StreamOwner =
  | { readonly kind: "user"; readonly userId: string; readonly sessionId: string }
  | { readonly kind: "key"; readonly keyId: string };

/** How far a session that is behind got; everything after it is missed until it drains. */
export interface Cursor {
  /** Position in the hub's log of the first event that it did not get. */
  readonly position: number;
  /** Number of the last domain event of its kinds that it got: the `prev_gen` of the next. */
  readonly prevGen: number | null;
  /** Domain events of its kinds that were flushed until then, for counting those that it missed. */
  readonly flushedCount: number;
  readonly sinceMs: number;
}

type SessionState =
  /** The snapshot, and later the slices, are being handed over piece by piece; `offset` bytes are out. */
  | { readonly is: "opening"; readonly bytes: Uint8Array; readonly offset: number; readonly cursor: Cursor }
  | { readonly is: "live" }
  /** The transport refused a write. Nothing more is written, pings included, until it drains. */
  | { readonly is: "lagging"; readonly cursor: Cursor }
  | { readonly is: "closed" };

export const LIVE: SessionState = { is: "live" };
export const CLOSED: SessionState = { is: "closed" };

/** The sessions with one kinds mask, and what they have in common. */
export class Group {
  readonly mask: number;
  readonly live: Session[] = [];
  /** Sessions of this mask in any state. */
  members = 0;
  /** Number of the last flushed domain event of this mask; null when there was none since start. */
  lastGen: number | null;
  flushedCount = 0;

  constructor(mask: number, lastGen: number | null) {
    this.mask = mask;
    this.lastGen = lastGen;
  }

  addLive(session: Session): void {
    session.place = this.live.push(session) - 1;
  }

  /** Moves the last session into the place that becomes free. */
  removeLive(session: Session): void {
    const last = this.live.pop()!;
    if (last !== session) {
      this.live[session.place] = last;
      last.place = session.place;
    }
    session.place = -1;
  }
}

export class Session {
  readonly sink: Sink;
  readonly group: Group;
  readonly owner: StreamOwner;
  /** The second of the ping period in which it is pinged, so that pings spread out. */
  readonly pingSlot: number;
  state: SessionState = CLOSED;
  /** Place in `group.live`, -1 when it is not there. */
  place = -1;

  constructor(sink: Sink, group: Group, owner: StreamOwner, pingSlot: number) {
    this.sink = sink;
    this.group = group;
    this.owner = owner;
    this.pingSlot = pingSlot;
  }
}
