/** Everything that a room refuses at its bounds has a counter of its own in `fusion_health`. */
import { expect, test } from "vitest";
import { ALERTS_ACTIVE_MAX, PLATFORMS_PER_WORKSPACE_MAX, WRITES_WAITING_MAX } from "../../src/limits.ts";
import { openForcesRoom } from "../support/forcesRoom.ts";
import { TestSink } from "../support/sse.ts";

const SUBJECT = { kind: "asset", id: "ast_1" };

test("[ED-69] platforms, alerts and writes over their limits are counted in fusion_health, and sent without an observation", async () => {
  const { room, clock, pass, now } = await openForcesRoom();
  const none = room.fusionHealth().dropped;
  expect(Object.values(none).every((count) => count === 0)).toBe(true);
  pass(2);
  const sink = new TestSink();
  room.hub.attach(sink, 0, { kind: "key", keyId: "key_1" }, now());
  pass(2);
  sink.take();
  for (let i = 0; i <= PLATFORMS_PER_WORKSPACE_MAX; i++) {
    const source = { protocol: "mavlink2", address: `10.0.${i >> 8}.${i & 255}:1`, systemId: "1", linkId: "lnk_1" };
    room.commit({ op: "platform_reported", report: { source, atMs: clock.nowMs() } }, clock.nowMs());
  }
  for (let i = 0; i <= ALERTS_ACTIVE_MAX; i++)
    room.alerts.raise({ code: `c${i}`, level: "caution", title: "", text: "", subject: SUBJECT }, now());
  const writes = Array.from({ length: WRITES_WAITING_MAX + 1 }, () => room.serially(async () => undefined));
  await Promise.allSettled(writes);
  const dropped = { platforms_refused_full: 1, alerts_refused_full: 1, writes_refused_full: 1 };
  expect(room.fusionHealth().dropped).toEqual({ ...none, ...dropped });
  pass(2);
  const states = sink.take().filter(({ event }) => event === "live_state");
  expect(states.length).toBeGreaterThan(0);
  for (const { data } of states) expect(data.fusion_health.dropped).toMatchObject(dropped);
});
