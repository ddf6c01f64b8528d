/** What follows from a revoked key, a removed or added member, another role; and that no request under way escapes it. */
import { describe, expect, test } from "vitest";
import type { AccessChange } from "../../src/domain/access.ts";
import { RefusedError, refusal } from "../../src/domain/errors.ts";
import { accessChanges } from "../../src/features/stream/endAccess.ts";
import { streamRoutes } from "../../src/features/stream/routes.ts";
import { Tickets } from "../../src/features/stream/tickets.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { StreamOwner } from "../../src/stream/session.ts";

const USER = { kind: "user", userId: "usr_a", sessionId: "fam_a" } as const;
const KEY = { kind: "key", keyId: "key_a" } as const;
const OTHERS: readonly StreamOwner[] = [
  { kind: "user", userId: "usr_b", sessionId: "fam_b" },
  { kind: "key", keyId: "key_b" },
];

function setUp() {
  const clock = new ManualClock(1000);
  const tickets = new Tickets();
  const done: string[] = [];
  const hubOf = (workspaceId: string) => ({
    closeWhere(isTheirs: (owner: StreamOwner) => boolean, end: string) {
      const closed = [USER, KEY, ...OTHERS].filter(isTheirs);
      for (const owner of closed) done.push(`${workspaceId}: ${owner.kind} stream ends: ${end}`);
      return closed.length;
    },
  });
  const credentials = {
    forgetKey: (keyId: string) => void done.push(`forget ${keyId}`),
    forgetUser: (userId: string) => void done.push(`forget ${userId}`),
  };
  const change = accessChanges({ credentials, tickets, clock, hubOf });
  const canOpen = (owner: StreamOwner) =>
    tickets.spend(tickets.mint("wsp_a", owner, clock.nowMs())!.secret, clock.nowMs()) !== null;
  return { clock, tickets, done, change, canOpen };
}

describe("[ST-44] of a change of access", () => {
  const cases: [AccessChange, string[], [boolean, boolean]][] = [
    [
      { is: "key_revoked", workspaceId: "wsp_a", keyId: "key_a" },
      ["forget key_a", "wsp_a: key stream ends: key_revoked"],
      [true, false],
    ],
    [
      { is: "member_removed", workspaceId: "wsp_a", userId: "usr_a" },
      ["forget usr_a", "wsp_a: user stream ends: member_removed"],
      [false, true],
    ],
    [{ is: "member_added", workspaceId: "wsp_a", userId: "usr_a" }, ["forget usr_a"], [true, true]],
    [{ is: "role_changed", userId: "usr_a" }, ["forget usr_a"], [true, true]],
  ];
  test.each(cases)("%j the credential is forgotten, and streams end where access does", (given, expected, opens) => {
    const { change, done, canOpen } = setUp();
    change(given);
    expect(done).toEqual(expected);
    expect([canOpen(USER), canOpen(KEY)]).toEqual(opens);
    expect(OTHERS.every(canOpen)).toBe(true);
  });

  test("a member who is added again opens streams again", () => {
    const { change, canOpen } = setUp();
    change({ is: "member_removed", workspaceId: "wsp_a", userId: "usr_a" });
    change({ is: "member_added", workspaceId: "wsp_a", userId: "usr_a" });
    expect(canOpen(USER)).toBe(true);
  });
});

describe("[ST-44] a stream whose room is still opening when its key is revoked", () => {
  /** The route as the edge calls it; the room opens when the test says so. */
  function open() {
    const parts = setUp();
    const { tickets, clock } = parts;
    let opened: (room: object) => void = () => undefined;
    const opening = new Promise<object>((resolve) => {
      opened = resolve;
    });
    const openWorkspace = () => opening as never;
    const route = streamRoutes({ tickets, clock, openWorkspace, streamsOpen: () => 0 }).find(
      ({ path }) => path === "/api/stream",
    )!;
    const refuse = (code: "ticket_invalid", sentence: string) => {
      throw new RefusedError(refusal(code, sentence));
    };
    const ticket = tickets.mint("wsp_a", KEY, clock.nowMs())!.secret;
    const answer = route.handle({ query: { ticket }, refuse } as never) as Promise<{ stream(sink: object): void }>;
    const attached: unknown[] = [];
    const roomOpens = () => opened({ whyNotStream: () => null, openStream: (sink: unknown) => attached.push(sink) });
    return { ...parts, answer, attached, roomOpens };
  }
  const REVOKED = { is: "key_revoked", workspaceId: "wsp_a", keyId: "key_a" } as const;

  test("is refused", async () => {
    const { answer, change, roomOpens } = open();
    change(REVOKED);
    roomOpens();
    await expect(answer).rejects.toMatchObject({ refusal: { code: "ticket_invalid" } });
  });

  test("ends at once when its status is out already", async () => {
    const { answer, change, roomOpens, attached } = open();
    roomOpens();
    const { stream } = await answer;
    change(REVOKED);
    let ended = 0;
    stream({ end: () => ended++ });
    expect([ended, attached]).toEqual([1, []]);
  });

  test("opens where nothing was revoked", async () => {
    const { answer, roomOpens, attached } = open();
    roomOpens();
    const sink = {};
    (await answer).stream(sink);
    expect(attached).toEqual([sink]);
  });
});
