/** The tracker's numbers for claimed identities must not depend on the order of arrival. */
import { expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { claimNumberOf } from "../../src/room/identity/claimNumber.ts";
import { openRoom, push, START_MS } from "../support/room.ts";

const NAMES = ["rid:1596F3A0000001", "icao:4ca7b5", "icao:4ca7b6", "asset:mavlink-1", "rid:1596F3A0000002"];

test("[FU-78] an identity has the same number in every room, for every order of reports", async () => {
  const one = await openRoom(new ManualClock(START_MS));
  const other = await openRoom(new ManualClock(START_MS));
  const numbers = NAMES.map((name) => one.claims.intern(name, {}, 0));
  for (const name of [...NAMES].reverse()) other.claims.intern(name, {}, 0);
  expect(NAMES.map((name) => other.claims.intern(name, {}, 0))).toEqual(numbers);
  expect(new Set(numbers).size).toBe(NAMES.length);
  for (const number of numbers) expect(Number.isSafeInteger(number) && number > 0).toBe(true);
});

test("[FU-78] scans of several aircraft in either order end in the same state", async () => {
  const report = (icao: string, lat: number) => ({
    source_id: "adsb-1",
    modality: "adsb",
    measured_at: START_MS,
    icao,
    lat,
    lon: -1.98,
    alt_hae_m: 900,
    nac_p: 9,
  });
  const reports = [report("4ca7b5", 51.44), report("4ca7b6", 51.46)];
  const hashes = await Promise.all(
    [reports, [...reports].reverse()].map(async (order) => {
      const room = await openRoom(new ManualClock(START_MS));
      for (const one of order) room.claims.intern(`icao:${one.icao}`, {}, 0);
      push(
        room,
        [{ source_id: "adsb-1", modality: "adsb", measured_at: START_MS, scan_id: "1", detections: reports }],
        START_MS,
      );
      room.step(START_MS + 50);
      return [room.tracker!.health().tentative, room.tracker!.stateHash()];
    }),
  );
  expect(hashes[0]![0]).toBe(2);
  expect(hashes[1]).toEqual(hashes[0]);
});

test("[FU-78] two identities never share a number: the second takes another one, made from itself", () => {
  const first = claimNumberOf("rid:A", () => false);
  const second = claimNumberOf("rid:A", (number) => number === first);
  expect(second).not.toBe(first);
  expect(claimNumberOf("rid:A", (number) => number === first)).toBe(second);
  // None left: no claim, rather than another identity's number.
  expect(claimNumberOf("rid:A", () => true)).toBe(0);
});
