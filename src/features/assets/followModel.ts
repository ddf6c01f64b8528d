/**
 * After a catalogue entry was renamed: writes the new name into every asset of that model, in the same transaction, because an
 * asset names its model only. Called from within `RoomFace.serially`. Knows no catalogue.
 */
import type { Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import type { Actor } from "../../domain/access.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import type { RoomFace } from "../../room/face.ts";
import { findModelNames, renameModel } from "./store.ts";

interface Rename {
  readonly isOldName: (name: string) => boolean;
  readonly name: string;
}

/** Returns the function that commits the new rows to the room; call it after the transaction. */
export async function followModel(
  clock: Clock,
  sql: Sql,
  room: RoomFace,
  { isOldName, name }: Rename,
  actor: Actor,
): Promise<() => void> {
  const nowMs = clock.nowMs();
  const { forces } = room;
  const spellings = (await findModelNames(sql, room.id)).filter((model) => isOldName(model) && model !== name);
  if (spellings.length === 0) return () => undefined;
  const rows = await renameModel(sql, room.id, spellings, name, toRfc3339(nowMs));
  const drafts = rows.map((after) => {
    const before = forces.fleet.get(after.id)?.row ?? null;
    return auditDraft(room, actor, nowMs, "asset_edited", { kind: "asset", id: after.id }, { before, after });
  });
  await appendEvents(sql, room, drafts);
  return () => {
    const known = rows.flatMap((row) => {
      const asset = forces.fleet.get(row.id);
      return asset === undefined ? [] : [{ row, model: asset.model, profile: asset.profile }];
    });
    if (known.length > 0) room.commit({ op: "assets_saved", rows: known }, clock.nowMs());
  };
}
