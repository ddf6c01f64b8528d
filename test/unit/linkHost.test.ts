/** The host of links: what it does with an adapter that does not keep its word. */
import { afterEach, expect, test, vi } from "vitest";
import { ClosedLink } from "../../src/features/links/heldLink.ts";
import { LinkHost } from "../../src/features/links/host.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { LINK_CLOSE_WITHIN_MS } from "../../src/limits.ts";
import type { Rooms } from "../../src/workspace/rooms.ts";
import { testSettings } from "../support/linkContext.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("[LK-30] a link that never comes to its end holds neither who closes it nor the end of the process", async () => {
  vi.useFakeTimers();
  const warnings: string[] = [];
  const endless = Object.assign(new ClosedLink(0, null, null), { close: () => new Promise<void>(() => undefined) });
  const host = new LinkHost({
    rooms: { all: () => [], get: () => undefined } as unknown as Rooms,
    clock: new ManualClock(0),
    log: { info: () => undefined, warn: (_, text) => warnings.push(text) },
    adapters: [
      {
        protocol: "endless",
        transports: ["tcp"],
        defaults: { transport: "tcp", role: "connect", port: null },
        verbs: [],
        refuse: () => null,
        open: async () => endless,
      },
    ],
    familyTitle: String,
    observe: () => ({ accepted: 0, rejected: 0 }),
    progress: () => undefined,
    off: new Set(),
  });
  const origin = { assetId: null, secretPrefix: null, createdAtMs: null };
  for (const linkId of ["lnk_1", "lnk_2"])
    await host.open("wsp_1", testSettings({ protocol: "endless", linkId }), origin);
  let done = 0;
  void host.close("lnk_1").then(() => done++);
  void host.stop().then(() => done++);
  await vi.advanceTimersByTimeAsync(LINK_CLOSE_WITHIN_MS - 1);
  expect(done).toBe(0);
  await vi.advanceTimersByTimeAsync(2);
  expect(done).toBe(2);
  expect(warnings).toHaveLength(2);
  expect(host.linksOf("wsp_1")).toEqual([]);
});
