/**
 * What the timeline forgot, kept a while longer so that it can be explained: final, and cheap, because states and scans
 * exist already and are only held. Bounded in time and in bytes; the oldest go first.
 */
import type { FusedScan, TrackerEntry } from "./entries.ts";
import type { Stretch } from "./timeline.ts";

interface PastOptions {
  readonly keepUs: number;
  readonly bytesMax: number;
}

interface GrowingStretch extends Stretch<TrackerEntry> {
  readonly entries: TrackerEntry[];
}

/**
 * A new stretch begins, with a state of its own, when the scans of the one before have so many times the bytes of its
 * state, or last so long: then states take a small part of the memory, and running a stretch again stays short.
 */
const SCANS_PER_STATE = 4;
const STRETCH_US = 5_000_000;
/** A scan beside its measurements, and an observation's id; about. */
const SCAN_BYTES = 500;
const ID_BYTES = 64;

export class PastStretches {
  readonly #options: PastOptions;
  /** Oldest first. */
  readonly #stretches: GrowingStretch[] = [];
  #bytes = 0;
  /** Of the scans in the newest stretch. */
  #newestBytes = 0;

  constructor(options: PastOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Oldest first. The newest one grows afterwards. */
  get stretches(): readonly Stretch<TrackerEntry>[] {
    return this.#stretches;
  }

  add({ entries, ...state }: Stretch<TrackerEntry>): void {
    if (this.#beginsStretch(entries)) {
      this.#stretches.push({ ...state, entries: [] });
      this.#bytes += state.saved.byteLength;
      this.#newestBytes = 0;
    }
    const newest = this.#stretches[this.#stretches.length - 1]!;
    for (const entry of entries) {
      newest.entries.push(entry);
      const bytes = entry.kind === "scan" ? bytesOf(entry) : SCAN_BYTES;
      this.#newestBytes += bytes;
      this.#bytes += bytes;
    }
    this.#forget();
  }

  clear(): void {
    this.#stretches.length = 0;
    this.#bytes = 0;
    this.#newestBytes = 0;
  }

  #beginsStretch(entries: readonly TrackerEntry[]): boolean {
    const newest = this.#stretches[this.#stretches.length - 1];
    if (newest === undefined) return true;
    const first = newest.entries[0];
    if (first === undefined || entries.length === 0) return false;
    return (
      this.#newestBytes >= SCANS_PER_STATE * newest.saved.byteLength || entries[0]!.timeUs - first.timeUs >= STRETCH_US
    );
  }

  /** A stretch is too old when the one behind it is old enough. */
  #forget(): void {
    const newestUs = this.#stretches[this.#stretches.length - 1]!.entries.at(-1)?.timeUs ?? Number.NEGATIVE_INFINITY;
    while (this.#stretches.length > 1) {
      const startUs = this.#stretches[1]!.entries[0]?.timeUs ?? Number.POSITIVE_INFINITY;
      if (this.#bytes <= this.#options.bytesMax && startUs > newestUs - this.#options.keepUs) return;
      const gone = this.#stretches.shift()!;
      this.#bytes -= gone.saved.byteLength;
      for (const entry of gone.entries) this.#bytes -= entry.kind === "scan" ? bytesOf(entry) : SCAN_BYTES;
    }
  }
}

function bytesOf({ scan }: FusedScan): number {
  return SCAN_BYTES + scan.measurements.byteLength + ID_BYTES * scan.observationIds.length;
}
