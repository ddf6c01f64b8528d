/** The catalogue's routes against the real edge and a real embedded Postgres. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/db/client.ts";
import { embeddedDatabase } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { VERBS } from "../../src/domain/catalogue.ts";
import { catalogueRoutes } from "../../src/features/catalogue/routes.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";
import { HOME, startEdge, type TestEdge } from "../support/server.ts";

const config = { host: "127.0.0.1", port: 8077, publicUrl: null, mavlinkUdp: null };
const folder = mkdtempSync(join(tmpdir(), "picket-catalogue-"));
const embedded = embeddedDatabase(folder);
let db: Database;
let edge: TestEdge;

beforeAll(async () => {
  db = openDatabase({
    locate: async () => (await embedded.start()).url,
    prepare: async (sql) => void (await migrate(sql, resolve("sql"))),
  });
  await db.ready(60_000);
  await db.run((sql) => sql`insert into workspaces (id, name) values (${HOME}, ${HOME})`);
  edge = await startEdge(
    catalogueRoutes({
      db,
      config,
      clock: systemClock,
      onChanged: async () => undefined,
      whyNotChanged: () => null,
      onRenamed: async () => () => undefined,
    }),
    {
      openWorkspace: (id) =>
        ({ id, ownerEpoch: 0, generation: 1, environment: "live", serially: (work) => work() }) as Room,
    },
  );
});

afterAll(async () => {
  await edge?.drain(1000);
  await db?.stop();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(
  method: string,
  path: string,
  body?: unknown,
  role = "admin",
  headers: Record<string, string> = {},
) {
  const response = await fetch(`http://127.0.0.1:${edge.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${role}`,
      "x-workspace-id": HOME,
      "content-type": "application/json",
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, headers: response.headers, json: (text === "" ? null : JSON.parse(text)) as any };
}

const spec = { type: "quadrotor", domain: "air", performance: { max_mps: 25 } };

test("[CA-63] reference data is served in the envelope, with an ETag that saves a second transfer", async () => {
  const types = await call("GET", "/api/catalogue/types", undefined, "viewer");
  expect([types.status, types.json.ok, types.json.data.types.length, types.json.data.protocol_families.length]).toEqual(
    [200, true, 105, 18],
  );
  const again = await call("GET", "/api/catalogue/types", undefined, "viewer", {
    "if-none-match": types.headers.get("etag")!,
  });
  expect([again.status, again.json]).toEqual([304, null]);
  expect((await call("GET", "/api/catalog/builtins")).json.data[0]).toMatchObject({
    name: expect.any(String),
    kind: "vehicle",
    spec: {},
    capability: {},
  });
  expect((await call("GET", "/api/catalog/products")).json.data.products.length).toBeGreaterThan(5);
  expect((await call("GET", "/api/catalog/sensor-profiles")).json.data[0]).toMatchObject({
    modality: "radar",
    bearing_only: false,
  });
});

test("[CA-64] GET /api/catalogue/verbs lists every verb once, with the schema of its parameters", async () => {
  const { status, json } = await call("GET", "/api/catalogue/verbs", undefined, "viewer");
  expect(status).toBe(200);
  expect(json.data.map((verb: { schema_id: string }) => verb.schema_id)).toEqual([...VERBS]);
  expect(json.data.find((verb: { name: string }) => verb.name === "look_at")).toMatchObject({
    title: "Look at",
    params_kind: "point",
    params_kinds: ["point", "track", "angle"],
    params_schema: { anyOf: [{ title: "LookAtParams" }, { title: "TrackParams" }, { title: "AngleParams" }] },
    slot: "pointing",
    requires_confirm: false,
  });
});

test("[CA-15] the list adds the missing built-ins, exactly once for many requests at once", async () => {
  const lists = await Promise.all(
    Array.from({ length: 10 }, () => call("GET", "/api/catalog/entries", undefined, "viewer")),
  );
  for (const list of lists) expect([list.status, list.json.data.length]).toEqual([200, 14]);
  expect(new Set(lists.flatMap((list) => list.json.data.map((row: { id: string }) => row.id))).size).toBe(14);
});

test("[CA-16] a create answers 200 with its id and is read back; creating the name again keeps the id", async () => {
  const made = await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "Scout One", spec });
  expect([made.status, made.json.data.name, made.json.data.spec]).toEqual([200, "Scout One", spec]);
  const { id } = made.json.data;
  expect((await call("GET", `/api/catalog/entries/${id}`)).json.data).toEqual(made.json.data);
  const again = await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "SCOUT-ONE", spec });
  expect(again.json.data.id).toBe(id);
});

test("[CA-17] an edit keeps the kind and name that it does not send, and refuses a name that is taken", async () => {
  const { id } = (await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "Scout Two", spec })).json.data;
  const edited = await call("POST", `/api/catalog/entries/${id}`, { spec: { ...spec, model: "S2" } });
  expect(edited.json.data).toMatchObject({ id, kind: "vehicle", name: "Scout Two", spec: { model: "S2" } });
  const nulls = await call("POST", `/api/catalog/entries/${id}`, { spec, kind: null, name: null });
  expect([nulls.status, nulls.json.data?.kind, nulls.json.data?.name]).toEqual([200, "vehicle", "Scout Two"]);
  const taken = await call("POST", `/api/catalog/entries/${id}`, { spec, name: "quad rotor" });
  expect([taken.status, taken.json.code]).toEqual([400, "invalid_input"]);
});

test("[CA-61] an entry's name is stored like an asset's: in one Unicode form, trimmed, one line", async () => {
  const made = await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "  \u00dcn\u00ef  ", spec });
  expect(made.json.data.name).toBe("\u00dcn\u00ef");
  const apart = await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "U\u0308ni\u0308", spec });
  expect(apart.json.data).toMatchObject({ id: made.json.data.id, name: "\u00dcn\u00ef" });
  const path = `/api/catalog/entries/${made.json.data.id}`;
  expect((await call("POST", path, { spec, name: " Pa\u0308d " })).json.data.name).toBe("P\u00e4d");
  for (const name of ["a\u2028b", "a\u0085b", "\u200b", "- \ufeff"])
    for (const to of ["/api/catalog/entries", path]) {
      const refused = await call("POST", to, { kind: "vehicle", name, spec });
      expect([refused.status, refused.json.code], JSON.stringify(name)).toEqual([400, "invalid_input"]);
    }
});

test.each(["nonsense", "00000000-0000-4000-8000-000000000000"])(
  "[ED-61] an entry %s that does not exist is 404",
  async (id) => {
    expect((await call("GET", `/api/catalog/entries/${id}`)).status).toBe(404);
    expect((await call("POST", `/api/catalog/entries/${id}`, { spec })).status).toBe(404);
  },
);

test.each([[[]], [null], ["s"], [7]])("[CA-62] a spec of %j is 400 invalid_spec", async (no) => {
  const { id } = (await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "Scout Three", spec })).json.data;
  for (const to of ["/api/catalog/entries", `/api/catalog/entries/${id}`]) {
    const refused = await call("POST", to, { kind: "vehicle", name: "Scout Three", spec: no });
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_spec"]);
    const missing = await call("POST", to, { kind: "vehicle", name: "Scout Three" });
    expect([missing.status, missing.json.code]).toEqual([400, "invalid_input"]);
  }
});

test("[CA-13] a spec that does not parse is 400 and changes nothing", async () => {
  const before = (await call("GET", "/api/catalog/entries")).json.data.length;
  const refused = await call("POST", "/api/catalog/entries", {
    kind: "vehicle",
    name: "Bad",
    spec: { type: "ufo", domain: "air" },
  });
  expect([refused.status, refused.json.code]).toEqual([400, "invalid_spec"]);
  expect((await call("POST", "/api/catalog/entries", { kind: "vehicle", spec })).status).toBe(400);
  expect((await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "\u0007", spec })).status).toBe(400);
  expect((await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "A", spec, color: 1 })).status).toBe(400);
  expect((await call("GET", "/api/catalog/entries")).json.data.length).toBe(before);
});

test("[ED-56] a viewer reads and does not write", async () => {
  const refused = await call("POST", "/api/catalog/entries", { kind: "vehicle", name: "Mine", spec }, "viewer");
  expect([refused.status, refused.json.code]).toEqual([403, "read_only_role"]);
});
