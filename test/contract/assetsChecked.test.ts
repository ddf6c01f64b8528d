/** Rules that registration, edits and the catalogue share: serials, kinds, hosts, references, renamed entries. */
import { describe, expect, test } from "vitest";
import { says, useService } from "../support/frontDoor.ts";

const front = useService();
const { ask } = front;
const register = (body: object) => ask("POST", "/api/assets", { name: "x", catalog_name: "quadrotor", ...body });
const edit = (id: string, body: object) => ask("POST", `/api/assets/${id}`, { spec: {}, ...body });
const view = async (id: string) => (await ask("GET", `/api/assets/${id}`)).body.data;
const made = (body: object) => front.made({ name: "x", catalog_name: "quadrotor", ...body });
const enter = async (name: string, kind: string, spec: object) =>
  (await ask("POST", "/api/catalog/entries", { name, kind, spec })).body.data.id;

describe("[AS-20] a serial is one line of 1 to 200 characters, wherever it is written", () => {
  const wrong: [string, unknown][] = [
    ["an empty one", ""],
    ["one of 8000 characters", "x".repeat(8000)],
    ["two lines", "a\nb"],
    ["a number", 17],
    ["a list", ["a"]],
  ];
  test.each(wrong)("%s in a spec is refused", async (_, serial) => {
    const answer = await register({ spec: { remote_id_serial: serial } });
    expect(says(answer)).toEqual([400, "invalid_spec"]);
    expect(answer.body.error).toContain("spec.remote_id_serial must be");
    const id = await made({});
    expect(says(await edit(id, { spec: { remote_id_serial: serial } }))).toEqual([400, "invalid_spec"]);
    expect(says(await ask("POST", `/api/assets/${id}/bind`, { key: serial }))).toEqual([400, "invalid_input"]);
    expect((await view(id)).remote_id_serial).toBeNull();
  });
  test("null means no value, and a model that is no text is refused", async () => {
    const id = await made({ spec: { remote_id_serial: null, model: null } });
    expect((await view(id)).remote_id_serial).toBeNull();
    expect(says(await register({ spec: { model: 5 } }))).toEqual([400, "invalid_spec"]);
    expect(says(await edit(id, { spec: { model: 5 } }))).toEqual([400, "invalid_spec"]);
  });
});

describe("[AS-21] an edit keeps the rules of registration", () => {
  test.each(["bird", "gripper"])("no asset can become a %s", async (model) => {
    const id = await made({});
    expect(says(await edit(id, { model }))).toEqual([400, "invalid_spec"]);
    expect(says(await edit(id, { spec: { model } }))).toEqual([400, "invalid_spec"]);
  });
  test("kind and model agree: neither changes without the other", async () => {
    const id = await made({});
    expect(says(await edit(id, { kind: "sensor" }))).toEqual([409, "domain_mismatch"]);
    expect(says(await edit(id, { model: "radar-3d-short" }))).toEqual([409, "domain_mismatch"]);
    expect(says(await edit(id, { model: "radar-3d-short", kind: "vehicle" }))).toEqual([409, "domain_mismatch"]);
    const place = { lat: 50, lon: 8 };
    const turned = await edit(id, { model: "radar-3d-short", kind: "sensor", placement: place });
    expect(turned.body.data).toMatchObject({ kind: "sensor", domain: "sensor", spec: { model: "radar-3d-short" } });
    expect((await view(id)).sensor).toMatchObject({ profile_id: "radar-3d-short" });
    expect((await edit(id, { model: "quadrotor", kind: "vehicle" })).status).toBe(200);
    const { sensors } = (await ask("GET", "/api/picture")).body.data;
    expect(sensors.some((sensor: { id: string }) => sensor.id === id)).toBe(false);
  });
  test("a host is another asset of the workspace, can be changed, and is removed by null", async () => {
    const host = await made({});
    const other = await made({});
    const id = await made({ catalog_name: "eo-ptz-long", placement: { lat: 1, lon: 1 } });
    const on = (hostId: string | null, lat = 1) => edit(id, { placement: { lat, lon: 1, host_asset_id: hostId } });
    expect(says(await on("ast_nope"))).toEqual([400, "invalid_input"]);
    expect(says(await on(id))).toEqual([400, "invalid_input"]);
    expect((await on(host)).status).toBe(200);
    expect(says(await on(host, 2))).toEqual([409, "carried_sensor"]);
    expect(says(await edit(id, { placement: { lat: 2, lon: 1 } }))).toEqual([409, "carried_sensor"]);
    expect((await on(other)).status).toBe(200);
    expect((await on(null, 3)).body.data.placement).toMatchObject({ lat: 3, host_asset_id: null });
    expect((await edit(id, { placement: { lat: 4, lon: 1 } })).status).toBe(200);
  });
  test("a deleted host carries nothing", async () => {
    const host = await made({});
    const id = await made({ catalog_name: "eo-ptz-long", placement: { lat: 1, lon: 1, host_asset_id: host } });
    await ask("DELETE", `/api/assets/${host}`);
    expect((await edit(id, { placement: { lat: 2, lon: 2 } })).body.data.placement).toEqual({ lat: 2, lon: 2 });
  });
  test("many edits cannot grow a spec over its limit", async () => {
    const id = await made({});
    const part = (n: number) => edit(id, { spec: { [`part${n}`]: "x".repeat(30_000) } });
    expect([(await part(1)).status, (await part(2)).status]).toEqual([200, 200]);
    expect(says(await part(3))).toEqual([400, "invalid_spec"]);
    expect((await edit(id, { spec: { part1: null, part3: "x".repeat(30_000) } })).status).toBe(200);
  });
});

describe("[AS-22] types, profiles and protocols that an asset refers to exist in the catalogue", () => {
  const refused: [string, object][] = [
    ["a payload of an unknown type", { payloads: [{ type: "no_such_type" }] }],
    ["a payload of an unknown profile", { payloads: [{ type: "gripper", sensor_profile_id: "no-such" }] }],
    ["an unknown protocol", { performance: { control_protocol: "zz" } }],
  ];
  test.each(refused)("%s is refused", async (_, body) => {
    expect(says(await register(body))).toEqual([400, "invalid_input"]);
    const id = await made({});
    const changed = "payloads" in body ? await ask("POST", `/api/assets/${id}/payloads`, body) : await edit(id, body);
    expect(says(changed)).toEqual([400, "invalid_input"]);
    expect((await view(id)).version).toBe(1);
  });
});

test("[ED-94] an id that no asset can have is 404 like any other unknown id", async () => {
  const id = `ast_${"x".repeat(100)}`;
  expect(says(await ask("GET", `/api/assets/${id}`))).toEqual([404, "not_found"]);
  expect(says(await ask("DELETE", `/api/assets/${id}`))).toEqual([404, "not_found"]);
  expect(says(await edit(id, {}))).toEqual([404, "not_found"]);
  expect(says(await ask("POST", `/api/assets/${id}/bind`, { key: "k" }))).toEqual([404, "not_found"]);
  expect(says(await ask("POST", `/api/assets/${id}/payloads`, { payloads: null }))).toEqual([404, "not_found"]);
});

test("[AS-2] expected_version null means absent", async () => {
  const id = await made({});
  expect((await edit(id, { name: "y", expected_version: null })).status).toBe(200);
});

test.each([
  ["/api/assets", { name: "a\tb", catalog_name: "quadrotor" }],
  ["/api/assets", { name: "a", catalog_name: "quad\nrotor" }],
  ["/api/assets", { name: " ", catalog_name: "quadrotor" }],
  ["/api/catalog/entries", { name: "-_-", kind: "vehicle", spec: { type: "quadrotor", domain: "air" } }],
  ["/api/catalog/entries", { name: "a", kind: "\u0007", spec: { type: "quadrotor", domain: "air" } }],
])("[ED-81] a text that breaks its rule is answered with the rule in words: %s %j", async (path, body) => {
  const answer = await ask("POST", path, body);
  expect(says(answer)).toEqual([400, "invalid_input"]);
  expect(answer.body.error).toMatch(/^(name|kind|catalog_name) must be one line of text/);
  expect(answer.body.error).not.toContain("\\u");
});

describe("[CA-19] the type of an entry decides what its assets are; the entry's kind is free text", () => {
  test.each([
    ["banana", { type: "radar_3d_rotating", domain: "sensor" }, "sensor", "sensor"],
    ["sensor", { type: "quadrotor", domain: "air" }, "vehicle", "air"],
  ])("an entry of the kind %s of %j is a %s", async (kind, spec, expected, domain) => {
    const entry = await enter(`House ${kind}`, kind, spec);
    expect((await ask("GET", `/api/catalog/entries/${entry}`)).body.data.kind).toBe(kind);
    const id = await made({ catalog_name: `house ${kind}` });
    expect(await view(id)).toMatchObject({ kind: expected, domain });
  });
  test("an entry of type bird makes no asset, whatever its kind", async () => {
    await enter("Tame", "vehicle", { type: "bird", domain: "contact" });
    expect(says(await register({ catalog_name: "tame" }))).toEqual([400, "invalid_spec"]);
  });
});

describe("[CA-20] the assets of an entry follow its new name", () => {
  const spec = { type: "quadrotor", domain: "air", performance: { cruise_mps: 7 } };
  test("in the row, in the view and in the log, and they keep their inherited values", async () => {
    const entry = await enter("Old Name", "vehicle", spec);
    const id = await made({ catalog_name: "old-name", spec: { tail: 7 } });
    const apart = await made({});
    const renamed = await ask("POST", `/api/catalog/entries/${entry}`, { spec, name: "New Name" });
    expect(renamed.body.data.name).toBe("New Name");
    expect(await view(id)).toMatchObject({
      model: "New Name",
      class_type: "quadrotor",
      performance: { cruise_mps: 7 },
      version: 2,
    });
    expect(await view(apart)).toMatchObject({ model: "Quadrotor", version: 1 });
    const log = (await ask("GET", "/api/events?name=audit.asset_edited&limit=1000")).body.data;
    expect(log.find(({ subject }: { subject: { id: string } }) => subject.id === id)?.data).toMatchObject({
      before: { version: 1, spec: { model: "Old Name", tail: 7 } },
      after: { version: 2, spec: { model: "New Name", tail: 7 } },
    });
    // The row in the database, not only the room's copy: an edit compares its version.
    expect((await edit(id, { name: "z", expected_version: 2 })).body.data).toMatchObject({
      spec: { model: "New Name" },
      version: 3,
    });
  });
  test("a refused name changes no asset", async () => {
    const entry = await enter("Stays", "vehicle", spec);
    const id = await made({ catalog_name: "stays" });
    expect((await ask("POST", `/api/catalog/entries/${entry}`, { spec, name: "New Name" })).status).toBe(400);
    expect(await view(id)).toMatchObject({ model: "Stays", version: 1 });
  });
});

describe("[CA-60] a change of an entry that would change the kind or domain of its assets is refused", () => {
  const quad = { type: "quadrotor", domain: "air" };
  const radar = { type: "radar_3d_rotating", domain: "sensor" };
  test("an edit, a rename and a replacing entry that would change the kind or domain are refused", async () => {
    const entry = await enter("Chg", "vehicle", quad);
    const id = await made({ name: "Hawk", catalog_name: "chg" });
    const refused = await ask("POST", `/api/catalog/entries/${entry}`, { spec: radar });
    expect(says(refused)).toEqual([409, "domain_mismatch"]);
    expect(refused.body.error).toContain("Hawk");
    const renamed = await ask("POST", `/api/catalog/entries/${entry}`, { spec: radar, name: "Changed" });
    expect(says(renamed)).toEqual([409, "domain_mismatch"]);
    const replaced = await ask("POST", "/api/catalog/entries", { name: "CHG", kind: "x", spec: radar });
    expect(says(replaced)).toEqual([409, "domain_mismatch"]);
    expect((await ask("GET", `/api/catalog/entries/${entry}`)).body.data).toMatchObject({ name: "Chg", spec: quad });
    expect(await view(id)).toMatchObject({ domain: "air", class_type: "quadrotor", model: "Chg", version: 1 });
    expect((await ask("POST", `/api/catalog/entries/${entry}`, { spec: { ...quad, type: "hexarotor" } })).status).toBe(
      200,
    );
    expect(await view(id)).toMatchObject({ class_type: "hexarotor" });
  });
  test("an entry may not shadow the built-in of existing assets; an entry without assets changes freely", async () => {
    await made({});
    const shadow = { name: "quadrotor", kind: "x", spec: radar };
    expect(says(await ask("POST", "/api/catalog/entries", shadow))).toEqual([409, "domain_mismatch"]);
    const entry = await enter("Nobody's", "vehicle", quad);
    expect((await ask("POST", `/api/catalog/entries/${entry}`, { spec: radar })).status).toBe(200);
  });
});

describe("[AS-63] only a vehicle carries a sensor, so nothing carries itself through others", () => {
  const radar = (host?: string) => ({
    catalog_name: "radar_3d_rotating",
    placement: { lat: 50, lon: 8, ...(host === undefined ? {} : { host_asset_id: host }) },
  });
  test("no sensor is registered or placed on a sensor", async () => {
    const [first, second] = [await made(radar()), await made(radar())];
    const refused = await register(radar(first));
    expect(says(refused)).toEqual([400, "invalid_input"]);
    expect(refused.body.error).toContain("only a vehicle carries");
    expect(says(await edit(second, { placement: radar(first).placement }))).toEqual([400, "invalid_input"]);
    expect((await edit(second, { placement: radar(await made({})).placement })).status).toBe(200);
  });
  test("an asset that carries a sensor stays a vehicle", async () => {
    const host = await made({});
    await made(radar(host));
    const changed = await edit(host, { kind: "sensor", model: "radar_3d_rotating" });
    expect(says(changed)).toEqual([400, "invalid_input"]);
    expect((await view(host)).kind).toBe("vehicle");
  });
});
