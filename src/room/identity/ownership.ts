/**
 * Which contacts are ours: derived from the registry, never stored (docs/interface.md#identity, fusion side effect). A
 * claimed serial that is registered counts where it agrees with the platform's own last report; the same serial claimed at a
 * place that the platform cannot have flown to gives a contact with a claim flag. Pure.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import type { ClaimFlag } from "../../domain/track.ts";
import { performanceOf } from "../forces/assetView.ts";
import type { FleetAsset } from "../forces/fleet.ts";
import type { Platform } from "../forces/platform.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";

/**
 * A Remote ID claim is up to two seconds old and a few tens of metres wide (ASTM F3411 asks for 1 s and 95 %), and so is the
 * platform's own report. A claim farther away than this was made by another transmitter.
 */
const AGREES_WITHIN_M = 150;
/** Speed limit for a platform whose model gives none: faster than nearly all small ones fly. */
const SPEED_DEFAULT_MPS = 60;
/** `max_mps` is in still air; this wind is added where the model gives no wind limit. */
const WIND_DEFAULT_MPS = 12;
/** Beyond this age of the telemetry, the asset's track is compared too: it may be newer. */
const TELEMETRY_FRESH_MS = 10_000;

export interface Owner {
  readonly asset: FleetAsset | null;
  readonly platform: Platform | null;
}

/** A position at a time. */
interface Place {
  readonly lat: number;
  readonly lon: number;
  readonly atMs: number;
}

/** The live tracks; `except` is the track in question. */
interface Known {
  readonly trackOf: (id: string) => LiveTrack | undefined;
  readonly except?: LiveTrack;
}

/**
 * Known positions of the platform: its own last report, however old, and where that is not fresh also its asset's track.
 * Empty when it never reported and has no track.
 */
function knownPlaces({ platform, asset }: Owner, atMs: number, { trackOf, except }: Known): Place[] {
  const places: Place[] = [];
  const reportedAtMs = platform?.motion == null ? 0 : platform.motionAtMs;
  if (platform?.motion != null) places.push({ lat: platform.motion.lat, lon: platform.motion.lon, atMs: reportedAtMs });
  if (Math.abs(atMs - reportedAtMs) <= TELEMETRY_FRESH_MS) return places;
  const track = asset?.trackId == null ? undefined : trackOf(asset.trackId);
  if (track === undefined || track === except || track.bearingOnly || track.measuredAtUs / 1000 <= reportedAtMs)
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

/** null: the platform can be at the claimed place. Otherwise the claim flag for a contact that claims its serial there. */
export function disagreement(owner: Owner, claimed: Place, known: Known): ClaimFlag | null {
  for (const place of knownPlaces(owner, claimed.atMs, known)) {
    const distanceM = geodesicDistanceM(place, claimed);
    const limitM = AGREES_WITHIN_M + (topSpeedMps(owner) * Math.abs(claimed.atMs - place.atMs)) / 1000;
    if (distanceM > limitM)
      return { code: "serial_duplicate", value: Math.round(distanceM), limit: Math.round(limitM), unit: "m" };
  }
  return null;
}
