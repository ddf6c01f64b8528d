/**
 * The timeline against the plainest oracle: sort everything, then run it once. What the kernel was given must be the same
 * list, however the scans were shuffled, repeated and cut into calls.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Timeline, type TimelineEntry } from "../../src/tracker/timeline.ts";
import { entryOf, KernelRecorder } from "../support/kernelRecorder.ts";

const OPTIONS = {
  maxLagUs: 5_000_000,
  sweepPeriodUs: 500_000,
  quietUs: 600_000_000,
  keptStatesMax: 6,
  keptBytesMax: 1 << 20,
  weightMax: 10_000,
};
const START_US = 1_700_000_000_000_000;

const scans = fc.uniqueArray(
  fc.record({
    atUs: fc.integer({ min: 0, max: 4_900 }).map((ms) => START_US + ms * 1000),
    source: fc.constantFrom("a", "b", "c"),
    id: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 40, selector: (s) => `${s.atUs} ${s.source} ${s.id}` },
);

function fresh(list: readonly { atUs: number; source: string; id: number }[]): TimelineEntry[] {
  return list.map((s) => entryOf(s.atUs, s.source, String(s.id)));
}

/** Runs the scans in the given calls; each call may also sweep on. */
function eventsAfter(calls: readonly (readonly TimelineEntry[])[], sweepUs: number): KernelRecorder {
  const recorder = new KernelRecorder();
  const timeline = new Timeline(recorder, OPTIONS);
  for (const call of calls) timeline.advance(call, START_US + 1_000_000, () => {});
  timeline.advance([], sweepUs, () => {});
  return recorder;
}

function oracle(list: readonly { atUs: number; source: string; id: number }[], sweepUs: number): string[] {
  const sorted = [...list].sort(
    (a, b) => a.atUs - b.atUs || (a.source < b.source ? -1 : a.source > b.source ? 1 : a.id - b.id),
  );
  const events: string[] = [];
  let next = (Math.floor(sorted[0]!.atUs / OPTIONS.sweepPeriodUs) + 1) * OPTIONS.sweepPeriodUs;
  for (const s of sorted) {
    for (; next <= s.atUs; next += OPTIONS.sweepPeriodUs) events.push(`sweep ${next}`);
    events.push(`scan ${s.atUs} ${s.source} ${s.id}`);
  }
  for (; next <= sweepUs; next += OPTIONS.sweepPeriodUs) events.push(`sweep ${next}`);
  return events;
}

test("[TH-1] any order of arrival inside the window gives the kernel the same events", () => {
  fc.assert(
    fc.property(
      scans,
      fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (list, keys, size) => {
        const order = list.map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
        const shuffled = order.map((i) => list[i]!);
        const calls: TimelineEntry[][] = [];
        for (let i = 0; i < shuffled.length; i += size) calls.push(fresh(shuffled.slice(i, i + size)));
        const sweepUs = START_US + 6_000_000;
        expect(eventsAfter(calls, sweepUs).events).toEqual(oracle(list, sweepUs));
      },
    ),
    { numRuns: 400 },
  );
});

test("[TH-2] a repeated scan changes nothing, whenever it comes", () => {
  fc.assert(
    fc.property(scans, fc.array(fc.nat({ max: 39 }), { maxLength: 20 }), (list, repeats) => {
      const again = repeats.map((i) => list[i % list.length]!);
      const sweepUs = START_US + 6_000_000;
      expect(eventsAfter([fresh(list), fresh(again)], sweepUs).events).toEqual(oracle(list, sweepUs));
    }),
    { numRuns: 200 },
  );
});

test("[TH-3] a restored snapshot continues exactly as the original, late data included", () => {
  fc.assert(
    fc.property(scans, fc.nat(), (list, cut) => {
      const at = cut % (list.length + 1);
      const first = new Timeline(new KernelRecorder(), OPTIONS);
      first.advance(fresh(list.slice(0, at)), START_US, () => {});
      const recorder = new KernelRecorder();
      const second = new Timeline(recorder, OPTIONS);
      second.restore(first.snapshot());
      second.advance(fresh(list.slice(at)), START_US + 6_000_000, () => {});
      expect(recorder.events).toEqual(oracle(list, START_US + 6_000_000));
    }),
    { numRuns: 200 },
  );
});
