/** Another process took the workspace over: the old room makes no more writes and is closed. */
import { expect, test } from "vitest";
import { useService } from "../support/frontDoor.ts";
import { openStream } from "../support/sse.ts";

const front = useService();

const db = () => front.service.picket.db;
const id = () => front.owner.workspaceId;
const session = () => ({ token: front.owner.token, workspace: id() });

/** Takes the workspace over, as another process would. */
const takeOver = () => db().run((sql) => sql`update event_heads set epoch = epoch + 1 where workspace_id = ${id()}`);

/** Every row of the workspace, so that any write shows. */
async function rows(): Promise<unknown> {
  const counted: Record<string, unknown> = {};
  await db().run(async (sql) => {
    for (const table of ["assets", "tasks", "events", "links", "api_keys", "memberships", "catalogue_entries"])
      counted[table] = await sql`select * from ${sql(table)} where workspace_id = ${id()} order by 1, 2`;
    counted.ignored = await sql`select * from ignored_discoveries where workspace_id = ${id()}`;
    counted.name = await sql`select name from workspaces where id = ${id()}`;
  });
  return JSON.parse(JSON.stringify(counted), (key, value) => (key === "last_used_at" ? null : value));
}

test("[AU-77] a room makes no write after another process took its workspace over, and the next room does", async () => {
  const asset = await front.made({ name: "Hawk", catalog_name: "quadrotor" });
  const removed = await front.made({ name: "Gone", catalog_name: "quadrotor" });
  const key = (await front.ask("POST", "/api/keys", { name: "spare", role: "viewer" }, session())).body.data;
  const friend = await front.service.login();
  const link = (await front.ask("POST", "/api/links", { protocol: "cot_xml", port: 0 })).body.data;
  const members = `/api/workspaces/${id()}/members`;
  const writes: [string, string, object | undefined, object?][] = [
    ["POST", "/api/assets", { name: "New", catalog_name: "quadrotor" }],
    ["POST", `/api/assets/${asset}`, { name: "Renamed", spec: {} }],
    ["POST", `/api/assets/${asset}/bind`, { key: "SERIAL-1" }],
    ["POST", `/api/assets/${asset}/command`, { verb: "abort" }],
    ["DELETE", `/api/assets/${removed}`, undefined],
    ["GET", "/api/catalog/entries", undefined],
    ["POST", "/api/catalog/entries", { kind: "vehicle", name: "Own", spec: { type: "quadrotor", domain: "air" } }],
    ["POST", "/api/keys", { name: "another", role: "viewer" }, session()],
    ["DELETE", `/api/keys/${key.id}`, undefined, session()],
    ["POST", "/api/links", { protocol: "cot_xml", port: 0 }],
    ["DELETE", `/api/links/${link.id}`, undefined],
    ["POST", members, { email: friend.email, role: "viewer" }, session()],
    ["POST", `${members}/${friend.userId}`, { role: "operator" }, session()],
    ["DELETE", `${members}/${friend.userId}`, undefined, session()],
    ["POST", `/api/workspaces/${id()}`, { name: "Another name" }, session()],
  ];
  for (const [method, path, body, asked] of writes) {
    // Opens the room under the current epoch.
    expect((await front.ask("GET", "/api/assets")).status).toBe(200);
    await takeOver();
    const before = await rows();
    const fenced = await front.ask(method, path, body, asked);
    expect([method, path, fenced.status, fenced.body.code]).toEqual([method, path, 503, "unavailable"]);
    expect(await rows(), `${method} ${path}`).toEqual(before);
    const again = await front.ask(method, path, body, asked);
    expect([method, path, again.status < 300 || again.text], again.text).toEqual([method, path, true]);
    if (path !== "/api/catalog/entries" || method === "POST")
      expect(await rows(), `${method} ${path}`).not.toEqual(before);
  }
});

test("[AU-77] the streams of a room that lost its workspace end with the reason", async () => {
  const minted = await front.ask("POST", "/api/auth/stream-ticket", undefined, session());
  expect(minted.status, minted.text).toBe(200);
  const { ticket } = minted.body.data;
  const stream = await openStream(`${front.service.url}/api/stream?ticket=${ticket}`);
  await takeOver();
  expect((await front.ask("POST", "/api/assets", { name: "Late", catalog_name: "quadrotor" })).status).toBe(503);
  expect(await stream.ended()).toContain("another process");
});
