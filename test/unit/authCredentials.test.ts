/** The authenticator over a registry that answers when told to: what is kept, for how long, and what is forgotten. */
import { expect, test } from "vitest";
import type { Database } from "../../src/db/client.ts";
import { isRefusal, UnavailableError } from "../../src/domain/errors.ts";
import { Authenticator } from "../../src/features/auth/credentials.ts";
import { createTokenKeys } from "../../src/features/auth/token.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { newSecret } from "../../src/lib/ids.ts";
import { CREDENTIAL_CACHE_STALE_TTL_MS, CREDENTIAL_CACHE_TTL_MS, SESSION_TOKEN_TTL_S } from "../../src/limits.ts";

const SECRETS = ["s".repeat(40)];
const KEY_ROW = { workspace_id: "wsp_1", id: "key_1", name: "k", role: "operator", expires_at: null as Date | null };

/** `answer` is what the registry says next; a promise keeps the question open. */
function build(answer: () => unknown) {
  const clock = new ManualClock(1_700_000_000_000);
  const registry = { asked: 0, answer };
  const db = {
    state: "up",
    run: (work: (sql: unknown) => Promise<unknown>) =>
      work(async () => {
        registry.asked++;
        return registry.answer();
      }),
  } as unknown as Database;
  const tokens = createTokenKeys(SECRETS);
  return { clock, registry, tokens, auth: new Authenticator({ db, tokens, clock }) };
}

function later() {
  let resolve: (rows: unknown[]) => void = () => undefined;
  const promise = new Promise<unknown[]>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
const away = () => {
  throw new UnavailableError("away");
};

test("[AU-21] a look-up that began before the revocation is not cached", async () => {
  const first = later();
  const { auth, registry } = build(() => first.promise);
  const key = newSecret("dak");
  const flying = auth.authenticate("", key);
  auth.forgetKey("key_1");
  registry.answer = () => [];
  const after = auth.authenticate("", key);
  first.resolve([KEY_ROW]);
  await flying;
  expect(isRefusal(await after)).toBe(true);
  expect(isRefusal(await auth.authenticate("", key))).toBe(true);
});

test("[AU-21] a cached key is answered without a look-up until it expires; a revoked key is looked up again at once", async () => {
  const { auth, registry, clock } = build(() => [KEY_ROW]);
  const key = newSecret("dak");
  await auth.authenticate("", key);
  expect(auth.authenticate("", key)).toMatchObject({ kind: "key", keyId: "key_1", role: "operator" });
  expect(registry.asked).toBe(1);
  clock.advance(CREDENTIAL_CACHE_TTL_MS + 1);
  await auth.authenticate("", key);
  expect(registry.asked).toBe(2);
  auth.forgetKey("key_1");
  registry.answer = () => [];
  expect(isRefusal(await auth.authenticate("", key))).toBe(true);
});

test("[AU-21] a hundred requests with a new key cause one look-up", async () => {
  const { auth, registry } = build(() => [KEY_ROW]);
  const key = newSecret("dak");
  await Promise.all(Array.from({ length: 100 }, () => auth.authenticate("", key)));
  expect(registry.asked).toBe(1);
});

test("[AU-22] a malformed key is not looked up; an unknown key is looked up once in a while", async () => {
  const { auth, registry, clock } = build(() => []);
  for (const bad of ["x", "dak_", `dak_${"-".repeat(43)}`, `${newSecret("dak")}x`, "k".repeat(5000)])
    expect(isRefusal(await auth.authenticate("", bad))).toBe(true);
  expect(registry.asked).toBe(0);
  const key = newSecret("dak");
  for (let i = 0; i < 5; i++) expect(isRefusal(await auth.authenticate("", key))).toBe(true);
  expect(registry.asked).toBe(1);
  clock.advance(3000);
  registry.answer = () => [KEY_ROW];
  expect(isRefusal(await auth.authenticate("", key))).toBe(false);
});

test("[AU-26] a key's end is checked at each use, cached or not", async () => {
  const { auth, clock } = build(() => [{ ...KEY_ROW, expires_at: new Date(1_700_000_001_000) }]);
  const key = newSecret("dak");
  expect(isRefusal(await auth.authenticate("", key))).toBe(false);
  clock.advance(1001);
  expect(isRefusal(await auth.authenticate("", key))).toBe(true);
});

test("[AU-68] while the database is away a verified credential is accepted for a while, unless it was forgotten", async () => {
  const { auth, registry, clock } = build(() => [KEY_ROW]);
  const key = newSecret("dak");
  await auth.authenticate("", key);
  registry.answer = away;
  clock.advance(CREDENTIAL_CACHE_TTL_MS + 1);
  expect(await auth.authenticate("", key)).toMatchObject({ keyId: "key_1" });
  await expect(auth.authenticate("", newSecret("dak"))).rejects.toBeInstanceOf(UnavailableError);
  clock.advance(CREDENTIAL_CACHE_STALE_TTL_MS);
  await expect(auth.authenticate("", key)).rejects.toBeInstanceOf(UnavailableError);
  registry.answer = () => [KEY_ROW];
  await auth.authenticate("", key);
  registry.answer = away;
  auth.forgetKey("key_1");
  await expect(auth.authenticate("", key)).rejects.toBeInstanceOf(UnavailableError);
});

test("[AU-44] a changed membership is looked up again at once", async () => {
  const { auth, registry, tokens, clock } = build(() => [{ id: "wsp_1", name: "w", role: "viewer" }]);
  const claims = { userId: "usr_1", email: "a@b.c", name: "a", sessionId: "fam_1" };
  const { token } = await tokens.sign(claims, clock.nowMs());
  const roleOf = async () =>
    ((await auth.authenticate(token, "")) as unknown as { memberships: Map<string, string> }).memberships.get("wsp_1");
  expect(await roleOf()).toBe("viewer");
  registry.answer = () => [{ id: "wsp_1", name: "w", role: "operator" }];
  expect(await roleOf()).toBe("viewer");
  auth.forgetUser("usr_1");
  expect(await roleOf()).toBe("operator");
});

test("[AU-2] a token ends after thirty minutes; a second secret still verifies, an unknown one does not", async () => {
  const nowMs = 1_700_000_000_000;
  const claims = { userId: "usr_1", email: "a@b.c", name: "a", sessionId: "fam_1" };
  const { token } = await createTokenKeys(SECRETS).sign(claims, nowMs);
  const rotated = createTokenKeys(["n".repeat(40), ...SECRETS]);
  expect(await rotated.verify(token, nowMs + (SESSION_TOKEN_TTL_S - 1) * 1000)).toMatchObject(claims);
  expect(await rotated.verify(token, nowMs + (SESSION_TOKEN_TTL_S + 6) * 1000)).toBeNull();
  expect(await createTokenKeys(["n".repeat(40)]).verify(token, nowMs)).toBeNull();
});

test("[AU-81] times of last use are written workspace by workspace; those that a fault kept back are written next", async () => {
  const asked = ["1", "2"].map((n) => ({ ...KEY_ROW, workspace_id: `wsp_${n}`, id: `key_${n}` }));
  const keys = [newSecret("dak"), newSecret("dak")];
  const written: unknown[][] = [];
  let isAway = true;
  const sql = async (text: TemplateStringsArray, ...values: unknown[]) => {
    if (!text.join("?").includes("update api_keys")) return [asked.shift()];
    if (isAway) throw new UnavailableError("away");
    expect(text.join("?")).toContain("where workspace_id = ? and id = any(?)");
    written.push(values);
    await auth.authenticate("", keys[0]!);
    return [];
  };
  const db = { state: "up", run: (work: (given: unknown) => unknown) => work(sql) } as unknown as Database;
  const clock = new ManualClock(1_700_000_000_000);
  const auth = new Authenticator({ db, tokens: createTokenKeys(SECRETS), clock });
  for (const key of keys) await auth.authenticate("", key);
  await expect(auth.flushUse()).rejects.toThrow("away");
  isAway = false;
  await auth.flushUse();
  expect(written.toSorted()).toEqual([
    ["wsp_1", ["key_1"]],
    ["wsp_2", ["key_2"]],
  ]);
  // Used again while they were written: one more time each flush, however many more there are.
  await auth.flushUse();
  expect(written.slice(2)).toEqual([["wsp_1", ["key_1"]]]);
});
