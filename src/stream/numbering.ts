/** The workspace's counter of domain events, and the number that each kind had last (docs/interface.md#numbering). */
import { ALL_DOMAIN_MASK, DOMAIN_EVENTS, type DomainEvent, KINDS, kindBit } from "../domain/events.ts";
import { assert } from "../lib/assert.ts";

const BIT: ReadonlyMap<string, number> = new Map(KINDS.map((kind) => [kind, kindBit(kind)]));

/** The bit of a domain event in a mask of kinds. */
export function domainBit(name: DomainEvent): number {
  const bit = BIT.get(name);
  assert(bit !== undefined && (bit & ALL_DOMAIN_MASK) !== 0, `${name} is not a domain event`);
  return bit;
}

/** Numbers that may be used: those above `above`, up to and including `limit`. */
export interface NumberBlock {
  readonly above: number;
  readonly limit: number;
}

export interface NumberSupply {
  readonly first: NumberBlock;
  /** Stores the reservation of the next block and returns it; rejects when that is not possible now. */
  readonly reserve: () => Promise<NumberBlock>;
  /** Where a reserved block goes first, to come back by `Numbering.take` (default: there at once). */
  readonly onReserved?: (block: NumberBlock) => void;
}

/** A counter that is not stored, for a room whose numbers need not outlive it. */
export function unkeptNumbers(above: number): NumberSupply {
  const first = { above, limit: Number.MAX_SAFE_INTEGER };
  return { first, reserve: () => Promise.resolve(first) };
}

const ASK_AGAIN_MS = 1000;

export class Numbering {
  /** Number of the last domain event of each kind, by bit position; 0 for none. */
  readonly #lastOfKind = new Float64Array(DOMAIN_EVENTS.length);
  readonly #supply: NumberSupply;
  #last: number;
  #limit: number;
  /** The next block is requested when this many numbers are left. */
  #fewLeft: number;
  #isAsking = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(supply: NumberSupply) {
    this.#supply = supply;
    const { above, limit } = supply.first;
    this.#last = above;
    this.#limit = limit;
    this.#fewLeft = (limit - above) / 2;
  }

  /** The number that was given last. */
  get last(): number {
    return this.#last;
  }

  get isExhausted(): boolean {
    return this.#last >= this.#limit;
  }

  /** Gives the next number to an event of the kind with this bit; null when the block is used up. */
  next(bit: number): number | null {
    if (this.#last >= this.#limit) return null;
    const number = ++this.#last;
    this.#lastOfKind[31 - Math.clz32(bit)] = number;
    return number;
  }

  /** To be called with each flush. */
  topUp(nowMs: number): void {
    if (this.#limit - this.#last > this.#fewLeft || this.#isAsking || nowMs - this.#askedAtMs < ASK_AGAIN_MS) return;
    this.#isAsking = true;
    this.#askedAtMs = nowMs;
    this.#supply
      .reserve()
      .then(
        (block) => (this.#supply.onReserved === undefined ? this.take(block) : this.#supply.onReserved(block)),
        // The database is away: `reserve` has logged it, and the next call tries again.
        () => undefined,
      )
      .finally(() => (this.#isAsking = false));
  }

  /** When another process reserved in between, the rest of the old block is left unused: numbers may jump, not go back. */
  take({ above, limit }: NumberBlock): void {
    assert(above >= this.#limit && limit > above, "a block of numbers begins at the end of the last one, or above it");
    if (above > this.#limit) this.#last = above;
    this.#limit = limit;
    this.#fewLeft = (limit - above) / 2;
  }

  /** Number of the last event that the mask selects; null when there was none. */
  lastOf(mask: number): number | null {
    let last = 0;
    for (let bit = 0; bit < DOMAIN_EVENTS.length; bit++)
      if ((mask & (1 << bit)) !== 0) last = Math.max(last, this.#lastOfKind[bit]!);
    return last === 0 ? null : last;
  }
}
