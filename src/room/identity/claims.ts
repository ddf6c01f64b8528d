/**
 * Claims of cooperative sources (Remote ID, ADS-B, own platforms), kept apart from the estimate
 * (docs/interface.md#observations): the last claim of each identity, the track that the tracker associated it with, and
 * whether that makes the track one of ours. A claim never moves a track here.
 */

import { adsbClaimOf, claimedIdentity, remoteIdClaimOf } from "../../domain/claims.ts";
import { COOPERATIVE_MODALITIES, type Modality } from "../../domain/modality.ts";
import { claimNumberAt, reportsClimbAt, setClaimNumber } from "../../domain/scan.ts";
import type { ClaimFlag, Identity, IdentityBasis } from "../../domain/track.ts";
import { assetMovesIn, platformMovesIn } from "../forces/assetView.ts";
import type { Fleet, FleetAsset } from "../forces/fleet.ts";
import type { Platform } from "../forces/platform.ts";
import type { ScanInput } from "../intake/inbox.ts";
import { classify } from "../tracks/classify.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";
import { type Claim, ClaimTable } from "./claimTable.ts";
import { disagreement, type Owner } from "./ownership.ts";
import { type ChannelOfSlot, ScanClaims } from "./scanClaims.ts";

/** TIS-B targets without an address: plots of a ground radar, not claims of an aircraft (readsb README-json.md). */
const SEEN_BY_RADAR: ReadonlySet<unknown> = new Set(["tisb_other", "tisb_trackfile"]);
const NO_FLAGS: ClaimFlag[] = [];
/** A flag is sent again when its distance changed by more than this fraction. */
const FLAG_CHANGE = 0.1;

/** Most to least trusted: our own telemetry, a Remote ID serial (names the operator), an ICAO address (names the airframe). */
const KINDS_BY_TRUST: readonly Modality[] = ["blue_force", "remote_id", "adsb"];

/** The members of an observation that hold its claimed position. */
interface Claimed {
  readonly lat?: unknown;
  readonly lon?: unknown;
}

export class Claims {
  readonly #fleet: Fleet;
  readonly #trackOf: (id: string) => LiveTrack | undefined;
  readonly #table = new ClaimTable((identity) => this.#isOurs(identity));
  /** By track id: the claim that was linked last. */
  readonly #heldBy = new Map<string, Claim>();
  /** By track id, for tracks that several modalities report: the last claim of each modality. */
  readonly #claimedAs = new Map<string, Map<Modality, Claim>>();
  readonly #scanClaims: ScanClaims;

  constructor(fleet: Fleet, trackOf: (id: string) => LiveTrack | undefined, channelOfSlot: ChannelOfSlot) {
    this.#fleet = fleet;
    this.#trackOf = trackOf;
    this.#scanClaims = new ScanClaims(channelOfSlot);
  }

  /** Number of identities kept. */
  get size(): number {
    return this.#table.size;
  }

  /**
   * The tracker's number for the identity that an observation claims (`rid:`, `icao:` or `asset:` and a name). All names of
   * one of our platforms are one identity, except a serial that is claimed where the platform cannot be.
   */
  intern(identity: string, observation: Claimed = {}, measuredAtUs = 0): number {
    if (identity.startsWith("asset:"))
      return this.#table.numberOf(`asset:${this.#fleet.canonicalKey(identity.slice(6))}`);
    if (!identity.startsWith("rid:")) return this.#table.numberOf(identity);
    const owner = this.#fleet.ownerOfSerial(identity.slice(4));
    if (owner === null) return this.#table.numberOf(identity);
    const { lat, lon } = observation;
    const place = typeof lat === "number" && typeof lon === "number" ? { lat, lon, atMs: measuredAtUs / 1000 } : null;
    if (place !== null && disagreement(owner, place, { trackOf: this.#trackOf }) !== null)
      return this.#table.numberOf(`rid!${identity.slice(4)}`);
    return this.#table.numberOf(owner.platform === null ? identity : `asset:${owner.platform.key}`);
  }

  #isOurs(identity: string): boolean {
    const name = nameIn(identity);
    return identity.startsWith("asset:")
      ? this.#fleet.assetOf(name) !== undefined
      : this.#fleet.bySerial(name) !== undefined;
  }

  /** Writes the number of each row's claimed identity into the rows of a cooperative scan, before it is fused. */
  numberClaims({ scan, wire }: ScanInput): void {
    if (!COOPERATIVE_MODALITIES.has(scan.modality)) return;
    for (let row = 0; row < scan.count; row++) {
      const identity = claimedIdentity(scan.modality, wire[row]!);
      if (identity !== null) setClaimNumber(scan, row, this.intern(identity, wire[row]!, scan.measuredAtUs));
    }
  }

  /** Keeps the claims of a scan; a late one does not replace a newer one. */
  note(input: ScanInput): void {
    const { scan, wire } = input;
    if (!COOPERATIVE_MODALITIES.has(scan.modality)) return;
    this.#scanClaims.note(input);
    for (let i = 0; i < wire.length; i++) {
      const claim = this.#table.get(claimNumberAt(scan, i));
      if (claim === undefined || scan.measuredAtUs < claim.changedAtUs) continue;
      const observation = wire[i] as Readonly<Record<string, unknown>>;
      claim.hasHeight = typeof observation.alt_hae_m === "number";
      claim.hasClimb = reportsClimbAt(scan, i);
      // A report of an own platform claims a position and nothing else.
      if (scan.modality === "blue_force") continue;
      if (scan.modality === "remote_id") claim.remoteId = remoteIdClaimOf(observation);
      else {
        claim.adsb = adsbClaimOf(observation);
        claim.isSeenByRadar = SEEN_BY_RADAR.has(observation.source_kind);
      }
      const pressureM = observation.alt_pressure_m ?? observation.alt_baro_m;
      claim.pressureM = typeof pressureM === "number" ? pressureM : null;
      claim.changedAtUs = scan.measuredAtUs;
    }
  }

  /**
   * Attaches the last claim to each track that the kernel associated with an identity, and decides again whether the track
   * is ours. Returns the tracks whose identity changed.
   */
  link(tracks: Iterable<LiveTrack>): LiveTrack[] {
    const changed: LiveTrack[] = [];
    for (const track of tracks) {
      const believed = track.claimNumber === 0 ? undefined : this.#table.get(track.claimNumber);
      const claims = this.#claimsOf(track, believed);
      this.#hold(track, claims[0]);
      setMember(
        track,
        "remote_id",
        "remoteId",
        firstOf(claims, ({ remoteId }) => remoteId),
      );
      setMember(
        track,
        "adsb",
        "adsb",
        firstOf(claims, ({ adsb }) => adsb),
      );
      track.hasTransponder =
        firstOf(claims, ({ adsb, isSeenByRadar }) => (adsb === null ? null : !isSeenByRadar)) ?? false;
      track.claimsHeight = claims.some(({ hasHeight }) => hasHeight);
      track.claimsClimb = claims.some(({ hasClimb }) => hasClimb);
      track.altPressureM = firstOf(claims, ({ pressureM }) => pressureM);
      const owned = this.#ownedOf(claims);
      const flag = owned === null ? null : this.#objection(track, owned.claim, owned.owner);
      setMember(track, "claim_flags", "claimFlags", flagsOf(track, flag));
      const asset = flag === null ? (owned?.owner.asset ?? undefined) : undefined;
      if (this.#identify(track, asset)) changed.push(track);
      track.platform = asset === undefined ? this.#platformOf(claims) : asset.platform;
      track.movesIn = asset === undefined ? track.platform && platformMovesIn(track.platform) : assetMovesIn(asset);
      track.classification = classify(track);
    }
    this.#scanClaims.forget();
    return changed;
  }

  /** The unregistered platform that made one of these claims; null: none did. */
  #platformOf(claims: readonly Claim[]): Platform | null {
    for (const { identity } of claims) {
      const platform = identity.startsWith("asset:") ? this.#fleet.platform(nameIn(identity)) : undefined;
      if (platform !== undefined) return platform;
    }
    return null;
  }

  /** The claim that the tracker associated with the track, then the claims that it makes in other modalities. */
  #claimsOf(track: LiveTrack, believed: Claim | undefined): Claim[] {
    if (!this.#scanClaims.isClaimedTwice(track)) {
      this.#claimedAs.delete(track.id);
      return believed === undefined ? [] : [believed];
    }
    let claimedAs = this.#claimedAs.get(track.id);
    if (claimedAs === undefined) this.#claimedAs.set(track.id, (claimedAs = new Map()));
    // A claim that is associated with another track cannot belong to this one too.
    const mayBe = (number: number) => {
      const claim = this.#table.get(number);
      return claim !== undefined && (claim.holders === 0 || this.#heldBy.get(track.id) === claim);
    };
    for (const [modality, number] of this.#scanClaims.of(track, mayBe))
      claimedAs.set(modality, this.#table.get(number)!);
    const claims = KINDS_BY_TRUST.flatMap((modality) => claimedAs.get(modality) ?? []);
    return [...new Set(believed === undefined ? claims : [believed, ...claims])];
  }

  /** A track left the picture. */
  unlink(track: LiveTrack): void {
    this.#claimedAs.delete(track.id);
    this.#hold(track, undefined);
    this.#untie(track);
  }

  #hold(track: LiveTrack, claim: Claim | undefined): void {
    const before = this.#heldBy.get(track.id);
    if (before === claim) return;
    if (before !== undefined) before.holders--;
    if (claim === undefined) {
      this.#heldBy.delete(track.id);
      return;
    }
    claim.holders++;
    this.#heldBy.set(track.id, claim);
  }

  #ownedOf(claims: readonly Claim[]): { readonly claim: Claim; readonly owner: Owner } | null {
    for (const claim of claims) {
      const owner = this.#ownerOf(claim);
      if (owner !== null) return { claim, owner };
    }
    return null;
  }

  /**
   * The owner of the claimed identity. A registered platform is found by its key; otherwise the last claimed serial decides,
   * because a claim outlives the registration under which its identity was named.
   */
  #ownerOf(claim: Claim): Owner | null {
    const name = nameIn(claim.identity);
    const isPlatform = claim.identity.startsWith("asset:");
    const asset = isPlatform ? this.#fleet.assetOf(name) : undefined;
    if (asset !== undefined) return { asset, platform: asset.platform };
    const serial = claim.remoteId?.uas_id ?? (claim.identity.startsWith("rid") ? name : null);
    return serial === null ? null : this.#fleet.ownerOfSerial(serial);
  }

  /** The flag of a track that claims a serial. Without a serial it is the platform's own report, which needs no check. */
  #objection(track: LiveTrack, claim: Claim, owner: Owner): ClaimFlag | null {
    if (track.bearingOnly || (claim.remoteId === null && !claim.identity.startsWith("rid"))) return null;
    const { lat, lon, measuredAtUs } = track;
    return disagreement(owner, { lat, lon, atMs: measuredAtUs / 1000 }, { trackOf: this.#trackOf, except: track });
  }

  /** The automatic ladder. An identity that an operator or a rule set stays (`identity_basis`). */
  #identify(track: LiveTrack, asset: FleetAsset | undefined): boolean {
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
      this.#untie(track);
      track.assetId = assetId;
      track.changedMembers.add("asset_id");
    }
    if (asset !== undefined) this.#fleet.setTrack(asset, track.id);
  }

  #untie(track: LiveTrack): void {
    const asset = track.assetId === null ? undefined : this.#fleet.get(track.assetId);
    if (asset?.trackId === track.id) this.#fleet.setTrack(asset, null);
  }
}

/** The name without the prefix `rid:`, `rid!`, `icao:` or `asset:`. */
function nameIn(identity: string): string {
  return identity.slice(identity.search(/[:!]/) + 1);
}

function flagsOf({ claimFlags: [before], claimFlags }: LiveTrack, flag: ClaimFlag | null): ClaimFlag[] {
  if (flag === null) return NO_FLAGS;
  const distance = before?.value ?? 0;
  const isSame = before?.code === flag.code && Math.abs((flag.value ?? 0) - distance) <= FLAG_CHANGE * distance;
  return isSame ? claimFlags : [flag];
}

function ladder(track: LiveTrack, isOurs: boolean): [Identity, IdentityBasis] {
  if (isOurs) return ["friend", "registry"];
  const basis = track.hasTransponder ? "transponder" : track.remoteId !== null ? "remote_id" : "none";
  if (track.status === "tentative") return ["pending", basis];
  return [basis === "transponder" ? "neutral" : "unknown", basis];
}

function firstOf<T>(claims: readonly Claim[], member: (claim: Claim) => T | null): T | null {
  for (const claim of claims) {
    const value = member(claim);
    if (value !== null) return value;
  }
  return null;
}

type ClaimMember = "remoteId" | "adsb" | "claimFlags";

function setMember<M extends ClaimMember>(
  track: LiveTrack,
  wireName: "remote_id" | "adsb" | "claim_flags",
  member: M,
  value: LiveTrack[M],
): void {
  if (track[member] === value) return;
  track[member] = value;
  track.changedMembers.add(wireName);
}
