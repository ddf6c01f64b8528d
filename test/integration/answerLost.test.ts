/** The connection is lost after COMMIT was sent: 503, the row is there, and the service finds out before it does anything of it. */
import { connect, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { createTestDatabase } from "../support/database.ts";
import { startTestPicket, type TestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

const database = createTestDatabase();
let service: TestPicket;
let key: string;
let vehicle: Vehicle;
let id: string;
/** The next answer to a commit of a task or an asset does not arrive. */
let isArmed = false;
const proxy = createServer((near) => pass(near));

function pass(near: Socket): void {
  const far = connect(upstream.port, upstream.host);
  let isCut = false;
  near.on("data", (data) => far.write(data));
  far.on("data", (data) => {
    if (isArmed && data.includes("ANSWER LOST")) {
      isCut = true;
      isArmed = false;
      near.destroy();
    }
    if (!isCut) near.write(data);
  });
  near.on("close", () => far.end());
  far.on("close", () => near.destroy());
  for (const socket of [near, far]) socket.on("error", () => undefined);
}

let upstream = { host: "", port: 0 };

beforeAll(async () => {
  const url = new URL(await database.locate());
  upstream = { host: url.hostname, port: Number(url.port) };
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as { port: number }).port);
  service = await startTestPicket({ DATABASE_URL: through.href, MAVLINK_UDP: "127.0.0.1:0" });
  key = await service.key("owner");
  const admin = postgres(url.href, { max: 1, onnotice: () => undefined });
  // A notice that goes out with the commit tells the proxy when.
  await admin.unsafe(`
    create function tell_commit() returns trigger language plpgsql as $$ begin raise notice 'ANSWER LOST'; return null; end $$;
    create constraint trigger tell after insert or update on tasks deferrable initially deferred
      for each row execute function tell_commit();
    create constraint trigger tell after insert or update or delete on assets deferrable initially deferred
      for each row execute function tell_commit();
    create constraint trigger tell after insert on ignored_discoveries deferrable initially deferred
      for each row execute function tell_commit();`);
  await admin.end();
  const link = await until("the MAVLink socket", async () =>
    (await ask("GET", "/api/links")).body.data.find((one: { state: string }) => one.state === "up"),
  );
  vehicle = await startVehicle({ target: { host: "127.0.0.1", port: link.port }, systemId: 3, speedMps: 1 });
  const address = `127.0.0.1:${vehicle.port}`;
  await until("the discovery", async () => (await ask("GET", "/api/discoveries")).body.data.length === 1);
  id = (await ask("POST", "/api/assets", { name: "Hawk", connection: { address } })).body.data.id;
  await until("up", async () => (await ask("GET", `/api/assets/${id}`)).body.data.nav?.gps_fix === "3d");
});
afterAll(async () => {
  await vehicle?.stop();
  await service?.stop();
  proxy.close();
  await database.stop();
});

const ask = (method: string, path: string, body?: object) =>
  service.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const goto = (lat: number, more = {}) => ({ verb: "goto", params: { kind: "point", lat, lon: 8.56 }, ...more });
const command = (body: object) => ask("POST", `/api/assets/${id}/command`, body);
const flown = (lat: number) =>
  vehicle.received.some((one) => one.command === 192 && one.params[4] === Math.round(lat * 1e7));
const newest = async () => (await ask("GET", `/api/tasks?asset_id=${id}&order=desc&limit=1`)).body.data?.[0];

async function lost(method: string, path: string, body?: object): Promise<void> {
  isArmed = true;
  expect((await ask(method, path, body)).status).toBe(503);
}

test("[AS-61] after a 503, a read shows that the registration, edit or removal was done", async () => {
  const named = async (name: string) =>
    (await ask("GET", "/api/assets")).body.data.find((one: { name: string }) => one.name === name);
  await lost("POST", "/api/assets", { name: "Ghost", catalog_name: "quadrotor" });
  const ghost = await until("it is there", () => named("Ghost"));
  await lost("POST", `/api/assets/${ghost.id}`, { spec: {}, name: "Renamed" });
  await until("it is renamed", () => named("Renamed"));
  await lost("DELETE", `/api/assets/${ghost.id}`);
  await until("it is gone", async () => (await ask("GET", `/api/assets/${ghost.id}`)).status === 404);
});

test("[AS-61] after a 503, a read shows that a discovery is ignored", async () => {
  const signal = { source_id: "stray", modality: "adsb", measured_at: Date.now(), icao: "4ca123", lat: 50, lon: 8 };
  await ask("POST", "/api/signals", signal);
  const found = async () =>
    (await ask("GET", "/api/discoveries")).body.data.find((one: { address: string }) => one.address === "stray");
  const { key: discovery } = await until("the discovery", found);
  await lost("POST", `/api/discoveries/${discovery}/ignore`);
  await until("it is ignored", async () => (await found()).state === "ignored");
});

test("[TK-17] a command that was written and answered 503 is cancelled, and not carried out", async () => {
  isArmed = true;
  const answer = await command(goto(50.3));
  expect([answer.status, answer.body.code]).toEqual([503, "unavailable"]);
  expect(answer.body.error).not.toContain("nothing was written");
  const task = await until("it is found", async () => {
    const one = await newest();
    return one?.status === "cancelled" ? one : null;
  });
  expect(task).toMatchObject({ verb: "goto", reason_code: "answer_lost" });
  await until("it is told", async () => (await ask("GET", "/api/picture")).body.data.tasks.length === 0);
  expect(flown(50.3)).toBe(false);
});

test("[TK-18] repeated with its idempotency key before that, it is the same task, and carried out", async () => {
  isArmed = true;
  const body = goto(50.4, { idempotency_key: "again" });
  expect((await command(body)).status).toBe(503);
  const again = await until("the database is back", async () => {
    const answer = await command(body);
    return answer.status === 201 ? answer.body.data : null;
  });
  const now = (await ask("GET", `/api/tasks/${again.id}`)).body.data;
  // Whichever came first: it is flown, or it was cancelled and says why; never neither.
  if (now.status === "cancelled") expect(now.reason_code).toBe("answer_lost");
  else await until("it is flown", () => flown(50.4));
});

test("[TK-19] a cancel that was written and answered 503 holds: the task is not sent", async () => {
  vehicle.manner = "busy";
  const { body } = await command({ verb: "arm" });
  const task = await until("it waits", async () => {
    const one = (await ask("GET", `/api/tasks/${body.data.id}`)).body.data;
    return one.status === "queued" && one.attempts > 0 ? one : null;
  });
  isArmed = true;
  expect((await ask("POST", `/api/tasks/${task.id}/cancel`)).status).toBe(503);
  vehicle.manner = "obey";
  await until(
    "it is cancelled",
    async () => (await ask("GET", `/api/tasks/${task.id}`)).body.data?.status === "cancelled",
  );
  const sent = vehicle.received.filter((one) => one.command === 400).length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(vehicle.received.filter((one) => one.command === 400)).toHaveLength(sent);
  expect((await ask("GET", "/api/picture")).body.data.tasks.map((one: { id: string }) => one.id)).not.toContain(
    task.id,
  );
});
