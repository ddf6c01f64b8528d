/** The service while its database is away: reads go on, writes are 503 and leave nothing, and it comes back by itself. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { QUERY_DEADLINE_MS } from "../../src/limits.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";

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

const session = () => ({ token: owner.token, workspace: owner.workspaceId });
const health = async () => (await picket.request("GET", "/health")).body.data;
const names = async () =>
  (await picket.request("GET", "/api/keys", session())).body.data.map((key: { name: string }) => key.name);

test("[AU-68] while the database is away known credentials read, unknown ones are 503, and writes are 503 without effect", async () => {
  const key = await picket.key("operator", owner);
  const unused = await picket.key("operator", owner);
  for (const asked of [{ key }, session()])
    expect((await picket.request("GET", "/api/tracks", asked)).status).toBe(200);
  const before = await names();
  database.signal("SIGSTOP");
  try {
    const create = () => picket.request("POST", "/api/keys", { ...session(), body: { name: "half" } });
    const startMs = performance.now();
    const first = await create();
    expect([first.status, first.body.code]).toEqual([503, "unavailable"]);
    expect(performance.now() - startMs).toBeLessThan(1.8 * QUERY_DEADLINE_MS);
    expect((await create()).status).toBe(503);
    for (const asked of [{ key }, session()])
      expect((await picket.request("GET", "/api/tracks", asked)).status).toBe(200);
    const unknown = await picket.request("GET", "/api/tracks", { key: unused });
    expect([unknown.status, unknown.body.code]).toEqual([503, "unavailable"]);
    const refresh = await picket.request("POST", "/api/auth/refresh", { body: { refresh_token: owner.refresh } });
    expect(refresh.status).toBe(503);
    expect(await health()).toMatchObject({ status: "degraded", checks: { db: "down" } });
  } finally {
    database.signal("SIGCONT");
  }
  await picket.picket.db.ready(60_000);
  expect((await health()).status).toBe("ok");
  expect(await names()).toEqual(before);
  expect((await picket.request("GET", "/api/tracks", { key: unused })).status).toBe(200);
  const refreshed = await picket.request("POST", "/api/auth/refresh", { body: { refresh_token: owner.refresh } });
  expect(refreshed.status).toBe(200);
});

test("[CA-22] reference data is answered without the database, also where the room is not open, to members only", async () => {
  const paths = [
    "catalog/builtins",
    "catalog/products",
    "catalog/sensor-profiles",
    "catalogue/types",
    "catalogue/verbs",
  ];
  const [newcomer, stranger] = [await picket.login(), await picket.login()];
  const asked = { token: newcomer.token, workspace: newcomer.workspaceId };
  const statuses = (of: object) =>
    Promise.all(paths.map(async (path) => (await picket.request("GET", `/api/${path}`, of)).status));
  database.signal("SIGSTOP");
  try {
    expect(await statuses(asked)).toEqual(paths.map(() => 200));
    expect(await statuses({ ...asked, token: stranger.token })).toEqual(paths.map(() => 403));
    expect(await statuses({})).toEqual(paths.map(() => 401));
    expect((await picket.request("GET", "/api/picture", asked)).status).toBe(503);
    // The deadline of that one has passed: from here on the service knows that the database is away.
    expect(await statuses(asked)).toEqual(paths.map(() => 200));
  } finally {
    database.signal("SIGCONT");
  }
  await picket.picket.db.ready(60_000);
  expect((await picket.request("GET", "/api/picture", asked)).status).toBe(200);
});

test("[AU-14] without SMTP_URL and without DEV_MODE login is 503 not_configured", async () => {
  const closed = await startTestPicket({ DATABASE_URL: await database.locate(), DEV_MODE: "0" });
  try {
    const { status, body } = await closed.request("POST", "/api/auth/login", { body: { email: "a@example.com" } });
    expect([status, body.code]).toEqual([503, "not_configured"]);
  } finally {
    await closed.stop();
  }
});
