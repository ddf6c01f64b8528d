/** Tickets over an injected time, and the kinds selection. */
import { describe, expect, test } from "vitest";
import { ALL_DOMAIN_MASK, KINDS, kindBit } from "../../src/domain/events.ts";
import { parseKinds } from "../../src/features/stream/kinds.ts";
import { Tickets } from "../../src/features/stream/tickets.ts";
import { ACCESS_ENDS_KEPT_MAX, ACCESS_ENDS_KEPT_MS, STREAM_TICKETS_OPEN_MAX } from "../../src/limits.ts";

const OWNER = { kind: "key", keyId: "key_a" } as const;

describe("tickets", () => {
  test("[ST-45] a ticket is valid for sixty seconds and one use, and names its workspace", () => {
    const tickets = new Tickets();
    const mint = () => tickets.mint("wsp_a", OWNER, 0)!.secret;
    const [first, late] = [mint(), mint()];
    expect(tickets.spend(first, 59_999)).toMatchObject({ workspaceId: "wsp_a", owner: OWNER });
    expect(tickets.spend(first, 59_999)).toBeNull();
    expect(tickets.spend(late, 60_000)).toBeNull();
    expect(tickets.count).toBe(0);
  });
  test("[ST-46] open tickets are limited in number; expired ones make room", () => {
    const tickets = new Tickets();
    for (let i = 0; i < STREAM_TICKETS_OPEN_MAX; i++) tickets.mint("wsp_a", OWNER, 0);
    expect(tickets.mint("wsp_a", OWNER, 1)).toBeNull();
    expect(tickets.mint("wsp_a", OWNER, 60_000)).not.toBeNull();
    expect(tickets.count).toBe(1);
  });
  test("[ST-44] those of a holder without access open nothing, whenever they were minted; others do", () => {
    const tickets = new Tickets();
    const before = tickets.mint("wsp_a", OWNER, 0)!.secret;
    const other = tickets.mint("wsp_a", { kind: "key", keyId: "key_b" }, 0)!.secret;
    tickets.exclude(OWNER, "wsp_a", 0);
    const after = tickets.mint("wsp_a", OWNER, 1)!.secret;
    expect([tickets.spend(before, 1), tickets.spend(after, 1)]).toEqual([null, null]);
    expect(tickets.spend(other, 1)?.workspaceId).toBe("wsp_a");
  });
  test("[ST-44] a member who is added again, and any session of the user elsewhere, opens streams", () => {
    const tickets = new Tickets();
    const user = { kind: "user", userId: "usr_a" } as const;
    const mint = (workspaceId: string, sessionId: string) =>
      tickets.mint(workspaceId, { ...user, sessionId }, 0)!.secret;
    const [here, again, elsewhere] = [mint("wsp_a", "fam_1"), mint("wsp_a", "fam_2"), mint("wsp_b", "fam_1")];
    tickets.exclude(user, "wsp_a", 0);
    expect([tickets.spend(here, 1), tickets.spend(elsewhere, 1)?.workspaceId]).toEqual([null, "wsp_b"]);
    tickets.admit(user, "wsp_a");
    expect(tickets.spend(again, 1)?.workspaceId).toBe("wsp_a");
  });
  test("[ST-46] ends of access are forgotten after ten minutes, and bounded by their number", () => {
    const tickets = new Tickets();
    const isAdmitted = (keyId: string) =>
      tickets.isAdmitted({ workspaceId: "wsp_a", owner: { kind: "key", keyId }, expiresAtMs: 0 });
    tickets.exclude(OWNER, "wsp_a", 0);
    tickets.sweep(ACCESS_ENDS_KEPT_MS - 1);
    expect(isAdmitted("key_a")).toBe(false);
    tickets.sweep(ACCESS_ENDS_KEPT_MS);
    expect(isAdmitted("key_a")).toBe(true);
    for (let i = 0; i <= ACCESS_ENDS_KEPT_MAX; i++) tickets.exclude({ kind: "key", keyId: `key_${i}` }, "wsp_a", 0);
    expect([isAdmitted("key_0"), isAdmitted("key_1"), isAdmitted(`key_${ACCESS_ENDS_KEPT_MAX}`)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("kinds", () => {
  test.each([
    [undefined, ALL_DOMAIN_MASK],
    ["", 0],
    ["fusion_explain", kindBit("fusion_explain")],
    ["track_update,alert", kindBit("track_update") | kindBit("alert")],
    [KINDS.join(","), ALL_DOMAIN_MASK | kindBit("fusion_explain")],
  ])("[ST-47] %s selects exactly the events it names", (value, mask) => {
    expect(parseKinds(value)).toBe(mask);
  });
  test.each(["tracks", "snapshot", "live_state", "track_update,nope", "Obs"])("[ST-42] %s is refused", (value) => {
    expect(parseKinds(value)).toMatchObject({ refused: true, code: "invalid_input" });
  });
});
