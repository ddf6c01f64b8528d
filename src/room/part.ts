/**
 * What a wing is to its room. A noun that clients see is a part: it applies the changes that concern it, notices what only
 * time changes, says what is to be told, and encodes itself for the picture and its slice.
 */
import type { DomainEvent, EventPayloads, SliceEvent } from "../domain/events.ts";
import type { ChangeOf, Op } from "./changes.ts";

/** Members that the room adds to every event. */
type Common = "at" | "env" | "lat_ms" | "stream_gen" | "prev_gen";

/** An event as a part returns it: the room adds the time, the environment and the latency, and the hub its number. */
export type RoomEvent = {
  readonly [N in DomainEvent]: { readonly name: N; readonly body: Omit<EventPayloads[N], Common> };
}[DomainEvent];

export interface Applies<O extends Op> {
  /** What is to be told. null: a bound turned the change away, and it was counted. */
  apply(change: ChangeOf<O>, nowMs: number): readonly RoomEvent[] | null;
}

export interface Part {
  /** The slice that tells of it; null: it has none of its own. */
  readonly slice: SliceEvent | null;
  /** Grows with every change that a client must see within a second. */
  readonly version: number;
  /** Grows also with what may wait, such as telemetry; absent where nothing may. */
  readonly liveVersion?: number;
  /** Once a second: what only time changes. */
  refresh(nowMs: number): readonly RoomEvent[];
  /** Its members of GET /api/picture, and of its slice, as one JSON object. */
  json(nowMs: number): string;
  /** Where the slice differs from the members of the picture: the slices that a stream opens with. */
  sliceJsons?(nowMs: number): readonly string[];
}

export const NOTHING_TO_TELL: readonly RoomEvent[] = [];
