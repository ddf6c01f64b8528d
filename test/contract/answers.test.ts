/**
 * Every route of the real table does its work once against the real service, and what it answers is what the description
 * says. A route that is added must say here how it is asked.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Described, readDescription } from "../support/described.ts";
import { type Answered, type Asked, type Member, startTestPicket, type TestPicket } from "../support/picket.ts";

interface Situation {
  readonly workspace: string;
  readonly keyId: string;
  readonly entry: { readonly id: string; readonly spec: unknown };
  readonly guest: Member;
  readonly trackId: string;
  readonly refresh: readonly [string, string];
  readonly code: string;
}

interface Example {
  /** The path with its parameters and query; the route's own when absent. */
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number;
}

const GUEST = "guest@example.com";
const seen = () => ({
  source_id: "rid-1",
  modality: "remote_id",
  measured_at: new Date().toISOString(),
  uas_id: "1581F5BKD225D00BP123",
  lat: 51.18,
  lon: -1.73,
});

/** In this order: what is removed is removed last. */
const EXAMPLES: Readonly<Record<string, (s: Situation) => Example>> = {
  "GET /": () => ({}),
  "GET /health": () => ({}),
  "GET /api/health": () => ({}),
  "GET /api/metrics": () => ({}),
  "GET /api/openapi.json": () => ({}),
  "GET /api/docs": () => ({ status: 302 }),
  "GET /api/docs/": () => ({}),
  "GET /api/docs/{file}": () => ({ path: "/api/docs/swagger-ui.css" }),
  "POST /api/auth/login": () => ({ body: { email: "somebody@example.com" } }),
  "POST /api/auth/verify": ({ code }) => ({ body: { email: GUEST, code } }),
  "POST /api/auth/refresh": ({ refresh }) => ({ body: { refresh_token: refresh[0] } }),
  "POST /api/auth/logout": ({ refresh }) => ({ body: { refresh_token: refresh[1] } }),
  "POST /api/auth/dev-login": () => ({ body: { email: "new@example.com", workspace_name: "North" } }),
  "GET /api/me": () => ({}),
  "POST /api/keys": () => ({ body: { name: "gate", role: "viewer", expires_at: "2099-01-01T00:00:00Z" }, status: 201 }),
  "GET /api/keys": () => ({}),
  "DELETE /api/keys/{id}": ({ keyId }) => ({ path: `/api/keys/${keyId}`, status: 204 }),
  "GET /api/workspaces": () => ({}),
  "POST /api/workspaces": () => ({ body: { name: "South" }, status: 201 }),
  "GET /api/workspaces/{id}": ({ workspace }) => ({ path: `/api/workspaces/${workspace}` }),
  "GET /api/workspaces/{id}/members": ({ workspace }) => ({ path: `/api/workspaces/${workspace}/members` }),
  "POST /api/workspaces/{id}/members": ({ workspace }) => ({
    path: `/api/workspaces/${workspace}/members`,
    body: { email: GUEST, role: "viewer" },
    status: 201,
  }),
  "POST /api/workspaces/{id}/members/{user_id}": ({ workspace, guest }) => ({
    path: `/api/workspaces/${workspace}/members/${guest.userId}`,
    body: { role: "operator" },
  }),
  "DELETE /api/workspaces/{id}/members/{user_id}": ({ workspace, guest }) => ({
    path: `/api/workspaces/${workspace}/members/${guest.userId}`,
    status: 204,
  }),
  "GET /api/catalog/builtins": () => ({}),
  "GET /api/catalog/products": () => ({}),
  "GET /api/catalog/sensor-profiles": () => ({}),
  "GET /api/catalogue/types": () => ({}),
  "GET /api/catalog/entries": () => ({}),
  "POST /api/catalog/entries": ({ entry }) => ({ body: { kind: "vehicle", name: "Kestrel", spec: entry.spec } }),
  "GET /api/catalog/entries/{id}": ({ entry }) => ({ path: `/api/catalog/entries/${entry.id}` }),
  "POST /api/catalog/entries/{id}": ({ entry }) => ({
    path: `/api/catalog/entries/${entry.id}`,
    body: { spec: entry.spec },
  }),
  "POST /api/signals": () => ({ body: seen() }),
  "GET /api/tracks": () => ({ path: "/api/tracks?status=tentative,confirmed,coasting" }),
  "GET /api/tracks/{id}": ({ trackId }) => ({ path: `/api/tracks/${trackId}` }),
  "GET /api/tracks/{id}/history": ({ trackId }) => ({ path: `/api/tracks/${trackId}/history` }),
  "POST /api/auth/stream-ticket": () => ({}),
  "GET /api/picture": () => ({}),
  // Last: the room opens anew.
  "POST /api/workspaces/{id}": ({ workspace }) => ({
    path: `/api/workspaces/${workspace}`,
    body: { name: "East", origin: { lat: 51, lon: -1 } },
  }),
};

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

test("[ED-70] every route has its example here", () => {
  const routes = service.picket.routes.map(({ method, path }) => `${method} ${path}`);
  expect([...Object.keys(EXAMPLES), "GET /api/stream"].sort()).toEqual(routes.sort());
});

test("[ED-71] every route answers what it is described to answer, and no member more", async () => {
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

test("[ED-72] [§4] a Location leads to what was created", async () => {
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

test("[ED-74] [§4.5] a ticket opens one stream, which begins with the snapshot", async () => {
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
