/** Reading the event log, newest or oldest first, a page at a time. */
import type { Sql } from "../../db/client.ts";
import type { EventEntry } from "../../domain/eventLog.ts";

interface EventFilter {
  readonly from: Date | null;
  readonly to: Date | null;
  /** An exact name, or a beginning such as `audit.*`. */
  readonly name: string | null;
  readonly subject: string | null;
  readonly actor: string | null;
  readonly runId: string | null;
  /** Only entries with a larger `seq`, in either order. */
  readonly afterSeq: number | null;
  /** Only entries after this `seq` in the order of reading; null: from the first. */
  readonly beyondSeq: number | null;
  readonly descending: boolean;
  readonly limit: number;
}

type Row = Omit<EventEntry, "seq" | "stream_gen" | "at"> & {
  readonly seq: string;
  readonly stream_gen: string;
  readonly at: Date;
};

function likeOf(name: string): string {
  const literal = name.replace(/\*$/, "").replaceAll(/[\\%_]/g, "\\$&");
  return name.endsWith("*") ? `${literal}%` : literal;
}

export async function findEvents(sql: Sql, workspaceId: string, filter: EventFilter): Promise<EventEntry[]> {
  const { from, to, name, subject, actor, runId, afterSeq, beyondSeq, descending, limit } = filter;
  const rows = await sql<Row[]>`
    select id, seq, at, name, actor, subject, stream_gen, env, run_id, data, prev_hash, hash from events
    where workspace_id = ${workspaceId}
      ${from === null ? sql`` : sql`and at >= ${from}`}
      ${to === null ? sql`` : sql`and at < ${to}`}
      ${name === null ? sql`` : sql`and name like ${likeOf(name)}`}
      ${subject === null ? sql`` : sql`and subject ->> 'id' = ${subject}`}
      ${actor === null ? sql`` : sql`and actor ->> 'id' = ${actor}`}
      ${runId === null ? sql`` : sql`and run_id = ${runId}`}
      ${afterSeq === null ? sql`` : sql`and seq > ${afterSeq}`}
      ${beyondSeq === null ? sql`` : descending ? sql`and seq < ${beyondSeq}` : sql`and seq > ${beyondSeq}`}
    order by seq ${descending ? sql`desc` : sql`asc`} limit ${limit}`;
  return rows.map((row) => ({
    ...row,
    seq: Number(row.seq),
    stream_gen: Number(row.stream_gen),
    at: row.at.toISOString(),
  }));
}
