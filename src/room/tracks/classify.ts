/**
 * The probable class of a track, from its claims and its speed. Conservative: a claim weighs more than a guess, and no
 * class is certain. Pure.
 */
import type { Classification, Track } from "../../domain/track.ts";
import type { LiveTrack } from "./liveTrack.ts";

/** Confidence of a claim, which may be false, and of a speed that few drones reach. */
const CLAIMED = 0.85;
const FAST = 0.6;
const FAST_MPS = 75;

const UA_TYPES: Readonly<Record<string, string>> = {
  aeroplane: "air_vehicle.uas.fixed_wing",
  helicopter_or_multirotor: "air_vehicle.uas.rotary",
  gyroplane: "air_vehicle.uas.rotary",
  hybrid_lift: "air_vehicle.uas.hybrid",
  ornithopter: "air_vehicle.uas.other",
  glider: "air_vehicle.uas.fixed_wing",
  kite: "air_vehicle.tethered",
  free_balloon: "air_vehicle.balloon",
  captive_balloon: "air_vehicle.balloon",
  airship: "air_vehicle.airship",
  rocket: "air_vehicle.rocket",
  tethered_powered_aircraft: "air_vehicle.uas.tethered",
};

const GROUND_CATEGORY = /^C[1-5]$/;

/** The domain that it reports; air where it reports none, because the sensors look for aircraft. */
export function domainOf(track: LiveTrack): Track["domain"] {
  if (track.bearingOnly) return "unknown";
  if (track.movesIn !== null) return track.movesIn;
  const isGround = GROUND_CATEGORY.test(track.adsb?.category ?? "") || track.remoteId?.ua_type === "ground_obstacle";
  return isGround ? "ground" : "air";
}

/** ADS-B emitter categories (DO-260B): A crewed aircraft, B1 to B4 light ones, B6 uncrewed, C vehicles and obstacles. */
function typeOfCategory(category: string | null): string {
  if (category === "C1") return "ground_vehicle.emergency";
  if (category === "C2") return "ground_vehicle.service";
  if (category !== null && GROUND_CATEGORY.test(category)) return "obstacle";
  if (category === "B6") return "air_vehicle.uas";
  if (category === "A7") return "air_vehicle.crewed.rotary";
  return category !== null && /^B[1-4]$/.test(category) ? "air_vehicle.crewed.light" : "air_vehicle.crewed";
}

export function classify(track: LiveTrack): Classification[] {
  if (track.hasTransponder)
    return [{ type: typeOfCategory(track.adsb?.category ?? null), confidence: CLAIMED, sub_class: [] }];
  if (track.remoteId !== null)
    return [{ type: UA_TYPES[track.remoteId.ua_type ?? ""] ?? "air_vehicle.uas", confidence: CLAIMED, sub_class: [] }];
  const speedMps = Math.hypot(track.velEastMps, track.velNorthMps);
  if (!track.bearingOnly && track.status === "confirmed" && speedMps > FAST_MPS)
    return [{ type: "air_vehicle.crewed", confidence: FAST, sub_class: [] }];
  return [];
}
