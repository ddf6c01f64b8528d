/** The picture as protocols publish it to other systems: live tracks and shared assets, in their wire forms. */
import type { AssetView } from "../../domain/asset.ts";
import type { PlatformSource } from "../../domain/platformReport.ts";
import type { Track } from "../../domain/track.ts";
import type { Platform } from "../forces/platform.ts";
import type { Room } from "../room.ts";
import { toWire } from "../tracks/trackWire.ts";

export interface PublishedPicture {
  readonly tracks: readonly Track[];
  readonly assets: readonly AssetView[];
  /** By the id of a track or an asset: who says it of himself now. There it is known, and better. */
  readonly spokenBy: ReadonlyMap<string, PlatformSource>;
}

/** A tentative track is not published, an asset whose switch `share` is off neither. */
export function publishedOf(room: Room, nowMs: number): PublishedPicture {
  const context = room.wireContext(nowMs);
  const spokenBy = new Map<string, PlatformSource>();
  const note = (id: string, platform: Platform | null) => {
    if (platform?.state === "up" || platform?.state === "degraded") spokenBy.set(id, platform.source);
  };
  const tracks: Track[] = [];
  for (const track of room.picture.tracks()) {
    if (track.status === "tentative") continue;
    tracks.push(toWire(track, context));
    note(track.id, track.platform);
  }
  const assets: AssetView[] = [];
  for (const asset of room.forces.fleet.assets()) {
    if (asset.row.switches.share === false) continue;
    assets.push(room.forces.viewOfAsset(asset, nowMs));
    note(asset.row.id, asset.platform);
  }
  return { tracks, assets, spokenBy };
}
