/**
 * Which tracks changed since the table was last read, over rewinds: going back to a kept state loses the kernel's own marks.
 */
import type { TrackTable } from "./types.ts";

export class TouchedTracks {
  /** Whether anything was run since the last read. */
  #isStale = false;
  readonly #keys = new Set<number>();

  noteRun(): void {
    this.#isStale = true;
  }

  /** Right before a rewind. `read` gives the table as it is now. */
  noteRewind(read: () => TrackTable): void {
    if (!this.#isStale) return;
    const table = read();
    for (let row = 0; row < table.count; row++) if (table.touched[row] === 1) this.#keys.add(table.key[row]!);
  }

  /** Adds the marks that were lost, to a table that readers get now. */
  markIn(table: TrackTable): void {
    if (this.#keys.size > 0)
      for (let row = 0; row < table.count; row++) if (this.#keys.has(table.key[row]!)) table.touched[row] = 1;
    this.#keys.clear();
    this.#isStale = false;
  }
}
