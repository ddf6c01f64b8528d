/**
 * Which tracks that readers of the table have seen are gone, and why. The kernel reports an end when it happens; a replay
 * after late data may undo that end or cause others, so readers get the difference between two reads instead.
 */
import type { EndedTrack, TrackTable } from "./types.ts";

export class EndedTracks {
  /** Keys that a read has shown and `take` has not reported as gone. */
  readonly #shown = new Set<number>();
  #live = new Set<number>();
  /** Ends reported by the kernel since the last `take`; of two for one key the later one. */
  readonly #reported = new Map<number, EndedTrack>();

  note(ended: readonly EndedTrack[]): void {
    for (const end of ended) if (this.#shown.has(end.key)) this.#reported.set(end.key, end);
  }

  show(table: TrackTable): void {
    this.#live = new Set();
    for (let row = 0; row < table.count; row++) {
      this.#live.add(table.key[row]!);
      this.#shown.add(table.key[row]!);
    }
  }

  /** Tracks that were shown once and are not in the table of the last `show`. */
  take(): EndedTrack[] {
    const ended: EndedTrack[] = [];
    for (const key of this.#shown) {
      if (this.#live.has(key)) continue;
      this.#shown.delete(key);
      const end = this.#reported.get(key);
      if (end === undefined) ended.push({ key, reason: "revised", mergedInto: 0 });
      else ended.push({ ...end, mergedInto: this.#survivorOf(end) });
    }
    this.#reported.clear();
    return ended;
  }

  /** Follows merges into tracks that were merged themselves; 0 when none of them lives. */
  #survivorOf(end: EndedTrack): number {
    let key = end.mergedInto;
    for (let hops = 0; key !== 0 && !this.#live.has(key); hops++) {
      const next = this.#reported.get(key);
      if (next === undefined || next.mergedInto === 0 || hops > this.#reported.size) return 0;
      key = next.mergedInto;
    }
    return key;
  }
}
