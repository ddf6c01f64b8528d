/**
 * What cooperative sources claim about themselves (Remote ID, ADS-B, own platforms), kept apart from the estimate
 * (contract §2): the last claim of each identity, which track physics tied it to, and whether that makes the track one
 * of ours. A claim never moves a track here.
 */

import { adsbClaimOf, remoteIdClaimOf } from "../domain/claims.ts";
import type { RemoteIdClaim } from "../domain/remoteId.ts";
import { claimNumberAt } from "../domain/scan.ts";
import type { AdsbClaim, ClaimFlag, Identity, IdentityBasis } from "../domain/track.ts";
import { assert } from "../lib/assert.ts";
import { classify } from "./classify.ts";
import type { Fleet, FleetAsset } from "./fleet.ts";
import { disagreement } from "./friendly.ts";
import type { ScanInput } from "./inbox.ts";
import type { LiveTrack } from "./liveTrack.ts";

/** Identities remembered; a flood of made-up serials pushes the oldest out instead of growing (users.md U8). */
const IDENTITIES_MAX = 20_000;
const NO_FLAGS: ClaimFlag[] = [];

interface Claim {
  readonly identity: string;
  remoteId: RemoteIdClaim | null;
  adsb: AdsbClaim | null;
  flags: ClaimFlag[];
  changedAtUs: number;
}

export class Claims {
  readonly #fleet: Fleet;
  readonly #trackOf: (id: string) => LiveTrack | undefined;
  readonly #numberOf = new Map<string, number>();
  readonly #claims = new Map<number, Claim>();
  #next = 1;

  constructor(fleet: Fleet, trackOf: (id: string) => LiveTrack | undefined) {
    this.#fleet = fleet;
    this.#trackOf = trackOf;
  }

  /**
   * A small number for what an observation claims to be (`rid:`, `icao:` or `asset:` and a name). All names of one of our
   * platforms are one identity, unless a serial is claimed where the platform is not.
   */
  intern(identity: string, observation: object = {}, measuredAtUs = 0): number {
    if (identity.startsWith("asset:")) return this.#number(`asset:${this.#fleet.canonicalKey(identity.slice(6))}`);
    if (!identity.startsWith("rid:")) return this.#number(identity);
    const owner = this.#fleet.ownerOfSerial(identity.slice(4));
    if (owner === null) return this.#number(identity);
    const flag = disagreement(owner, observation, measuredAtUs / 1000, this.#trackOf);
    if (flag === null) return this.#number(owner.platform === null ? identity : `asset:${owner.platform.key}`);
    const number = this.#number(`rid!${identity.slice(4)}`);
    this.#claims.get(number)!.flags = [flag];
    return number;
  }

  #number(identity: string): number {
    const known = this.#numberOf.get(identity);
    if (known !== undefined) return known;
    if (this.#numberOf.size >= IDENTITIES_MAX) this.#forgetOldest();
    const number = this.#next++;
    this.#numberOf.set(identity, number);
    this.#claims.set(number, { identity, remoteId: null, adsb: null, flags: NO_FLAGS, changedAtUs: 0 });
    return number;
  }

  #forgetOldest(): void {
    const oldest = this.#numberOf.entries().next().value;
    assert(oldest !== undefined, "a full table has an oldest entry");
    this.#numberOf.delete(oldest[0]);
    this.#claims.delete(oldest[1]);
  }

  /** Keeps the claims that a scan brought; a late one does not replace a newer one. */
  note({ scan, wire }: ScanInput): void {
    if (scan.modality !== "remote_id" && scan.modality !== "adsb") return;
    for (let i = 0; i < wire.length; i++) {
      const claim = this.#claims.get(claimNumberAt(scan, i));
      if (claim === undefined || scan.measuredAtUs < claim.changedAtUs) continue;
      if (scan.modality === "remote_id") claim.remoteId = remoteIdClaimOf(wire[i]!);
      else claim.adsb = adsbClaimOf(wire[i]!);
      claim.changedAtUs = scan.measuredAtUs;
    }
  }

  /** Hangs the last claim on each track that the kernel tied to an identity. Returns those whose identity changed. */
  link(tracks: Iterable<LiveTrack>): LiveTrack[] {
    const changed: LiveTrack[] = [];
    for (const track of tracks) {
      const claim = track.claimNumber === 0 ? undefined : this.#claims.get(track.claimNumber);
      setMember(track, "remote_id", "remoteId", claim?.remoteId ?? null);
      setMember(track, "adsb", "adsb", claim?.adsb ?? null);
      setMember(track, "claim_flags", "claimFlags", claim?.flags ?? NO_FLAGS);
      if (this.#identify(track, claim)) changed.push(track);
      track.classification = classify(track);
    }
    return changed;
  }

  /** A track left the picture. */
  unlink(track: LiveTrack): void {
    const asset = track.assetId === null ? undefined : this.#fleet.get(track.assetId);
    if (asset?.trackId === track.id) asset.trackId = null;
  }

  #ownerOf(claim: Claim | undefined): FleetAsset | undefined {
    if (claim === undefined) return undefined;
    const name = claim.identity.slice(claim.identity.indexOf(":") + 1);
    if (claim.identity.startsWith("rid:")) return this.#fleet.bySerial(name);
    if (!claim.identity.startsWith("asset:")) return undefined;
    return this.#fleet.assetOf(name);
  }

  /** The automatic ladder; an operator's or a rule's word stands above it (contract §1 identity_basis). */
  #identify(track: LiveTrack, claim: Claim | undefined): boolean {
    const asset = this.#ownerOf(claim);
    const before = `${track.identity} ${track.identityBasis} ${track.assetId}`;
    this.#tie(track, asset);
    if (track.identityBasis !== "operator" && track.identityBasis !== "rule") {
      const [identity, basis] = ladder(track, asset !== undefined);
      if (basis !== track.identityBasis) track.changedMembers.add("identity_basis");
      track.identityBasis = basis;
      track.identity = identity;
    }
    return before !== `${track.identity} ${track.identityBasis} ${track.assetId}`;
  }

  #tie(track: LiveTrack, asset: FleetAsset | undefined): void {
    const assetId = asset?.row.id ?? null;
    if (track.assetId !== assetId) {
      this.unlink(track);
      track.assetId = assetId;
      track.changedMembers.add("asset_id");
    }
    if (asset !== undefined) asset.trackId = track.id;
  }
}

function ladder(track: LiveTrack, isOurs: boolean): [Identity, IdentityBasis] {
  if (isOurs) return ["friend", "registry"];
  const basis = track.adsb !== null ? "transponder" : track.remoteId !== null ? "remote_id" : "none";
  if (track.status === "tentative") return ["pending", basis];
  return [basis === "transponder" ? "neutral" : "unknown", basis];
}

type ClaimMember = "remoteId" | "adsb" | "claimFlags";

function setMember<M extends ClaimMember>(
  track: LiveTrack,
  told: "remote_id" | "adsb" | "claim_flags",
  member: M,
  value: LiveTrack[M],
): void {
  if (track[member] === value) return;
  track[member] = value;
  track.changedMembers.add(told);
}
