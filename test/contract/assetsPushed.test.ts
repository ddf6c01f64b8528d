/** Adopting a source that pushes observations: by its address, by its key, with or without a model. */
import { describe, expect, test } from "vitest";
import { says, useService } from "../support/frontDoor.ts";

const front = useService();
const { ask } = front;
const push = async (source: string, placed = false) => {
  const pose = placed ? {} : { sensor_pose: { lat: 50, lon: 8, alt_hae_m: 100 } };
  const plot = { source_id: source, modality: "radar", az_deg: 10, el_deg: 2, range_m: 1500 };
  const answer = await ask("POST", "/api/signals", { ...plot, ...pose, measured_at: Date.now() });
  expect(answer.status, answer.text).toBe(200);
};
const found = async (address: string) =>
  (await ask("GET", "/api/discoveries")).body.data.filter((one: { address: string }) => one.address === address);
const candidates = async () =>
  (await ask("GET", "/api/picture")).body.data.candidates.map((one: { address: string }) => one.address);
const adopt = (body: object) => ask("POST", "/api/assets", { name: "R", ...body });
const placement = { lat: 50, lon: 8, alt_hae_m: 100 };

describe("[AS-23] an adopted source that pushes is the asset under its address and under its adoption key", () => {
  test("by its address alone: the generic model of its modality, with its verbs", async () => {
    await push("radar-a");
    const [before] = await found("radar-a");
    expect(before).toMatchObject({ state: "heard", adopted_asset_id: null });
    const adopted = await adopt({ connection: { address: "radar-a" }, placement });
    expect(adopted.status, adopted.text).toBe(201);
    const { id } = adopted.body.data;
    expect(adopted.body.data).toMatchObject({
      kind: "sensor",
      domain: "sensor",
      model: "generic-radar",
      link: { state: "up" },
      sensor: { profile_id: "generic-radar" },
    });
    const verbs = adopted.body.data.verbs.map(({ name }: { name: string }) => name);
    expect(verbs).toEqual(expect.arrayContaining(["set_mode", "start", "stop"]));
    expect(await candidates()).not.toContain("radar-a");
    await push("radar-a", true);
    expect((await ask("GET", `/api/assets/${id}`)).body.data.sensor.detections_per_min).toBe(2);
    const [after] = await found("radar-a");
    expect(after).toMatchObject({ key: before.key, state: "adopted", adopted_asset_id: id, messages: 2 });
    expect(says(await ask("POST", `/api/discoveries/${before.key}/ignore`))).toEqual([409, "invalid_state"]);
    expect((await ask("DELETE", `/api/assets/${id}`)).status).toBe(204);
    expect((await ask("GET", `/api/assets/${before.key}`)).status).toBe(404);
  });
  test.each([
    ["without a model", {}],
    ["with a model and a serial of its own", { catalog_name: "radar-3d-short", remote_id_serial: "RADAR-SN-1" }],
  ])("by its key, %s: one asset, however it is named afterwards", async (title, more) => {
    const source = `radar ${title.length}`;
    await push(source);
    const [{ key: adoptionKey }] = await found(source);
    expect((await ask("GET", `/api/assets/${adoptionKey}`)).body.data).toMatchObject({
      id: adoptionKey,
      key: adoptionKey,
      origin: "discovered",
      kind: "sensor",
      name: source,
      link: { state: "up" },
    });
    const adopted = await adopt({ connection: { address: adoptionKey }, placement, ...more });
    expect(adopted.status, adopted.text).toBe(201);
    const { id } = adopted.body.data;
    for (const address of [adoptionKey, source])
      for (const named of [{}, { catalog_name: "radar-3d-medium" }]) {
        const again = await adopt({ connection: { address }, ...named });
        expect([again.status, again.body.data?.id], again.text).toEqual([200, id]);
      }
    await push(source, true);
    expect(await candidates()).not.toContain(source);
    expect((await ask("GET", `/api/assets/${adoptionKey}`)).body.data).toMatchObject({ id, origin: "registry" });
    expect((await ask("GET", `/api/discoveries/${adoptionKey}`)).body.data.adopted_asset_id).toBe(id);
    const command = { verb: "set_mode", params: { kind: "mode", mode: "night" } };
    const commanded = await ask("POST", `/api/assets/${adoptionKey}/command`, command);
    expect(commanded.body.data?.asset_id ?? commanded.text).toBe(id);
    const other = await adopt({ catalog_name: "quadrotor" });
    expect(says(await ask("POST", `/api/assets/${other.body.data.id}/bind`, { key: adoptionKey }))).toEqual([
      409,
      "already_bound",
    ]);
  });
  test("bound to an asset that was registered before", async () => {
    const { id } = (await adopt({ catalog_name: "radar-3d-short", placement })).body.data;
    await push("radar-b");
    const [{ key: adoptionKey }] = await found("radar-b");
    expect((await ask("POST", `/api/assets/${id}/bind`, { key: adoptionKey })).status).toBe(200);
    expect((await found("radar-b"))[0]).toMatchObject({ state: "adopted", adopted_asset_id: id });
    expect((await ask("GET", `/api/assets/${adoptionKey}`)).body.data.id).toBe(id);
  });
  test("the service's own source cannot be adopted", async () => {
    expect(says(await adopt({ connection: { address: "own_positions" } }))).toEqual([404, "not_found"]);
  });
});

const command = (id: string) => ask("POST", `/api/assets/${id}/command`, { verb: "hold" });

test("[TK-28] a command to a source that only pushes observations is refused and written", async () => {
  await push("rad-T");
  const [{ key }] = await found("rad-T");
  const answer = await command(key);
  expect(says(answer)).toEqual([409, "verb_not_advertised"]);
  const task = (await ask("GET", answer.headers.get("location")!)).body.data;
  expect(task).toMatchObject({ asset_id: key, verb: "hold", status: "refused" });
  expect((await ask("GET", `/api/tasks?asset_id=${key}`)).body.data).toHaveLength(1);
  expect(says(await command("rad-T"))).toEqual([404, "not_found"]);
});
