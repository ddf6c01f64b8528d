/** Sending to a far end that reads, reads slowly or does not read, over real sockets. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { SendQueue, type SendQueueBounds } from "../../src/links/net/sendQueue.ts";
import { until } from "../support/until.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const BOUNDS: SendQueueBounds = { unreadBytesMax: 64 << 10, waitingMax: 20_000, stalledMs: 10_000 };
/** Messages of the length of a CoT event, as many as a full room has tracks. */
const MESSAGE = "e".repeat(700);
const MANY = 10_000;

async function pair(): Promise<{ here: Socket; there: Socket }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const there = connect((server.address() as { port: number }).port, "127.0.0.1");
  const [here] = (await accepted) as [Socket];
  ends.push(() => {
    here.destroy();
    there.destroy();
    server.close();
  });
  return { here, there };
}

test("[LK-72] the picture of a full room, sent at once, reaches a far end that reads, a socketful at a time", async () => {
  const { here, there } = await pair();
  let read = 0;
  there.on("data", (data) => {
    read += data.length;
  });
  const queue = new SendQueue(here, BOUNDS);
  for (let i = 0; i < MANY; i++) expect(queue.write(MESSAGE)).toBe(true);
  expect(here.writableLength).toBeLessThan(BOUNDS.unreadBytesMax + 2 * MESSAGE.length);
  await until("all of it", () => read === MANY * MESSAGE.length);
  expect(queue.write("!")).toBe(true);
  await until("what comes after it", () => read === MANY * MESSAGE.length + 1);
});

test("[LK-72] waiting data keeps its order", async () => {
  const { here, there } = await pair();
  let text = "";
  there.on("data", (data) => {
    text += data;
  });
  const queue = new SendQueue(here, { ...BOUNDS, unreadBytesMax: 100 });
  const numbers = Array.from({ length: 3000 }, (_, i) => `${i},`);
  for (const [i, number] of numbers.entries()) {
    queue.write(number);
    if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until("all", () => text.length === numbers.join("").length);
  expect(text).toBe(numbers.join(""));
});

test.each([
  ["owes too much", { waitingMax: 10, stalledMs: 60_000 }],
  ["reads nothing for too long", { waitingMax: 1_000_000, stalledMs: 50 }],
])("[LK-72] a far end that %s is sent no more", async (_, bounds) => {
  const { here, there } = await pair();
  there.pause();
  const queue = new SendQueue(here, { ...BOUNDS, ...bounds });
  let taken = 0;
  await until("refused", () => {
    for (let i = 0; i < 2000; i++) if (queue.write(MESSAGE)) taken++;
    return !queue.write(MESSAGE);
  });
  expect(taken).toBeGreaterThan(0);
});
