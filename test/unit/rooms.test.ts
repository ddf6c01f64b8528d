/** The open rooms over a registry that counts its reads: when a room is closed, and what waits for its last writes. */
import { expect, test } from "vitest";
import { isRefusal, UnavailableError } from "../../src/domain/errors.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { ROOM_GIVES_WAY_AFTER_MS } from "../../src/limits.ts";
import type { Room } from "../../src/room/room.ts";
import { Rooms } from "../../src/room/rooms.ts";
import { openRoom, push, START_MS, sky } from "../support/room.ts";

const ID = "wsp_test";
const LONG_AFTER_MS = START_MS + 3_600_000;

function build(roomsMax = 10) {
  const opened: Room[] = [];
  const clock = new ManualClock(START_MS);
  const rooms = new Rooms({
    roomsMax,
    clock,
    async open() {
      opened.push(await openRoom(clock));
      return opened.at(-1)!;
    },
  });
  return { rooms, opened, clock };
}

/** A write that ends when `finish` is called. */
function slowWrite(room: Room) {
  let finish: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { written: room.serially(() => isOpen), finish };
}

const openIds = (rooms: Rooms) => ids.filter((id) => rooms.get(id) !== undefined);
const ids = ["a", "b", "c", "d"];

test("[TK-61] a room with a waiting or running write is not closed as idle", async () => {
  const { rooms } = build();
  const room = (await rooms.openWorkspace(ID)) as Room;
  const { written, finish } = slowWrite(room);
  rooms.closeIdle(LONG_AFTER_MS);
  expect(rooms.get(ID) === room).toBe(true);
  finish();
  await written;
  await new Promise((resolve) => setImmediate(resolve));
  rooms.closeIdle(LONG_AFTER_MS);
  expect(rooms.get(ID) === undefined).toBe(true);
});

test("[TK-61] opening a closed room waits until its accepted writes are done", async () => {
  const { rooms, opened } = build();
  const room = (await rooms.openWorkspace(ID)) as Room;
  const { written, finish } = slowWrite(room);
  const behind = room.serially(async () => "written");
  rooms.close(ID, "workspace_changed");
  const opening = Promise.resolve(rooms.openWorkspace(ID));
  let isWritten = false;
  void rooms.written().then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([opened.length, isWritten]).toEqual([1, false]);
  finish();
  await written;
  expect(await behind).toBe("written");
  expect((await opening) === opened[1]).toBe(true);
  await rooms.written();
  expect(isWritten).toBe(true);
});

test("[TK-61] a write that comes to a closed room is 503 and not done, and can be repeated", async () => {
  const { rooms } = build();
  const room = (await rooms.openWorkspace(ID)) as Room;
  rooms.close(ID, "workspace_changed");
  let isDone = false;
  const late = room.serially(async () => {
    isDone = true;
  });
  await expect(late).rejects.toThrow(UnavailableError);
  await expect(late).rejects.toMatchObject({ outcomeUnknown: false });
  expect(isDone).toBe(false);
});

test("[TK-76] when every place is taken, the room without data, streams and tasks that was asked for longest ago gives way", async () => {
  const { rooms, clock } = build(3);
  for (const id of ["a", "b", "c"]) await rooms.openWorkspace(id);
  // Asked for again, so "b" is the oldest.
  void rooms.openWorkspace("a");
  expect(isRefusal(await rooms.openWorkspace("d"))).toBe(false);
  expect(openIds(rooms)).toEqual(["a", "c", "d"]);
  clock.advance(100);
  push(rooms.get("c")!, sky(1), clock.nowMs());
  await rooms.openWorkspace("b");
  expect(openIds(rooms)).toEqual(["b", "c", "d"]);
});

test("[TK-76] a room with data, a stream or a running write does not give way; when all have one, the asker is refused and told when to come back", async () => {
  const { rooms, clock } = build(3);
  for (const id of ["a", "b", "c"]) await rooms.openWorkspace(id);
  clock.advance(100);
  push(rooms.get("a")!, sky(1), clock.nowMs());
  const sink = { write: () => true, end: () => undefined } as never;
  rooms.get("b")!.openStream(sink, 0, { userId: "usr_a" } as never, clock.nowMs());
  const { written, finish } = slowWrite(rooms.get("c")!);
  expect(await rooms.openWorkspace("d")).toMatchObject({ code: "overloaded", headers: { "Retry-After": "30" } });
  expect(openIds(rooms)).toEqual(["a", "b", "c"]);
  finish();
  await written;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isRefusal(await rooms.openWorkspace("d"))).toBe(false);
  expect(openIds(rooms)).toEqual(["a", "b", "d"]);
});

test("[TK-76] data holds a room for a minute", async () => {
  const { rooms, clock } = build(1);
  const room = (await rooms.openWorkspace("a")) as Room;
  clock.advance(100);
  push(room, sky(1), clock.nowMs());
  while (!room.isFused) room.step(clock.nowMs());
  clock.advance(ROOM_GIVES_WAY_AFTER_MS - 1);
  expect(isRefusal(await rooms.openWorkspace("b"))).toBe(true);
  clock.advance(1);
  expect(isRefusal(await rooms.openWorkspace("b"))).toBe(false);
  // A request that found the room before it gave way cannot lose its observations in it.
  expect(room.hasRoomFor(1)).toBe(false);
});
