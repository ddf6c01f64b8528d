/** The picture as protocols publish it to other systems: live tracks and shared assets, in their wire forms. */
import type { AssetView } from "../../domain/asset.ts";
import type { PlatformSource } from "../../domain/platformReport.ts";
import type { Track } from "../../domain/track.ts";
import type { PublishedPicture } from "../face.ts";
import type { ForcesView } from "../forces/forcesView.ts";
import type { Platform } from "../forces/platform.ts";
import type { Tracks } from "../tracks/tracks.ts";
import { toWire, type WireContext } from "../tracks/trackWire.ts";

interface PublishedRoom {
  readonly tracks: Tracks;
  readonly forces: ForcesView;
  wireContext(nowMs: number): WireContext;
}

/** Leaves out tentative tracks and assets whose switch `share` is off. */
export function publishedOf(room: PublishedRoom, nowMs: number): PublishedPicture {
  const context = room.wireContext(nowMs);
  const reportedBy = new Map<string, PlatformSource>();
  const note = (id: string, platform: Platform | null) => {
    if (platform?.state === "up" || platform?.state === "degraded") reportedBy.set(id, platform.source);
  };
  const tracks: Track[] = [];
  for (const track of room.tracks.all()) {
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
  return { tracks, assets, reportedBy };
}
