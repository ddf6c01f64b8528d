/**
 * What a wing is to its room. A noun that clients see is a part: it applies its changes, notices changes that time alone
 * makes, returns the events to publish, and encodes itself for the picture and its slice.
 */
import type { DomainEvent, EventPayloads, SliceEvent } from "../domain/events.ts";
import type { ChangeOf, Op } from "./changes.ts";

/** Members that the room adds to every event. */
type Common = "at" | "env" | "lat_ms" | "stream_gen" | "prev_gen";

/** An event as a part returns it. The room adds time, environment and latency, the hub its number. */
export type RoomEvent = {
  readonly [N in DomainEvent]: { readonly name: N; readonly body: Omit<EventPayloads[N], Common> };
}[DomainEvent];

export interface Applies<O extends Op> {
  /** The events to publish. null: a bound refused the change, and it was counted. */
  apply(change: ChangeOf<O>, nowMs: number): readonly RoomEvent[] | null;
}

export interface Part {
  /** Its slice; null: it has none of its own. */
  readonly slice: SliceEvent | null;
  /** Grows with every change that a client must see within a second. */
  readonly version: number;
  /** Grows also with changes that may wait, such as telemetry; absent where there are none. */
  readonly liveVersion?: number;
  /** Once a second: applies changes that time alone makes. */
  refresh(nowMs: number): readonly RoomEvent[];
  /** Its members of GET /api/picture and of its slice, as one JSON object. */
  json(nowMs: number): string;
  /** The slices that a stream opens with, where they differ from the members of the picture. */
  sliceJsons?(nowMs: number): readonly string[];
}

export const NO_EVENTS: readonly RoomEvent[] = [];
