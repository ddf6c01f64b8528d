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

export class Numbering {
  /** Number of the last domain event of each kind, by bit position; 0 for none. */
  readonly #lastOfKind = new Float64Array(DOMAIN_EVENTS.length);
  #last: number;

  constructor(first: number) {
    this.#last = first;
  }

  /** The number that was given last. */
  get last(): number {
    return this.#last;
  }

  /** Gives the next number to an event of the kind with this bit. */
  next(bit: number): number {
    const number = ++this.#last;
    this.#lastOfKind[31 - Math.clz32(bit)] = number;
    return number;
  }

  /** Number of the last event that the mask selects; null when there was none. */
  lastOf(mask: number): number | null {
    let last = 0;
    for (let bit = 0; bit < DOMAIN_EVENTS.length; bit++)
      if ((mask & (1 << bit)) !== 0) last = Math.max(last, this.#lastOfKind[bit]!);
    return last === 0 ? null : last;
  }
}
