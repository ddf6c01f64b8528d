/** The numbers of stream events: used only below a limit that was written down, and what happens when there are none left. */
import { expect, test } from "vitest";
import { isRefusal } from "../../src/domain/errors.ts";
import { ALL_DOMAIN_MASK } from "../../src/domain/events.ts";
import { type NumberBlock, Numbering } from "../../src/stream/numbering.ts";
import { openHub } from "../support/openHub.ts";
import { TestSink } from "../support/sse.ts";

const OWNER = { kind: "user", userId: "usr_1", sessionId: "ses_1" } as const;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A registry that gives blocks of ten when it is asked to answer. */
function build(first: NumberBlock = { above: 100, limit: 110 }) {
  const asked: { give: (block: NumberBlock) => void; fail: () => void }[] = [];
  const hub = openHub({
    sessionsMax: 2,
    snapshot: () => ({ tracksJson: "[]", generation: hub.generation }),
    slices: () => [],
    numbering: new Numbering({
      first,
      reserve: () => new Promise((give, reject) => asked.push({ give, fail: () => reject(new Error("away")) })),
    }),
  });
  let nowMs = 1000;
  const publish = (count: number) => Array.from({ length: count }, () => hub.publish("obs", { at: "x" }, nowMs)).at(-1);
  return { hub, asked, publish, flush: (ms = 50) => hub.flush((nowMs += ms)) };
}

function attach({ hub }: ReturnType<typeof build>): TestSink {
  const sink = new TestSink();
  expect(isRefusal(hub.attach(sink, ALL_DOMAIN_MASK, OWNER, 1000))).toBe(false);
  return sink;
}

test("[ST-71] the next block is requested once when half of this one is used, and no flush waits for it", async () => {
  const room = build();
  room.publish(4);
  room.flush();
  expect(room.asked).toHaveLength(0);
  room.publish(1);
  room.flush();
  room.flush();
  expect(room.asked).toHaveLength(1);
  expect(room.publish(4)).toBe(109);
  room.asked[0]!.give({ above: 110, limit: 120 });
  await settled();
  expect(room.publish(6)).toBe(115);
});

test("[ST-71] while numbers cannot be reserved the request is repeated once a second", async () => {
  const room = build();
  room.publish(5);
  room.flush();
  room.asked[0]!.fail();
  await settled();
  room.flush(900);
  expect(room.asked).toHaveLength(1);
  room.flush(100);
  expect(room.asked).toHaveLength(2);
});

test("[ST-70] a block that begins above the last one is a jump: no number is used twice, none goes back", async () => {
  const room = build();
  const sink = attach(room);
  room.publish(5);
  room.flush();
  room.asked[0]!.give({ above: 500, limit: 510 });
  await settled();
  expect(room.publish(1)).toBe(501);
  room.flush();
  const gens = sink
    .take()
    .flatMap(({ data }) => (data.stream_gen === undefined ? [] : [[data.prev_gen, data.stream_gen]]));
  expect(gens).toEqual([
    [null, 101],
    [101, 102],
    [102, 103],
    [103, 104],
    [104, 105],
    [105, 501],
  ]);
});

test("[ST-72] with no number left all streams end and none is opened; the count stands still until there are numbers", async () => {
  const room = build();
  const sink = attach(room);
  room.publish(10);
  room.flush();
  expect(room.publish(3)).toBe(110);
  expect([sink.ended, room.hub.sessions, room.hub.generation]).toEqual([true, 0, 110]);
  expect(sink.text).toContain(": events cannot be numbered while the database is away");
  expect(room.hub.attach(new TestSink(), ALL_DOMAIN_MASK, OWNER, 1000)).toMatchObject({ code: "unavailable" });
  room.asked[0]!.give({ above: 110, limit: 120 });
  await settled();
  attach(room);
  expect(room.publish(1)).toBe(111);
});
