/**
 * Where platforms say they are, as one scan of blue-force observations: all moved to one time with their own velocity,
 * because the tracker pays by the scan, not by the row. Pure.
 */
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { OWN_POSITION_AGE_MAX_MS } from "../../limits.ts";
import { type Fleet, PUSHED } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** The source that these observations come from. */
export const OWN_POSITIONS_SOURCE = "own_positions";
const METRES_PER_DEGREE = 111_320;
/** An AssetView says `taking_off`, a blue-force observation the older `takeoff`. */
const LANDED = {
  undefined: "undefined",
  on_ground: "on_ground",
  in_air: "in_air",
  taking_off: "takeoff",
  landing: "landing",
};

/** A mast, or a camera on its tripod, is no contact for saying where it stands. */
function isSensor({ key, kindGuess }: Platform, fleet: Fleet): boolean {
  return (fleet.assetOf(key)?.row.kind ?? kindGuess) === "sensor";
}

export function ownPositionsOf(fleet: Fleet, nowMs: number): object[] {
  const observations: object[] = [];
  for (const platform of fleet.platforms()) {
    if (isSensor(platform, fleet)) continue;
    const { motion, nav, power } = platform;
    const ageMs = nowMs - platform.motionAtMs;
    // A pushed position is an observation and was fused as it came: told again, one word would count as two.
    if (platform.source.protocol === PUSHED) continue;
    if (motion === null || ageMs > OWN_POSITION_AGE_MAX_MS || ageMs < -OWN_POSITION_AGE_MAX_MS) continue;
    const [east, north, up] = motion.vel_enu_mps ?? [0, 0, 0];
    const ageS = Math.max(0, ageMs) / 1000;
    observations.push({
      source_id: OWN_POSITIONS_SOURCE,
      modality: "blue_force",
      measured_at: nowMs,
      asset_key: platform.key,
      lat: motion.lat + (north * ageS) / METRES_PER_DEGREE,
      lon: motion.lon + (east * ageS) / (METRES_PER_DEGREE * Math.max(0.01, Math.cos(motion.lat * RAD_PER_DEG))),
      // Above the sea is not above the ellipsoid: such a height is shown, and not fused.
      alt_hae_m: motion.alt_hae_m == null || motion.alt_is_msl === true ? null : motion.alt_hae_m + up * ageS,
      vel_enu_mps: motion.vel_enu_mps ?? null,
      gps_fix: nav?.gps_fix ?? null,
      sats: nav?.sats ?? null,
      hdop: nav?.hdop ?? null,
      battery_pct: power?.percent ?? null,
      armed: nav?.armed ?? null,
      landed: LANDED[nav?.landed ?? "undefined"],
    });
  }
  return observations;
}
