/** stream_gen over restarts: however fast a room counted, the next room of its workspace counts above it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRefusal } from "../../src/domain/errors.ts";
import type { Room } from "../../src/room/room.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

let database: TestDatabase;
let picket: TestPicket;
let owner: Member;

beforeAll(async () => {
  database = createTestDatabase();
  picket = await startTestPicket({ DATABASE_URL: await database.locate() });
  owner = await picket.login();
});
afterAll(async () => {
  await picket.stop();
  await database.stop();
});

async function openRoom(of: TestPicket): Promise<Room> {
  const room = await of.picket.rooms.openWorkspace(owner.workspaceId);
  if (isRefusal(room)) throw new Error(room.sentence);
  return room;
}

/** As 400 tracks that move do in a minute and a half, in a moment. */
function countFast(room: Room): number {
  for (let i = 0; i < 200_000; i++) room.hub.publishUnwanted("track_update", Date.now());
  return room.generation;
}

const limitInDatabase = async () => {
  const [row] = await picket.picket.db.run(
    (sql) => sql<{ limit: string }[]>`
      select stream_gen_limit as limit from event_heads where workspace_id = ${owner.workspaceId}`,
  );
  return Number(row?.limit ?? 0);
};

test("[ST-70] numbers continue above the earlier ones when the room is closed and opened again, and after a restart", async () => {
  const first = await openRoom(picket);
  const counted = countFast(first);
  expect(await limitInDatabase()).toBeGreaterThanOrEqual(counted);
  picket.picket.rooms.close(owner.workspaceId, "workspace_idle");
  const second = await openRoom(picket);
  expect(second).not.toBe(first);
  expect(second.generation).toBeGreaterThanOrEqual(counted);
  const countedAgain = countFast(second);
  await picket.stop();
  picket = await startTestPicket({ DATABASE_URL: await database.locate() });
  expect((await openRoom(picket)).generation).toBeGreaterThanOrEqual(countedAgain);
});

test("[ST-70] two processes that have one workspace open never use one number twice", async () => {
  const other = await startTestPicket({ DATABASE_URL: await database.locate() });
  try {
    picket.picket.rooms.close(owner.workspaceId, "workspace_idle");
    const [mine, theirs] = [await openRoom(picket), await openRoom(other)];
    const [mineFrom, theirsFrom] = [mine.generation, theirs.generation];
    const [mineTo, theirsTo] = [countFast(mine), countFast(theirs)];
    expect(mineTo < theirsFrom || theirsTo < mineFrom).toBe(true);
  } finally {
    await other.stop();
  }
});

test("[ST-71] while the database is away a room continues counting, and reserves numbers when it is back", async () => {
  const room = await openRoom(picket);
  const limit = await limitInDatabase();
  database.signal("SIGSTOP");
  try {
    await until("the database is away", () => picket.picket.db.state === "down");
    const before = room.generation;
    expect(countFast(room)).toBe(before + 200_000);
    expect(room.generation).toBeLessThanOrEqual(limit);
  } finally {
    database.signal("SIGCONT");
  }
  await picket.picket.db.ready(60_000);
});
