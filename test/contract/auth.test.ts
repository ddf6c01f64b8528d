/** Sign-in through the front door: codes, sessions, refresh families, sign-out, and who is asking. */
import { randomBytes } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPicket, type TestPicket } from "../support/picket.ts";

let picket: TestPicket;
beforeAll(async () => {
  picket = await startTestPicket();
});
afterAll(() => picket.stop());

const someone = () => `${randomBytes(6).toString("hex")}@example.com`;
const post = (path: string, body: unknown, token?: string) =>
  picket.request("POST", path, { body, ...(token === undefined ? {} : { token }) });

async function openLogin(email: string): Promise<string> {
  const { status, body } = await post("/api/auth/login", { email });
  expect(status).toBe(200);
  return body.data.code;
}
const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
const codesOf = (answers: { status: number; body: { code?: string } }[]) =>
  answers.map((a) => `${a.status} ${a.body.code ?? ""}`);

test("[AU-1] login, verify, me: the first sign-in makes a user and a workspace named after the address", async () => {
  const email = someone();
  const code = await openLogin(email.toUpperCase());
  expect(code).toMatch(/^\d{6}$/);
  const { status, body } = await post("/api/auth/verify", { email, code });
  expect(status).toBe(200);
  const session = body.data;
  expect(session.workspaces).toEqual([{ id: expect.stringMatching(/^wsp_/), name: email, role: "owner" }]);
  expect(session.user).toEqual({ id: expect.stringMatching(/^usr_/), email, name: expect.any(String) });
  expect(Date.parse(session.expires_at) - Date.now()).toBeGreaterThan(29 * 60_000);
  const me = await picket.request("GET", "/api/me", { token: session.session_token });
  expect(me.body.data).toEqual({ user: session.user, key: null, workspaces: session.workspaces });
});

test("[AU-2] the token is a JWT of thirty minutes with key id and type", async () => {
  const { token, userId } = await picket.login();
  expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "at+jwt", kid: expect.any(String) });
  const { exp, iat, sub, jti } = decodeJwt(token);
  expect([exp! - iat!, sub, jti !== undefined]).toEqual([1800, userId, true]);
});

test("[AU-3] a token that was altered, is unsigned or is no JWT is 401", async () => {
  const { token } = await picket.login();
  const [, payload, signature] = token.split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
  const forged = [
    `${token.slice(0, -2)}xx`,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    "x",
    "x".repeat(3000),
  ];
  for (const bad of forged) {
    const { status, body } = await picket.request("GET", "/api/me", { token: bad });
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  }
});

test("[AU-4] login answers the same for known and unknown addresses, and 400 for a value that is no address", async () => {
  const known = (await picket.login()).email;
  const shape = async (email: string) => {
    const { status, body } = await post("/api/auth/login", { email });
    return [status, Object.keys(body.data).sort()];
  };
  expect(await shape(known)).toEqual(await shape(someone()));
  for (const email of ["", "nobody", "a@", "@b", "a b@c.de", "a@b\r\nBcc: c@d.e", 7, null]) {
    const { status, body } = await post("/api/auth/login", { email });
    expect([status, body.code]).toEqual([400, "invalid_input"]);
  }
});

test("[AU-5] five wrong codes are 401 each, then everything is 429, the right code too, until the next login", async () => {
  const email = someone();
  const code = await openLogin(email);
  const wrong = [];
  for (let i = 0; i < 5; i++) wrong.push(await post("/api/auth/verify", { email, code: wrongOf(code) }));
  expect(codesOf(wrong)).toEqual(Array(5).fill("401 code_invalid"));
  const locked = [
    await post("/api/auth/verify", { email, code }),
    await post("/api/auth/verify", { email, code: wrongOf(code) }),
  ];
  expect(codesOf(locked)).toEqual(Array(2).fill("429 too_many_attempts"));
  const next = await openLogin(email);
  expect((await post("/api/auth/verify", { email, code: next })).status).toBe(200);
});

test("[AU-5] the fifth try may still succeed; parallel guesses do not share a try", async () => {
  const email = someone();
  const code = await openLogin(email);
  for (let i = 0; i < 4; i++) await post("/api/auth/verify", { email, code: wrongOf(code) });
  expect((await post("/api/auth/verify", { email, code })).status).toBe(200);
  const other = someone();
  const otherCode = await openLogin(other);
  const guesses = await Promise.all(
    Array.from({ length: 40 }, () => post("/api/auth/verify", { email: other, code: wrongOf(otherCode) })),
  );
  expect(guesses.filter((g) => g.status === 401)).toHaveLength(5);
  expect(guesses.filter((g) => g.status === 429)).toHaveLength(35);
});

test("[AU-6] a code works once, a new login voids the code before it, the code of another address does not work", async () => {
  const email = someone();
  const first = await openLogin(email);
  let second = await openLogin(email);
  if (second === first) second = await openLogin(email);
  expect((await post("/api/auth/verify", { email, code: first })).body.code).toBe("code_invalid");
  expect((await post("/api/auth/verify", { email: someone(), code: second })).body.code).toBe("code_invalid");
  const race = await Promise.all(Array.from({ length: 4 }, () => post("/api/auth/verify", { email, code: second })));
  expect(race.filter((r) => r.status === 200)).toHaveLength(1);
  expect(race.filter((r) => r.status === 401)).toHaveLength(3);
});

test("[AU-7] the sixth login of an address within ten minutes is 429 with Retry-After", async () => {
  const email = someone();
  for (let i = 0; i < 5; i++) await openLogin(email);
  const { status, body, headers } = await post("/api/auth/login", { email });
  expect([status, body.code]).toEqual([429, "rate_limited"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
});

test("[AU-8] of a hundred uses of one refresh token exactly one gets a session", async () => {
  const { refresh } = await picket.login();
  const race = await Promise.all(
    Array.from({ length: 100 }, () => post("/api/auth/refresh", { refresh_token: refresh })),
  );
  expect(race.filter((r) => r.status === 200)).toHaveLength(1);
  expect(new Set(codesOf(race.filter((r) => r.status !== 200)))).toEqual(new Set(["401 refresh_invalid"]));
});

test("[AU-9] a spent refresh token that is shown again revokes its family, and no other", async () => {
  const member = await picket.login();
  const elsewhere = await picket.login(member.email);
  const next = (await post("/api/auth/refresh", { refresh_token: member.refresh })).body.data.refresh_token;
  expect(next).not.toBe(member.refresh);
  const last = (await post("/api/auth/refresh", { refresh_token: next })).body.data.refresh_token;
  expect((await post("/api/auth/refresh", { refresh_token: member.refresh })).status).toBe(401);
  expect((await post("/api/auth/refresh", { refresh_token: last })).status).toBe(401);
  expect((await post("/api/auth/refresh", { refresh_token: elsewhere.refresh })).status).toBe(200);
  expect((await post("/api/auth/refresh", { refresh_token: "rft_none" })).body.code).toBe("refresh_invalid");
});

test("[AU-10] logout revokes all refresh tokens of the user, or the one given, and counts them", async () => {
  const one = await picket.login();
  const two = await picket.login(one.email);
  await picket.login(one.email);
  const stranger = await picket.login();
  const given = await post("/api/auth/logout", { refresh_token: two.refresh }, one.token);
  expect([given.status, given.body.data]).toEqual([200, { revoked: 1 }]);
  expect((await post("/api/auth/logout", { refresh_token: stranger.refresh }, one.token)).body.data).toEqual({
    revoked: 0,
  });
  const all = await picket.request("POST", "/api/auth/logout", { token: one.token });
  expect([all.status, all.body.data]).toEqual([200, { revoked: 2 }]);
  expect((await post("/api/auth/refresh", { refresh_token: one.refresh })).status).toBe(401);
  expect((await post("/api/auth/refresh", { refresh_token: stranger.refresh })).status).toBe(200);
  // docs/interface.md#credentials: the session token itself runs out on its own.
  expect((await picket.request("GET", "/api/me", { token: one.token })).status).toBe(200);
  expect((await picket.request("POST", "/api/auth/logout", { key: await picket.key() })).status).toBe(401);
});

test("[AU-11] many first sign-ins at once make one user and one workspace", async () => {
  const email = someone();
  const members = await Promise.all(Array.from({ length: 20 }, () => picket.login(email)));
  expect(new Set(members.map((m) => m.userId)).size).toBe(1);
  const me = await picket.request("GET", "/api/me", { token: members[0]!.token });
  expect(me.body.data.workspaces).toHaveLength(1);
});

test("[AU-12] dev-login names the workspace when asked", async () => {
  const email = someone();
  const named = await post("/api/auth/dev-login", { email, workspace_name: "Harbour" });
  expect(named.body.data.workspaces.map((w: { name: string }) => w.name)).toEqual(["Harbour"]);
  const again = await post("/api/auth/dev-login", { email, workspace_name: "Harbour" });
  expect(again.body.data.workspaces).toEqual(named.body.data.workspaces);
});

test("[AU-13] unknown members of a body are refused by name", async () => {
  const { status, body } = await post("/api/auth/dev-login", { email: someone(), admin: true });
  expect([status, body.code]).toEqual([400, "invalid_input"]);
  expect(body.error).toContain("admin");
});
