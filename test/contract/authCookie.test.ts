/** The refresh token in a cookie: what a page of our own origin gets, and what another one does not. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setRefreshCookie } from "../../src/features/auth/refreshCookie.ts";
import type { RequestFacts } from "../../src/http/route.ts";
import { type Answered, startTestPicket, type TestPicket } from "../support/picket.ts";

let picket: TestPicket;
beforeAll(async () => {
  picket = await startTestPicket();
});
afterAll(() => picket.stop());

const someone = () => `${randomBytes(6).toString("hex")}@example.com`;
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const LOOPBACK = "HttpOnly; SameSite=Strict; Path=/api/auth";
const SECURE = `${LOOPBACK}; Secure`;

function cookieOf({ headers }: Answered): { token: string; attributes: string } {
  const found = /^picket_refresh=([^;]*); (.*)$/.exec(headers.get("set-cookie") ?? "");
  return { token: found?.[1] ?? "", attributes: found?.[2] ?? "" };
}

const signIn = (email = someone()) => picket.request("POST", "/api/auth/dev-login", { body: { email, cookie: true } });
const refresh = (token: string, headers: Record<string, string> = OWN_PAGE, body: unknown = undefined) =>
  picket.request("POST", "/api/auth/refresh", {
    headers: { Cookie: `theme=dark; picket_refresh=${token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });

describe("[AU-17] cookie: true", () => {
  test("puts the refresh token of verify and dev-login into the cookie, not into the answer", async () => {
    const email = someone();
    const { code } = (await picket.request("POST", "/api/auth/login", { body: { email } })).body.data;
    const verified = await picket.request("POST", "/api/auth/verify", { body: { email, code, cookie: true } });
    for (const answer of [verified, await signIn()]) {
      expect(answer.status).toBe(200);
      expect(answer.body.data).not.toHaveProperty("refresh_token");
      expect(answer.body.data).toMatchObject({
        session_token: expect.any(String),
        refresh_expires_at: expect.any(String),
      });
      expect(cookieOf(answer)).toEqual({ token: expect.stringMatching(/^rft_\w{43}$/), attributes: LOOPBACK });
      expect(answer.text).not.toContain(cookieOf(answer).token);
    }
  });

  test("moves a token that came in the body into the cookie", async () => {
    const { refresh: token } = await picket.login();
    const answer = await picket.request("POST", "/api/auth/refresh", { body: { refresh_token: token, cookie: true } });
    expect(answer.body.data).not.toHaveProperty("refresh_token");
    expect((await refresh(cookieOf(answer).token)).status).toBe(200);
  });

  test("left out or false sets no cookie and answers with the token", async () => {
    for (const body of [{ email: someone() }, { email: someone(), cookie: false }]) {
      const answer = await picket.request("POST", "/api/auth/dev-login", { body });
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(answer.body.data.refresh_token).toMatch(/^rft_/);
    }
  });

  test("asks for TLS wherever the page is not on loopback", async () => {
    for (const [host, attributes] of [
      ["localhost:8077", LOOPBACK],
      ["127.0.0.1", LOOPBACK],
      ["[::1]:8077", LOOPBACK],
      ["picket.example.org", SECURE],
      ["127.0.0.1.example.org", SECURE],
      ["10.0.0.5:8077", SECURE],
    ]) {
      const answer = await withHost(host!, "/api/auth/dev-login", { email: someone(), cookie: true });
      expect(answer, host).toContain(attributes);
      expect(answer.includes("; Secure"), host).toBe(attributes === SECURE);
    }
  });
});

test("[AU-17] the cookie is Secure behind a proxy when PUBLIC_URL is https", () => {
  const request = { header: () => "127.0.0.1:8077" } as unknown as RequestFacts;
  const cookie = (publicUrl: string | null) => setRefreshCookie(request, publicUrl, "rft_a")["Set-Cookie"];
  expect(cookie("https://picket.example.org")).toBe(`picket_refresh=rft_a; ${SECURE}`);
  for (const url of [null, "http://127.0.0.1:8077"]) expect(cookie(url)).toBe(`picket_refresh=rft_a; ${LOOPBACK}`);
});

describe("[AU-18] refresh without a token in the body", () => {
  test("trades the cookie's, once, for a session and the next cookie", async () => {
    const first = cookieOf(await signIn());
    const answer = await refresh(first.token);
    expect(answer.status).toBe(200);
    expect(answer.body.data).not.toHaveProperty("refresh_token");
    const second = cookieOf(answer);
    expect(second.attributes).toBe(LOOPBACK);
    expect(second.token).not.toBe(first.token);
    expect((await picket.request("GET", "/api/me", { token: answer.body.data.session_token })).status).toBe(200);
    expect((await refresh(second.token, OWN_PAGE, {})).status).toBe(200);
  });

  test("never answers with the next token, whatever the body asks for", async () => {
    const { token } = cookieOf(await signIn());
    const answer = await refresh(token, OWN_PAGE, { cookie: false });
    expect(answer.body.data).not.toHaveProperty("refresh_token");
    expect(cookieOf(answer).token).toMatch(/^rft_/);
  });

  test.each(["same-site", "cross-site", "none", ""])(
    "does not take it from a page with Sec-Fetch-Site %j, and leaves it unspent",
    async (site) => {
      const { token } = cookieOf(await signIn());
      const answer = await refresh(token, site === "" ? {} : { "Sec-Fetch-Site": site });
      expect([answer.status, answer.body.code]).toEqual([401, "refresh_invalid"]);
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect((await refresh(token)).status).toBe(200);
    },
  );

  test("refuses a spent one, clears the cookie and takes the family down", async () => {
    const { token } = cookieOf(await signIn());
    const next = cookieOf(await refresh(token));
    const again = await refresh(token);
    expect([again.status, again.body.code]).toEqual([401, "refresh_invalid"]);
    expect(again.headers.get("set-cookie")).toBe(`picket_refresh=; ${LOOPBACK}; Max-Age=0`);
    expect((await refresh(next.token)).status).toBe(401);
  });

  test("takes none of two cookies of the name", async () => {
    const [mine, theirs] = [cookieOf(await signIn()), cookieOf(await signIn())];
    const answer = await refresh(`${theirs.token}; picket_refresh=${mine.token}`);
    expect([answer.status, answer.body.code]).toEqual([401, "refresh_invalid"]);
    expect((await refresh(mine.token)).status).toBe(200);
  });

  test("is 400 without a cookie; a token in the body wins over the cookie", async () => {
    for (const headers of [OWN_PAGE, { ...OWN_PAGE, Cookie: "theme=dark; picket_refresh=" }]) {
      const { status, body } = await picket.request("POST", "/api/auth/refresh", { body: {}, headers });
      expect([status, body.code]).toEqual([400, "invalid_input"]);
    }
    const { token } = cookieOf(await signIn());
    const member = await picket.login();
    const answer = await refresh(token, { "Sec-Fetch-Site": "cross-site" }, { refresh_token: member.refresh });
    expect(answer.body.data.user.id).toBe(member.userId);
    expect(answer.body.data.refresh_token).toMatch(/^rft_/);
    expect((await refresh(token)).status).toBe(200);
  });
});

test("[AU-19] logout with cookie: true revokes the cookie's token and clears the cookie; without one it revokes all of the user", async () => {
  const email = someone();
  const here = await signIn(email);
  const elsewhere = cookieOf(await signIn(email));
  const { session_token: bearer } = here.body.data;
  const { token } = cookieOf(here);
  const logout = (headers: Record<string, string>) =>
    picket.request("POST", "/api/auth/logout", { token: bearer, body: { cookie: true }, headers });
  const out = await logout({ ...OWN_PAGE, Cookie: `picket_refresh=${token}` });
  expect([out.status, out.body.data]).toEqual([200, { revoked: 1 }]);
  expect(out.headers.get("set-cookie")).toBe(`picket_refresh=; ${LOOPBACK}; Max-Age=0`);
  expect((await refresh(token)).status).toBe(401);
  expect((await refresh(elsewhere.token)).status).toBe(200);
  // No cookie, or one that this page may not use: whoever is shown "signed out" must not leave a token behind.
  const { token: left } = cookieOf(await signIn(email));
  expect((await logout(OWN_PAGE)).body.data.revoked).toBeGreaterThan(0);
  expect((await refresh(left)).status).toBe(401);
});

/** fetch writes the Host header itself, so this goes by hand; answers the Set-Cookie line. */
function withHost(host: string, path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host, "Content-Type": "application/json" };
    const asked = request(picket.url + path, { method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.headers["set-cookie"]?.[0] ?? "");
    });
    asked.on("error", reject);
    asked.end(JSON.stringify(body));
  });
}
