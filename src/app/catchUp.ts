/**
 * After a write that was answered 503 and may have been made all the same: what a room has in memory is made what its rows
 * say, in turn with its other writes. Whoever was told "look whether it was done" must not find the wrong answer here.
 */
import type { Database } from "../db/client.ts";
import { lockHead } from "../db/roomHeads.ts";
import { UnavailableError } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Room } from "../room/room.ts";
import type { TaskProgress } from "../tasking/progress.ts";
import { readRegistry } from "./openRoom.ts";

interface CatchUpParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly rooms: () => Iterable<Room>;
  readonly progress: TaskProgress;
  /** An asset is gone: so are the links of its own. */
  readonly onRemoved: (workspaceId: string, assetId: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** To be called once a second. While the database is away it fails at once, and the next call tries again. */
export function createCatchUp(parts: CatchUpParts): () => void {
  const underWay = new Set<Room>();
  const unlessAway = (fault: unknown) => {
    if (!(fault instanceof UnavailableError)) parts.onFault(fault);
  };
  return () => {
    for (const room of parts.rooms()) {
      if (!room.writes.mayLag || underWay.has(room)) continue;
      underWay.add(room);
      room
        .serially(() => catchUp(parts, room))
        .catch(unlessAway)
        .finally(() => underWay.delete(room));
    }
  };
}

async function catchUp({ db, clock, progress, onRemoved }: CatchUpParts, room: Room): Promise<void> {
  // A server that was frozen may still be at that COMMIT. Until it has ended, the rows are not the final ones.
  await db.transact((sql) => lockHead(sql, room));
  await progress.catchUp(room);
  const registry = await readRegistry(db, room.id);
  const ids = new Set(registry.map(({ row }) => row.id));
  const gone = [...room.forces.fleet.assets()].filter(({ row }) => !ids.has(row.id));
  for (const { row } of gone) {
    room.commit({ op: "asset_removed", assetId: row.id }, clock.nowMs());
    onRemoved(room.id, row.id);
  }
  // All of them, since the catalogue may have changed under any.
  if (registry.length > 0) room.commit({ op: "assets_saved", rows: registry }, clock.nowMs());
  room.writes.noteReloaded();
}
