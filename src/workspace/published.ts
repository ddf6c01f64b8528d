/** The picture as protocols publish it to other systems: live tracks and shared assets, in their wire forms. */
import type { AssetView } from "../domain/asset.ts";
import type { Track } from "../domain/track.ts";
import { toWire } from "./trackWire.ts";
import type { Workspace } from "./workspace.ts";

export interface PublishedPicture {
  readonly tracks: readonly Track[];
  readonly assets: readonly AssetView[];
}

/** A tentative track is not published, an asset whose switch `share` is off neither. */
export function publishedOf(room: Workspace, nowMs: number): PublishedPicture {
  const context = room.wireContext(nowMs);
  const tracks: Track[] = [];
  for (const track of room.picture.tracks()) if (track.status !== "tentative") tracks.push(toWire(track, context));
  const assets: AssetView[] = [];
  for (const asset of room.forces.fleet.assets())
    if (asset.row.switches.share !== false) assets.push(room.forces.viewOfAsset(asset, nowMs));
  return { tracks, assets };
}
