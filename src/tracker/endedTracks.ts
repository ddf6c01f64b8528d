/**
 * What the readers of the picture were shown and what of it is no more. The kernel tells of each end when it happens, and
 * a replay may take that back or tell of others; readers hear only the difference. Knows keys, nothing of tracks.
 */
import type { EndedTrack, TrackTable } from "./types.ts";

export class EndedTracks {
  readonly #shown = new Set<number>();
  #live = new Set<number>();
  /** Ends that the kernel told of since the last `take`; the latest telling of a key stands. */
  readonly #told = new Map<number, EndedTrack>();

  note(ended: readonly EndedTrack[]): void {
    for (const end of ended) if (this.#shown.has(end.key)) this.#told.set(end.key, end);
  }

  show(table: TrackTable): void {
    this.#live = new Set();
    for (let row = 0; row < table.count; row++) {
      this.#live.add(table.key[row]!);
      this.#shown.add(table.key[row]!);
    }
  }

  /** As of the last `show`. */
  take(): EndedTrack[] {
    const ended: EndedTrack[] = [];
    for (const key of this.#shown) {
      if (this.#live.has(key)) continue;
      this.#shown.delete(key);
      const told = this.#told.get(key);
      if (told === undefined) ended.push({ key, reason: "revised", mergedInto: 0 });
      else ended.push({ ...told, mergedInto: this.#survivorOf(told) });
    }
    this.#told.clear();
    return ended;
  }

  /** The survivor may itself have been merged since. */
  #survivorOf(end: EndedTrack): number {
    let key = end.mergedInto;
    for (let hops = 0; key !== 0 && !this.#live.has(key); hops++) {
      const next = this.#told.get(key);
      if (next === undefined || next.mergedInto === 0 || hops > this.#told.size) return 0;
      key = next.mergedInto;
    }
    return key;
  }
}
