/** How an asset reads in lists and alone, with a quadrotor that a MAVLink link hears. Through the front door. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { says, useService } from "../support/frontDoor.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

const LIST_VIEW_BYTES_MAX = 2000;

const front = useService({ MAVLINK_UDP: "127.0.0.1:0" });
const { ask } = front;
let vehicle: Vehicle;
let id: string;

// biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
type Seen = any;
const get = async (path: string): Promise<Seen> => (await ask("GET", path)).body.data;
const alone = () => get(`/api/assets/${id}`);
const listed = async (query = ""): Promise<Seen> =>
  (await get(`/api/assets${query}`)).find((one: { id: string }) => one.id === id);
const verbOf = (view: Seen, name: string) => view.verbs.find((verb: { name: string }) => verb.name === name);
const bytesOf = (view: Seen) => Buffer.byteLength(JSON.stringify(view));
const command = (body: object) => ask("POST", `/api/assets/${id}/command`, body);

async function done(body: object): Promise<void> {
  const answer = await command(body);
  expect(answer.status, answer.text).toBe(201);
  await until(`${answer.body.data.verb} succeeded`, async () => {
    const { status } = await get(`/api/tasks/${answer.body.data.id}`);
    return status === "succeeded" ? true : null;
  });
}

beforeAll(async () => {
  const link = await until("the MAVLink socket", async () =>
    (await get("/api/links")).find((one: { protocol: string }) => one.protocol === "mavlink2"),
  );
  vehicle = await startVehicle({ target: { host: "127.0.0.1", port: link.port }, systemId: 9, serial: "1596F-LIST" });
  const address = `127.0.0.1:${vehicle.port}`;
  await until("the discovery", async () =>
    (await get("/api/discoveries")).find((one: { address: string }) => one.address === address),
  );
  id = await front.made({ name: "Falcon", connection: { address, secret_ref: "radio" }, spec: { tail: 7 } });
  await until("telemetry", async () => {
    const view = await alone();
    return view.link.state === "up" && view.motion && view.power && view.nav?.gps_fix === "3d" ? view : null;
  });
});
afterAll(() => vehicle.stop());

test("[AS-90] in lists, the picture and fleet_slice a verb has its name and whether it is available, else why not", async () => {
  const { ticket } = (await ask("POST", "/api/auth/stream-ticket", undefined, { workspace: front.owner.workspaceId }))
    .body.data;
  const stream = await openStream(`${front.service.url}/api/stream?ticket=${ticket}`);
  const slice = await stream.next(({ event }) => event === "fleet_slice");
  await stream.close();
  const inSlice = slice.data.assets.find((one: { id: string }) => one.id === id);
  const inPicture = (await get("/api/picture")).assets.find((one: { id: string }) => one.id === id);
  const whole = await alone();
  for (const view of [await listed(), await listed("?kind=vehicle"), inPicture, inSlice]) {
    expect(view.verbs.map(({ name }: { name: string }) => name)).toEqual(
      whole.verbs.map(({ name }: { name: string }) => name),
    );
    expect(verbOf(view, "goto")).toEqual({ name: "goto", available: true });
    expect(verbOf(view, "takeoff")).toEqual({
      name: "takeoff",
      available: false,
      unavailable_reason: "takeoff is unavailable: it is not armed",
      reason_code: "not_armed",
      rule_id: "not_armed",
      value: "disarmed",
      limit: null,
      unit: null,
      text: "it is not armed",
    });
    expect(Object.keys(view)).not.toEqual(expect.arrayContaining(["performance"]));
  }
});

test("[AS-91] GET /api/assets?include= gives back what a list leaves out", async () => {
  const whole = await alone();
  expect(verbOf(whole, "goto")).toMatchObject({ schema_id: "goto", params_schema: { title: "GoToParams" } });
  expect(whole.health.components.length).toBeGreaterThan(3);
  const all = await listed("?include=params_schema&include=performance&include=payloads&include=components");
  const still = ({ verbs, performance, payloads, health }: Seen) => ({
    verbs,
    performance,
    payloads,
    components: health.components.map(({ updated_at, ...component }: Seen) => component),
  });
  expect(still(all)).toEqual(still(whole));
  expect((await listed()).health.components).toEqual([]);
  expect(says(await ask("GET", "/api/assets?include=everything"))).toEqual([400, "invalid_input"]);
});

test("[AS-92] GET /api/assets/{id} has the row as a form edits it, without secrets", async () => {
  const { registration, version } = await alone();
  expect(registration).toEqual({
    catalog_name: "Quadrotor",
    spec: expect.objectContaining({ tail: 7, model: "Quadrotor" }),
    connection: {
      address: `127.0.0.1:${vehicle.port}`,
      protocol: "mavlink2",
      port: null,
      system_id: "9",
      link_id: expect.any(String),
    },
    placement: null,
    payloads: null,
    version,
  });
  expect(JSON.stringify(registration)).not.toContain("secret");
  const edited = await ask("POST", `/api/assets/${id}`, {
    spec: registration.spec,
    name: "Falcon 2",
    expected_version: registration.version,
  });
  expect(edited.status, edited.text).toBe(200);
  expect((await alone()).registration.version).toBe(registration.version + 1);
  expect((await listed()).registration).toBeUndefined();
});

test("[TK-80] set_mode lists the modes of the vehicle, takes one in any spelling, and refuses others", async () => {
  const schema = verbOf(await alone(), "set_mode").params_schema;
  expect(schema.properties.mode.enum).toEqual(expect.arrayContaining(["LOITER", "RTL", "GUIDED"]));
  const { mode } = (await alone()).nav;
  expect(schema.properties.mode.enum).toContain(mode);
  const other = await command({ verb: "set_mode", params: { kind: "mode", mode: "HOVER_TAXI" } });
  expect(says(other)).toEqual([400, "invalid_input"]);
  expect(other.body.error).toMatch(/^params\.mode of set_mode must be one of .*LOITER/);
  const params = { kind: "mode", mode: "loiter" };
  const set = await command({ verb: "set_mode", params, idempotency_key: "m" });
  expect(set.body.data.params).toEqual({ kind: "mode", mode: "LOITER" });
  const again = await command({ verb: "set_mode", params: { ...params, mode: "Loiter" }, idempotency_key: "m" });
  expect(again.body.data.id).toBe(set.body.data.id);
});

test("[AS-93] a quadrotor that MAVLink hears takes less than 2 kB in a list, on the ground and in the air", async () => {
  expect(bytesOf(await listed())).toBeLessThan(LIST_VIEW_BYTES_MAX);
  await done({ verb: "arm" });
  await until("armed", async () => (await alone()).nav.armed);
  const up = await command({ verb: "takeoff", params: { kind: "point", alt_m: 20 } });
  expect(up.status, up.text).toBe(201);
  const flying = await until("it moves in the air", async () => {
    const view = await listed();
    return view.nav.landed === "in_air" && view.motion.climb_mps > 0 ? view : null;
  });
  expect(verbOf(flying, "disarm").reason_code).toBe("in_air");
  expect(bytesOf(flying)).toBeLessThan(LIST_VIEW_BYTES_MAX);
});
