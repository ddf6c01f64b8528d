/**
 * Appends to the event log, inside the transaction of the write that an event describes, so that neither exists without
 * the other. The lock on the workspace's head row keeps the numbers contiguous over all processes.
 */
import type { JSONValue } from "postgres";
import { type EventDraft, type EventEntry, eventHash } from "../domain/eventLog.ts";
import { newId } from "../lib/ids.ts";
import { EVENTS_PER_STATEMENT_MAX } from "../limits.ts";
import type { Sql } from "./client.ts";
import type { RoomWriter } from "./fencing.ts";
import { lockHead, moveHead } from "./roomHeads.ts";

/** Appends any number of events. A write without events calls it with an empty list, so that its epoch is checked. */
export async function appendEvents(sql: Sql, writer: RoomWriter, drafts: readonly EventDraft[]): Promise<EventEntry[]> {
  let { seq, hash } = await lockHead(sql, writer);
  if (drafts.length === 0) return [];
  const entries: EventEntry[] = [];
  for (const draft of drafts) {
    const entry = toEntry(draft, ++seq, hash);
    hash = eventHash(entry);
    entries.push({ ...entry, hash });
  }
  const rows = entries.map(({ actor, subject, data, ...rest }) => ({
    workspace_id: writer.id,
    ...rest,
    actor: sql.json(actor),
    subject: sql.json(subject),
    data: sql.json(data as JSONValue),
  }));
  for (let at = 0; at < rows.length; at += EVENTS_PER_STATEMENT_MAX)
    await sql`insert into events ${sql(rows.slice(at, at + EVENTS_PER_STATEMENT_MAX))}`;
  await moveHead(sql, writer, { seq, hash });
  return entries;
}

/** `data` goes through JSON, so that the hash is that of what a reader gets. */
function toEntry(draft: EventDraft, seq: number, prevHash: string | null): Omit<EventEntry, "hash"> {
  return {
    id: newId("evt", Date.parse(draft.at)),
    seq,
    at: draft.at,
    name: draft.name,
    actor: { kind: draft.actor.kind, id: draft.actor.id, name: draft.actor.name },
    subject: { kind: draft.subject.kind, id: draft.subject.id },
    stream_gen: draft.streamGen,
    env: draft.env,
    run_id: draft.runId ?? null,
    data: JSON.parse(JSON.stringify(draft.data)) as Record<string, unknown>,
    prev_hash: prevHash,
  };
}
