/** Tickets over an injected time, and the kinds selection. */
import { describe, expect, test } from "vitest";
import { ALL_DOMAIN_MASK, KINDS, kindBit } from "../../src/domain/events.ts";
import { parseKinds } from "../../src/features/stream/kinds.ts";
import { Tickets } from "../../src/features/stream/tickets.ts";
import { STREAM_TICKETS_OPEN_MAX } from "../../src/limits.ts";

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
  test("[ST-44] the tickets of a withdrawn credential are forgotten, others are not", () => {
    const tickets = new Tickets();
    const gone = tickets.mint("wsp_a", OWNER, 0)!.secret;
    const kept = tickets.mint("wsp_a", { kind: "key", keyId: "key_b" }, 0)!.secret;
    tickets.forgetWhere((owner) => owner.kind === "key" && owner.keyId === "key_a");
    expect([tickets.spend(gone, 1), tickets.spend(kept, 1)?.workspaceId]).toEqual([null, "wsp_a"]);
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
