/** Explaining a track's last scans after the fact: the same records as on the stream at the time. */
import { expect, test } from "vitest";
import type { FusionExplain } from "../../src/domain/fusionExplain.ts";
import { EXPLAIN_PAST_MS } from "../../src/limits.ts";
import type { TrackExplains } from "../../src/tracker/pastExplains.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { START_MS } from "../support/room.ts";
import { openTracker, run, trackerSky } from "../support/trackerRun.ts";

const ALWAYS = Number.NEGATIVE_INFINITY;

function answerOf(work: Generator<undefined, TrackExplains, undefined>): TrackExplains & { readonly slices: number } {
  for (let slices = 1; ; slices++) {
    const turn = work.next();
    if (turn.done === true) return { ...turn.value, slices };
  }
}

/** The confirmed track with the most hits. */
function busiest(tracker: Tracker, atMs: number): { readonly key: number; readonly id: string } {
  const table = tracker.readTracks(atMs * 1000);
  let best = 0;
  for (let row = 0; row < table.count; row++) if (table.hits[row]! > table.hits[best]!) best = row;
  return { key: table.key[best]!, id: String(table.key[best]!) };
}

/** Reduces the records of the stream to one track, as `explainsOf` does. */
function about(explain: FusionExplain, trackId: string): FusionExplain | null {
  const measurements = explain.measurements.filter(
    ({ track_id, gates }) => track_id === trackId || gates.some((gate) => gate.track_id === trackId),
  );
  const near = new Set([trackId, ...measurements.flatMap(({ gates }) => gates.map(({ track_id }) => track_id))]);
  const tracks = explain.tracks.filter(({ track_id }) => near.has(track_id));
  return measurements.length + tracks.length === 0 ? null : { ...explain, measurements, tracks };
}

test("[FU-84] a track is explained by the records that a stream client got last, late scans included", async () => {
  const arrivals = await trackerSky(20, (i) => 20 + ((i * 7919) % 1500));
  const endMs = START_MS + 22_000;
  const watched = await openTracker();
  watched.explainOn = true;
  run(watched, arrivals, START_MS, endMs);
  expect(watched.health().rewinds).toBeGreaterThan(10);
  expect(watched.health().explainsDropped).toBe(0);
  // A later record of the same scan replaces the earlier one.
  const streamed = new Map(
    watched.takeExplains().map((explain) => [`${explain.sensor_id} ${explain.scan_id}`, explain]),
  );
  const quiet = await openTracker();
  run(quiet, arrivals, START_MS, endMs);
  const before = quiet.stateHash();
  for (const tracker of [watched, quiet]) {
    const { key, id } = busiest(tracker, endMs);
    const expected = [...streamed.values()]
      .map((explain) => about(explain, id))
      .filter((explain) => explain !== null)
      .sort((a, b) => (a.scan_at < b.scan_at ? -1 : a.scan_at > b.scan_at ? 1 : a.sensor_id < b.sensor_id ? -1 : 1));
    const { explains, completeSinceUs } = answerOf(tracker.explainsOf(key, ALWAYS, 10_000));
    expect(expected.length).toBeGreaterThan(30);
    expect(expected.some(({ replayed, rewinds }) => replayed && rewinds.length > 0)).toBe(true);
    expect(explains).toEqual(expected);
    expect(completeSinceUs).toBeLessThanOrEqual(START_MS * 1000 + 1_000_000);
  }
  // Explaining changes nothing.
  expect(quiet.stateHash()).toBe(before);
  expect(quiet.takeExplains()).toEqual([]);
});

test("[FU-85] a track can be explained for the last minute, and no further back than scans are kept", async () => {
  const arrivals = await trackerSky(100, () => 20);
  const endMs = START_MS + 100_000;
  const tracker = await openTracker();
  run(tracker, arrivals, START_MS, endMs);
  const { key } = busiest(tracker, endMs);
  const { explains, completeSinceUs } = answerOf(tracker.explainsOf(key, ALWAYS, 10_000));
  const newestUs = arrivals.at(-1)!.scan.measuredAtUs;
  expect(newestUs - completeSinceUs).toBeGreaterThanOrEqual(EXPLAIN_PAST_MS * 1000);
  expect(newestUs - completeSinceUs).toBeLessThan(EXPLAIN_PAST_MS * 1000 + 20_000_000);
  expect(Date.parse(explains[0]!.scan_at) * 1000 - completeSinceUs).toBeLessThan(2_000_000);
  const gapsMs = explains.slice(1).map((e, i) => Date.parse(e.scan_at) - Date.parse(explains[i]!.scan_at));
  expect(Math.max(...gapsMs)).toBeLessThan(1500);
});

test("[FU-86] since and limit shorten the answer at its old end, and it states from when on it is complete", async () => {
  const arrivals = await trackerSky(30, () => 20);
  const endMs = START_MS + 30_000;
  const tracker = await openTracker();
  run(tracker, arrivals, START_MS, endMs);
  const { key } = busiest(tracker, endMs);
  const whole = answerOf(tracker.explainsOf(key, ALWAYS, 10_000)).explains;
  const last = answerOf(tracker.explainsOf(key, ALWAYS, 5));
  expect(last.explains).toEqual(whole.slice(-5));
  expect(last.completeSinceUs).toBe(Date.parse(last.explains[0]!.scan_at) * 1000);
  const sinceUs = (START_MS + 20_000) * 1000;
  const recent = answerOf(tracker.explainsOf(key, sinceUs, 10_000));
  expect(recent.explains).toEqual(whole.filter(({ scan_at }) => Date.parse(scan_at) * 1000 >= sinceUs));
  expect(recent.completeSinceUs).toBe(sinceUs);
  const nothing = answerOf(tracker.explainsOf(12_345, ALWAYS, 10));
  expect(nothing.explains).toEqual([]);
});

test("[FU-87] an explanation is made in slices, and two at a time disturb neither each other nor the tracker", async () => {
  const arrivals = await trackerSky(60, () => 20);
  const endMs = START_MS + 58_000;
  const tracker = await openTracker();
  run(tracker, arrivals, START_MS, endMs);
  const undisturbed = await openTracker();
  run(undisturbed, arrivals, START_MS, START_MS + 60_000);
  const { key } = busiest(tracker, endMs);
  const table = tracker.readTracks(endMs * 1000);
  const otherKey = [...table.key.subarray(0, table.count)].find((one) => one !== key)!;
  const alone = [key, otherKey].map((one) => answerOf(tracker.explainsOf(one, ALWAYS, 10_000)));
  expect(alone[0]!.slices).toBeGreaterThan(1);
  const works = [key, otherKey].map((one) => tracker.explainsOf(one, ALWAYS, 10_000));
  const answers: TrackExplains[] = [];
  for (let nowMs = endMs; answers.length < 2; nowMs += 50) {
    for (const [i, work] of works.entries()) {
      const turn = work.next();
      if (turn.done === true && turn.value !== undefined) answers[i] = turn.value;
    }
    // The tracker steps in between.
    if (nowMs < START_MS + 60_000) run(tracker, arrivals, nowMs, nowMs + 50);
  }
  for (const [i, { explains }] of answers.entries()) expect(explains).toEqual(alone[i]!.explains);
  run(tracker, arrivals, endMs, START_MS + 60_000);
  expect(tracker.stateHash()).toBe(undisturbed.stateHash());
});

test("[FU-84] an operator's merge is part of the explanation", async () => {
  const arrivals = await trackerSky(20, () => 20);
  const tracker = await openTracker();
  run(tracker, arrivals, START_MS, START_MS + 8000);
  const { key } = busiest(tracker, START_MS + 8000);
  const table = tracker.readTracks((START_MS + 8000) * 1000);
  const otherKey = [...table.key.subarray(0, table.count)].find((one) => one !== key)!;
  tracker.mergeTracks(key, [otherKey], (START_MS + 8000) * 1000);
  run(tracker, arrivals, START_MS + 8000, START_MS + 20_000);
  const endedAt = answerOf(tracker.explainsOf(otherKey, ALWAYS, 10_000)).explains.at(-1)!.scan_at;
  expect(Date.parse(endedAt)).toBeLessThan(START_MS + 8000);
  const last = answerOf(tracker.explainsOf(key, ALWAYS, 1)).explains[0]!;
  expect(last.state_hash).toMatch(/^[0-9a-f]{16}$/);
});
