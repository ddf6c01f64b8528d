/**
 * A workspace's row in event_heads. It holds the end of the event log, the highest stream number that may have been used,
 * and the epoch of the process that owns the room.
 *
 * The epoch is a fencing token (ADR 0032): a room names in every write the epoch that it was opened with, and a process
 * that takes a workspace over raises it. So a process that was frozen or cut off cannot write what its room remembers.
 */
import { assert } from "../lib/assert.ts";
import { STREAM_NUMBERS_PER_BLOCK } from "../limits.ts";
import type { Sql } from "./client.ts";
import { FencedError, type RoomWriter } from "./fencing.ts";

interface Head {
  readonly seq: number;
  /** null while the log is empty. */
  readonly hash: string | null;
}

/**
 * Locks the row until the transaction ends, so that writes of a workspace follow one another. Waits for every write of
 * the workspace that is under way, including one whose caller has given up.
 */
export async function lockHead(sql: Sql, writer: RoomWriter): Promise<Head> {
  const [head] = await sql<{ seq: string; hash: string | null }[]>`
    insert into event_heads (workspace_id, seq, hash, epoch) values (${writer.id}, 0, null, ${writer.ownerEpoch})
    on conflict (workspace_id) do update set seq = event_heads.seq where event_heads.epoch = excluded.epoch
    returning seq, hash`;
  if (head === undefined) throw new FencedError(writer);
  return { seq: Number(head.seq), hash: head.hash };
}

export async function moveHead(sql: Sql, writer: RoomWriter, { seq, hash }: Head): Promise<void> {
  const moved = await sql`
    update event_heads set seq = ${seq}, hash = ${hash}
    where workspace_id = ${writer.id} and epoch = ${writer.ownerEpoch} returning 1`;
  if (moved.length === 0) throw new FencedError(writer);
}

/** Stream numbers above `above`, up to and including `limit`. */
interface ReservedNumbers {
  readonly above: number;
  readonly limit: number;
}

/**
 * Returns the current epoch and reserves stream numbers above all that were reserved before and above `above`. Numbers
 * that the room does not use are lost. null: there is no such workspace.
 */
export async function openHead(
  sql: Sql,
  workspaceId: string,
  above: number,
): Promise<{ ownerEpoch: number; numbers: ReservedNumbers } | null> {
  const [head] = await sql<{ epoch: string; limit: string }[]>`
    insert into event_heads (workspace_id, seq, hash, stream_gen_limit)
    select id, 0, null, ${above + STREAM_NUMBERS_PER_BLOCK} from workspaces where id = ${workspaceId}
    on conflict (workspace_id) do update
      set stream_gen_limit = greatest(event_heads.stream_gen_limit, ${above}) + ${STREAM_NUMBERS_PER_BLOCK}
    returning epoch, stream_gen_limit as limit`;
  return head === undefined ? null : { ownerEpoch: Number(head.epoch), numbers: blockOf(head.limit) };
}

/** Reserves the next block. It begins above the room's last one when another process has reserved in between. */
export async function reserveNumbers(sql: Sql, writer: RoomWriter): Promise<ReservedNumbers> {
  const [head] = await sql<{ limit: string }[]>`
    update event_heads set stream_gen_limit = stream_gen_limit + ${STREAM_NUMBERS_PER_BLOCK}
    where workspace_id = ${writer.id} and epoch = ${writer.ownerEpoch}
    returning stream_gen_limit as limit`;
  if (head === undefined) throw new FencedError(writer);
  return blockOf(head.limit);
}

function blockOf(limitText: string): ReservedNumbers {
  const limit = Number(limitText);
  assert(Number.isSafeInteger(limit), "a workspace has used up the numbers of its stream");
  return { above: limit - STREAM_NUMBERS_PER_BLOCK, limit };
}
