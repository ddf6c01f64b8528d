/**
 * When one part's slice is sent: within a second of a change that a client must see, at a pace that depends on its size when
 * telemetry alone changed, and never the same bytes twice.
 */
import { FLEET_SLICE_BYTES_PER_S, FLEET_SLICE_PERIOD_MAX_MS } from "../../limits.ts";
import type { Part } from "../part.ts";

export const SLICE_PERIOD_MS = 1000;
/** A slice of this size takes some milliseconds to encode and to write to the clients. */
const LARGE_SLICE_BYTES = 256 << 10;

export class SliceTeller {
  readonly #part: Part;
  #version = -1;
  #liveVersion = -1;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  /** When a change of telemetry alone is sent, and how much longer it may wait for a lull. */
  #dueAtMs = 0;
  #lullWaitMs = 0;
  #json = "";

  constructor(part: Part) {
    this.#part = part;
  }

  /** Every client has the part as it is now, from the opening of its stream. */
  noteSent(nowMs: number): void {
    this.#note(this.#part.json(nowMs), nowMs);
  }

  /**
   * The members of the slice when they are due; null: not now. `isLull`: the last flush sent tracks and this one has none,
   * so a large slice delays the next track updates least.
   */
  take(nowMs: number, isLull: boolean): string | null {
    if (nowMs < this.#sentAtMs + SLICE_PERIOD_MS) return null;
    const { version, liveVersion = 0 } = this.#part;
    if (version === this.#version) {
      if (liveVersion === this.#liveVersion || nowMs < this.#dueAtMs) return null;
      if (!isLull && nowMs < this.#dueAtMs + this.#lullWaitMs) return null;
    }
    const json = this.#part.json(nowMs);
    const isSame = json === this.#json;
    this.#note(json, nowMs);
    return isSame ? null : json;
  }

  #note(json: string, nowMs: number): void {
    const { version, liveVersion = 0 } = this.#part;
    this.#version = version;
    this.#liveVersion = liveVersion;
    this.#sentAtMs = nowMs;
    this.#json = json;
    const periodMs = Math.max(SLICE_PERIOD_MS, (1000 * json.length) / FLEET_SLICE_BYTES_PER_S);
    this.#dueAtMs = nowMs + Math.min(FLEET_SLICE_PERIOD_MAX_MS, periodMs);
    this.#lullWaitMs = json.length > LARGE_SLICE_BYTES ? SLICE_PERIOD_MS : 0;
  }
}
