/** More scans than a step has time for: fused over several steps, with the same final state as in one. */
import { expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { openRoom, push, START_MS, sky } from "../support/room.ts";

/** Each call advances the clock, so that the step's budget is over after two pieces. */
class CostlyClock extends ManualClock {
  #spentMs = 0;
  override monotonicMs(): number {
    this.#spentMs += 200;
    return this.#spentMs;
  }
}

async function work(clock: ManualClock, order: <T>(scans: T[]) => T[]) {
  const room = await openRoom(clock);
  // Many small scans: every detection at its own time, reported by many sensors at one place.
  const small = sky(4).flatMap((scan) =>
    scan.detections.map((detection, i) => ({
      ...scan,
      scan_id: `${scan.scan_id} ${i}`,
      measured_at: scan.measured_at + i,
      detections: [detection],
    })),
  );
  const many = Array.from({ length: Math.ceil(4000 / small.length) }, (_, i) =>
    small.map((scan) => ({ ...scan, source_id: `${scan.source_id}-${i}` })),
  ).flat();
  clock.set(START_MS + 4100);
  expect(push(room, order(many), START_MS + 4100)).toMatchObject({ accepted: many.length, late: 0 });
  const queued = room.fusionHealth().queue;
  let steps = 0;
  while (room.fusionHealth().queue > 0) {
    room.step(START_MS + 4100);
    steps++;
  }
  return { room, queued, steps, ids: [...room.tracks.all()].map(({ id }) => id).sort() };
}

test("[FU-50] a backlog is worked off in pieces, oldest first, and ends in the same picture", async () => {
  const once = await work(new ManualClock(START_MS), (scans) => scans);
  const pieces = await work(new CostlyClock(START_MS), (scans) => scans);
  const backwards = await work(new CostlyClock(START_MS), (scans) => scans.reverse());
  expect(once.queued).toBeGreaterThan(2100);
  expect([once.steps, pieces.steps > 1, backwards.steps > 1]).toEqual([1, true, true]);
  expect(once.ids.length).toBeGreaterThan(5);
  expect(pieces.ids).toEqual(once.ids);
  expect(backwards.ids).toEqual(once.ids);
  expect(pieces.room.fusionHealth().dropped).toEqual(once.room.fusionHealth().dropped);
});
