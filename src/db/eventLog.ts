/**
 * The event log's rows. Appending happens inside the transaction of the write that it tells of, so that there is never one
 * without the other; the head row's lock keeps the numbers contiguous over all nodes.
 */
import type { JSONValue } from "postgres";
import { type EventDraft, type EventEntry, eventHash } from "../domain/eventLog.ts";
import { newId } from "../lib/ids.ts";
import { EVENTS_PER_STATEMENT_MAX } from "../limits.ts";
import type { Sql } from "./client.ts";

interface Head {
  readonly seq: string;
  readonly hash: string | null;
}

/**
 * Resolves when no write that was under way in the workspace still is, its own transaction excepted: each holds the log's
 * head until it ends, also one that nobody on this side waits for any more.
 */
export async function awaitWrites(sql: Sql, workspaceId: string): Promise<void> {
  await lockHead(sql, workspaceId);
}

async function lockHead(sql: Sql, workspaceId: string): Promise<Head> {
  const [head] = await sql<Head[]>`
    insert into event_heads (workspace_id, seq, hash) values (${workspaceId}, 0, null)
    on conflict (workspace_id) do update set seq = event_heads.seq
    returning seq, hash`;
  return head!;
}

/** Any number of them: callers know nothing of the statement's limits. */
export async function appendEvents(
  sql: Sql,
  workspaceId: string,
  drafts: readonly EventDraft[],
): Promise<EventEntry[]> {
  if (drafts.length === 0) return [];
  const head = await lockHead(sql, workspaceId);
  const entries: EventEntry[] = [];
  let seq = Number(head.seq);
  let hash = head.hash;
  for (const draft of drafts) {
    const entry = toEntry(draft, ++seq, hash);
    hash = eventHash(entry);
    entries.push({ ...entry, hash });
  }
  const rows = entries.map(({ actor, subject, data, ...rest }) => ({
    workspace_id: workspaceId,
    ...rest,
    actor: sql.json(actor),
    subject: sql.json(subject),
    data: sql.json(data as JSONValue),
  }));
  for (let at = 0; at < rows.length; at += EVENTS_PER_STATEMENT_MAX)
    await sql`insert into events ${sql(rows.slice(at, at + EVENTS_PER_STATEMENT_MAX))}`;
  await sql`update event_heads set seq = ${seq}, hash = ${hash} where workspace_id = ${workspaceId}`;
  return entries;
}

/** The data as a reader will find it: only what JSON can say. */
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
