/**
 * The events of the last seconds, encoded, for catching up lagging sessions; kept while any session of the room is behind.
 * One log for all sessions, bounded in bytes and age; a session keeps only a position in it.
 */
import { type Block, type Encoded, encodeCoalesced } from "./block.ts";

/** Dropped entries that may accumulate before the rest is moved down: keeps dropping amortised O(1). */
const SLACK_ENTRIES = 1024;

export class RecentEvents {
  readonly #bytesMax: number;
  readonly #ageMaxMs: number;
  #entries: (Encoded | undefined)[] = [];
  #timesMs: number[] = [];
  #head = 0;
  /** Position of the oldest entry that is kept; positions count every event that was ever flushed. */
  #firstPosition = 0;
  /** Length of the JSON alone, in UTF-16 units; equal to bytes for ASCII, which nearly all of it is. */
  #bytes = 0;
  /** Sessions that lag together drain together, and get the same block. */
  #lastBlock: { readonly mask: number; readonly from: number; readonly to: number; readonly block: Block } | null =
    null;

  constructor(bytesMax: number, ageMaxMs: number) {
    this.#bytesMax = bytesMax;
    this.#ageMaxMs = ageMaxMs;
  }

  /** One past the newest entry: the position that the next event will have. */
  get end(): number {
    return this.#firstPosition + this.#entries.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  covers(position: number): boolean {
    return position >= this.#firstPosition;
  }

  push(event: Encoded, nowMs: number): void {
    this.#entries.push(event);
    this.#timesMs.push(nowMs);
    this.#bytes += event.json.length;
    while (this.#bytes > this.#bytesMax || nowMs - this.#timesMs[this.#head]! > this.#ageMaxMs) this.#dropOldest();
  }

  /** Forgets everything but keeps counting. For when no session is behind. */
  skip(events: number): void {
    this.#firstPosition = this.end + events;
    this.#entries = [];
    this.#timesMs = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  /** The events since `position` that the mask selects, coalesced. Only while `covers(position)`. */
  blockSince(position: number, prevGen: number | null, mask: number): Block {
    const to = this.end;
    const last = this.#lastBlock;
    if (last !== null && last.mask === mask && last.from === position && last.to === to) return last.block;
    const events = this.#entries.slice(this.#head + position - this.#firstPosition) as Encoded[];
    const block = encodeCoalesced(events, mask, prevGen);
    this.#lastBlock = { mask, from: position, to, block };
    return block;
  }

  #dropOldest(): void {
    this.#bytes -= this.#entries[this.#head]!.json.length;
    this.#entries[this.#head++] = undefined;
    this.#firstPosition++;
    if (this.#head < SLACK_ENTRIES || this.#head * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#timesMs = this.#timesMs.slice(this.#head);
    this.#head = 0;
  }
}
