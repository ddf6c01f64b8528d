/**
 * Which contacts are ours: derived from the registry, never stored (docs/interface.md#identity, fusion side effect). A
 * registered serial counts where it agrees with what the platform itself last said of its place; the same serial claimed
 * where the platform cannot have flown to is a contact with a claim flag. Pure: it is handed the fleet and the picture.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import type { ClaimFlag } from "../../domain/track.ts";
import { performanceOf } from "../forces/assetView.ts";
import type { FleetAsset } from "../forces/fleet.ts";
import type { Platform } from "../forces/platform.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";

/**
 * A Remote ID claim is up to a second or two old and a few tens of metres wide (ASTM F3411 asks for 1 s and 95 %), and so
 * is the platform's own word. What is farther off than this is said by somebody else.
 */
const AGREES_WITHIN_M = 150;
/** Room for each second between the two, of a platform whose model tells no top speed: more than nearly all small ones fly. */
const SPEED_DEFAULT_MPS = 60;
/** `max_mps` is in still air; a model that tells no wind limit is taken to fly in this. */
const WIND_DEFAULT_MPS = 12;
/** Own telemetry that is older is asked beside the track that is this asset, which may know better. */
const TELEMETRY_FRESH_MS = 10_000;

export interface Owner {
  readonly asset: FleetAsset | null;
  readonly platform: Platform | null;
}

/** Somebody, somewhere, at a time. */
interface Place {
  readonly lat: number;
  readonly lon: number;
  readonly atMs: number;
}

/** The picture, as far as it is asked; `except` is the track that is being judged. */
interface Known {
  readonly trackOf: (id: string) => LiveTrack | undefined;
  readonly except?: LiveTrack;
}

/**
 * Where the platform is known to have been: by its own last word, however old, and where that is not fresh also by the
 * track that is this asset. None: it was never heard and nothing in the picture is it.
 */
function knownPlaces({ platform, asset }: Owner, atMs: number, { trackOf, except }: Known): Place[] {
  const places: Place[] = [];
  const saidAtMs = platform?.motion == null ? 0 : platform.motionAtMs;
  if (platform?.motion != null) places.push({ lat: platform.motion.lat, lon: platform.motion.lon, atMs: saidAtMs });
  if (Math.abs(atMs - saidAtMs) <= TELEMETRY_FRESH_MS) return places;
  const track = asset?.trackId == null ? undefined : trackOf(asset.trackId);
  if (track === undefined || track === except || track.bearingOnly || track.measuredAtUs / 1000 <= saidAtMs)
    return places;
  places.push({ lat: track.lat, lon: track.lon, atMs: track.measuredAtUs / 1000 });
  return places;
}

function topSpeedMps({ platform, asset }: Owner): number {
  const { max_mps: own, wind_max_mps: wind } = (asset === null ? null : performanceOf(asset)) ?? {};
  const [east, north] = platform?.motion?.vel_enu_mps ?? [0, 0];
  const modelled = own == null ? SPEED_DEFAULT_MPS : own + (wind ?? WIND_DEFAULT_MPS);
  return Math.max(modelled, Math.hypot(east, north));
}

/** null: what is at this place may be the platform. Else the flag that a contact there with its serial carries. */
export function disagreement(owner: Owner, claimed: Place, known: Known): ClaimFlag | null {
  for (const place of knownPlaces(owner, claimed.atMs, known)) {
    const distanceM = geodesicDistanceM(place, claimed);
    const limitM = AGREES_WITHIN_M + (topSpeedMps(owner) * Math.abs(claimed.atMs - place.atMs)) / 1000;
    if (distanceM > limitM)
      return { code: "serial_duplicate", value: Math.round(distanceM), limit: Math.round(limitM), unit: "m" };
  }
  return null;
}
