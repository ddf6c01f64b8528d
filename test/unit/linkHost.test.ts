/** The host of links with adapters that break the rules of the interface. */
import { afterEach, expect, test, vi } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { LINK_CLOSE_WITHIN_MS } from "../../src/limits.ts";
import type { LinkContext } from "../../src/links/adapter.ts";
import { ClosedLink } from "../../src/links/heldLink.ts";
import { type HostParts, LinkHost } from "../../src/links/host.ts";
import type { Rooms } from "../../src/room/rooms.ts";
import { testSettings } from "../support/linkContext.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ORIGIN = { assetId: null, secretPrefix: null, createdAtMs: null };

/** A host with one protocol, whose links behave as `link`; their contexts are collected in `given`. */
function hostOf(link: ClosedLink, parts: Partial<HostParts> = {}) {
  const warnings: string[] = [];
  const given: LinkContext[] = [];
  const host = new LinkHost({
    rooms: { all: () => [], get: () => undefined } as unknown as Rooms,
    clock: new ManualClock(0),
    log: { info: () => undefined, warn: (_, text) => warnings.push(text) },
    adapters: [
      {
        protocol: "made_up",
        transports: ["tcp"],
        defaults: { transport: "tcp", role: "connect", port: null },
        verbs: [],
        refuse: () => null,
        open: async (_, context) => {
          given.push(context);
          return link;
        },
      },
    ],
    familyTitle: String,
    observe: () => ({ accepted: 0, rejected: 0, why: null }),
    progress: () => undefined,
    off: new Set(),
    ...parts,
  });
  const open = (linkId: string) => host.open("wsp_1", testSettings({ protocol: "made_up", linkId }), ORIGIN);
  return { host, warnings, given, open };
}

test("[LK-30] a link that never closes holds up neither its caller nor the end of the process", async () => {
  vi.useFakeTimers();
  const endless = Object.assign(new ClosedLink(0, null, null), { close: () => new Promise<void>(() => undefined) });
  const { host, warnings, open } = hostOf(endless);
  for (const linkId of ["lnk_1", "lnk_2"]) await open(linkId);
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

test("[LK-60] observations of a link whose room is closed are counted as not taken, and the room is opened", async () => {
  const asked: string[] = [];
  const openWorkspace = (id: string) => new Promise<never>(() => asked.push(id));
  const rooms = { all: () => [], get: () => undefined, openWorkspace } as unknown as Rooms;
  const told: unknown[] = [];
  const { host, given, open } = hostOf(new ClosedLink(0, null, null), {
    rooms,
    progress: (...said) => told.push(said),
  });
  await open("lnk_1");
  const [context] = given;
  expect(context!.observe([{}, {}])).toEqual({ accepted: 0, rejected: 2, why: null });
  const source = { protocol: "made_up", address: "10.0.0.1:1", systemId: "1", linkId: "lnk_1" };
  context!.report({ source, atMs: 0 });
  expect(host.dropped).toEqual({ observations: 2, reports: 1 });
  expect(asked).toEqual(["wsp_1", "wsp_1"]);
  const succeeded = { is: "succeeded", code: "done", text: "it is there" } as const;
  context!.progress("tsk_1", succeeded);
  expect(told).toEqual([["wsp_1", "tsk_1", succeeded]]);
});
