/**
 * The last claim of each identity, bounded: by identity with the one claimed last at the end, and by the number that the
 * tracker knows it by. Knows no registry and no track.
 */
import type { RemoteIdClaim } from "../../domain/remoteId.ts";
import type { AdsbClaim } from "../../domain/track.ts";
import { CLAIMED_IDENTITIES_MAX } from "../../limits.ts";
import { claimNumberOf } from "./claimNumber.ts";

export interface Claim {
  /** `rid:`, `rid!` (claimed where its owner cannot be), `icao:` or `asset:`, and a name. */
  readonly identity: string;
  readonly number: number;
  remoteId: RemoteIdClaim | null;
  adsb: AdsbClaim | null;
  /** A ground radar reports it, not the aircraft itself. */
  isSeenByRadar: boolean;
  hasHeight: boolean;
  hasClimb: boolean;
  pressureM: number | null;
  changedAtUs: number;
  /** Live tracks that have this identity. */
  holders: number;
}

export class ClaimTable {
  readonly #byIdentity = new Map<string, Claim>();
  readonly #byNumber = new Map<number, Claim>();
  readonly #isOurs: (identity: string) => boolean;

  /** `isOurs`: an identity of an asset of ours is never pushed out. */
  constructor(isOurs: (identity: string) => boolean) {
    this.#isOurs = isOurs;
  }

  get size(): number {
    return this.#byIdentity.size;
  }

  get(number: number): Claim | undefined {
    return this.#byNumber.get(number);
  }

  /** The number of an identity, which is remembered from here on; 0 where no number is left for it. */
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
   * Forgets the identity not claimed for longest that no live track and no asset of ours holds. Those that are held go to
   * the end, so that a flood does not meet them each time; both are bounded, and the table grows by no more than them.
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
