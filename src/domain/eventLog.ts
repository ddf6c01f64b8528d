/**
 * An entry of the event log (docs/interface.md#event-log): who did what to what. Each entry has the hash of the one before, so
 * that a removed or changed entry is noticed. Pure.
 */
import { type Static, Type } from "typebox";
import { canonicalJson } from "../lib/canonicalJson.ts";
import { toRfc3339 } from "../lib/clock.ts";
import { sha256 } from "../lib/ids.ts";
import { ENVIRONMENTS, type Environment } from "./modality.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

export const EventEntry = Shape("EventEntry", {
  id: Type.String(),
  seq: Type.Integer({ minimum: 1, description: "contiguous in the workspace" }),
  at: UtcTime,
  name: Type.String({ description: "an event name of the stream, or audit.*" }),
  actor: Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() }),
  subject: Type.Object({ kind: Type.String(), id: Type.String() }),
  stream_gen: Type.Integer({ description: "the picture's generation when it was decided" }),
  env: Type.Enum(ENVIRONMENTS),
  run_id: nullable(Type.String()),
  data: Type.Record(Type.String(), Type.Unknown()),
  prev_hash: nullable(Type.String({ description: "null for the first entry of a workspace" })),
  hash: Type.String({ description: "SHA-256 of the canonical JSON (RFC 8785) of the entry without this member" }),
});
export type EventEntry = Static<typeof EventEntry>;

/** An entry before the log gives it its number and hashes. */
export interface EventDraft {
  readonly name: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly subject: { readonly kind: string; readonly id: string };
  readonly streamGen: number;
  readonly env: Environment;
  readonly runId?: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The members of a room that an entry names. */
export interface LoggedRoom {
  readonly generation: number;
  readonly environment: Environment;
}

/** A person or a key did something to the workspace: `audit.<name>`. */
export function auditDraft(
  room: LoggedRoom,
  actor: EventDraft["actor"],
  nowMs: number,
  name: string,
  subject: EventDraft["subject"],
  data: object,
): EventDraft {
  return {
    name: `audit.${name}`,
    at: toRfc3339(nowMs),
    actor,
    subject,
    streamGen: room.generation,
    env: room.environment,
    data: data as Record<string, unknown>,
  };
}

export function eventHash(entry: Omit<EventEntry, "hash">): string {
  return sha256(canonicalJson(entry)).toString("hex");
}

/** `entries` oldest first. The seq of the first entry that does not follow from the one before; null: the chain is whole. */
export function findBreak(entries: readonly EventEntry[]): number | null {
  let before: EventEntry | null = null;
  for (const entry of entries) {
    const { hash, ...rest } = entry;
    const follows = before === null || (entry.seq === before.seq + 1 && entry.prev_hash === before.hash);
    if (!follows || eventHash(rest) !== hash) return entry.seq;
    before = entry;
  }
  return null;
}
