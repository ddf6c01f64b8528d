/**
 * The motion of an asset without telemetry, taken from its fused track (docs/interface.md#asset-views, motion: fused own
 * position). Pure.
 */
import type { AssetView } from "../../domain/asset.ts";
import type { LiveTrack } from "./liveTrack.ts";
import { toWire, type WireContext } from "./trackWire.ts";

/** The value of `motion.source` for it. */
export const TRACK_SOURCE = "track";

/** null: the track is gone, or has bearings alone and so no position. */
export function motionOfTrack(track: LiveTrack | undefined, context: WireContext): AssetView["motion"] {
  if (track === undefined) return null;
  const { lat, lon, alt_hae_m, vel_enu_mps, speed_mps, course_deg, climb_mps, valid_at } = toWire(track, context);
  if (lat === null || lon === null) return null;
  return {
    ...{ lat, lon, alt_hae_m, vel_enu_mps, speed_mps, course_deg, climb_mps },
    alt_rel_m: null,
    heading_deg: null,
    at: valid_at,
    source: TRACK_SOURCE,
  };
}
