/** A vehicle that speaks real MAVLink 2: discovered, adopted, commanded, lost. Through the front door. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

let service: TestPicket;
let owner: Member;
let key: string;
let port: number;
const vehicles: Vehicle[] = [];

beforeAll(async () => {
  service = await startTestPicket({ MAVLINK_UDP: "127.0.0.1:0" });
  owner = await service.login();
  key = await service.key("owner", owner);
  const link = await until("the MAVLink socket", async () => {
    const { body } = await service.request("GET", "/api/links", { key });
    return body.data.find((one: { protocol: string }) => one.protocol === "mavlink2");
  });
  port = link.port;
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const vehicle of vehicles.splice(0)) await vehicle.stop();
});

async function fly(options: Partial<Parameters<typeof startVehicle>[0]> & { systemId: number }): Promise<Vehicle> {
  const vehicle = await startVehicle({ target: { host: "127.0.0.1", port }, ...options });
  vehicles.push(vehicle);
  return vehicle;
}

// biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
const get = async (path: string): Promise<any> => (await service.request("GET", path, { key })).body?.data ?? null;
const addressOf = (vehicle: Vehicle) => `127.0.0.1:${vehicle.port}`;

async function adopt(vehicle: Vehicle, name: string): Promise<string> {
  const address = addressOf(vehicle);
  await until("the discovery", async () =>
    (await get("/api/discoveries")).find((one: { address: string }) => one.address === address),
  );
  const { status, body } = await service.request("POST", "/api/assets", {
    key,
    body: { name, connection: { address } },
  });
  expect(status).toBe(201);
  return body.data.id;
}

const command = (id: string, body: object) => service.request("POST", `/api/assets/${id}/command`, { key, body });

async function untilStatus(taskId: string, status: string) {
  return until(`task ${status}`, async () => {
    const task = await get(`/api/tasks/${taskId}`);
    return task.status === status ? task : null;
  });
}

test("[MV-1] a vehicle is discovered, adopted, shown with health, motion and verbs, commanded, and lost", async () => {
  const vehicle = await fly({ systemId: 7, serial: "1596F-MV1" });
  const id = await adopt(vehicle, "Falcon");
  const view = await until("telemetry", async () => {
    const one = await get(`/api/assets/${id}`);
    return one.link.state === "up" && one.motion && one.power && one.nav?.gps_fix === "3d" ? one : null;
  });
  expect(view).toMatchObject({
    origin: "registry",
    domain: "air",
    class_type: "quadrotor",
    remote_id_serial: "1596F-MV1",
    link: { protocol: "mavlink2", address: addressOf(vehicle) },
    health: { level: "ok", armable: true },
    motion: { lat: 50.03, lon: 8.56, alt_hae_m: 147, alt_rel_m: 0, heading_deg: 90 },
    power: { percent: 80, voltage_v: 15.8, current_a: 12 },
    nav: { armed: false, mode: "LOITER", landed: "on_ground", sats: 14, hdop: 0.9 },
  });
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const verbs = new Map<string, any>(view.verbs.map((verb: { name: string }) => [verb.name, verb]));
  expect(verbs.get("arm").available).toBe(true);
  expect(verbs.get("takeoff")).toMatchObject({ available: false, unavailable_rule: "not_armed" });
  expect(verbs.has("respond")).toBe(false);

  const refused = await command(id, { verb: "takeoff", params: { kind: "point", alt_m: 20 } });
  expect([refused.status, refused.body.code]).toEqual([409, "verb_unavailable"]);
  expect(refused.body.error).toContain("takeoff");

  const armed = await command(id, { verb: "arm" });
  expect(armed.status).toBe(201);
  await untilStatus(armed.body.data.id, "succeeded");
  await until("armed", async () => (await get(`/api/assets/${id}`)).nav.armed);

  const up = await command(id, { verb: "takeoff", params: { kind: "point", alt_m: 20 } });
  const flown = await untilStatus(up.body.data.id, "succeeded");
  expect(flown.history.map((move: { status: string }) => move.status)).toEqual([
    "queued",
    "sent",
    "accepted",
    "executing",
    "succeeded",
  ]);

  const to = { kind: "point", lat: 50.0302, lon: 8.5603, alt_m: 30, alt_ref: "rel_home" };
  const gone = await command(id, { verb: "goto", params: to });
  await untilStatus(gone.body.data.id, "succeeded");
  const sent = vehicle.received.find((one) => one.command === 192)!;
  expect(sent).toMatchObject({ frame: 3, targetSystem: 7 });
  expect(sent.params.slice(4)).toEqual([500_302_000, 85_603_000, 30]);

  await vehicle.stop();
  vehicles.length = 0;
  const lost = await until("lost", async () => {
    const one = await get(`/api/assets/${id}`);
    return one.link.state === "lost" ? one : null;
  });
  expect(lost.health.level).toBe("unknown");
  const late = await command(id, { verb: "hold" });
  expect([late.status, late.body.error]).toEqual([409, "hold is unavailable: the link is lost"]);
  const tasks = await get(`/api/tasks?asset_id=${id}`);
  expect(tasks.map((task: { verb: string; status: string }) => `${task.verb} ${task.status}`)).toEqual([
    "takeoff refused",
    "arm succeeded",
    "takeoff succeeded",
    "goto succeeded",
    "hold refused",
  ]);
});

test("[MV-2] a denial, a busy answer, progress and silence each move the task to its state", async () => {
  const vehicle = await fly({ systemId: 8 });
  const id = await adopt(vehicle, "Kite");
  await until("up", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  vehicle.manner = "deny";
  const denied = await command(id, { verb: "set_speed", params: { kind: "speed", speed_mps: 9 } });
  expect(await untilStatus(denied.body.data.id, "refused")).toMatchObject({ reason_code: "denied" });

  vehicle.manner = "busy";
  const busy = await command(id, { verb: "set_speed", params: { kind: "speed", speed_mps: 9 } });
  const again = await untilStatus(busy.body.data.id, "succeeded");
  expect(again.history.map((move: { status: string }) => move.status)).toEqual([
    "queued",
    "sent",
    "queued",
    "sent",
    "succeeded",
  ]);

  vehicle.manner = "slow";
  const slow = await command(id, { verb: "set_speed", params: { kind: "speed", speed_mps: 9 } });
  expect(
    (await untilStatus(slow.body.data.id, "succeeded")).history.map((m: { status: string }) => m.status),
  ).toContain("executing");

  vehicle.manner = "silent";
  vehicle.received.length = 0;
  const unsafe = await command(id, { verb: "arm" });
  expect(await untilStatus(unsafe.body.data.id, "timed_out")).toMatchObject({ reason_code: "no_ack", attempts: 1 });
  expect(vehicle.received.filter((one) => one.command === 400)).toHaveLength(1);
  const safe = await command(id, { verb: "hold" });
  await untilStatus(safe.body.data.id, "timed_out");
  expect(vehicle.received.filter((one) => one.command === 176).map((one) => one.confirmation)).toEqual([0, 1, 2, 3]);
});

test("[MV-3] a running task is cancelled by stopping the vehicle", async () => {
  const vehicle = await fly({ systemId: 9, speedMps: 1 });
  const id = await adopt(vehicle, "Snail");
  await until("up", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  const going = await command(id, { verb: "goto", params: { kind: "point", lat: 50.2, lon: 8.56 } });
  await untilStatus(going.body.data.id, "executing");
  const { status, body } = await service.request("POST", `/api/tasks/${going.body.data.id}/cancel`, { key });
  expect([status, body.data.status]).toEqual([200, "cancel_requested"]);
  await untilStatus(going.body.data.id, "cancelled");
  expect(vehicle.received.at(-1)!.command).toBe(176);
});

test("[MV-4] two vehicles with one system id raise an alert and block verbs until one is silent", async () => {
  const first = await fly({ systemId: 11 });
  const id = await adopt(first, "Twin A");
  await until("up", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  const second = await fly({ systemId: 11, lat: 50.04 });
  const view = await until("the conflict", async () => {
    const one = await get(`/api/assets/${id}`);
    return one.health.level === "fail" ? one : null;
  });
  expect(view.verbs.find((verb: { name: string }) => verb.name === "hold")).toMatchObject({
    available: false,
    unavailable_rule: "identity_conflict",
  });
  expect((await get("/api/picture")).alerts).toContainEqual(
    expect.objectContaining({ code: "identity_conflict", state: "active", subject: { kind: "asset", id } }),
  );
  const logged = await until("the log", async () => {
    const entries = await get(`/api/events?name=alert&subject=${id}`);
    return entries.length > 0 ? entries : null;
  });
  expect(logged[0]).toMatchObject({ actor: { kind: "system" }, data: { code: "identity_conflict", state: "active" } });
  const blocked = await command(id, { verb: "goto", params: { kind: "point", lat: 50.1, lon: 8.5 } });
  expect(blocked.status).toBe(409);
  expect(first.received.filter((one) => one.command === 192)).toEqual([]);
  vehicles.splice(vehicles.indexOf(second), 1);
  await second.stop();
  await until("the end of the conflict", async () => (await get(`/api/assets/${id}`)).health.level === "ok");
  await until("the alert's end", async () =>
    (await get("/api/picture")).alerts.every((alert: { subject: { id: string } }) => alert.subject.id !== id),
  );
});

test("[MV-5] a vehicle that restarts on another port is the same asset", async () => {
  const before = await fly({ systemId: 12 });
  const id = await adopt(before, "Phoenix");
  vehicles.splice(vehicles.indexOf(before), 1);
  await before.stop();
  await until("lost", async () => (await get(`/api/assets/${id}`)).link.state === "lost");
  const after = await fly({ systemId: 12 });
  const view = await until("heard again", async () => {
    const one = await get(`/api/assets/${id}`);
    return one.link.state === "up" ? one : null;
  });
  expect(view.link.address).toBe(addressOf(after));
});

test("[MV-72] a vehicle registered by its adoption key is the same asset on another port, and the key still names it", async () => {
  const before = await fly({ systemId: 17 });
  const address = addressOf(before);
  const found = await until("the discovery", async () =>
    (await get("/api/discoveries")).find((one: { address: string }) => one.address === address),
  );
  const register = () =>
    service.request("POST", "/api/assets", { key, body: { name: "Keyed", connection: { address: found.key } } });
  const first = await register();
  expect(first.status, first.text).toBe(201);
  const { id } = first.body.data;
  vehicles.splice(vehicles.indexOf(before), 1);
  await before.stop();
  await until("lost", async () => (await get(`/api/assets/${id}`)).link.state === "lost");
  const after = await fly({ systemId: 17 });
  const view = await until("heard again", async () => {
    const one = await get(`/api/assets/${id}`);
    return one.link.state === "up" ? one : null;
  });
  expect(view.link.address).toBe(addressOf(after));
  const repeated = await register();
  expect([repeated.status, repeated.body.data.id]).toEqual([200, id]);
});

test("[MV-6] the track of a registered vehicle is a friend, its serial elsewhere is not, and after its removal neither is", async () => {
  const vehicle = await fly({ systemId: 13, serial: "1596F-MV6", lat: 50.05, lon: 8.6 });
  const id = await adopt(vehicle, "Friend");
  const friend = await until("the friend's track", async () => {
    const track = (await get("/api/tracks")).find((one: { asset_id: string }) => one.asset_id === id);
    return track?.status === "confirmed" ? track : null;
  });
  expect(friend).toMatchObject({ identity: "friend", identity_basis: "registry", claim_flags: [] });
  expect((await get(`/api/assets/${id}`)).track_id).toBe(friend.id);
  const claim = async (lat: number) => {
    const body = {
      source_id: "rid-1",
      modality: "remote_id",
      measured_at: Date.now(),
      uas_id: "1596F-MV6",
      id_type: "serial",
      lat,
      lon: 8.6,
      alt_hae_m: 147,
      speed_mps: 0,
      track_deg: 0,
    };
    expect((await service.request("POST", "/api/signals", { key, body })).status).toBe(200);
  };
  const impostor = await until("the impostor's track", async () => {
    await claim(50.12);
    await claim(50.05);
    const tracks = await get("/api/tracks");
    return tracks.find((one: { claim_flags: unknown[] }) => one.claim_flags.length > 0);
  });
  expect(impostor.identity).not.toBe("friend");
  expect(impostor.asset_id).toBeNull();
  expect(impostor.claim_flags[0]).toMatchObject({ code: "serial_duplicate", unit: "m" });
  expect(impostor.claim_flags[0].value).toBeGreaterThan(7000);
  // The true claim belongs to the friend's own track.
  expect((await get(`/api/tracks/${friend.id}`)).remote_id.uas_id).toBe("1596F-MV6");

  expect((await service.request("DELETE", `/api/assets/${id}`, { key })).status).toBe(204);
  const after = await get(`/api/tracks/${friend.id}`);
  expect([after.identity, after.asset_id]).toEqual(["unknown", null]);
});

test("[MV-10] a patrol is flown leg by leg to its end; a follow gets its track's positions until another order comes", async () => {
  const vehicle = await fly({ systemId: 14, lat: 50.06, lon: 8.62, speedMps: 30 });
  const id = await adopt(vehicle, "Patrol");
  await until("up", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  const points = [0, 1, 2].map((i) => ({ lat: 50.06 + i * 0.0002, lon: 8.62 }));
  const patrol = await command(id, { verb: "patrol", params: { kind: "path", points } });
  await untilStatus(patrol.body.data.id, "succeeded");
  expect(vehicle.received.filter((one) => one.command === 192).map((one) => one.params[4])).toEqual(
    points.map(({ lat }) => Math.round(lat * 1e7)),
  );

  let lat = 50.061;
  const sight = () =>
    service.request("POST", "/api/signals", {
      key,
      body: {
        source_id: "rid-2",
        modality: "remote_id",
        measured_at: Date.now(),
        uas_id: "STRANGER",
        lat: (lat += 0.00005),
        lon: 8.62,
        alt_hae_m: 200,
        speed_mps: 5,
        track_deg: 0,
      },
    });
  const track = await until("the stranger", async () => {
    await sight();
    const tracks = await get("/api/tracks?status=confirmed");
    return tracks.find((one: { remote_id: { uas_id: string } | null }) => one.remote_id?.uas_id === "STRANGER");
  });
  vehicle.received.length = 0;
  const follow = await command(id, { verb: "follow", params: { kind: "track", track_id: track.id, standoff_m: 20 } });
  await untilStatus(follow.body.data.id, "executing");
  const orders = () => vehicle.received.filter((one) => one.command === 192).map((one) => one.params[4]!);
  await until("new orders", async () => {
    await sight();
    return orders().length >= 3;
  });
  expect(orders().at(-1)).toBeGreaterThan(orders()[0]!);
  const hold = await command(id, { verb: "hold" });
  await untilStatus(hold.body.data.id, "succeeded");
  expect((await get(`/api/tasks/${follow.body.data.id}`)).status).toBe("superseded");
  const after = orders().length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // After the hold no more positions are sent.
  expect(orders()).toHaveLength(after);
});

test("[MV-12] a recording is started, stopped after its time, and stopped at once when it is cancelled", async () => {
  const vehicle = await fly({ systemId: 15 });
  const id = await adopt(vehicle, "Camera");
  await until("up", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  const orders = () => vehicle.received.map((one) => one.command).filter((number) => number >= 2500);
  const record = (s: number) => command(id, { verb: "record", params: { kind: "duration", s } });
  await untilStatus((await record(0.5)).body.data.id, "succeeded");
  expect(orders()).toEqual([2500, 2501]);
  const long = await record(600);
  await untilStatus(long.body.data.id, "executing");
  await service.request("POST", `/api/tasks/${long.body.data.id}/cancel`, { key });
  await untilStatus(long.body.data.id, "cancelled");
  expect(orders()).toEqual([2500, 2501, 2500, 2501]);
});
