/** Track histories: which points are kept when there is not room for all. */
import { expect, test } from "vitest";
import { Histories } from "../../src/room/tracks/history.ts";
import { LiveTrack } from "../../src/room/tracks/liveTrack.ts";

const BOUNDS = { tracksMax: 100, pointsPerTrackMax: 3600, pointsMax: 200_000, periodMs: 1000 };
const LIVE_MAX = 100;

const live = (count: number, firstKey = 1) =>
  Array.from({ length: count }, (_, i) => new LiveTrack(firstKey + i, firstKey + i));

/** Adds a point a second for each of the tracks; returns the time afterwards. */
function fly(histories: Histories, tracks: readonly LiveTrack[], fromS: number, seconds: number): number {
  for (let s = fromS; s < fromS + seconds; s++) for (const track of tracks) histories.add(track, s * 1000, () => null);
  return fromS + seconds;
}

const lengthOf = (histories: Histories, track: LiveTrack) => histories.points(track.id, 0).length;

test("[FU-71] a live track keeps its history while any number of others come and go", () => {
  const histories = new Histories(BOUNDS, LIVE_MAX);
  const [old] = live(1);
  for (let s = 1; s <= 300; s++) {
    fly(histories, [old!], s, 1);
    const passing = live(5, 10 + 5 * s);
    fly(histories, passing, s, 1);
    for (const { id } of passing) histories.end(id);
  }
  expect(lengthOf(histories, old!)).toBe(300);
  // The histories that ended first were dropped, and each of their points was counted.
  expect([histories.has(live(1, 1510)[0]!.id), histories.has(live(1, 15)[0]!.id)]).toEqual([true, false]);
  expect(histories.pointsDropped).toBe(1500 - 99);
});

test("[FU-71] a track that late data revives continues its history", () => {
  const histories = new Histories(BOUNDS, LIVE_MAX);
  const [track] = live(1);
  const endS = fly(histories, [track!], 1, 10);
  histories.end(track!.id);
  fly(histories, [track!], endS, 10);
  expect(lengthOf(histories, track!)).toBe(20);
  expect(histories.pointsDropped).toBe(0);
});

test("[FU-71] an hour is kept, and points that become too old are not counted as dropped", () => {
  const histories = new Histories(BOUNDS, LIVE_MAX);
  const [track] = live(1);
  fly(histories, [track!], 1, 4000);
  const points = histories.points(track!.id, 0);
  expect([points.length, points[0]!.atMs, points.at(-1)!.atMs]).toEqual([3600, 401_000, 4_000_000]);
  expect(histories.pointsDropped).toBe(0);
});

test("[FU-71] live tracks share the limit: each has a history, and tracks of one age have about as much", () => {
  const histories = new Histories({ ...BOUNDS, pointsMax: 8000 }, LIVE_MAX);
  const first = live(4);
  const untilS = fly(histories, first, 1, 3000);
  const full = first.map((track) => lengthOf(histories, track));
  expect(Math.min(...full)).toBeGreaterThanOrEqual(1024);
  const later = live(20, 100);
  fly(histories, later, untilS, 1000);
  const lengths = [...first, ...later].map((track) => lengthOf(histories, track));
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(128);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(512);
  expect(lengths.reduce((a, b) => a + b)).toBeLessThanOrEqual(8000);
  const told = 4 * 3000 + 20 * 1000;
  expect(histories.pointsDropped).toBe(told - lengths.reduce((a, b) => a + b));
  // The newest points are left.
  expect(histories.points(later[0]!.id, 0).at(-1)!.atMs).toBe((untilS + 999) * 1000);
});
