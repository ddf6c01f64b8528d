/**
 * What every link needs: its state as clients read it, its message rate, its back-off, and a rate limit for each far end.
 * Knows no protocol and no socket.
 */

import { type LinkCounters, newCounters } from "../domain/link.ts";
import type { LinkState } from "../domain/platformStates.ts";
import type { Clock } from "../lib/clock.ts";
import { LINK_RATE_WINDOW_MS, LINK_SOURCE_RECENT_MS, LINK_SOURCES_MAX } from "../limits.ts";
import type { LinkStatus } from "./adapter.ts";

/** A source moves to the end of the table at most this often, so that a busy one does not pay for it with each message. */
const QUEUED_AGAIN_MS = 1000;

/** State, counters, rate and sources of one link. */
export class LinkLife {
  readonly counters: LinkCounters = newCounters();
  localPort: number | null = null;
  rttMs: number | null = null;
  lossPct: number | null = null;
  offsetMs: number | null = null;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #sources = new Map<string, number>();
  #state: LinkState = "connecting";
  #sinceMs: number;
  #lastHeardMs = 0;
  #error: string | null = null;
  #errorCode: string | null = null;
  #windowFromMs: number;
  #windowCount = 0;
  #rateHz: number | null = null;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#sinceMs = clock.nowMs();
    this.#windowFromMs = this.#sinceMs;
  }

  up(): void {
    this.#become("up", null, null);
  }

  failed(errorCode: string, error: string): void {
    this.#become("lost", errorCode, error);
  }

  closed(): void {
    this.#become("closed", null, null);
  }

  /** Counts one received message; `source` is its sender where the protocol names one. */
  heard(source: string | null = null): void {
    const nowMs = this.#clock.nowMs();
    this.counters.rx++;
    this.#lastHeardMs = nowMs;
    this.#windowCount++;
    if (source !== null && (this.#sources.has(source) || this.#sources.size < LINK_SOURCES_MAX))
      this.#sources.set(source, nowMs);
    const spanMs = nowMs - this.#windowFromMs;
    if (spanMs < LINK_RATE_WINDOW_MS) return;
    this.#rateHz = Math.round((this.#windowCount * 10_000) / spanMs) / 10;
    this.#windowCount = 0;
    this.#windowFromMs = nowMs;
  }

  status(nowMs: number): LinkStatus {
    for (const [source, atMs] of this.#sources) if (nowMs - atMs > LINK_SOURCE_RECENT_MS) this.#sources.delete(source);
    const isQuiet = nowMs - this.#lastHeardMs > 2 * LINK_RATE_WINDOW_MS;
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      lastHeardMs: this.#lastHeardMs,
      error: this.#error,
      errorCode: this.#errorCode,
      localPort: this.localPort,
      rateHz: isQuiet ? (this.#lastHeardMs === 0 ? null : 0) : this.#rateHz,
      rttMs: this.rttMs,
      lossPct: this.lossPct,
      offsetMs: this.offsetMs,
      sources: this.#sources.size,
    };
  }

  #become(state: LinkState, errorCode: string | null, error: string | null): void {
    if (this.#state === state && this.#error === error) return;
    if (this.#state !== state) this.#sinceMs = this.#clock.nowMs();
    this.#state = state;
    this.#errorCode = errorCode;
    this.#error = error;
    this.#changed();
  }
}

/**
 * Wait before the next try: doubles up to a bound, and a random part is taken of it, so that many links that lost one server
 * do not reconnect at the same time (AWS architecture blog, "Exponential backoff and jitter", full jitter).
 */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #tries = 0;

  constructor(firstMs = 500, maxMs = 30_000, random: () => number = Math.random) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#random = random;
  }

  nextMs(): number {
    const ceilingMs = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#tries++, 20));
    return Math.round(ceilingMs * (0.1 + 0.9 * this.#random()));
  }

  reset(): void {
    this.#tries = 0;
  }
}

interface Bucket {
  tokens: number;
  atMs: number;
  /** When it last moved to the end of the table. */
  queuedMs: number;
}

/**
 * Token bucket for each source: `perSecond` messages a second, bursts of one second's worth. The table of sources is bounded.
 */
export class SourceLimit {
  readonly #perSecond: number;
  readonly #sourcesMax: number;
  /** In the order of `queuedMs`. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, sourcesMax = LINK_SOURCES_MAX) {
    this.#perSecond = perSecond;
    this.#sourcesMax = sourcesMax;
  }

  take(source: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(source) ?? this.#newBucket(source, nowMs);
    if (bucket === null) return false;
    const refill = ((nowMs - bucket.atMs) * this.#perSecond) / 1000;
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + Math.max(0, refill));
    bucket.atMs = nowMs;
    if (nowMs - bucket.queuedMs >= QUEUED_AGAIN_MS) {
      this.#buckets.delete(source);
      this.#buckets.set(source, bucket);
      bucket.queuedMs = nowMs;
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #newBucket(source: string, nowMs: number): Bucket | null {
    if (this.#buckets.size >= this.#sourcesMax && !this.#forgetFirst(nowMs)) return null;
    const bucket = { tokens: this.#perSecond, atMs: nowMs, queuedMs: nowMs };
    this.#buckets.set(source, bucket);
    return bucket;
  }

  /** Makes room for one source. Silent sources stand at the front, so a made-up sender costs a look at one entry. */
  #forgetFirst(nowMs: number): boolean {
    for (const [name, { atMs }] of this.#buckets) {
      if (nowMs - atMs <= LINK_SOURCE_RECENT_MS) return false;
      this.#buckets.delete(name);
      return true;
    }
    return false;
  }
}

/** Machine-readable cause of a socket's or a request's fault, for `error_code`. */
export function faultCode(fault: unknown): string {
  const code = String((fault as { code?: unknown } | null)?.code ?? "");
  if (code === "bad_answer") return code;
  if (code === "EADDRINUSE") return "port_in_use";
  if (code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE") return "refused";
  if (/^(EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/.test(code)) return "unreachable";
  if (code === "EADDRNOTAVAIL" || code === "EINVAL") return "bad_address";
  return /TIMEOUT|ABORT/i.test(code) || (fault as Error | null)?.name === "TimeoutError" ? "timeout" : "fault";
}
