/** How soon after a step its changes are sent. */
import { expect, test } from "vitest";
import { STREAMS_FLUSHED_EACH_STEP_MAX } from "../../src/limits.ts";
import { createBeat } from "../../src/room/pace.ts";

test.each([
  [STREAMS_FLUSHED_EACH_STEP_MAX, "step flush step flush step flush step flush"],
  [STREAMS_FLUSHED_EACH_STEP_MAX + 1, "step step flush step step flush"],
])("[ST-60] with %i streams changes are sent in this rhythm: %s", (sessions, rhythm) => {
  const done: string[] = [];
  const rooms = { sessions, step: () => void done.push("step"), flush: () => void done.push("flush") };
  const beat = createBeat(rooms, { nowMs: () => 0 });
  for (let i = 0; i < 4; i++) beat();
  expect(done.join(" ")).toBe(rhythm);
});
