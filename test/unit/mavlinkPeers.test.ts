/** MAVLink: who is met as a vehicle, who speaks for it, and how many of them there can be. */
import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX } from "../../src/limits.ts";
import { heartbeat, openMavlink } from "../support/mavlinkLink.ts";

const NOW = Date.UTC(2026, 10, 21);
let rig: Awaited<ReturnType<typeof openMavlink>>;
let clock: ManualClock;
const open = async () => {
  clock = new ManualClock(NOW);
  rig = await openMavlink(clock);
};
afterEach(() => rig.close());

test("[MV-41] a flood of one system id stays small: so many vehicles, eight addresses and a count, told now and then", async () => {
  await open();
  const speakers = Array.from({ length: 400 }, (_, i) => rig.speaker(1000 + i, 7));
  for (let round = 0; round < 4; round++) {
    for (const speaker of speakers) speaker.say(heartbeat());
    clock.advance(1000);
  }
  const addresses = new Set(rig.heard.map(({ source }) => source.address));
  expect(addresses.size).toBe(MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX);
  const told = rig.heard.filter(({ conflicts }) => conflicts !== undefined);
  expect(Math.max(...told.map(({ conflicts }) => conflicts!.length))).toBe(8);
  // Each when it met the others, once: the rest of the changes fall into the pause.
  expect(told.length).toBeLessThanOrEqual(addresses.size);
  clock.advance(2000);
  for (const speaker of speakers) speaker.say(heartbeat());
  expect(rig.heard.filter(({ message }) => message?.includes("more addresses")).at(-1)?.message).toBe(
    `${MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX - 9} more addresses use its system id`,
  );
  expect(rig.link.counters.dropped).toBe((400 - MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX) * 5);
});

test("[MV-41] who fell silent makes room, and another system id has its own", async () => {
  await open();
  for (let i = 0; i < MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX; i++) rig.speaker(1000 + i, 7).say(heartbeat());
  rig.heard.length = 0;
  rig.speaker(5000, 7).say(heartbeat());
  expect(rig.heard).toEqual([]);
  rig.speaker(5000, 8).say(heartbeat());
  expect(rig.heard.map(({ source }) => source.systemId)).toEqual(["8"]);
  clock.advance(11_000);
  rig.speaker(5000, 7).say(heartbeat());
  expect(rig.heard.at(-1)).toMatchObject({ source: { systemId: "7", address: "192.0.2.1:5000" } });
  expect(rig.heard.some(({ conflicts }) => conflicts !== undefined)).toBe(false);
});
