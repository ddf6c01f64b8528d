/**
 * The only encoder of server-sent events (docs/interface.md#stream): every block that a client reads is built here,
 * from a closed list of names and JSON without line breaks, so that no content can forge an event. Knows no session and no
 * socket.
 */

import { type DomainEvent, type OptInEvent, type SliceEvent, STREAM_ENDS, type StreamEnd } from "../domain/events.ts";
import type { Environment } from "../domain/modality.ts";
import { assert } from "../lib/assert.ts";
import { toRfc3339 } from "../lib/clock.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export const PING: Uint8Array = Buffer.from(": ping\n\n");

/** The payload as one JSON object. `JSON.stringify` escapes line breaks inside strings and writes none outside. */
export function encodePayload(payload: object): string {
  const json = JSON.stringify(payload);
  assert(json.charCodeAt(0) === 123, "a payload is a JSON object");
  return json;
}

/**
 * A domain event. The payload is shared by all kinds masks; only `prev_gen` differs between them, so both numbers come
 * first and the shared rest is appended unchanged.
 */
export function domainFrame(name: DomainEvent, streamGen: number, prevGen: number | null, payloadJson: string): string {
  const rest = payloadJson.length === 2 ? "}" : `,${payloadJson.slice(1)}`;
  return `event: ${name}\nid: ${streamGen}\ndata: {"stream_gen":${streamGen},"prev_gen":${prevGen}${rest}\n\n`;
}

export interface EncodedSlice {
  readonly name: SliceEvent;
  readonly json: string;
}

/** A slice or an opt-in event: not numbered, the payload as it is. */
export function plainFrame(name: SliceEvent | OptInEvent, payloadJson: string): string {
  return `event: ${name}\ndata: ${payloadJson}\n\n`;
}

/** The slices that follow a stream's snapshot. */
export function slicesFrames(slices: readonly EncodedSlice[]): Uint8Array {
  return Buffer.from(slices.map(({ name, json }) => plainFrame(name, json)).join(""));
}

export function snapshotFrame(tracksJson: Uint8Array | string, generation: number, stamp: string): Uint8Array {
  const tracks = typeof tracksJson === "string" ? Buffer.from(tracksJson) : tracksJson;
  assert(!tracks.includes(LINE_FEED) && !tracks.includes(CARRIAGE_RETURN), "a snapshot's JSON has no line ends");
  return Buffer.concat([
    Buffer.from(`event: snapshot\nid: ${generation}\ndata: {${stamp},"tracks":`),
    tracks,
    Buffer.from(`,"generation":${generation}}\n\n`),
  ]);
}

/** `"at":…,"env":…`: the time and environment members of snapshot, resync and slices. */
export function stampOf(environment: Environment, nowMs: number): string {
  return `"at":"${toRfc3339(nowMs)}","env":"${environment}"`;
}

export function resyncFrame(generation: number, dropped: number, stamp: string): string {
  return `event: resync\nid: ${generation}\ndata: {${stamp},"generation":${generation},"dropped":${dropped}}\n\n`;
}

/** The last block of a stream that the service ends: a comment, because an event would need a name of its own. */
export function endFrame(end: StreamEnd): Uint8Array {
  return Buffer.from(`: end ${end}\n: ${STREAM_ENDS[end].sentence}\n\n`);
}

export function retryFrame(afterMs: number): string {
  return `retry: ${afterMs}\n\n`;
}
