/**
 * RATE_LIMIT_RPS: a token bucket for each credential that holds one second's requests. Off by default
 * (docs/interface.md#limits).
 */
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { CREDENTIAL_CACHE_ENTRIES_MAX } from "../limits.ts";

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createRequestLimit(requestsPerSecond: number, clock: Clock): (principalId: string) => Refusal | null {
  const buckets = new Map<string, Bucket>();
  return (principalId) => {
    const nowMs = clock.monotonicMs();
    let bucket = buckets.get(principalId);
    if (bucket === undefined) {
      // A forgotten bucket starts full again, so dropping all of them allows each credential one second's burst at most.
      if (buckets.size >= CREDENTIAL_CACHE_ENTRIES_MAX) buckets.clear();
      buckets.set(principalId, (bucket = { tokens: requestsPerSecond, atMs: nowMs }));
    }
    bucket.tokens = Math.min(requestsPerSecond, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * requestsPerSecond);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1)
      return refusal("rate_limited", `more than ${requestsPerSecond} requests a second with this credential`, {
        "Retry-After": "1",
        "RateLimit-Limit": String(requestsPerSecond),
        "RateLimit-Remaining": "0",
        "RateLimit-Reset": "1",
      });
    bucket.tokens--;
    return null;
  };
}
