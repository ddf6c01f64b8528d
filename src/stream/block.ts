/**
 * One block of bytes for one kinds mask: the events of a flush in order, or those that a lagging session missed, coalesced
 * (docs/interface.md#slow-clients). Pure; knows neither sessions nor time.
 */
import type { DomainEvent, OptInEvent, SliceEvent } from "../domain/events.ts";
import { domainFrame, encodePayload, plainFrame } from "./frames.ts";

/** An event that waits for the flush. From `publish` on its payload must not be changed. */
export type Queued =
  | {
      readonly class: "domain";
      readonly name: DomainEvent;
      readonly bit: number;
      readonly streamGen: number;
      readonly payload: object;
    }
  | { readonly class: "opt_in"; readonly name: "fusion_explain"; readonly bit: number; readonly payload: object }
  | { readonly class: "slice"; readonly name: SliceEvent; readonly json: string };

/** One event as it goes out: the payload's JSON is shared by every block that carries it. */
export type Encoded =
  | {
      readonly class: "domain";
      readonly name: DomainEvent;
      readonly bit: number;
      readonly streamGen: number;
      readonly json: string;
    }
  | { readonly class: "opt_in"; readonly name: OptInEvent; readonly bit: number; readonly json: string }
  | { readonly class: "slice"; readonly name: SliceEvent; readonly json: string };

export interface Block {
  /** Empty when the mask selects nothing of these events. */
  readonly bytes: Uint8Array;
  /** How many domain events it has. */
  readonly count: number;
  /** Number of the last domain event that the mask selects, up to and including these. */
  readonly lastGen: number | null;
}

const NOTHING = new Uint8Array(0);

export function encodeEvent(event: Queued): Encoded {
  if ("json" in event) return event;
  const { payload, ...rest } = event;
  return { ...rest, json: encodePayload(payload) };
}

/** Every event that the mask selects, in order. `prevGen` is the number of the one before in the same selection. */
export function encodeBlock(events: readonly Encoded[], mask: number, prevGen: number | null): Block {
  let text = "";
  let count = 0;
  let lastGen = prevGen;
  for (const event of events) {
    if (event.class === "slice") text += plainFrame(event.name, event.json);
    else if ((mask & event.bit) === 0) continue;
    else if (event.class === "opt_in") text += plainFrame(event.name, event.json);
    else {
      text += domainFrame(event.name, event.streamGen, lastGen, event.json);
      lastGen = event.streamGen;
      count++;
    }
  }
  return { bytes: text === "" ? NOTHING : Buffer.from(text), count, lastGen };
}

/**
 * The same selection, coalesced: the updates of a track are merged into one (by top-level member, the last wins), of each
 * slice the last is kept (`live_state` by member), all other events stay, in order. A merged event takes the place of its
 * last part, and `prev_gen` is continuous, so a client sees no gap.
 */
export function encodeCoalesced(events: readonly Encoded[], mask: number, prevGen: number | null): Block {
  return encodeBlock(coalesce(events, mask), mask, prevGen);
}

type Payload = Record<string, unknown>;

/** The place of the latest part of a track or slice in the output, and the parts merged so far. */
interface Standing {
  readonly position: number;
  readonly payload: Payload;
  readonly parts: number;
}

function coalesce(events: readonly Encoded[], mask: number): Encoded[] {
  const out: (Encoded | null)[] = [];
  const standing = new Map<string, Standing>();
  for (const event of events) {
    if (event.class !== "slice" && (mask & event.bit) === 0) continue;
    if (event.class === "slice" || event.name === "track_update") {
      const payload = JSON.parse(event.json) as Payload;
      const key = event.class === "slice" ? event.name : trackIdOf(payload);
      const before = standing.get(key);
      if (before !== undefined) out[before.position] = null;
      standing.set(key, {
        position: out.length,
        payload: before === undefined ? payload : merge(before.payload, payload),
        parts: 1 + (before?.parts ?? 0),
      });
    } else if (event.name === "track_removed") {
      // Updates from before the end of a track must not be moved behind it.
      standing.delete(String((JSON.parse(event.json) as Payload).track_id));
    }
    out.push(event);
  }
  for (const { position, payload, parts } of standing.values())
    if (parts > 1) out[position] = { ...out[position]!, json: encodePayload(payload) };
  return out.filter((event) => event !== null);
}

function trackIdOf(payload: Payload): string {
  return String((payload.track as { id?: unknown } | undefined)?.id);
}

/** The later part over the earlier, by top-level member, and by top-level member of `track`. */
function merge(earlier: Payload, later: Payload): Payload {
  if (earlier.track === undefined || later.track === undefined) return { ...earlier, ...later };
  return { ...earlier, ...later, track: { ...earlier.track, ...later.track } };
}
