/** The queue of a room's writes: a failing job does not stop the next, and the queue is bounded. */
import { expect, test } from "vitest";
import { WRITES_WAITING_MAX } from "../../src/limits.ts";
import { WriteQueue } from "../../src/room/writeQueue.ts";

test("[TK-62] a write that throws before it returns a promise fails alone: the writes behind it go on", async () => {
  const queue = new WriteQueue();
  const failed = queue.run(() => {
    throw new Error("broken");
  });
  const behind = queue.run(async () => "written");
  await expect(failed).rejects.toThrow("broken");
  expect(await behind).toBe("written");
  expect(await queue.run(async () => "later")).toBe("later");
});

test("[TK-63] over WRITES_WAITING_MAX a write is refused, counted and not done; an abort still finds room", async () => {
  const queue = new WriteQueue();
  const done: number[] = [];
  const all = Array.from({ length: WRITES_WAITING_MAX }, (_, i) => queue.run(async () => void done.push(i)));
  const over = queue.run(async () => void done.push(-1));
  const abort = queue.run(async () => void done.push(-2), true);
  await expect(over).rejects.toMatchObject({ refusal: { code: "overloaded", headers: { "Retry-After": "2" } } });
  expect(queue.refusedFull).toBe(1);
  await abort;
  await Promise.all(all);
  expect([done.length, done[0]]).toEqual([WRITES_WAITING_MAX + 1, -2]);
});
