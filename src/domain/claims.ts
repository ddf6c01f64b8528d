/**
 * Reads the claims that cooperative observations carry flat beside the common members (docs/interface.md#observations).
 * Pure.
 */
import { RemoteIdClaim } from "./remoteId.ts";
import { AdsbClaim } from "./track.ts";

const REMOTE_ID_MEMBERS = Object.keys(RemoteIdClaim.properties);
const ADSB_MEMBERS = Object.keys(AdsbClaim.properties);

function pick(observation: object, members: readonly string[]): Record<string, unknown> {
  const from = observation as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  for (const member of members) out[member] = from[member] ?? null;
  return out;
}

/** null when the observation names no aircraft. The observation was validated when it came in. */
export function remoteIdClaimOf(observation: object): RemoteIdClaim | null {
  const claim = pick(observation, REMOTE_ID_MEMBERS);
  return typeof claim.uas_id === "string" && claim.uas_id !== "" ? (claim as unknown as RemoteIdClaim) : null;
}

export function adsbClaimOf(observation: object): AdsbClaim | null {
  const claim = pick(observation, ADSB_MEMBERS);
  return typeof claim.icao === "string" && claim.icao !== "" ? (claim as unknown as AdsbClaim) : null;
}
