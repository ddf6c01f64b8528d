/** API keys: made, listed and revoked by people; reaching one workspace; dead at once when revoked. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { KEYS_PER_WORKSPACE_MAX } from "../../src/limits.ts";
import { type Answered, type Member, startTestPicket, type TestPicket } from "../support/picket.ts";

let picket: TestPicket;
let owner: Member;
beforeAll(async () => {
  picket = await startTestPicket();
  owner = await picket.login();
});
afterAll(() => picket.stop());

const as = ({ token, workspaceId: workspace }: Member) => ({ token, workspace });
const create = (body: unknown, member = owner) => picket.request("POST", "/api/keys", { ...as(member), body });
const list = async (member = owner) => (await picket.request("GET", "/api/keys", as(member))).body.data;
const revoke = (id: string, member = owner) => picket.request("DELETE", `/api/keys/${id}`, as(member));
const tracks = (key: string, workspace?: string) =>
  picket.request("GET", "/api/tracks", { key, ...(workspace === undefined ? {} : { workspace }) });

test("[AU-20] a key is shown once, listed by its prefix, and works without X-Workspace-Id", async () => {
  const { status, body, headers, text } = await create({ name: "  Radar ü  " });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/api/keys/${body.data.id}`);
  expect(body.data).toMatchObject({ name: "Radar ü", role: "operator", expires_at: null });
  expect(body.data.secret).toMatch(/^dak_[0-9A-Za-z]{43}$/);
  expect(body.data.secret.startsWith(body.data.prefix)).toBe(true);
  const listed = await picket.request("GET", "/api/keys", as(owner));
  expect(listed.text).not.toContain(body.data.secret);
  expect(text).toContain(body.data.secret);
  const item = listed.body.data.find((k: { id: string }) => k.id === body.data.id);
  expect(item).toMatchObject({ name: "Radar ü", prefix: body.data.prefix, created_by: owner.userId, revoked_at: null });
  expect((await tracks(body.data.secret)).status).toBe(200);
});

test("[AU-21] a revoked key is refused by the very next request, and stays in the list as revoked", async () => {
  const { id, secret } = (await create({ name: "k" })).body.data;
  for (let i = 0; i < 3; i++) expect((await tracks(secret)).status).toBe(200);
  expect((await revoke(id)).status).toBe(204);
  const { status, body } = await tracks(secret);
  expect([status, body.code]).toEqual([401, "unauthenticated"]);
  expect((await revoke(id)).body.code).toBe("not_found");
  expect((await list()).find((k: { id: string }) => k.id === id).revoked_at).toEqual(expect.any(String));
});

test("[AU-21] requests in flight while a key is revoked cannot keep it alive", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, secret } = (await create({ name: "race" })).body.data;
    const flying = Array.from({ length: 20 }, () => tracks(secret));
    const gone = await revoke(id);
    expect(gone.status).toBe(204);
    expect((await tracks(secret)).status).toBe(401);
    await Promise.all(flying);
    expect((await tracks(secret)).status).toBe(401);
  }
});

test("[AU-22] a key reaches its own workspace and no other; an unknown key is 401", async () => {
  const secret = await picket.key("operator", owner);
  const stranger = await picket.login();
  expect((await tracks(secret, owner.workspaceId)).status).toBe(200);
  expect((await tracks(secret, stranger.workspaceId)).body.code).toBe("forbidden");
  expect((await tracks(`${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`)).status).toBe(401);
  const me = await picket.request("GET", "/api/me", { key: secret });
  expect(me.body.data.workspaces).toEqual([{ id: owner.workspaceId, name: owner.email, role: "operator" }]);
});

test("[AU-23] a request neither lists nor revokes keys of another workspace", async () => {
  const { id, secret } = (await create({ name: "mine" })).body.data;
  const stranger = await picket.login();
  expect((await revoke(id, stranger)).body.code).toBe("not_found");
  expect((await list(stranger)).some((k: { id: string }) => k.id === id)).toBe(false);
  expect(
    (await picket.request("DELETE", `/api/keys/${id}`, { token: stranger.token, workspace: owner.workspaceId })).body
      .code,
  ).toBe("not_a_member");
  expect((await tracks(secret)).status).toBe(200);
});

test("[AU-24] a key cannot manage keys, and a role below admin cannot either", async () => {
  const key = await picket.key("admin", owner);
  expect((await picket.request("POST", "/api/keys", { key, body: { name: "k" } })).status).toBe(403);
  const operator = await picket.login();
  await picket.request("POST", `/api/workspaces/${owner.workspaceId}/members`, {
    ...as(owner),
    body: { email: operator.email, role: "operator" },
  });
  const there = { token: operator.token, workspace: owner.workspaceId };
  expect((await picket.request("POST", "/api/keys", { ...there, body: { name: "k" } })).body.code).toBe("forbidden");
  expect((await picket.request("POST", "/api/keys", { token: owner.token, body: { name: "k" } })).body.code).toBe(
    "invalid_input",
  );
});

test("[AU-25] a key has at most its maker's role", async () => {
  const admin = await picket.login();
  await picket.request("POST", `/api/workspaces/${owner.workspaceId}/members`, {
    ...as(owner),
    body: { email: admin.email, role: "admin" },
  });
  const there = { ...admin, workspaceId: owner.workspaceId };
  expect((await create({ name: "k", role: "owner" }, there)).body.code).toBe("forbidden");
  expect((await create({ name: "k", role: "admin" }, there)).status).toBe(201);
  expect((await create({ name: "k", role: "viewer" }, there)).body.data.role).toBe("viewer");
});

test("[AU-26] a key with an end is refused from then on; a create with an end in the past is refused", async () => {
  let secret = "";
  let endMs = 0;
  // On a busy machine a short life may be over before its first use.
  for (let lifeMs = 700; Date.now() >= endMs; lifeMs *= 3) {
    endMs = Date.now() + lifeMs;
    ({ secret } = (await create({ name: "short", expires_at: new Date(endMs).toISOString() })).body.data);
    const { status } = await tracks(secret);
    if (Date.now() < endMs) expect(status).toBe(200);
  }
  await new Promise((resolve) => setTimeout(resolve, endMs - Date.now() + 20));
  expect((await tracks(secret)).status).toBe(401);
  expect((await create({ name: "k", expires_at: "2020-01-01T00:00:00Z" })).body.code).toBe("invalid_input");
});

test("[AU-27] names that are empty, white space, too long or with control characters are refused; one Unicode form is kept", async () => {
  const bad = ["", "   ", "a\u0000b", "a\nb", "a\u202a\u0007", "x".repeat(201), 7, null];
  for (const name of bad) expect((await create({ name })).body.code).toBe("invalid_input");
  expect((await create({ name: "e\u0301" })).body.data.name).toBe("\u00e9");
  expect((await create({ name: "k", secret: "dak_mine" })).body.error).toContain("secret");
});

test("[AU-28] the time of last use is written", async () => {
  const { id, secret } = (await create({ name: "used" })).body.data;
  await tracks(secret);
  expect((await list()).find((k: { id: string }) => k.id === id).last_used_at).toEqual(expect.any(String));
});

test("[AU-80] keys made at once stay within the limit; the list gives all of them, in pages", async () => {
  const member = await picket.login();
  // Older than any key of today.
  await picket.picket.db.run(
    (sql) => sql`
      insert into api_keys (workspace_id, id, name, prefix, secret_hash, role, created_by)
      select ${member.workspaceId}, 'key_00' || lpad(i::text, 24, '0'), 'k', 'dak_', sha256((${member.workspaceId} || i)::bytea),
        'viewer', ${member.userId}
      from generate_series(1, ${KEYS_PER_WORKSPACE_MAX - 2}::int) as i`,
  );
  const made = await Promise.all(Array.from({ length: 12 }, () => create({ name: "k" }, member)));
  const codes = made.map(({ status, body }) => (status === 201 ? "created" : body.code));
  expect(codes.filter((code) => code === "created")).toHaveLength(2);
  expect(codes.filter((code) => code === "invalid_state")).toHaveLength(10);
  const ids: string[] = [];
  let path: string | undefined = "/api/keys?limit=200";
  while (path !== undefined) {
    const page: Answered = await picket.request("GET", path, as(member));
    ids.push(...page.body.data.map(({ id }: { id: string }) => id));
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  expect([ids.length, new Set(ids).size]).toEqual([KEYS_PER_WORKSPACE_MAX, KEYS_PER_WORKSPACE_MAX]);
  expect(ids).toEqual(ids.toSorted().toReversed());
  const wrong = await picket.request("GET", "/api/keys?cursor=AA", as(member));
  expect([wrong.status, wrong.body.code]).toEqual([400, "invalid_input"]);
});
