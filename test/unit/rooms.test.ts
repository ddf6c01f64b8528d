/** The open rooms over a registry that counts its reads: when a room is closed, and what waits for its last writes. */
import { expect, test } from "vitest";
import { UnavailableError } from "../../src/domain/errors.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";
import { Rooms } from "../../src/room/rooms.ts";
import { openRoom, START_MS } from "../support/room.ts";

const ID = "wsp_test";
const LONG_AFTER_MS = START_MS + 3_600_000;

function build() {
  const opened: Room[] = [];
  const rooms = new Rooms({
    roomsMax: 10,
    async open() {
      opened.push(await openRoom(new ManualClock(START_MS)));
      return opened.at(-1)!;
    },
  });
  return { rooms, opened };
}

/** A write that ends when `finish` is called. */
function slowWrite(room: Room) {
  let finish: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { written: room.serially(() => isOpen), finish };
}

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
