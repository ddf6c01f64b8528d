/** The edge by itself, on a real socket with made-up routes: routing, admission, answers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIG, routes } from "../support/edgeRoutes.ts";
import { type Answered, type Asked, ask } from "../support/picket.ts";
import { HOME, OTHER, rawExchange, startEdge, type TestEdge } from "../support/server.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge(routes);
});
afterAll(() => edge.close());

const call = (method: string, path: string, asked?: Asked) => ask(edge.url, method, path, asked);
const owner = { token: "owner", workspace: HOME };
const refusalOf = ({ status, body }: Answered) => [status, body?.ok, body?.code];

describe("routing", () => {
  test("[ED-1] an unknown path is 404 in the envelope, before any credential", async () => {
    const answer = await call("GET", "/nowhere");
    expect(refusalOf(answer)).toEqual([404, false, "not_found"]);
    expect(answer.body.error).toContain("/nowhere");
  });
  test("[ED-2] a method that the path lacks is 405 with Allow, before any credential is looked at", async () => {
    const answer = await call("PUT", "/api/things");
    expect(refusalOf(answer)).toEqual([405, false, "method_not_allowed"]);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  });
  test("[ED-3] OPTIONS is 204 with Allow; HEAD is GET without its body and with its length", async () => {
    const options = await call("OPTIONS", "/api/things/1");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "DELETE, GET, HEAD, OPTIONS"]);
    const raw = await rawExchange(
      edge.port,
      "HEAD /big HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    expect(raw).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*Content-Length: 10485760\r\n[\s\S]*?\r\n\r\nHTTP\/1.1 404/);
  });
  test("[ED-4] path parameters are decoded, literal segments win, and a segment that cannot be decoded is 400", async () => {
    expect((await call("GET", "/api/things/a%20b", owner)).body.data).toEqual({ id: "a b" });
    expect((await call("GET", "/api/things/special", owner)).body.data).toBe("special");
    expect(refusalOf(await call("GET", "/api/things/%zz", owner))).toEqual([400, false, "invalid_input"]);
    expect(refusalOf(await call("GET", "/api/things/a%00b", owner))).toEqual([400, false, "invalid_input"]);
    expect(refusalOf(await call("GET", "/api/things/", owner))).toEqual([404, false, "not_found"]);
  });
});

describe("admission", () => {
  test("[ED-5] no credential, an unknown one or another scheme is 401 with WWW-Authenticate, before validation", async () => {
    for (const asked of [
      {},
      { token: "nobody" },
      { key: "dak_nobody" },
      { headers: { Authorization: "Basic b3duZXI=" } },
    ]) {
      const answer = await call("POST", "/api/things", { ...asked, body: "{garbage" });
      expect(refusalOf(answer)).toEqual([401, false, "unauthenticated"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });
  test("[ED-6] the scheme's case does not matter, and a session wins over a key", async () => {
    const headers = { Authorization: "bEaReR owner" };
    expect((await call("GET", "/api/me", { headers, key: "dak_viewer" })).body.data.kind).toBe("user");
    expect((await call("GET", "/api/me", { key: "dak_viewer" })).body.data.kind).toBe("key");
    expect((await call("GET", "/api/me", { token: "nobody", key: "dak_viewer" })).status).toBe(401);
  });
  test("[ED-7] a session without X-Workspace-Id is 400 and points to GET /api/me", async () => {
    const answer = await call("GET", "/api/things", { token: "owner" });
    expect(refusalOf(answer)).toEqual([400, false, "invalid_input"]);
    expect(answer.body.error).toContain("GET /api/me");
  });
  test("[ED-8] a foreign workspace is not_a_member for a session and forbidden for a key, also on routes that need none", async () => {
    expect(refusalOf(await call("GET", "/api/things", { token: "owner", workspace: OTHER }))).toEqual([
      403,
      false,
      "not_a_member",
    ]);
    expect(refusalOf(await call("GET", "/api/things", { key: "dak_owner", workspace: OTHER }))).toEqual([
      403,
      false,
      "forbidden",
    ]);
    expect(refusalOf(await call("GET", "/api/me", { key: "dak_owner", workspace: OTHER }))).toEqual([
      403,
      false,
      "forbidden",
    ]);
    expect((await call("GET", "/api/me", { token: "owner", workspace: OTHER })).status).toBe(200);
  });
  test("[ED-9] a key implies its workspace, except where the route wants it named", async () => {
    expect((await call("GET", "/api/things", { key: "dak_viewer" })).body.data).toEqual({
      query: {},
      workspace: HOME,
      role: "viewer",
    });
    expect(refusalOf(await call("POST", "/api/ticket", { key: "dak_viewer" }))).toEqual([400, false, "invalid_input"]);
    expect((await call("POST", "/api/ticket", { key: "dak_viewer", workspace: HOME })).status).toBe(200);
  });
  test("[ED-10] a viewer's write is read_only_role, another low role forbidden", async () => {
    expect(refusalOf(await call("POST", "/api/things", { token: "viewer", workspace: HOME }))).toEqual([
      403,
      false,
      "read_only_role",
    ]);
    expect(refusalOf(await call("POST", "/api/things", { key: "dak_approver" }))).toEqual([403, false, "forbidden"]);
  });
  test("[ED-11] a key is no credential for logout (401) and may not manage keys (403)", async () => {
    expect(refusalOf(await call("POST", "/api/logout", { key: "dak_owner" }))).toEqual([401, false, "unauthenticated"]);
    expect(refusalOf(await call("DELETE", "/api/things/1", { key: "dak_owner" }))).toEqual([403, false, "forbidden"]);
    expect((await call("DELETE", "/api/things/1", owner)).status).toBe(204);
  });
  test("[ED-12] a credential whose check takes time is served like any other, with its body", async () => {
    const slow = { token: "slow_owner", workspace: HOME };
    expect((await call("POST", "/api/things", { ...slow, body: { name: "x" } })).body.data).toEqual({ name: "x" });
    expect(
      (await call("POST", "/api/raw", { ...slow, body: "y".repeat(1500), headers: { "Content-Type": "text/x" } })).body
        .data.bytes,
    ).toBe(1500);
    expect((await call("GET", "/api/things", { ...slow, token: "slow_nobody" })).status).toBe(401);
  });
});

describe("answers", () => {
  test("[ED-24] every answer has a request id, echoed when it is safe, and is not stored or sniffed", async () => {
    const own = await call("GET", "/open", { headers: { "X-Request-Id": "abc-1.2:3" } });
    expect(own.headers.get("x-request-id")).toBe("abc-1.2:3");
    const made = await call("GET", "/nowhere", { headers: { "X-Request-Id": "a b" } });
    expect(made.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]+$/);
    expect([own.headers.get("cache-control"), own.headers.get("x-content-type-options")]).toEqual([
      "no-store",
      "nosniff",
    ]);
    expect(own.headers.get("uwebsockets")).toBeNull();
  });
  test("[ED-25] a refusal keeps its headers, a backing service that is away is 503, any other fault 500 without details", async () => {
    const refused = await call("GET", "/fault/refused");
    expect([...refusalOf(refused), refused.headers.get("retry-after")]).toEqual([409, false, "invalid_state", "3"]);
    expect(refusalOf(await call("GET", "/fault/away"))).toEqual([503, false, "unavailable"]);
    const broken = await call("GET", "/fault/other");
    expect(refusalOf(broken)).toEqual([500, false, "internal"]);
    expect(broken.text).not.toContain("secret detail");
    expect(broken.body.error).toContain(broken.headers.get("x-request-id"));
    expect(edge.lines.some((line) => JSON.stringify(line).includes("secret detail"))).toBe(true);
    expect(refusalOf(await call("GET", "/open", {}))[0]).toBe(200);
  });
  test("[ED-26] a value with a line break never becomes a header", async () => {
    const raw = await rawExchange(edge.port, "GET /fault/header HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(raw).toMatch(/^HTTP\/1.1 500 [\s\S]*"code":"internal"\}$/);
    expect(raw).not.toContain("Set-Cookie");
  });
  test("[ED-27] an answer of ten megabytes arrives whole", async () => {
    expect((await call("GET", "/big")).text.length).toBe(BIG.length);
  });
  test("[ED-28] the log has writes and refusals, and no ticket", async () => {
    await call("GET", "/nowhere?ticket=stk_secret&x=1");
    const line = edge.lines.findLast((one) => one.path === "/nowhere");
    expect(line).toMatchObject({ level: 30, status: 404, query: "ticket=[redacted]&x=1" });
    expect(JSON.stringify(edge.lines)).not.toContain("stk_secret");
  });
  test("[ED-135] no secret is in the log, wherever a client put it and however it escaped its name", async () => {
    const names = ["api_key", "key", "access_token", "session_token", "tick%65t", "%zz", "X-Api-Key"];
    for (const name of names) await call("GET", `/nowhere?${name}=hidden-value&kinds=bogus`);
    await call("GET", "/nowhere/dak_hidden-value");
    await call("GET", "/nowhere?q=dak_hidden-value&r=eyJhidden-value");
    expect(JSON.stringify(edge.lines)).not.toContain("hidden-value");
    expect(edge.lines.filter((line) => String(line.query).endsWith("=[redacted]&kinds=bogus"))).toHaveLength(
      names.length,
    );
  });
});
