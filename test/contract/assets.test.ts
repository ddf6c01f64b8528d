/** The registry through the front door: every rule of docs/interface.md#assets, and the outcome of races. */
import { describe, expect, test } from "vitest";
import { says, useService } from "../support/frontDoor.ts";
import type { Answered } from "../support/picket.ts";

const front = useService();
const { ask, made } = front;
const register = (body: object) => ask("POST", "/api/assets", body);
describe("[AS-1] registering", () => {
  test("by catalogue name: 201, Location, the view; the model in the catalogue's own spelling", async () => {
    const answer = await register({ name: "Falcon", catalog_name: "QUAD-rotor", domain: "air", spec: { tail: 7 } });
    expect(answer.status).toBe(201);
    const { id } = answer.body.data;
    expect(answer.headers.get("location")).toBe(`/api/assets/${id}`);
    expect(id).toMatch(/^ast_/);
    expect(answer.body.data).toMatchObject({
      name: "Falcon",
      kind: "vehicle",
      domain: "air",
      model: "Quadrotor",
      class_type: "quadrotor",
      origin: "registry",
      key: null,
      link: { state: "never_heard" },
      health: { level: "unknown" },
      commitment: null,
      env: "live",
      version: 1,
    });
    expect((await ask("GET", `/api/assets/${id}`)).body.data).toEqual(answer.body.data);
  });
  test("the same address is the same asset, 200, also under another name", async () => {
    const body = { name: "One", catalog_name: "hexarotor", connection: { address: "10.0.0.1:14550" } };
    const first = await register(body);
    const again = await register({ ...body, name: "Two" });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(again.body.data).toMatchObject({ id: first.body.data.id, name: "One" });
  });
  const refused: [string, object, unknown[]][] = [
    ["no name", { catalog_name: "quadrotor" }, [400, "invalid_input"]],
    ["a blank name", { name: "  ", catalog_name: "quadrotor" }, [400, "invalid_input"]],
    ["neither catalogue name nor address", { name: "x" }, [400, "invalid_input"]],
    ["a list as spec", { name: "x", catalog_name: "quadrotor", spec: [] }, [400, "invalid_spec"]],
    [
      "a prototype in the spec",
      JSON.parse('{"name":"x","catalog_name":"quadrotor","spec":{"a":{"constructor":1}}}'),
      [400, "invalid_input"],
    ],
    [
      "a zero character in the spec",
      { name: "x", catalog_name: "quadrotor", spec: { a: "\0" } },
      [400, "invalid_input"],
    ],
    ["an unknown name", { name: "x", catalog_name: "nothing like it" }, [404, "not_found"]],
    ["an address where nothing is heard", { name: "x", connection: { address: "10.9.9.9:1" } }, [404, "not_found"]],
    ["another domain", { name: "x", catalog_name: "quadrotor", domain: "maritime" }, [409, "domain_mismatch"]],
    ["a bird", { name: "x", catalog_name: "bird" }, [400, "invalid_spec"]],
    [
      "a placement off the earth",
      { name: "x", catalog_name: "radar-3d-short", placement: { lat: 91, lon: 0 } },
      [400, "invalid_position"],
    ],
    ...([{ alt_hae_m: 1e15 }, { alt_hae_m: -501 }, { height_agl_m: 1e15 }] as const).map(
      (height): [string, object, unknown[]] => [
        `a placement at ${JSON.stringify(height)}`,
        { name: "x", catalog_name: "radar-3d-short", placement: { lat: 1, lon: 1, ...height } },
        [400, "invalid_input"],
      ],
    ),
    [
      "a host that is not there",
      { name: "x", catalog_name: "eo-ptz-long", placement: { lat: 1, lon: 1, host_asset_id: "ast_no" } },
      [400, "invalid_input"],
    ],
    ["a member that is not known", { name: "x", catalog_name: "quadrotor", nmae: 1 }, [400, "invalid_input"]],
  ];
  test.each(refused)("%s is refused", async (_, body, expected) => {
    const before = (await ask("GET", "/api/assets")).body.data.length;
    expect(says(await register(body))).toEqual(expected);
    expect((await ask("GET", "/api/assets")).body.data).toHaveLength(before);
  });
  test("a viewer is refused with the reason", async () => {
    const viewer = await front.service.key("viewer", front.owner);
    const answer = await ask("POST", "/api/assets", { name: "x", catalog_name: "quadrotor" }, { key: viewer });
    expect(says(answer)).toEqual([403, "read_only_role"]);
  });
});

describe("[AS-2] editing writes only what is sent", () => {
  test("serial and model are kept; performance and switches merge; null resets a member", async () => {
    const id = await made({
      name: "Kite",
      catalog_name: "quadrotor",
      remote_id_serial: "1596F-EDIT",
      spec: { a: 1, b: 2 },
    });
    const edit = (body: object) => ask("POST", `/api/assets/${id}`, body);
    const first = await edit({
      spec: { b: 3 },
      name: "Kite 2",
      performance: { cruise_mps: 9 },
      switches: { enabled: false },
    });
    expect(first.status).toBe(200);
    expect(first.body.data).toMatchObject({
      name: "Kite 2",
      spec: { a: 1, b: 3, model: "Quadrotor", remote_id_serial: "1596F-EDIT" },
      remote_id_serial: "1596F-EDIT",
      performance: { cruise_mps: 9 },
      switches: { enabled: false },
      version: 2,
    });
    const second = await edit({
      spec: { remote_id_serial: "STOLEN", model: null },
      model: "octo ROTOR",
      name: null,
      performance: { max_mps: 20 },
      switches: { enabled: null },
    });
    expect(second.body.data).toMatchObject({
      name: "Kite 2",
      spec: { model: "Octorotor", remote_id_serial: "1596F-EDIT" },
      performance: { cruise_mps: 9, max_mps: 20 },
      switches: {},
    });
    const view = (await ask("GET", `/api/assets/${id}`)).body.data;
    expect(view).toMatchObject({
      model: "Octorotor",
      class_type: "octorotor",
      performance: { cruise_mps: 9, max_mps: 20 },
    });
    // Figures that the asset does not set come from its model.
    expect(view.performance.endurance_s).toBeGreaterThan(0);
  });
  test("refused edits", async () => {
    const id = await made({ name: "Wren", catalog_name: "quadrotor" });
    const edit = (body: object, of = id) => ask("POST", `/api/assets/${of}`, body).then(says);
    expect(await edit({ name: "x" })).toEqual([400, "invalid_input"]);
    expect(await edit({ spec: [] })).toEqual([409, "spec_not_object"]);
    expect(await edit({ spec: "x" })).toEqual([409, "spec_not_object"]);
    expect(await edit({ spec: {}, model: "nothing like it" })).toEqual([409, "model_unknown"]);
    expect(await edit({ spec: {}, placement: { lat: 0, lon: 181 } })).toEqual([400, "invalid_position"]);
    expect(await edit({ spec: {}, placement: { lat: 0, lon: 0, alt_hae_m: 1e15 } })).toEqual([400, "invalid_input"]);
    expect(await edit({ spec: {} }, "ast_unknown")).toEqual([404, "not_found"]);
    expect(await edit({ spec: {}, expected_version: 7 })).toEqual([409, "version_conflict"]);
    expect((await ask("GET", `/api/assets/${id}`)).body.data.version).toBe(1);
  });
  test("a carried sensor is placed with its host, not by hand", async () => {
    const host = await made({ name: "Carrier", catalog_name: "quadrotor" });
    const id = await made({
      name: "Eye",
      catalog_name: "eo-ptz-long",
      placement: { lat: 1, lon: 1, host_asset_id: host },
    });
    const moved = await ask("POST", `/api/assets/${id}`, { spec: {}, placement: { lat: 2, lon: 2 } });
    expect(says(moved)).toEqual([409, "carried_sensor"]);
    const same = { placement: { host_asset_id: host, lon: 1, lat: 1 }, spec: {}, name: "Eye 2" };
    expect((await ask("POST", `/api/assets/${id}`, same)).status).toBe(200);
  });
  test("[AS-14] given its host is deleted, a carried sensor is unplaced and can be placed by hand", async () => {
    const host = await made({ name: "Host that goes", catalog_name: "quadrotor" });
    const id = await made({
      name: "Eye",
      catalog_name: "radar-3d-short",
      placement: { lat: 0, lon: 0, host_asset_id: host },
    });
    const view = async () => (await ask("GET", `/api/assets/${id}`)).body.data;
    const place = () => ask("POST", `/api/assets/${id}`, { spec: {}, placement: { lat: 50, lon: 8, alt_hae_m: 90 } });
    const plot = async () => {
      const measured = { measured_at: Date.now(), az_deg: 10, el_deg: 2, range_m: 1500 };
      return ask("POST", "/api/signals", { source_id: id, modality: "radar", ...measured });
    };
    const moved = await place();
    expect(moved.body.error).toBe("Eye is carried by Host that goes and is placed with it, not by hand");
    expect(await view()).toMatchObject({ motion: null, version: 1 });
    const early = await plot();
    expect(early.status).toBe(400);
    expect(early.body.error).toContain("has no placement, or its host is silent");
    expect((await ask("DELETE", `/api/assets/${host}`)).status).toBe(204);
    expect(await view()).toMatchObject({ motion: null, version: 2 });
    const [edited] = (await ask("GET", `/api/events?name=audit.asset_edited&subject=${id}`)).body.data;
    expect(edited.data).toMatchObject({
      before: { placement: { host_asset_id: host } },
      after: { placement: null, version: 2 },
    });
    expect((await place()).status).toBe(200);
    expect(await view()).toMatchObject({ motion: { lat: 50, alt_hae_m: 90 }, version: 3 });
    expect((await plot()).status).toBe(200);
  });
});

describe("[AS-3] payloads have three meanings", () => {
  test("a list, nothing, and what the model carries", async () => {
    const id = await made({ name: "Mule", catalog_name: "quadrotor" });
    const set = (payloads: unknown) => ask("POST", `/api/assets/${id}/payloads`, { payloads });
    const seen = async () => {
      const { payloads, payload_source } = (await ask("GET", `/api/assets/${id}`)).body.data;
      return [payload_source, payloads.length];
    };
    const inherited = await seen();
    expect((await set([{ type: "gripper", count: 1 }])).body.data.payloads).toEqual([{ type: "gripper", count: 1 }]);
    expect(await seen()).toEqual(["own", 1]);
    expect((await set([])).body.data.payloads).toEqual([]);
    expect(await seen()).toEqual(["own", 0]);
    expect((await set(null)).body.data.payloads).toBeNull();
    expect(await seen()).toEqual(inherited);
    expect(says(await ask("POST", "/api/assets/ast_no/payloads", { payloads: [] }))).toEqual([404, "not_found"]);
  });
});

describe("[AS-4] pairing", () => {
  test("a row without a serial takes one key; a key has one row", async () => {
    const [a, b] = [
      await made({ name: "A", catalog_name: "quadrotor" }),
      await made({ name: "B", catalog_name: "quadrotor" }),
    ];
    const bind = (id: string, to: string) => ask("POST", `/api/assets/${id}/bind`, { key: to });
    const bound = await bind(a, "1596F-BIND");
    expect(bound.body.data).toMatchObject({ remote_id_serial: "1596F-BIND", spec: { remote_id_serial: "1596F-BIND" } });
    expect(says(await bind(a, "1596F-OTHER"))).toEqual([409, "already_paired"]);
    expect(says(await bind(b, "1596F-BIND"))).toEqual([409, "already_bound"]);
    expect(says(await bind("ast_no", "1596F-X"))).toEqual([404, "not_found"]);
    expect(says(await register({ name: "C", catalog_name: "quadrotor", remote_id_serial: "1596F-BIND" }))).toEqual([
      409,
      "already_bound",
    ]);
  });
});

describe("[AS-5] the list", () => {
  test("kind, nearest first over the ellipsoid with the distance, and free", async () => {
    const member = await front.service.login();
    const own = await front.service.key("owner", member);
    const put = async (name: string, lon: number) =>
      (
        await ask(
          "POST",
          "/api/assets",
          { name, catalog_name: "radar-3d-short", placement: { lat: 0, lon } },
          { key: own },
        )
      ).body.data.id;
    const [far, near] = [await put("far", 2), await put("near", 1)];
    const blind = (await ask("POST", "/api/assets", { name: "v", catalog_name: "quadrotor" }, { key: own })).body.data
      .id;
    const list = async (query: string) => (await ask("GET", `/api/assets${query}`, undefined, { key: own })).body.data;
    const ids = (views: { id: string }[]) => views.map(({ id }) => id);
    expect(ids(await list("")).sort()).toEqual([far, near, blind].sort());
    const nearest = await list("?nearest=0,0");
    expect(ids(nearest)).toEqual([near, far, blind]);
    // One degree on the equator: pi/180 of the major axis.
    expect(nearest[0].distance_m).toBeCloseTo(111_319.491, 2);
    expect(nearest[2]).not.toHaveProperty("distance_m");
    expect(ids(await list("?kind=vehicle&free=true"))).toEqual([blind]);
    expect(ids(await list("?kind=sensor"))).toEqual([far, near]);
    for (const [query, code] of [
      ["nearest=91,0", "invalid_position"],
      ["nearest=x", "invalid_input"],
      ["kind=ship", "invalid_input"],
      ["free=maybe", "invalid_input"],
    ])
      expect(says(await ask("GET", `/api/assets?${query}`, undefined, { key: own }))).toEqual([400, code]);
  });
});

describe("[AS-8] a hundred at once leave exactly one winner", () => {
  const hundred = <T>(one: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 100 }, (_, i) => one(i)));
  const statuses = (answers: Answered[]) => {
    const counts: Record<string, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  test("registrations of one address", async () => {
    const answers = await hundred((i) =>
      register({ name: `R${i}`, catalog_name: "quadrotor", connection: { address: "race:1" } }),
    );
    expect(statuses(answers)).toEqual({ 201: 1, 200: 99 });
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });
  test("pairings of one key", async () => {
    const ids = await hundred((i) => made({ name: `B${i}`, catalog_name: "quadrotor" }));
    const answers = await hundred((i) => ask("POST", `/api/assets/${ids[i]}/bind`, { key: "1596F-RACE" }));
    expect(statuses(answers)).toEqual({ 200: 1, 409: 99 });
    const views = await hundred((i) => ask("GET", `/api/assets/${ids[i]}`));
    expect(views.filter(({ body }) => body.data.remote_id_serial === "1596F-RACE")).toHaveLength(1);
  });
  test("pairings of one row", async () => {
    const id = await made({ name: "Wanted", catalog_name: "quadrotor" });
    const answers = await hundred((i) => ask("POST", `/api/assets/${id}/bind`, { key: `1596F-KEY-${i}` }));
    expect(statuses(answers)).toEqual({ 200: 1, 409: 99 });
    const winner = answers.find(({ status }) => status === 200)!.body.data.remote_id_serial;
    expect((await ask("GET", `/api/assets/${id}`)).body.data.remote_id_serial).toBe(winner);
  });
  test("edits that name the version that they read", async () => {
    const id = await made({ name: "Edited", catalog_name: "quadrotor" });
    const answers = await hundred((i) =>
      ask("POST", `/api/assets/${id}`, { spec: { writer: i }, expected_version: 1 }),
    );
    expect(statuses(answers)).toEqual({ 200: 1, 409: 99 });
  });
  test("deletions, and a registration and a claim race without a stale friend", async () => {
    const id = await made({ name: "Gone", catalog_name: "quadrotor" });
    expect(statuses(await hundred(() => ask("DELETE", `/api/assets/${id}`)))).toEqual({ 204: 1, 404: 99 });
  });
});

test("[AS-9] a request can neither find, read nor change anything of another workspace", async () => {
  const id = await made({ name: "Ours", catalog_name: "quadrotor", connection: { address: "ours:1" } });
  const other = await front.service.key("owner");
  for (const [method, path, body] of [
    ["GET", `/api/assets/${id}`, undefined],
    ["POST", `/api/assets/${id}`, { spec: {} }],
    ["POST", `/api/assets/${id}/bind`, { key: "x" }],
    ["POST", `/api/assets/${id}/payloads`, { payloads: [] }],
    ["POST", `/api/assets/${id}/command`, { verb: "abort" }],
    ["DELETE", `/api/assets/${id}`, undefined],
  ] as const)
    expect(says(await ask(method, path, body, { key: other })), `${method} ${path}`).toEqual([404, "not_found"]);
  const theirs = await ask(
    "POST",
    "/api/assets",
    { name: "Theirs", catalog_name: "quadrotor", connection: { address: "ours:1" } },
    { key: other },
  );
  expect(theirs.status).toBe(201);
  expect((await ask("GET", "/api/assets", undefined, { key: other })).body.data).toHaveLength(1);
  expect(
    (await ask("GET", "/api/events", undefined, { key: other })).body.data.every(
      (entry: { subject: { id: string } }) => entry.subject.id !== id,
    ),
  ).toBe(true);
});

test("[AS-10] a simulated twin has an id of its own, is marked as simulated, and refuses commands", async () => {
  const id = await made({ name: "Original", catalog_name: "quadrotor" });
  const twin = id.replace("ast_", "sim_");
  expect((await ask("GET", `/api/assets/${twin}`)).status).toBe(404);
  await ask("POST", `/api/assets/${id}`, { spec: {}, switches: { simulated_twin: true } });
  expect((await ask("GET", `/api/assets/${twin}`)).body.data).toMatchObject({
    id: twin,
    origin: "sim_twin",
    env: "sim",
    name: "Original",
    registration: null,
  });
  expect(says(await ask("POST", `/api/assets/${twin}/command`, { verb: "hold" }))).toEqual([409, "verb_unavailable"]);
});

test("[AS-12] an asset inherits the values of its catalogue entry, and follows later edits of it", async () => {
  const spec = { type: "quadrotor", domain: "air", performance: { cruise_mps: 7 } };
  const entry = await ask("POST", "/api/catalog/entries", { kind: "vehicle", name: "House Special", spec });
  const id = await made({ name: "Heir", catalog_name: "house special" });
  const cruise = async () => (await ask("GET", `/api/assets/${id}`)).body.data.performance.cruise_mps;
  expect(await cruise()).toBe(7);
  await ask("POST", `/api/catalog/entries/${entry.body.data.id}`, {
    spec: { ...spec, performance: { cruise_mps: 8 } },
  });
  expect(await cruise()).toBe(8);
  const log = (await ask("GET", "/api/events?name=audit.catalogue_entry_stored")).body.data;
  expect(log.map(({ subject }: { subject: { id: string } }) => subject.id)).toEqual([
    entry.body.data.id,
    entry.body.data.id,
  ]);
});
