/**
 * A workspace's row in event_heads: what its rooms, of whatever process, begin with and leave behind. It holds the end of
 * the event log, the highest stream number that may have been used, and the epoch of the process that owns the room.
 *
 * A room names in every write the epoch that it was opened with. Taking a workspace over raises the epoch, so that a
 * process that was frozen or cut off cannot write what its room still believes (a fencing token).
 */
import { UnavailableError } from "../domain/errors.ts";
import type { Sql } from "./client.ts";

/** Who writes: a room, or whoever writes in its name. */
export interface RoomWriter {
  /** Of the workspace. */
  readonly id: string;
  readonly ownerEpoch: number;
}

/** Another process took the workspace over since this room was opened. Nothing was written; the room must be closed. */
export class FencedError extends UnavailableError {
  override name = "FencedError";
  readonly writer: RoomWriter;

  constructor({ id, ownerEpoch }: RoomWriter) {
    super(`another process has taken workspace ${id} over (this room has epoch ${ownerEpoch})`);
    this.writer = { id, ownerEpoch };
  }
}

interface Head {
  readonly seq: number;
  /** null while the log is empty. */
  readonly hash: string | null;
}

/**
 * Locks the row until the transaction ends, so that writes of a workspace follow one another. Waits for every write that
 * is under way in the workspace, also one that nobody on this side waits for any more.
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

/** The epoch under which a room that opens now writes: that of whoever owned the workspace last. */
export async function findOwnerEpoch(sql: Sql, workspaceId: string): Promise<number> {
  const [head] = await sql<{ epoch: string }[]>`select epoch from event_heads where workspace_id = ${workspaceId}`;
  return Number(head?.epoch ?? 0);
}
