/** MAVLink: frames that arrive out of order. */
import { common } from "node-mavlink";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { heartbeat, openMavlink, type Speaker } from "../support/mavlinkLink.ts";

let rig: Awaited<ReturnType<typeof openMavlink>>;
let vehicle: Speaker;
beforeEach(async () => {
  rig = await openMavlink(new ManualClock(Date.UTC(2026, 10, 21)));
  vehicle = rig.speaker(1000, 7);
});
afterEach(() => rig.close());

test("[MV-68] of a frame that was overtaken only texts, acknowledgements and round trips are taken", () => {
  const at = (lat: number) => Object.assign(new common.GlobalPositionInt(), { lat: lat * 1e7, lon: 1e7, hdg: 0 });
  vehicle.say(heartbeat({ baseMode: 1 }));
  const late = [
    vehicle.sayLate(heartbeat({ baseMode: 129 })),
    vehicle.sayLate(at(51.5)),
    vehicle.sayLate(Object.assign(new common.StatusText(), { text: "hot" })),
    vehicle.sayLate(
      Object.assign(new common.TimeSync(), { tc1: 1n, ts1: BigInt(Date.UTC(2026, 10, 21)) * 1_000_000n }),
    ),
  ];
  vehicle.say(heartbeat({ baseMode: 1 }));
  vehicle.say(at(51.51));
  rig.reports.length = 0;
  for (const deliver of late) deliver();
  expect(rig.reports.map(({ nav, motion, message, radio }) => nav ?? motion ?? message ?? radio)).toEqual([
    "hot",
    { rtt_ms: 0 },
  ]);
  expect(rig.link.counters.reordered).toBe(4);
});

test("[MV-68] a frame that was overtaken is not counted as lost", () => {
  vehicle.say(heartbeat());
  for (let i = 0; i < 300; i++) {
    // Every second frame comes late, and a tenth of those never.
    const deliver = vehicle.sayLate(heartbeat());
    const isLost = i % 10 === 0;
    vehicle.say(heartbeat());
    if (!isLost) deliver();
  }
  const lossPct = rig.reports.at(-1)!.radio!.loss_pct!;
  expect(lossPct).toBeGreaterThan(4);
  expect(lossPct).toBeLessThan(6);
});
