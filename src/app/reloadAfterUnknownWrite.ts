/**
 * Reloads a room after a write whose outcome is unknown: it was answered 503 and may have been committed. The client was
 * told to look whether it was done, so the room must show what the rows say. Runs in turn with the room's other writes.
 */
import type { Database } from "../db/client.ts";
import { lockHead } from "../db/roomHeads.ts";
import { UnavailableError } from "../domain/errors.ts";
import { findIgnoredKeys } from "../features/links/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Room } from "../room/room.ts";
import type { TaskProgress } from "../tasking/progress.ts";
import { readRegistry } from "./openRoom.ts";

interface ReloadParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly rooms: () => Iterable<Room>;
  readonly progress: TaskProgress;
  /** Closes the links of an asset whose row is gone. */
  readonly onRemoved: (workspaceId: string, assetId: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** Call it once a second. While the database is away a reload fails at once, and the next call tries again. */
export function createReload(parts: ReloadParts): () => void {
  const underWay = new Set<Room>();
  const unlessAway = (fault: unknown) => {
    if (!(fault instanceof UnavailableError)) parts.onFault(fault);
  };
  return () => {
    for (const room of parts.rooms()) {
      if (!room.writes.mayLag || underWay.has(room)) continue;
      underWay.add(room);
      room
        .serially(() => reload(parts, room))
        .catch(unlessAway)
        .finally(() => underWay.delete(room));
    }
  };
}

async function reload({ db, clock, progress, onRemoved }: ReloadParts, room: Room): Promise<void> {
  // A database that was frozen may still be executing that COMMIT. Until it has ended, the rows are not final.
  await db.transact((sql) => lockHead(sql, room));
  await progress.reload(room);
  const registry = await readRegistry(db, room.id);
  const ids = new Set(registry.map(({ row }) => row.id));
  const gone = [...room.forces.fleet.assets()].filter(({ row }) => !ids.has(row.id));
  for (const { row } of gone) {
    room.commit({ op: "asset_removed", assetId: row.id }, clock.nowMs());
    onRemoved(room.id, row.id);
  }
  // All assets, because a change of the catalogue may have changed any of them.
  if (registry.length > 0) room.commit({ op: "assets_saved", rows: registry }, clock.nowMs());
  for (const key of await db.run((sql) => findIgnoredKeys(sql, room.id)))
    if (!room.forces.fleet.isIgnored(key)) room.commit({ op: "discovery_ignored", key }, clock.nowMs());
  room.writes.noteReloaded();
}
