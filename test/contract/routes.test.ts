/**
 * Every route of the real table against the real service: credentials, workspaces, roles, methods, garbage. A route that is
 * added is tested by being in the table. Each answer is held against the description that the service gives of itself.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rightOf } from "../../src/domain/access.ts";
import type { Route } from "../../src/http/route.ts";
import { type Described, readDescription } from "../support/described.ts";
import { type Answered, type Asked, type Member, startTestPicket, type TestPicket } from "../support/picket.ts";

let service: TestPicket;
let described: Described;
let owner: Member;
let stranger: Member;
let viewerKey: string;
let ownerKey: string;

beforeAll(async () => {
  service = await startTestPicket();
  described = readDescription((await service.request("GET", "/api/openapi.json")).body);
  owner = await service.login();
  stranger = await service.login();
  viewerKey = await service.key("viewer", owner);
  ownerKey = await service.key("owner", owner);
});
afterAll(() => service.stop());

const named = (route: Route) => `${route.method} ${route.path}`;
const isOpen = ({ access }: Route) => access === "open" || access === "ticket";
const hasRight = ({ access }: Route) => rightOf(access) !== null;
const hasParams = ({ path }: Route) => path.includes("{");
const fill = (path: string) => path.replace(/\{\w+\}/g, "unknown_0000");
const asOwner = (): Asked => ({ token: owner.token, workspace: owner.workspaceId });

/** What the description says against the answer, or nothing. */
const faultsOf = ({ method, path }: Route, answer: Answered) => described.faultsOf(method, path, answer);

/** Asks every chosen route and gives what was not as expected, the description included. */
async function faultsOfAll(
  chosen: (route: Route) => boolean,
  asked: (route: Route) => Asked,
  expected: (route: Route) => readonly [number, string],
  pathOf: (route: Route) => string = ({ path }) => fill(path),
): Promise<string[]> {
  const faults: string[] = [];
  const routes = service.picket.routes.filter(chosen);
  expect(routes.length).toBeGreaterThan(0);
  for (const route of routes) {
    const answer = await service.request(route.method, pathOf(route), asked(route));
    const [status, code] = expected(route);
    if (answer.status !== status || answer.body?.code !== code)
      faults.push(`${named(route)} answered ${answer.status} ${answer.text.slice(0, 200)}, not ${status} ${code}`);
    faults.push(...faultsOf(route, answer));
  }
  return faults;
}

test("[ED-50] without a credential every route but the open ones is 401", async () => {
  expect(
    await faultsOfAll(
      (r) => !isOpen(r),
      () => ({}),
      () => [401, "unauthenticated"],
    ),
  ).toEqual([]);
});

test("[ED-51] with a key that was never issued every route but the open ones is 401", async () => {
  expect(
    await faultsOfAll(
      (r) => !isOpen(r),
      () => ({ key: `dak_${"0".repeat(43)}` }),
      () => [401, "unauthenticated"],
    ),
  ).toEqual([]);
});

test("[ED-52] a method that a path lacks is 405 with Allow", async () => {
  for (const route of service.picket.routes) {
    const answer = await service.request("PATCH", fill(route.path));
    expect([answer.status, answer.body.code], route.path).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow"), route.path).toContain(route.method);
  }
});

test("[ED-53] a session without X-Workspace-Id is 400 wherever a workspace is needed", async () => {
  expect(
    await faultsOfAll(
      hasRight,
      () => ({ token: owner.token }),
      () => [400, "invalid_input"],
    ),
  ).toEqual([]);
});

test("[ED-54] a session of a user who is no member is 403 not_a_member", async () => {
  const asked = () => ({ token: stranger.token, workspace: owner.workspaceId });
  expect(await faultsOfAll(hasRight, asked, () => [403, "not_a_member"])).toEqual([]);
});

test("[ED-55] a key that names another workspace is 403", async () => {
  const asked = () => ({ key: ownerKey, workspace: stranger.workspaceId });
  expect(
    await faultsOfAll(
      (r) => hasRight(r) || r.access === "credential",
      asked,
      () => [403, "forbidden"],
    ),
  ).toEqual([]);
});

test("[ED-56] a viewer's write is 403, whatever the body", async () => {
  const asked = () => ({
    key: viewerKey,
    workspace: owner.workspaceId,
    body: "{garbage",
    headers: { "Content-Type": "application/json" },
  });
  const writes = (r: Route) => hasRight(r) && r.access !== "read" && r.method !== "GET";
  expect(
    await faultsOfAll(writes, asked, (r) => [403, r.access === "session_administer" ? "forbidden" : "read_only_role"]),
  ).toEqual([]);
});

describe("bodies and queries", () => {
  const takesBody = (r: Route) => r.body !== undefined && !isOpen(r);
  const sent =
    (body: string, type = "application/json") =>
    () => ({ ...asOwner(), body, headers: { "Content-Type": type } });

  test("[ED-57] a body that is not JSON is 400", async () => {
    expect(await faultsOfAll(takesBody, sent("{garbage"), () => [400, "invalid_input"])).toEqual([]);
  });
  test("[ED-58] a body of another content type is 415", async () => {
    expect(await faultsOfAll(takesBody, sent("x", "text/plain"), () => [415, "unsupported_media"])).toEqual([]);
  });
  test("[ED-59] an unknown member is 400 and named, but for signals, which count it", async () => {
    const chosen = (r: Route) => takesBody(r) && r.body.raw !== true;
    for (const route of service.picket.routes.filter(chosen)) {
      const answer = await service.request(route.method, fill(route.path), sent('{"no_such_member":1}')());
      expect([answer.status, answer.body.code], named(route)).toEqual([400, "invalid_input"]);
    }
  });
  test("[ED-60] an unknown query parameter is 400, but for open routes", async () => {
    const chosen = (r: Route) => !isOpen(r) && !(r.access === "session");
    const path = (r: Route) => `${fill(r.path)}?no_such_parameter=1`;
    expect(await faultsOfAll(chosen, asOwner, () => [400, "invalid_input"], path)).toEqual([]);
  });
});

test("[ED-61] a resource that does not exist is 404", async () => {
  const chosen = (r: Route) => hasParams(r) && !isOpen(r) && r.body === undefined;
  expect(await faultsOfAll(chosen, asOwner, () => [404, "not_found"])).toEqual([]);
});

test("[ED-94] an id of any length that no resource has is 404, for a command and a cancel, too", async () => {
  const long = (path: string) => path.replaceAll(/\{\w+\}/g, "x".repeat(100));
  const chosen = (r: Route) => hasParams(r) && !isOpen(r) && r.body === undefined;
  expect(
    await faultsOfAll(
      chosen,
      asOwner,
      () => [404, "not_found"],
      (r) => long(r.path),
    ),
  ).toEqual([]);
  for (const path of ["/api/assets/{id}/command", "/api/tasks/{id}/cancel"]) {
    const body = path.endsWith("command") ? { verb: "hold" } : undefined;
    const answer = await service.request("POST", long(path), { ...asOwner(), ...(body && { body }) });
    expect([answer.status, answer.body.code], path).toEqual([404, "not_found"]);
  }
});

test("[ED-62] every plain read answers 200 as described, to a session and to a key alike", async () => {
  const reads = service.picket.routes.filter(
    (r) => r.method === "GET" && !hasParams(r) && r.access !== "ticket" && 200 in r.reply,
  );
  expect(reads.length).toBeGreaterThan(8);
  for (const route of reads)
    for (const asked of route.access === "session_administer" ? [asOwner()] : [asOwner(), { key: ownerKey }]) {
      const answer = await service.request("GET", route.path, asked);
      expect(answer.status, named(route)).toBe(200);
      expect(faultsOf(route, answer)).toEqual([]);
    }
});

test("[ED-63] an answer that differs from its description is noticed", async () => {
  const route = service.picket.routes.find((r) => r.path === "/health")!;
  const answer = await service.request("GET", "/health");
  const { uptime_s: _uptime, ...data } = answer.body.data;
  expect(faultsOf(route, { ...answer, body: { ok: true, data } })).toHaveLength(1);
  expect(faultsOf(route, { ...answer, status: 418 })).toHaveLength(1);
});

test("[ED-64] the metrics count requests by route and status, with their latencies", async () => {
  await service.request("GET", "/health");
  const { status, headers, text } = await service.request("GET", "/api/metrics", { key: viewerKey });
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  const labels = 'method="GET",route="/health"';
  const count = Number(new RegExp(`http_requests_total\\{${labels},status="200"\\} (\\d+)`).exec(text)?.[1]);
  expect(count).toBeGreaterThan(0);
  expect(text).toContain(`picket_http_request_duration_seconds_count{${labels}} ${count}`);
  expect(text).toMatch(/duration_seconds_bucket\{[^}]*le="\+Inf"[^}]*\}/);
  expect(text).toContain("picket_http_streams_open 0");
  expect(text).toContain("picket_process_resident_memory_bytes");
});

test("[ED-68] the metrics count what the process dropped", async () => {
  const { text } = await service.request("GET", "/api/metrics", { key: viewerKey });
  const names = ["log_events", "link_observations", "link_reports"].map((name) => `${name}_dropped`);
  for (const name of [...names, "task_answers_lost", "task_answers_illegal"])
    expect(text).toMatch(new RegExp(`^picket_${name}_total \\d+$`, "m"));
});
