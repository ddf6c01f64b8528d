/**
 * Which contacts are ours: derived from the registry, never stored (§1, fusion side effect). A registered serial counts
 * where it agrees with what the platform itself says of its place; the same serial claimed elsewhere is a contact with a
 * claim flag. Pure: it is handed the fleet and the picture.
 */
import { geodesicDistanceM } from "../domain/geodesic.ts";
import type { ClaimFlag } from "../domain/track.ts";
import type { FleetAsset } from "./fleet.ts";
import type { LiveTrack } from "./liveTrack.ts";
import type { Platform } from "./platform.ts";

/**
 * A Remote ID claim is up to a second or two old and a few tens of metres wide (ASTM F3411 asks for 1 s and 95 %), and so
 * is the platform's own word. What is farther off than this is said by somebody else.
 */
const AGREES_WITHIN_M = 150;
/** Each second between the two gives a small aircraft so much more room. */
const AGREES_PER_SECOND_M = 30;
/** Own telemetry that is older says nothing about where the platform is now. */
const TELEMETRY_AGE_MAX_MS = 10_000;

export interface Owner {
  readonly asset: FleetAsset | null;
  readonly platform: Platform | null;
}

interface Place {
  readonly lat: number;
  readonly lon: number;
  readonly atMs: number;
}

/** Where the platform is by its own word, else by the track that already is this asset; null when nobody knows. */
function knownPlace(owner: Owner, trackOf: (id: string) => LiveTrack | undefined, atMs: number): Place | null {
  const { platform, asset } = owner;
  if (platform?.motion != null && Math.abs(atMs - platform.motionAtMs) <= TELEMETRY_AGE_MAX_MS)
    return { lat: platform.motion.lat, lon: platform.motion.lon, atMs: platform.motionAtMs };
  const track = asset?.trackId == null ? undefined : trackOf(asset.trackId);
  return track === undefined || track.bearingOnly
    ? null
    : { lat: track.lat, lon: track.lon, atMs: track.measuredAtUs / 1000 };
}

/** null: the claim may be the platform's. Else the flag that a contact with this claim carries. */
export function disagreement(
  owner: Owner,
  claimed: { readonly lat?: unknown; readonly lon?: unknown },
  atMs: number,
  trackOf: (id: string) => LiveTrack | undefined,
): ClaimFlag | null {
  if (typeof claimed.lat !== "number" || typeof claimed.lon !== "number") return null;
  const known = knownPlace(owner, trackOf, atMs);
  if (known === null) return null;
  const distanceM = geodesicDistanceM(known, { lat: claimed.lat, lon: claimed.lon });
  const limitM = AGREES_WITHIN_M + (AGREES_PER_SECOND_M * Math.abs(atMs - known.atMs)) / 1000;
  if (distanceM <= limitM) return null;
  return { code: "serial_duplicate", value: Math.round(distanceM), limit: Math.round(limitM), unit: "m" };
}
