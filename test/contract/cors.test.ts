/**
 * Browser clients of other origins (docs/interface.md#pages-of-other-origins): the edge by itself, and once through the
 * configured service.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../support/edgeRoutes.ts";
import { type Answered, ask, startTestPicket, type TestPicket } from "../support/picket.ts";
import { HOME, startEdge, type TestEdge } from "../support/server.ts";

const PAGE = "https://c2.example.org";
const OTHER_PAGE = "http://127.0.0.1:5173";
const STRANGER = "https://elsewhere.example.org";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge(routes, { corsOrigins: [PAGE, OTHER_PAGE] });
});
afterAll(() => edge.close());

const corsOf = ({ headers }: Answered) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
const preflight = (url: string, path: string, origin: string, method: string) =>
  ask(url, "OPTIONS", path, {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "authorization,x-workspace-id",
    },
  });

test("[ED-110] a preflight of an origin that CORS_ORIGINS names gets the path's methods and the five headers", async () => {
  for (const origin of [PAGE, OTHER_PAGE]) {
    const answer = await preflight(edge.url, "/api/things/1", origin, "DELETE");
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "DELETE, GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Authorization, Content-Type, X-Api-Key, X-Request-Id, X-Workspace-Id",
      "access-control-max-age": "600",
    });
    expect(answer.headers.get("vary")).toBe("Origin");
  }
});

test("[ED-111] answers to such an origin carry it, whatever their status, and name the headers that its page may read", async () => {
  const asked = { headers: { Origin: PAGE }, workspace: HOME };
  const answers = await Promise.all([
    ask(edge.url, "GET", "/api/things/1", { ...asked, token: "owner" }),
    ask(edge.url, "GET", "/api/things/1", asked),
    ask(edge.url, "GET", "/nowhere", asked),
    ask(edge.url, "PUT", "/api/things", asked),
    ask(edge.url, "GET", "/api/things/1", { ...asked, token: "slow_owner" }),
    ask(edge.url, "POST", "/api/things", { ...asked, token: "owner", body: "{garbage" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 405, 200, 415]);
  for (const answer of answers) {
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Next-Cursor");
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    expect(answer.headers.get("vary")).toBe("Origin");
  }
});

test("[ED-111] a stream carries them too", async () => {
  const response = await fetch(`${edge.url}/stream`, { headers: { Origin: PAGE } });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
  await response.body!.cancel();
});

test("[ED-112] an origin that is not named, or absent, gets no such header, but Vary: Origin", async () => {
  const strangers = await Promise.all([
    preflight(edge.url, "/api/things/1", STRANGER, "GET"),
    preflight(edge.url, "/api/things/1", "null", "GET"),
    preflight(edge.url, "/api/things/1", `${PAGE}.evil.example`, "GET"),
    ask(edge.url, "GET", "/open", { headers: { Origin: STRANGER } }),
    ask(edge.url, "GET", "/open"),
  ]);
  for (const answer of strangers) {
    expect(corsOf(answer)).toEqual({});
    expect(answer.headers.get("vary")).toBe("Origin");
  }
});

test("[ED-113] credentials mode is never allowed", async () => {
  const answers = await Promise.all([
    preflight(edge.url, "/api/things", PAGE, "POST"),
    ask(edge.url, "GET", "/open", { headers: { Origin: PAGE } }),
  ]);
  for (const { headers } of answers) expect(headers.get("access-control-allow-credentials")).toBeNull();
});

test("[ED-114] without CORS_ORIGINS no such header is sent", async () => {
  const plain = await startEdge(routes);
  try {
    for (const answer of [
      await preflight(plain.url, "/api/things/1", PAGE, "GET"),
      await ask(plain.url, "GET", "/open", { headers: { Origin: PAGE } }),
    ]) {
      expect(corsOf(answer)).toEqual({});
      expect(answer.headers.get("vary")).toBeNull();
    }
  } finally {
    plain.close();
  }
});

test("[ED-110] [ED-111] the service does so for the origins of its configuration", async () => {
  const service: TestPicket = await startTestPicket({ CORS_ORIGINS: `${PAGE},${OTHER_PAGE}` });
  try {
    const asked = await preflight(service.url, "/api/assets", PAGE, "POST");
    expect(corsOf(asked)).toMatchObject({ "access-control-allow-origin": PAGE });
    const { headers, status } = await service.request("GET", "/api/picture", { headers: { Origin: OTHER_PAGE } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([401, OTHER_PAGE]);
  } finally {
    await service.stop();
  }
});
