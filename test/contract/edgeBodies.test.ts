/** What the edge takes in: bodies, encodings, sizes, framing, queries. On a real socket with made-up routes. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../support/edgeRoutes.ts";
import { type Answered, type Asked, ask } from "../support/picket.ts";
import { HOME, rawExchange, startEdge, type TestEdge } from "../support/server.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge(routes);
});
afterAll(() => edge.close());

const call = (method: string, path: string, asked?: Asked) => ask(edge.url, method, path, asked);
const owner = { token: "owner", workspace: HOME };
const refusalOf = ({ status, body }: Answered) => [status, body?.ok, body?.code];

describe("bodies", () => {
  const post = (body: string | Uint8Array, type = "application/json") =>
    call("POST", "/api/things", { ...owner, body, headers: { "Content-Type": type } });
  const refused: [string, string | Uint8Array, RegExp][] = [
    ["malformed", '{"name":"x",}', /line 1, column 13 \(offset 12\)/],
    ["cut off", '{"name":"x', /closing "/],
    ["missing", "", /missing/],
    ["null", "null", /object, not null/],
    ["an array", "[]", /object, not an array/],
    ["over a bound", '{"name":"x","lat":91}', /^lat must be <= 90, not 91$/],
    ["a number as a string", '{"name":"x","lat":"1"}', /lat must be a number, not a string/],
    ["a number that overflows", '{"name":"x","lat":1e999}', /lat must be a finite number/],
    ["an unknown member", '{"name":"x","lattitude":1}', /unknown member lattitude/],
    ["a missing member", '{"lat":1}', /name is required/],
    ["a reach into the prototype", '{"name":"x","__proto__":{"a":1}}', /"__proto__"/],
    ["NUL", '{"name":"a\\u0000b"}', /name must not contain the NUL/],
    ["a half surrogate", '{"name":"\\ud800"}', /surrogate/],
    ["too deep", `${"[".repeat(40)}${"]".repeat(40)}`, /deeper than 32/],
    ["100,000 deep", "[".repeat(100_000), /deeper than 32/],
    ["a byte order mark", Buffer.from('\ufeff{"name":"x"}'), /byte order mark/],
    ["UTF-16", Buffer.from('{"name":"x"}', "utf16le"), /UTF-16/],
    [
      "broken UTF-8",
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      /valid UTF-8/,
    ],
  ];
  test.each(refused)("[ED-13] %s is 400 and names the rule", async (_what, body, sentence) => {
    const answer = await post(body);
    expect(refusalOf(answer)).toEqual([400, false, "invalid_input"]);
    expect(answer.body.error).toMatch(sentence);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
  test("[ED-14] a create is 201 with Location", async () => {
    const answer = await post('{"name":"x","lat":-90}', "application/json; charset=UTF-8");
    expect([answer.status, answer.headers.get("location"), answer.body]).toEqual([
      201,
      "/api/things/1",
      { ok: true, data: { name: "x", lat: -90 } },
    ]);
  });
  test("[ED-15] another content type, charset or encoding is 415", async () => {
    for (const type of ["text/plain", "application/json; charset=latin1", "application/jsonx"])
      expect(refusalOf(await post("{}", type)), type).toEqual([415, false, "unsupported_media"]);
    const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    expect(refusalOf(await call("POST", "/api/things", { ...owner, body: gzipSync("{}"), headers }))).toEqual([
      415,
      false,
      "unsupported_media",
    ]);
  });
  test("[ED-16] a body over its limit is 413 from Content-Length before reading, and the connection closes", async () => {
    const head = `POST /api/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\nX-Workspace-Id: ${HOME}\r\nContent-Type: application/json\r\n`;
    const declared = await rawExchange(edge.port, `${head}Content-Length: 1048577\r\n\r\n`);
    expect(declared).toMatch(/^HTTP\/1.1 413 [\s\S]*Connection: close[\s\S]*"payload_too_large"/);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const chunked = await rawExchange(edge.port, [
      `${head}Transfer-Encoding: chunked\r\n\r\n`,
      ...Array(17).fill(chunk),
    ]);
    expect(chunked).toMatch(/^HTTP\/1.1 413 /);
  });
  test("[ED-17] a body of exactly the limit is read", async () => {
    const body = JSON.stringify({ name: "x".repeat((1 << 20) - 11) });
    expect([body.length, (await post(body)).status]).toEqual([1 << 20, 201]);
  });
  test("[ED-18] raw bodies come unchanged; gzip is unpacked up to the limit, and invalid gzip is 400", async () => {
    const raw = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      call("POST", "/api/raw", { key: "dak_operator", body, headers: { "Content-Type": "text/x", ...headers } });
    const packed = { "Content-Encoding": "gzip" };
    expect((await raw(new Uint8Array([7, 8]))).body.data).toEqual({ bytes: 2, first: 7 });
    expect((await raw(gzipSync(Buffer.alloc(2000, 9)), packed)).body.data).toEqual({ bytes: 2000, first: 9 });
    expect(refusalOf(await raw(gzipSync(Buffer.alloc(1_900_000)).subarray(0, 1999), packed))[0]).toBe(413);
    expect(refusalOf(await raw(gzipSync(Buffer.alloc(2001)), packed))).toEqual([413, false, "payload_too_large"]);
    expect(refusalOf(await raw("not gzip", packed))).toEqual([400, false, "invalid_input"]);
    expect(refusalOf(await raw("x", { "Content-Encoding": "br" }))).toEqual([415, false, "unsupported_media"]);
  });
  test("[ED-19] an optional body may be absent, empty or null", async () => {
    const headers = { "Content-Type": "application/json" };
    for (const asked of [{}, { body: "", headers }, { body: "null", headers }, { body: "{}", headers }])
      expect((await call("POST", "/api/logout", { token: "owner", ...asked })).body.data).toEqual({});
  });
  test("[ED-20] ambiguous framing is 400, the connection closes, and no bytes behind it are read as a request", async () => {
    for (const framing of ["Content-Length: 5\r\nContent-Length: 7", "Transfer-Encoding: xchunked"]) {
      const head = `POST /api/things HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`;
      const raw = await rawExchange(edge.port, head);
      expect(raw).toMatch(/^HTTP\/1.1 400 [\s\S]*Connection: close[\s\S]*"invalid_input"/);
      const smuggled = await rawExchange(edge.port, `${head}helloGET /open HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(smuggled).not.toContain("200 OK");
      expect(smuggled.match(/HTTP\/1.1/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
  });
});

describe("queries", () => {
  test("[ED-21] values are coerced by their schema", async () => {
    expect((await call("GET", "/api/things?limit=7&free=true", owner)).body.data.query).toEqual({
      limit: 7,
      free: true,
    });
  });
  test.each([
    ["limit=11", /limit must be <= 10/],
    ["limit=1.5", /whole number/],
    ["limit=ten", /whole number/],
    ["free=yes", /true or false/],
    ["limti=1", /unknown parameter "limti"; this route takes limit, free/],
    ["limit=1&limit=2", /twice/],
    ["limit=%zz", /escape/],
  ])("[ED-22] %s is 400 and names the rule", async (query, sentence) => {
    const answer = await call("GET", `/api/things?${query}`, owner);
    expect(refusalOf(answer)).toEqual([400, false, "invalid_input"]);
    expect(answer.body.error).toMatch(sentence);
  });
  test("[ED-23] on an open route unknown parameters are ignored", async () => {
    expect((await call("GET", "/open?utm=1")).body.data.ip).toBe("127.0.0.1");
  });
});
