/** Workspaces and their members: the five roles, who may give them, and that a workspace keeps an owner. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";
import { openStream } from "../support/sse.ts";

let picket: TestPicket;
beforeAll(async () => {
  picket = await startTestPicket();
});
afterAll(() => picket.stop());

const as = (member: Member, place = member) => ({ token: member.token, workspace: place.workspaceId });
const at = (place: Member, rest = "") => `/api/workspaces/${place.workspaceId}${rest}`;
const add = (by: Member, email: string, role: string, place = by) =>
  picket.request("POST", at(place, "/members"), { ...as(by, place), body: { email, role } });
const setRole = (by: Member, userId: string, role: string, place = by) =>
  picket.request("POST", at(place, `/members/${userId}`), { ...as(by, place), body: { role } });
const remove = (by: Member, userId: string, place = by) =>
  picket.request("DELETE", at(place, `/members/${userId}`), as(by, place));

async function memberOf(place: Member, role: string): Promise<Member> {
  const member = await picket.login();
  expect((await add(place, member.email, role)).status).toBe(201);
  return member;
}

test("[AU-40] the user who makes a workspace is its owner, and the workspace is listed", async () => {
  const owner = await picket.login();
  const made = await picket.request("POST", "/api/workspaces", { ...as(owner), body: { name: " North  gate " } });
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/workspaces/${made.body.data.id}`);
  expect(made.body.data).toMatchObject({ name: "North  gate", role: "owner", origin: null, members_count: 1 });
  const { body } = await picket.request("GET", "/api/workspaces", { token: owner.token });
  expect(body.data.map((w: { id: string }) => w.id).sort()).toEqual([owner.workspaceId, made.body.data.id].sort());
  const there = await picket.request("GET", "/api/tracks", { token: owner.token, workspace: made.body.data.id });
  expect(there.status).toBe(200);
});

test("[AU-41] origin and name are changed; a point off the earth is invalid_position and changes nothing", async () => {
  const owner = await picket.login();
  const edit = (body: unknown) => picket.request("POST", at(owner), { ...as(owner), body });
  expect((await edit({ origin: { lat: 52, lon: 13 } })).body.data.origin).toEqual({ lat: 52, lon: 13, alt_hae_m: 0 });
  for (const origin of [
    { lat: 91, lon: 0 },
    { lat: 0, lon: 181 },
    { lat: -90.1, lon: 0 },
  ])
    expect((await edit({ name: "moved", origin })).body.code).toBe("invalid_position");
  expect((await edit({ origin: { lat: "52", lon: 13 } })).body.code).toBe("invalid_input");
  const { data } = (await edit({ name: "Gate" })).body;
  expect([data.name, data.origin.lat]).toEqual(["Gate", 52]);
});

test("[AU-42] the workspace in the path must be that of the header; for a user who is no member it is 403", async () => {
  const owner = await picket.login();
  const stranger = await picket.login();
  expect((await picket.request("GET", at(owner), as(stranger))).body.code).toBe("not_found");
  expect(
    (await picket.request("GET", at(owner), { token: stranger.token, workspace: owner.workspaceId })).body.code,
  ).toBe("not_a_member");
  expect((await picket.request("GET", at(owner, "/members"), as(stranger))).body.code).toBe("not_found");
  expect((await add(stranger, stranger.email, "owner", owner)).status).toBe(403);
});

test("[AU-43] a member is added by e-mail, once; sees the workspace at once, and after the removal no longer", async () => {
  const owner = await picket.login();
  const guest = await picket.login();
  const look = () => picket.request("GET", "/api/tracks", as(guest, owner));
  expect((await look()).body.code).toBe("not_a_member");
  expect((await add(owner, guest.email.toUpperCase(), "viewer")).body.data).toMatchObject({
    user_id: guest.userId,
    role: "viewer",
  });
  expect((await look()).status).toBe(200);
  expect((await add(owner, guest.email, "viewer")).body.code).toBe("invalid_state");
  expect((await remove(owner, guest.userId)).status).toBe(204);
  expect((await look()).body.code).toBe("not_a_member");
  expect((await remove(owner, guest.userId)).body.code).toBe("not_found");
});

test("[ST-44] a removed member's stream and tickets end; added again, they open streams again", async () => {
  const owner = await picket.login();
  const guest = await memberOf(owner, "viewer");
  const mint = async () => {
    const { body } = await picket.request("POST", "/api/auth/stream-ticket", as(guest, owner));
    return `/api/stream?ticket=${body.data.ticket}`;
  };
  const stream = await openStream(picket.url + (await mint()));
  const unused = await mint();
  expect((await remove(owner, guest.userId)).status).toBe(204);
  expect(await stream.ended()).toContain(": the membership ended");
  expect((await picket.request("GET", unused)).body.code).toBe("ticket_invalid");
  expect((await add(owner, guest.email, "viewer")).status).toBe(201);
  const again = await openStream(picket.url + (await mint()));
  expect((await again.next()).event).toBe("snapshot");
  await again.close();
});

test("[AU-44] a changed role applies from the next request on", async () => {
  const owner = await picket.login();
  const guest = await memberOf(owner, "viewer");
  const push = () => picket.request("POST", "/api/signals", { ...as(guest, owner), body: { scans: [] } });
  expect((await push()).body.code).toBe("read_only_role");
  expect((await setRole(owner, guest.userId, "operator")).body.data.role).toBe("operator");
  expect((await push()).body.code).not.toBe("read_only_role");
  expect((await setRole(owner, guest.userId, "viewer")).status).toBe(200);
  expect((await push()).body.code).toBe("read_only_role");
});

test("[AU-45] the last owner can be neither removed nor demoted, also not by two requests at once", async () => {
  const owner = await picket.login();
  expect((await remove(owner, owner.userId)).body.code).toBe("invalid_state");
  expect((await setRole(owner, owner.userId, "admin")).body.code).toBe("invalid_state");
  const second = await memberOf(owner, "owner");
  const race = await Promise.all([remove(owner, second.userId), remove(second, owner.userId, owner)]);
  expect(race.filter((r) => r.status === 204)).toHaveLength(1);
  const survivor = race[0]!.status === 204 ? owner : second;
  const { body } = await picket.request("GET", at(owner, "/members"), as(survivor, owner));
  expect(body.data.filter((m: { role: string }) => m.role === "owner")).toHaveLength(1);
});

test("[AU-46] an admin neither makes nor changes an owner; lower roles change no member", async () => {
  const owner = await picket.login();
  const admin = await memberOf(owner, "admin");
  const viewer = await memberOf(owner, "viewer");
  const outsider = await picket.login();
  expect((await add(admin, outsider.email, "owner", owner)).body.code).toBe("forbidden");
  expect((await setRole(admin, admin.userId, "owner", owner)).body.code).toBe("forbidden");
  expect((await remove(admin, owner.userId, owner)).body.code).toBe("forbidden");
  expect((await add(admin, outsider.email, "approver", owner)).status).toBe(201);
  expect((await add(viewer, "x@example.com", "viewer", owner)).body.code).toBe("read_only_role");
  expect((await remove(outsider, viewer.userId, owner)).body.code).toBe("forbidden");
  expect((await picket.request("GET", at(owner, "/members"), as(viewer, owner))).body.data).toHaveLength(4);
});

test("[AU-47] an unknown role, an unknown member and an unknown user are refused", async () => {
  const owner = await picket.login();
  expect((await add(owner, "a@example.com", "king")).body.code).toBe("invalid_input");
  expect((await setRole(owner, "usr_none", "viewer")).body.code).toBe("not_found");
  expect((await add(owner, "not an address", "viewer")).body.code).toBe("invalid_input");
});

test("[AU-48] a user makes at most WORKSPACES_PER_USER_MAX workspaces, also at once, and cannot hand one on to make more", async () => {
  const owner = await picket.login();
  const make = (name: string) => picket.request("POST", "/api/workspaces", { token: owner.token, body: { name } });
  const made = await Promise.all(Array.from({ length: 25 }, (_, i) => make(`site ${i}`)));
  // The first sign-in made one.
  expect(made.filter(({ status }) => status === 201)).toHaveLength(19);
  const refused = made.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, "invalid_state"]);
    expect(body.error).toContain("the limit of a user is 20");
  }
  const heir = await picket.login();
  expect((await add(owner, heir.email, "owner")).status).toBe(201);
  expect((await remove(heir, owner.userId, owner)).status).toBe(204);
  expect((await make("one more")).status).toBe(409);
  // The heir made one only.
  const theirs = await picket.request("POST", "/api/workspaces", { token: heir.token, body: { name: "own" } });
  expect(theirs.status).toBe(201);
  const dev = (name: string) =>
    picket.request("POST", "/api/auth/dev-login", { body: { email: owner.email, workspace_name: name } });
  expect([(await dev("another")).body.code, (await dev("site 0")).status]).toEqual(["invalid_state", 200]);
});

test("[TK-76] the 65th and 66th workspace are served, and each of the others again", async () => {
  const keys: string[] = [];
  while (keys.length < 66) keys.push(await picket.key("viewer"));
  for (const key of [...keys, ...keys]) {
    const { status, text } = await picket.request("GET", "/api/tracks", { key });
    expect(status, text).toBe(200);
  }
  expect([...picket.picket.rooms.all()].length).toBeLessThanOrEqual(64);
});

test("[AU-106] a key, also an owner's, neither adds, changes nor removes members", async () => {
  const owner = await picket.login();
  const guest = await memberOf(owner, "viewer");
  const made = await picket.request("POST", "/api/keys", { ...as(owner), body: { name: "leaked", role: "owner" } });
  const key = made.body.data.secret as string;
  const email = "intruder@example.com";
  const answers = [
    await picket.request("POST", at(owner, "/members"), { key, body: { email, role: "owner" } }),
    await picket.request("POST", at(owner, `/members/${guest.userId}`), { key, body: { role: "owner" } }),
    await picket.request("DELETE", at(owner, `/members/${guest.userId}`), { key }),
  ];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([403, "forbidden"]));
});
