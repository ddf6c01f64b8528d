/**
 * An asset that tells nothing of itself moves as its fused track does (docs/interface.md#asset-views, motion: fused own
 * position). Pure.
 */
import type { AssetView } from "../../domain/asset.ts";
import type { LiveTrack } from "./liveTrack.ts";
import { toWire, type WireContext } from "./trackWire.ts";

/** `motion.source` of it. */
export const TRACK_SOURCE = "track";

/** Null: a track that is gone, or of bearings alone, is nowhere. */
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
