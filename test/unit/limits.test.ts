/** Bounds are positive, and those that depend on each other stand in their relation; those of the interface are as it says. */
import { expect, test } from "vitest";
import * as limits from "../../src/limits.ts";

test("[CF-5] every limit is a positive whole number", () => {
  for (const [name, value] of Object.entries(limits)) {
    expect(Number.isInteger(value), name).toBe(true);
    expect(value, name).toBeGreaterThan(0);
  }
});

test("[CF-5] a limit's name ends in its unit or kind", () => {
  expect(Object.keys(limits).filter((name) => !/_(MAX|MS|S|US|HZ|BYTES|DEFAULT|MIN)$/.test(name))).toEqual([]);
});

test("[CF-5] related limits stand in their relation", () => {
  expect(limits.STREAM_FLUSH_PERIOD_MS % limits.STEP_PERIOD_MS).toBe(0);
  expect(limits.LIST_LIMIT_DEFAULT).toBeLessThanOrEqual(limits.LIST_LIMIT_MAX);
  expect(limits.BODY_BYTES_MAX).toBeLessThanOrEqual(limits.SIGNALS_BODY_BYTES_MAX);
  expect(limits.LAG_CATCH_UP_MS).toBeLessThan(limits.LAG_CLOSE_MS);
  expect(limits.QUERY_DEADLINE_MS).toBeLessThan(limits.DRAIN_DEADLINE_MS);
  expect(limits.CREDENTIAL_CACHE_TTL_MS).toBeLessThan(limits.CREDENTIAL_CACHE_STALE_TTL_MS);
  expect(limits.SESSION_TOKEN_TTL_S).toBeLessThan(limits.REFRESH_TOKEN_TTL_S);
});

test("[CF-60] limits that clients know have the values of docs/interface.md", () => {
  expect(limits).toMatchObject({
    SESSION_TOKEN_TTL_S: 1800,
    STREAM_TICKET_TTL_S: 60,
    STREAM_PING_PERIOD_MS: 15_000,
    BODY_BYTES_MAX: 1_048_576,
    SIGNALS_BODY_BYTES_MAX: 8_388_608,
    SIGNALS_OBSERVATIONS_MAX: 10_000,
    LOGIN_CODE_ATTEMPTS_MAX: 5,
    LOGIN_CODE_TTL_S: 600,
    REFRESH_TOKEN_TTL_S: 2_592_000,
    LIST_LIMIT_DEFAULT: 200,
    LIST_LIMIT_MAX: 1000,
    FUTURE_TOLERANCE_MS: 1000,
  });
});
