/** When the rooms step and when they send to their streams. The timer that calls it is in src/app/picket.ts. */
import type { Clock } from "../lib/clock.ts";
import { STEP_PERIOD_MS, STREAM_FLUSH_PERIOD_MS, STREAMS_FLUSHED_EACH_STEP_MAX } from "../limits.ts";
import type { Rooms } from "./rooms.ts";

const STEPS_A_FLUSH = STREAM_FLUSH_PERIOD_MS / STEP_PERIOD_MS;

/**
 * One beat, every STEP_PERIOD_MS; a late beat is one longer step, never two. The changes of a step are flushed right after
 * it; with many streams after every second step, because a flush costs a system call per stream.
 */
export function createBeat(rooms: Pick<Rooms, "step" | "flush" | "sessions">, clock: Pick<Clock, "nowMs">): () => void {
  let steps = 0;
  return () => {
    rooms.step(clock.nowMs());
    steps++;
    if (rooms.sessions <= STREAMS_FLUSHED_EACH_STEP_MAX || steps % STEPS_A_FLUSH === 0) rooms.flush(clock.nowMs());
  };
}
