/** The end of the service over parts that write down when they end, and fail or hang when told to. */
import { afterEach, expect, test, vi } from "vitest";
import { type StoppingParts, stopInOrder } from "../../src/app/stopping.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { openRoom, push, START_MS, sky } from "../support/room.ts";

afterEach(() => {
  vi.useRealTimers();
});

const ORDER = [
  "refuseWaiting",
  "takeNoMore",
  "links",
  "pace",
  "step",
  "flush",
  "drain",
  "written",
  "recorder",
  "use",
  "db",
  "embedded",
];

/** `does` stands in for what a part does at its end. */
function build(does: Partial<Record<string, () => Promise<void>>> = {}) {
  const done: string[] = [];
  const said: string[] = [];
  const end = (name: string) => async () => {
    done.push(name);
    await does[name]?.();
  };
  const rooms = {
    isFused: true,
    step: () => void done.push("step"),
    flush: () => void done.push("flush"),
    written: end("written"),
  };
  const parts: StoppingParts = {
    clock: new ManualClock(0),
    log: { error: (_: unknown, text: string) => void said.push(text) } as never,
    server: { takeNoMore: end("takeNoMore"), drain: end("drain") },
    links: { stop: end("links") },
    rooms,
    stopPace: () => void done.push("pace"),
    recorder: { end: end("recorder") },
    flushUse: end("use"),
    db: { refuseWaiting: () => void done.push("refuseWaiting"), stop: end("db") },
    stopEmbedded: end("embedded"),
  };
  return { done, said, rooms, parts };
}

test("[ED-65] a stop takes no new work, fuses and sends what was accepted, then ends the streams, the event log and the database", async () => {
  const { parts, done } = build();
  await stopInOrder(parts, 8000);
  expect(done).toEqual(ORDER);
});

test("[ED-66] a backlog of several steps is fused before the streams end", async () => {
  const { parts, done } = build();
  let steps = 0;
  const rooms = { ...parts.rooms, step: () => void steps++ };
  Object.defineProperty(rooms, "isFused", { get: () => steps >= 3 });
  await stopInOrder({ ...parts, rooms }, 8000);
  expect([steps, done.at(-6)]).toEqual([3, "drain"]);
});

test("[ED-66] a backlog that cannot be fused in time holds up the stop for its share of the deadline only, and is logged", async () => {
  const { parts, done, said } = build();
  const clock = new ManualClock(0);
  const rooms = { ...parts.rooms, isFused: false, step: () => clock.advance(250), flush: () => undefined };
  await expect(stopInOrder({ ...parts, clock, rooms }, 8000)).rejects.toThrow("failed to stop");
  expect([clock.nowMs(), said.length, done.at(-1)]).toEqual([2000, 1, "embedded"]);
});

test("[ED-66] a room counts as not fused from the observation to the step", async () => {
  const room = await openRoom(new ManualClock(START_MS));
  expect(room.isFused).toBe(true);
  push(room, sky(1).slice(0, 1), START_MS);
  expect(room.isFused).toBe(false);
  room.step(START_MS);
  expect(room.isFused).toBe(true);
});

test.each(["takeNoMore", "links", "drain", "written", "recorder", "use", "db"])(
  "[ED-67] given the stop of %s fails, every part after it is still stopped, and the fault is logged",
  async (name) => {
    const { parts, done, said } = build({ [name]: () => Promise.reject(new Error("broken")) });
    await expect(stopInOrder(parts, 8000)).rejects.toThrow("failed to stop");
    expect(done).toEqual(ORDER);
    expect(said).toHaveLength(1);
  },
);

test("[ED-67] an event log that never finishes holds up the database for its share of the deadline only", async () => {
  vi.useFakeTimers();
  const { parts, done } = build({ recorder: () => new Promise(() => undefined) });
  const stopped = stopInOrder(parts, 8000).catch((fault: Error) => fault.message);
  await vi.advanceTimersByTimeAsync(2001);
  expect(await stopped).toContain("failed to stop");
  expect(done).toEqual(ORDER);
});

test("[ED-67] parts that all take their whole share leave the database the last quarter of the deadline", async () => {
  const { parts, done } = build();
  const clock = new ManualClock(0);
  const take = async (ms: number) => clock.advance(ms);
  const rooms = { ...parts.rooms, isFused: false, step: () => clock.advance(100), flush: () => undefined };
  let databaseAtMs = 0;
  const db = {
    refuseWaiting: () => undefined,
    async stop() {
      databaseAtMs = clock.monotonicMs();
    },
  };
  const links = { stop: () => take(500) };
  const stopped = stopInOrder({ ...parts, clock, rooms, links, db, server: { takeNoMore: take, drain: take } }, 8000);
  await expect(stopped).rejects.toThrow("failed to stop");
  expect([databaseAtMs, done.at(-1)]).toEqual([6000, "embedded"]);
});
