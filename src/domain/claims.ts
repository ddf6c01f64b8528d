/**
 * Reads the claims in cooperative observations, where they are flat beside the common members (docs/interface.md#observations).
 * Pure.
 */
import type { Modality } from "./modality.ts";
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

/** null: the observation names no aircraft. It was validated when it came in. */
export function remoteIdClaimOf(observation: object): RemoteIdClaim | null {
  const claim = pick(observation, REMOTE_ID_MEMBERS);
  return typeof claim.uas_id === "string" && claim.uas_id !== "" ? (claim as unknown as RemoteIdClaim) : null;
}

export function adsbClaimOf(observation: object): AdsbClaim | null {
  const claim = pick(observation, ADSB_MEMBERS);
  return typeof claim.icao === "string" && claim.icao !== "" ? (claim as unknown as AdsbClaim) : null;
}

/**
 * The identity that a cooperative observation claims: `rid:`, `icao:` or `asset:` and a name; null for every other modality. The
 * observation was validated when it came in.
 */
export function claimedIdentity(modality: Modality, observation: object): string | null {
  const wire = observation as { readonly uas_id?: unknown; readonly icao?: unknown; readonly asset_key?: unknown };
  if (modality === "remote_id") return `rid:${wire.uas_id as string}`;
  if (modality === "adsb") return `icao:${wire.icao as string}`;
  return modality === "blue_force" ? `asset:${wire.asset_key as string}` : null;
}
