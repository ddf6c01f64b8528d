/** A LinkContext for tests that collects everything that an adapter reports. */

import type { CommandProgress, PlatformReport } from "../../src/domain/platformReport.ts";
import { observe } from "../../src/features/signals/observe.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { LinkContext, LinkSettings } from "../../src/links/adapter.ts";
import type { PublishedPicture } from "../../src/room/face.ts";
import type { Room } from "../../src/room/room.ts";

interface TestContext extends LinkContext {
  // biome-ignore lint/suspicious/noExplicitAny: reports as the adapter made them, unchecked
  readonly observed: any[];
  readonly reports: PlatformReport[];
  readonly progressed: { taskId: string; progress: CommandProgress }[];
  shown: PublishedPicture;
  rejected: number;
}

/** With a room, observations go through the rules of POST /api/signals; without one they are only collected. */
export function testContext(room: Room | null = null): TestContext {
  const context: TestContext = {
    workspaceId: "wsp_test",
    clock: systemClock,
    observed: [],
    reports: [],
    progressed: [],
    shown: { tracks: [], assets: [], reportedBy: new Map() },
    rejected: 0,
    observe(observations) {
      context.observed.push(...observations);
      if (room === null) return { accepted: observations.length, rejected: 0, why: null };
      const counts = observe(room, observations, systemClock.nowMs(), "test");
      context.rejected += counts.rejected;
      return counts;
    },
    report: (report) => void context.reports.push(report),
    progress: (taskId, progress) => void context.progressed.push({ taskId, progress }),
    picture: () => context.shown,
    placeOf: () => null,
    changed: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
  };
  return context;
}

export function testSettings(settings: Partial<LinkSettings> & { protocol: string }): LinkSettings {
  return {
    linkId: "lnk_test",
    name: "test",
    transport: "tcp",
    role: "connect",
    direction: "both",
    address: "127.0.0.1",
    port: null,
    options: {},
    secret: null,
    ...settings,
  };
}
