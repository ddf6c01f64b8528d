/**
 * Every route of the real table does its work once against the real service, and what it answers is what the description
 * says; then the same requests with one thing wrong each. A route that is added must say in EXAMPLES how it is asked.
 */
import http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { BODY_BYTES_MAX } from "../../src/limits.ts";
import { type Described, readDescription } from "../support/described.ts";
import { EXAMPLES, GUEST, type Situation, seen } from "../support/examples.ts";
import { type Answered, type Asked, type Member, startTestPicket, type TestPicket } from "../support/picket.ts";
import { rawExchange } from "../support/server.ts";

let service: TestPicket;
let described: Described;
let owner: Member;
let situation: Situation;

const asOwner = (asked: Asked = {}): Asked => ({ token: owner.token, workspace: owner.workspaceId, ...asked });

async function firstTrack(): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    await service.request("POST", "/api/signals", asOwner({ body: seen() }));
    const { body } = await service.request("GET", "/api/tracks", asOwner());
    if (body.data.length > 0) return body.data[0].track_id ?? body.data[0].id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no track came of a hundred reports");
}

async function made(path: string, body: object): Promise<string> {
  const answer = await service.request("POST", path, asOwner({ body }));
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.data.id;
}

async function forces(): Promise<Pick<Situation, "assetId" | "taskId" | "linkId" | "discoveryKey">> {
  const assetId = await made("/api/assets", { name: "Falcon", catalog_name: "quadrotor" });
  const discoveries = await service.request("GET", "/api/discoveries", asOwner());
  return {
    assetId,
    taskId: await made(`/api/assets/${assetId}/command`, { verb: "abort" }),
    linkId: await made("/api/links", { protocol: "cot_xml", port: 0 }),
    discoveryKey: discoveries.body.data[0].key,
  };
}

beforeAll(async () => {
  service = await startTestPicket();
  described = readDescription((await service.request("GET", "/api/openapi.json")).body);
  owner = await service.login();
  const guest = await service.login(GUEST);
  await service.key("viewer", owner);
  const keys = await service.request("GET", "/api/keys", asOwner());
  const entries = await service.request("GET", "/api/catalog/entries", asOwner());
  const login = await service.request("POST", "/api/auth/login", { body: { email: GUEST } });
  situation = {
    workspace: owner.workspaceId,
    keyId: keys.body.data[0].id,
    entry: entries.body.data[0],
    guest,
    trackId: await firstTrack(),
    refresh: [guest.refresh, owner.refresh],
    code: login.body.data.code,
    ...(await forces()),
  };
});
afterAll(() => service.stop());

function faultsOf(label: string, answer: Answered, status: number): string[] {
  const [method, path] = label.split(" ") as [string, string];
  const faults = described.faultsOf(method, path, answer);
  if (answer.status !== status)
    faults.unshift(`${label} answered ${answer.status}, not ${status}: ${answer.text.slice(0, 300)}`);
  return faults;
}

test("[ED-70] every route has an example request", () => {
  const routes = service.picket.routes.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(EXAMPLES), "GET /api/stream"].sort()).toEqual(routes.sort());
});

test("[ED-71] every route answers as described, with no member more", async () => {
  const faults: string[] = [];
  for (const [label, exampleOf] of Object.entries(EXAMPLES)) {
    const [method, path] = label.split(" ") as [string, string];
    const { body, status = 200, path: filled = path } = exampleOf(situation);
    const answer = await service.request(method, filled, asOwner(body === undefined ? {} : { body }));
    faults.push(...faultsOf(label, answer, status));
    if (status === 201 && !answer.headers.get("location")) faults.push(`${label} names no Location`);
  }
  expect(faults).toEqual([]);
});

test("[ED-80] a read that has another form is described in that form, too", async () => {
  await firstTrack();
  const answer = await service.request("GET", "/api/tracks?format=geojson", asOwner());
  expect(answer.headers.get("content-type")).toBe("application/geo+json");
  expect(answer.body.features.length).toBeGreaterThan(0);
  expect(faultsOf("GET /api/tracks", answer, 200)).toEqual([]);
});

test("[ED-72] a Location leads to what was created", async () => {
  const made = await service.request("POST", "/api/workspaces", asOwner({ body: { name: "West" } }));
  const read = await service.request("GET", made.headers.get("location")!, asOwner({ workspace: made.body.data.id }));
  expect([read.status, read.body.data]).toEqual([200, made.body.data]);
});

test("[ED-73] HEAD answers what GET does, without its body", async () => {
  for (const path of ["/", "/health", "/api/me", "/api/tracks", "/api/openapi.json", "/api/docs/"]) {
    const [head, get] = [await service.request("HEAD", path, asOwner()), await service.request("GET", path, asOwner())];
    expect([head.status, head.text, head.headers.get("content-type")], path).toEqual([
      200,
      "",
      get.headers.get("content-type"),
    ]);
  }
});

test("[ED-74] a ticket opens one stream, which begins with the snapshot", async () => {
  const minted = await service.request("POST", "/api/auth/stream-ticket", asOwner());
  const open = () => fetch(`${service.url}/api/stream?ticket=${minted.body.data.ticket}`);
  const stream = await open();
  expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const reader = stream.body!.getReader();
  let text = "";
  while (!text.includes("event:")) text += Buffer.from((await reader.read()).value!).toString();
  expect(text).toContain("event: snapshot\n");
  await reader.cancel();
  const again = await open();
  const body = (await again.json()) as { code: string };
  expect([again.status, body.code]).toEqual([401, "ticket_invalid"]);
});

interface Leaf {
  readonly name: string;
  readonly value: unknown;
  /** A copy of the whole with another value here. */
  with(value: unknown): unknown;
}

function leavesOf(whole: unknown, name = ""): Leaf[] {
  if (typeof whole !== "object" || whole === null) return [{ name, value: whole, with: (value) => value }];
  return Object.entries(whole).flatMap(([key, part]) =>
    leavesOf(part, key).map((leaf) => ({
      ...leaf,
      with: (value: unknown) =>
        Array.isArray(whole) ? whole.with(Number(key), leaf.with(value)) : { ...whole, [key]: leaf.with(value) },
    })),
  );
}

/** Every route that takes JSON by a schema, with its example. */
function bodies(): { route: Route; path: string; body: object }[] {
  return service.picket.routes.flatMap((route) => {
    if (route.body === undefined || route.body.raw === true) return [];
    const { path = route.path, body } = EXAMPLES[`${route.method} ${route.path}`]!(situation);
    return [{ route, path, body: body as object }];
  });
}

test("[ED-75] a member of another type is refused by name, numbers as strings included", async () => {
  const faults: string[] = [];
  let numbers = 0;
  for (const { route, path, body } of bodies())
    for (const leaf of leavesOf(body)) {
      if (typeof leaf.value === "number") numbers++;
      const wrong = typeof leaf.value === "string" ? 7 : leaf.value === null ? [] : String(leaf.value);
      const answer = await service.request(route.method, path, asOwner({ body: leaf.with(wrong) }));
      const named = answer.status === 400 && String(answer.body.error).includes(leaf.name);
      if (!named) faults.push(`${route.method} ${path} ${leaf.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      faults.push(...described.faultsOf(route.method, route.path, answer));
    }
  expect(faults).toEqual([]);
  expect(numbers).toBeGreaterThan(1);
});

test("[ED-76] on every route a body over its limit is 413, and one nested too deep or with a prototype key is 400", async () => {
  const faults: string[] = [];
  for (const route of service.picket.routes.filter((one) => one.body !== undefined)) {
    const { path = route.path } = EXAMPLES[`${route.method} ${route.path}`]!(situation);
    const limit = route.body.raw === true ? route.body.bytesMax : BODY_BYTES_MAX;
    const large = await rawExchange(
      Number(new URL(service.url).port),
      `${route.method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\nX-Workspace-Id: ${owner.workspaceId}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${limit + 1}\r\n\r\n`,
    );
    if (!large.startsWith("HTTP/1.1 413 ") || !large.includes('"payload_too_large"'))
      faults.push(`${route.method} ${path} took ${limit + 1} bytes: ${large.slice(0, 300)}`);
    for (const body of [
      "[".repeat(100_000),
      `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
      '{"__proto__":{"admin":true}}',
    ]) {
      const asked = asOwner({ body, headers: { "Content-Type": "application/json" } });
      const answer = await service.request(route.method, path, asked);
      if (answer.status !== 400)
        faults.push(`${route.method} ${path} ${body.slice(0, 30)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }
  expect(faults).toEqual([]);
  expect(Object.hasOwn(Object.prototype, "admin")).toBe(false);
});

test("[ED-77] an unknown member is named, also beside valid members", async () => {
  const faults: string[] = [];
  for (const { route, path, body } of bodies()) {
    const answer = await service.request(route.method, path, asOwner({ body: { ...body, no_such_member: 1 } }));
    if (answer.status !== 400 || !String(answer.body.error).includes("no_such_member"))
      faults.push(`${route.method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  expect(faults).toEqual([]);
});

test("[ED-79] answers without a body leave the connection usable, whether given at once or later", async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const authorized = { Authorization: `Bearer ${owner.token}`, "X-Workspace-Id": owner.workspaceId };
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<[number | undefined, boolean]>((resolve, reject) => {
      const request = http.request(service.url + path, { method, agent, headers: { ...authorized, ...headers } });
      request.on("error", reject);
      request.on("response", (response) => {
        response.on("end", () => resolve([response.statusCode, request.reusedSocket]));
        response.resume();
      });
      request.end();
    });
  const { etag } = Object.fromEntries((await service.request("GET", "/api/openapi.json")).headers);
  await service.key("viewer", owner);
  const keys = await service.request("GET", "/api/keys", asOwner());
  const live = keys.body.data.find((key: { revoked_at: string | null }) => key.revoked_at === null);
  expect((await ask("GET", "/health"))[0]).toBe(200);
  expect(await ask("OPTIONS", "/health")).toEqual([204, true]);
  expect(await ask("GET", "/api/openapi.json", { "If-None-Match": etag! })).toEqual([304, true]);
  expect(await ask("DELETE", `/api/keys/${live.id}`)).toEqual([204, true]);
  expect(await ask("HEAD", "/health")).toEqual([200, true]);
  expect(await ask("GET", "/api/docs")).toEqual([302, true]);
  expect(await ask("GET", "/health")).toEqual([200, true]);
  agent.destroy();
});
