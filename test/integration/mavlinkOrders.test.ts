/** Vehicle and ledger agree, whatever comes between: an abort, a removal, an adoption, a restart. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { common } from "node-mavlink";
import { afterEach, expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { startTestPicket, type TestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

const REPOSITION = 192;
const SET_MODE = 176;
const IN_PROGRESS = 5;
const CANCELLED = 6;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(env: Record<string, string> = {}) {
  const service: TestPicket = await startTestPicket({ MAVLINK_UDP: "127.0.0.1:0", ...env });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await service.picket.stop(2000);
    isStopped = true;
  };
  ends.push(() => (isStopped ? undefined : service.stop()));
  return { service, key: await service.key("owner"), stop };
}

// biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
type Asked = (method: string, path: string, body?: object) => Promise<any>;
const asker =
  (service: TestPicket, key: string): Asked =>
  async (method, path, body) =>
    (await service.request(method, path, { key, ...(body === undefined ? {} : { body }) })).body?.data;

async function portOf(ask: Asked): Promise<number> {
  const link = await until("the MAVLink socket", async () =>
    (await ask("GET", "/api/links")).find(
      (one: { protocol: string; state: string }) => one.protocol === "mavlink2" && one.state === "up",
    ),
  );
  return link.port;
}

async function fly(port: number, more: object = {}): Promise<Vehicle> {
  const vehicle = await startVehicle({ target: { host: "127.0.0.1", port }, systemId: 7, speedMps: 1, ...more });
  let isStopped = false;
  const stop = vehicle.stop.bind(vehicle);
  vehicle.stop = async () => {
    if (!isStopped) await stop();
    isStopped = true;
  };
  ends.push(() => vehicle.stop());
  return vehicle;
}

const discovered = (ask: Asked, vehicle: Vehicle) =>
  until("the discovery", async () =>
    (await ask("GET", "/api/discoveries")).find(
      (one: { address: string }) => one.address === `127.0.0.1:${vehicle.port}`,
    ),
  );

async function adopt(ask: Asked, vehicle: Vehicle): Promise<string> {
  const { address } = await discovered(ask, vehicle);
  const { id } = await ask("POST", "/api/assets", { name: "Hawk", connection: { address } });
  await until("up", async () => {
    const { link, nav } = await ask("GET", `/api/assets/${id}`);
    return link.state === "up" && nav?.gps_fix === "3d";
  });
  return id;
}

const becomes = (ask: Asked, taskId: string, status: string) =>
  until(`${taskId} ${status}`, async () => {
    const task = await ask("GET", `/api/tasks/${taskId}`);
    return task.status === status ? task : null;
  });
const goto = (lat: number) => ({ verb: "goto", params: { kind: "point", lat, lon: 8.56 } });
const orders = (vehicle: Vehicle) => vehicle.received.map(({ command }) => command).filter((one) => one !== 511);

function answer(vehicle: Vehicle, command: number, result: number): void {
  const ack = new common.CommandAck();
  Object.assign(ack, { command, result, progress: 10, targetSystem: 255, targetComponent: 190 });
  vehicle.send(ack);
}

test("[MV-28] orders that an abort took over, and orders of a removed asset, are not flown after a late answer", async () => {
  const { service, key } = await open();
  const ask = asker(service, key);
  const vehicle = await fly(await portOf(ask));
  const id = await adopt(ask, vehicle);
  const command = (body: object) => ask("POST", `/api/assets/${id}/command`, body);
  vehicle.manner = "silent";
  const first = await command(goto(50.1111));
  await becomes(ask, first.id, "sent");
  answer(vehicle, REPOSITION, IN_PROGRESS);
  await becomes(ask, first.id, "executing");
  const second = await command(goto(50.2222));
  vehicle.manner = "obey";
  vehicle.received.length = 0;
  const abort = await command({ verb: "abort" });
  await becomes(ask, abort.id, "succeeded");
  for (const { id: task } of [first, second]) await becomes(ask, task, "superseded");
  answer(vehicle, REPOSITION, CANCELLED);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(orders(vehicle)).toEqual([SET_MODE]);

  const points = [50.1, 50.2].map((lat) => ({ lat, lon: 8.56 }));
  const patrol = await command({ verb: "patrol", params: { kind: "path", points, loop: true } });
  await becomes(ask, patrol.id, "executing");
  await service.request("DELETE", `/api/assets/${id}`, { key });
  vehicle.received.length = 0;
  // A leg is sent again every five seconds.
  await new Promise((resolve) => setTimeout(resolve, 5600));
  expect(orders(vehicle)).toEqual([]);
  expect((await ask("GET", `/api/tasks/${patrol.id}`)).status).toBe("failed");
});

test("[MV-29] orders given before an adoption belong to the asset; tasks that ran before a restart can be cancelled after it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-orders-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const before = await open({ DATA_DIR: folder });
  const ask = asker(before.service, before.key);
  const port = await portOf(ask);
  const vehicle = await fly(port);
  const found = await discovered(ask, vehicle);
  const early = await until("commanded", () => ask("POST", `/api/assets/${found.key}/command`, goto(50.2)));
  await becomes(ask, early.id, "executing");
  const id = await adopt(ask, vehicle);
  const hold = await ask("POST", `/api/assets/${id}/command`, { verb: "hold" });
  await becomes(ask, hold.id, "succeeded");
  await becomes(ask, early.id, "superseded");

  const going = await ask("POST", `/api/assets/${id}/command`, goto(50.3));
  await becomes(ask, going.id, "executing");
  await before.stop();
  vehicle.received.length = 0;
  const after = await open({ DATA_DIR: folder, MAVLINK_UDP: `127.0.0.1:${port}` });
  const askAgain = asker(after.service, before.key);
  await until("up again", async () => (await askAgain("GET", `/api/assets/${id}`))?.link.state === "up");
  const cancel = await askAgain("POST", `/api/tasks/${going.id}/cancel`);
  expect(cancel.status).toBe("cancel_requested");
  await becomes(askAgain, going.id, "cancelled");
  // It is stopped, and not sent again.
  expect(orders(vehicle)).toEqual([SET_MODE]);
});

test("[TK-23] a key used before the adoption is the same task after it, [TK-26] listed under either id; [MV-33] orders move to another port", async () => {
  const { service, key } = await open();
  const ask = asker(service, key);
  const port = await portOf(ask);
  const vehicle = await fly(port, { systemId: 8 });
  const { key: heardAs } = await discovered(ask, vehicle);
  const once = { verb: "arm", idempotency_key: "once" };
  const early = await until("commanded", () => ask("POST", `/api/assets/${heardAs}/command`, once));
  await becomes(ask, early.id, "succeeded");
  const id = await adopt(ask, vehicle);
  expect((await ask("POST", `/api/assets/${id}/command`, once)).id).toBe(early.id);
  for (const name of [id, heardAs])
    expect((await ask("GET", `/api/tasks?asset_id=${name}`)).map((task: { id: string }) => task.id)).toEqual([
      early.id,
    ]);
  const going = await ask("POST", `/api/assets/${id}/command`, goto(50.4));
  await becomes(ask, going.id, "executing");
  await vehicle.stop();
  await until("lost", async () => (await ask("GET", `/api/assets/${id}`)).link.state === "lost");
  const back = await fly(port, { systemId: 8 });
  await until("back", async () => (await ask("GET", `/api/assets/${id}`)).link.address === `127.0.0.1:${back.port}`);
  await until("it has a place", async () => (await ask("GET", `/api/assets/${id}`)).nav?.gps_fix === "3d");
  // The order moves to the new address within a second, which nothing shows from outside.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect((await ask("POST", `/api/tasks/${going.id}/cancel`)).status).toBe("cancel_requested");
  await becomes(ask, going.id, "cancelled");
  expect(orders(back)).toEqual([SET_MODE]);
});
