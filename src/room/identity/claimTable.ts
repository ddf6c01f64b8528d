/**
 * The last claim of each identity, bounded: by identity in the order of the last claim, and by the tracker's number for it.
 * Knows no registry and no track.
 */
import type { RemoteIdClaim } from "../../domain/remoteId.ts";
import type { AdsbClaim } from "../../domain/track.ts";
import { CLAIMED_IDENTITIES_MAX } from "../../limits.ts";
import { claimNumberOf } from "./claimNumber.ts";

export interface Claim {
  /** `rid:`, `rid!` (claimed at a place that its owner cannot have reached), `icao:` or `asset:`, and a name. */
  readonly identity: string;
  readonly number: number;
  remoteId: RemoteIdClaim | null;
  adsb: AdsbClaim | null;
  /** A ground radar reported it, not the aircraft itself. */
  isSeenByRadar: boolean;
  hasHeight: boolean;
  hasClimb: boolean;
  pressureM: number | null;
  changedAtUs: number;
  /** Number of live tracks with this identity. */
  holders: number;
}

export class ClaimTable {
  readonly #byIdentity = new Map<string, Claim>();
  readonly #byNumber = new Map<number, Claim>();
  readonly #isOurs: (identity: string) => boolean;

  /** `isOurs`: true for an identity of one of our assets; the table never drops those. */
  constructor(isOurs: (identity: string) => boolean) {
    this.#isOurs = isOurs;
  }

  get size(): number {
    return this.#byIdentity.size;
  }

  get(number: number): Claim | undefined {
    return this.#byNumber.get(number);
  }

  /** The number of an identity, which the table keeps from here on; 0 when no number is left for it. */
  numberOf(identity: string): number {
    const known = this.#byIdentity.get(identity);
    if (known !== undefined) {
      this.#byIdentity.delete(identity);
      this.#byIdentity.set(identity, known);
      return known.number;
    }
    if (this.#byIdentity.size >= CLAIMED_IDENTITIES_MAX) this.#forgetOne();
    const number = claimNumberOf(identity, (taken) => this.#byNumber.has(taken));
    if (number === 0) return 0;
    const empty = { remoteId: null, adsb: null, isSeenByRadar: false, pressureM: null, changedAtUs: 0 };
    const claim = { identity, number, ...empty, hasHeight: false, hasClimb: false, holders: 0 };
    this.#byIdentity.set(identity, claim);
    this.#byNumber.set(number, claim);
    return number;
  }

  /**
   * Drops the least recently claimed identity that no live track and no asset of ours holds. Held ones move to the end, so
   * that a flood of new identities does not walk over them each time. When all are held the table grows; live tracks and
   * assets are bounded, so its growth is too.
   */
  #forgetOne(): void {
    for (let left = this.#byIdentity.size; left > 0; left--) {
      const [identity, claim] = this.#byIdentity.entries().next().value!;
      this.#byIdentity.delete(identity);
      if (claim.holders === 0 && !this.#isOurs(identity)) {
        this.#byNumber.delete(claim.number);
        return;
      }
      this.#byIdentity.set(identity, claim);
    }
  }
}
