/**
 * The beginning of a stream: a reconnect delay, the snapshot of the tracks, then every slice of the picture. Each is encoded
 * once for all clients that come together. Knows no session.
 */
import type { Environment } from "../domain/modality.ts";
import { type EncodedSlice, retryFrame, slicesFrames, snapshotFrame, stampOf } from "./frames.ts";

/** How old the time of a shared snapshot may be. */
const SNAPSHOT_AGE_MAX_MS = 1000;

export interface OpeningOptions {
  /** Default live. */
  readonly environment?: Environment;
  /** The current tracks as a JSON array, and the generation that they reflect. */
  readonly snapshot: (nowMs: number) => { readonly tracksJson: Uint8Array | string; readonly generation: number };
  /** The other slices as they are now; absent where there are none. */
  readonly slices?: (nowMs: number) => readonly EncodedSlice[];
}

/**
 * Reconnect delays offered to browsers: spread, so that a restart is not followed by one stampede
 * (docs/interface.md#stream).
 */
const RETRIES: readonly Uint8Array[] = Array.from({ length: 16 }, (_, i) => Buffer.from(retryFrame(500 + i * 250)));

interface KeptSnapshot {
  readonly generation: number;
  readonly atMs: number;
  readonly source: Uint8Array | string;
  readonly frame: Uint8Array;
}

export class Opening {
  readonly #options: OpeningOptions;
  #snapshot: KeptSnapshot | null = null;

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  /** The time and environment members of a control event. */
  stamp(nowMs: number): string {
    return stampOf(this.#options.environment ?? "live", nowMs);
  }

  retryOf(session: number): Uint8Array {
    return RETRIES[session % RETRIES.length]!;
  }

  /** Encoded once for each generation and second, however many clients connect. */
  snapshot(nowMs: number): Uint8Array {
    const { tracksJson, generation } = this.#options.snapshot(nowMs);
    const kept = this.#snapshot;
    const isFresh = kept !== null && kept.generation === generation && nowMs - kept.atMs < SNAPSHOT_AGE_MAX_MS;
    if (isFresh && kept.source === tracksJson) return kept.frame;
    const frame = snapshotFrame(tracksJson, generation, this.stamp(nowMs));
    this.#snapshot = { generation, atMs: nowMs, source: tracksJson, frame };
    return frame;
  }

  slices(nowMs: number): Uint8Array {
    return slicesFrames(this.#options.slices?.(nowMs) ?? []);
  }
}
