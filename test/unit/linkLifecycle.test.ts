/** Common to all links: back-off with jitter, a rate limit for each far end, a state that is published when it changes. */
import { expect, test } from "vitest";
import { seal, unseal } from "../../src/features/links/seal.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { Backoff, faultCode, LinkLife, SourceLimit } from "../../src/links/lifecycle.ts";

test("[LK-1] the wait between tries doubles up to its maximum, with a random part, and starts again after success", () => {
  const longest = new Backoff(500, 30_000, () => 1);
  expect(Array.from({ length: 9 }, () => longest.nextMs())).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ]);
  longest.reset();
  expect(longest.nextMs()).toBe(500);
  const shortest = new Backoff(500, 30_000, () => 0);
  expect(shortest.nextMs()).toBe(50);
  for (let i = 0; i < 5000; i++) expect(new Backoff().nextMs()).toBeLessThanOrEqual(500);
});

test("[LK-2] the messages of one far end are limited, and a flood of made-up far ends does not grow the table", () => {
  const limit = new SourceLimit(10, 3);
  const taken = (name: string, atMs: number, tries: number) =>
    Array.from({ length: tries }, () => limit.take(name, atMs)).filter(Boolean).length;
  expect(taken("a", 0, 50)).toBe(10);
  expect(taken("a", 500, 50)).toBe(5);
  expect(taken("b", 500, 1) + taken("c", 500, 1)).toBe(2);
  expect(taken("d", 500, 1)).toBe(0);
  expect(taken("d", 61_000, 1)).toBe(1);
});

test("[LK-2] in a full table an active far end keeps its place, a silent one does not", () => {
  const limit = new SourceLimit(10, 3);
  for (const name of ["a", "b", "c"]) limit.take(name, 0);
  for (let atMs = 0; atMs <= 70_000; atMs += 500)
    for (const name of ["a", "c"]) expect(limit.take(name, atMs)).toBe(true);
  expect(limit.take("d", 70_000)).toBe(true);
  expect(limit.take("e", 70_000)).toBe(false);
  expect(limit.take("a", 70_500)).toBe(true);
});

test("[LK-2] a message of an unknown far end costs the same however full the table is", () => {
  const costOf = (sources: number) => {
    const limit = new SourceLimit(1000, sources);
    for (let i = 0; i < sources; i++) limit.take(`a${i}`, 1000);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const before = performance.now();
      for (let i = 0; i < 2000; i++) limit.take(`b${i}`, 2000);
      best = Math.min(best, performance.now() - before);
    }
    return best;
  };
  costOf(4);
  // A walk over the whole table would cost a thousand times as much.
  expect(costOf(4096)).toBeLessThan(20 * costOf(4));
});

test("[LK-3] a link's state is sent when it changes, with the reason; its rate falls to zero when it is silent", () => {
  const clock = new ManualClock(1000);
  let told = 0;
  const life = new LinkLife(clock, () => told++);
  expect(life.status(1000)).toMatchObject({ state: "connecting", rateHz: null, sources: 0 });
  life.up();
  life.up();
  expect(told).toBe(1);
  for (let i = 0; i < 60; i++) {
    clock.advance(100);
    life.heard(`s${i % 2}`);
  }
  expect(life.status(7000)).toMatchObject({ state: "up", rateHz: 10, sources: 2, error: null });
  life.failed("timeout", "the far end is silent");
  expect(told).toBe(2);
  expect(life.status(30_000)).toMatchObject({ state: "lost", errorCode: "timeout", rateHz: 0, sinceMs: 7000 });
  expect(life.status(70_000).sources).toBe(0);
  expect(
    ["EADDRINUSE", "ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT", "X"].map((code) => faultCode({ code })),
  ).toEqual(["port_in_use", "refused", "unreachable", "timeout", "fault"]);
});

test("[LK-5] a sealed credential opens with its own key and for its own link only", () => {
  const key = "k".repeat(32);
  const sealed = seal(key, "lnk_1", "hunter2");
  expect(sealed.includes("hunter2")).toBe(false);
  expect(unseal(key, "lnk_1", sealed)).toBe("hunter2");
  expect(unseal("x".repeat(32), "lnk_1", sealed)).toBeNull();
  expect(unseal(key, "lnk_2", sealed)).toBeNull();
  expect(unseal(key, "lnk_1", sealed.fill(0, 15, 16))).toBeNull();
  expect(unseal(key, "lnk_1", Buffer.alloc(5))).toBeNull();
  expect(seal(key, "lnk_1", "hunter2").equals(seal(key, "lnk_1", "hunter2"))).toBe(false);
});
