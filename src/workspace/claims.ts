/**
 * What cooperative sources claim about themselves (Remote ID, ADS-B), kept apart from the estimate (contract §2): the
 * last claim of each identity, and which track physics tied it to. A claim never moves a track here.
 */

import { adsbClaimOf, remoteIdClaimOf } from "../domain/claims.ts";
import type { RemoteIdClaim } from "../domain/remoteId.ts";
import type { AdsbClaim } from "../domain/track.ts";
import { assert } from "../lib/assert.ts";
import { classify } from "./classify.ts";
import type { ScanInput } from "./inbox.ts";
import type { LiveTrack } from "./liveTrack.ts";

/** Identities remembered; a flood of made-up serials pushes the oldest out instead of growing (users.md U8). */
const IDENTITIES_MAX = 20_000;

interface Claim {
  readonly identity: string;
  remoteId: RemoteIdClaim | null;
  adsb: AdsbClaim | null;
  changedAtUs: number;
}

export class Claims {
  readonly #numberOf = new Map<string, number>();
  readonly #claims = new Map<number, Claim>();
  #next = 1;

  intern(identity: string): number {
    const known = this.#numberOf.get(identity);
    if (known !== undefined) return known;
    if (this.#numberOf.size >= IDENTITIES_MAX) this.#forgetOldest();
    const number = this.#next++;
    this.#numberOf.set(identity, number);
    this.#claims.set(number, { identity, remoteId: null, adsb: null, changedAtUs: 0 });
    return number;
  }

  #forgetOldest(): void {
    const oldest = this.#numberOf.entries().next().value;
    assert(oldest !== undefined, "a full table has an oldest entry");
    this.#numberOf.delete(oldest[0]);
    this.#claims.delete(oldest[1]);
  }

  /** Keeps the claims that a scan brought; a late one does not replace a newer one. */
  note(input: ScanInput): void {
    const { scan, wire } = input;
    if (scan.modality !== "remote_id" && scan.modality !== "adsb") return;
    for (const observation of wire) {
      const remoteId = scan.modality === "remote_id" ? remoteIdClaimOf(observation) : null;
      const adsb = scan.modality === "adsb" ? adsbClaimOf(observation) : null;
      const identity = remoteId !== null ? `rid:${remoteId.uas_id}` : adsb !== null ? `icao:${adsb.icao}` : null;
      if (identity === null) continue;
      const claim = this.#claims.get(this.intern(identity))!;
      if (scan.measuredAtUs < claim.changedAtUs) continue;
      claim.remoteId = remoteId;
      claim.adsb = adsb;
      claim.changedAtUs = scan.measuredAtUs;
    }
  }

  /** Hangs the last claim on each track that the kernel tied to an identity. */
  link(tracks: readonly LiveTrack[]): void {
    for (const track of tracks) {
      const claim = track.claimNumber === 0 ? undefined : this.#claims.get(track.claimNumber);
      setRemoteId(track, claim?.remoteId ?? null);
      setAdsb(track, claim?.adsb ?? null);
      identify(track);
      track.classification = classify(track);
    }
  }
}

function setRemoteId(track: LiveTrack, claim: RemoteIdClaim | null): void {
  if (track.remoteId === claim) return;
  track.remoteId = claim;
  track.changedMembers.add("remote_id");
}

function setAdsb(track: LiveTrack, claim: AdsbClaim | null): void {
  if (track.adsb === claim) return;
  track.adsb = claim;
  track.changedMembers.add("adsb");
}

/** The automatic ladder; an operator's or a rule's word stands above it (contract §1 identity_basis). */
function identify(track: LiveTrack): void {
  if (track.identityBasis === "operator" || track.identityBasis === "rule" || track.identityBasis === "registry")
    return;
  const basis = track.adsb !== null ? "transponder" : track.remoteId !== null ? "remote_id" : "none";
  const identity = track.status === "tentative" ? "pending" : basis === "transponder" ? "neutral" : "unknown";
  if (basis !== track.identityBasis) {
    track.identityBasis = basis;
    track.changedMembers.add("identity_basis");
  }
  track.identity = identity;
}
