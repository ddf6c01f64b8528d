/** The database that is still starting: requests wait for it; after the wait, and once it was up, they are refused at once. */
import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Picket, startPicket } from "../../src/app/picket.ts";
import { readConfig } from "../../src/config.ts";
import { type Database, openDatabase } from "../../src/db/client.ts";
import { UnavailableError } from "../../src/domain/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createTestDatabase, makeDataRoot } from "../support/database.ts";
import { ask } from "../support/picket.ts";
import { until } from "../support/until.ts";

const server = createTestDatabase();
const opened: Database[] = [];
const gates: Server[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const db of opened.splice(0)) await db.stop();
});
afterAll(async () => {
  for (const gate of gates) gate.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

function open(locate: () => Promise<string>, startWaitMs?: number): Database {
  const wait = startWaitMs === undefined ? {} : { startWaitMs };
  const db = openDatabase({ locate, prepare: async () => undefined, poolMax: 4, ...wait });
  opened.push(db);
  return db;
}

const one = (db: Database) => db.run((sql) => sql<{ one: number }[]>`select 1 as one`);

/** The test database behind a port on which nothing listens until `openGate` is called. */
async function behindGate(): Promise<{ url: string; openGate: () => void }> {
  const url = new URL(await server.locate());
  const far = { host: url.hostname, port: Number(url.port) };
  const gate = createServer((near) => {
    const through = connect(far);
    near.pipe(through).pipe(near);
    for (const socket of [near, through]) socket.on("error", () => near.destroy());
  });
  gates.push(gate);
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  const { port } = gate.address() as { port: number };
  await new Promise((resolve) => gate.close(resolve));
  url.port = String(port);
  return { url: url.href, openGate: () => void gate.listen(port, "127.0.0.1") };
}

function startService(databaseUrl: string, log: Logger): Promise<Picket> {
  const dataDir = makeDataRoot();
  folders.push(dataDir);
  const env = { PORT: "0", DATA_DIR: dataDir, MAVLINK_UDP: "off", DEV_MODE: "1", DATABASE_URL: databaseUrl };
  return startPicket(readConfig(env, false), log, systemClock);
}

test("[AU-73] a request that comes before the database is up waits longer than a query's deadline, and is answered", async () => {
  const slow = async () => {
    await sleep(2500);
    return server.locate();
  };
  const db = open(slow);
  expect(await one(db)).toEqual([{ one: 1 }]);
  expect(db.state).toBe("up");
});

test("[AU-73] attempts that fail before the first success belong to the start, and are logged once", async () => {
  const told: [string, unknown][] = [];
  let attempts = 0;
  const db = open(async () => {
    if (++attempts < 5) throw new Error("there is no server yet");
    return server.locate();
  });
  db.onChange((state, fault) => told.push([state, fault]));
  expect(await one(db)).toEqual([{ one: 1 }]);
  expect(told).toEqual([
    ["starting", new Error("there is no server yet")],
    ["up", null],
  ]);
});

test("[AU-73] after the longest wait the database counts as down: requests fail at once until it comes up", async () => {
  let isThere = false;
  const db = open(async () => {
    if (!isThere) throw new Error("there is no server yet");
    return server.locate();
  }, 700);
  await expect(one(db)).rejects.toThrow(UnavailableError);
  await until("down", () => db.state === "down");
  const startMs = performance.now();
  await expect(one(db)).rejects.toThrow(UnavailableError);
  expect(performance.now() - startMs).toBeLessThan(500);
  isThere = true;
  await db.ready(60_000);
  expect(await one(db)).toEqual([{ one: 1 }]);
});

test("[AU-73] stopping refuses requests that wait for the start", async () => {
  const db = open(() => new Promise(() => undefined));
  const waiting = one(db);
  await db.stop();
  await expect(waiting).rejects.toThrow(UnavailableError);
});

test("[AU-74] the service answers /health while its database starts, and the first sign-in once it is up", async () => {
  const { url, openGate } = await behindGate();
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const picket = await startService(url, log);
  try {
    const first = ask(picket.url, "POST", "/api/auth/dev-login", { body: { email: "first@example.org" } });
    const health = async () => (await ask(picket.url, "GET", "/health")).body.data;
    expect(await health()).toMatchObject({ status: "degraded", checks: { db: "starting" } });
    await until("the log", () => lines.find((line) => line.includes("wait for it, up to 30 s")));
    // Longer than the HTTP server keeps an idle connection, which is 10 s.
    await sleep(11_500);
    expect(await health()).toMatchObject({ checks: { db: "starting" } });
    openGate();
    expect((await first).status).toBe(200);
    expect(await health()).toMatchObject({ status: "ok", checks: { db: "ok" } });
  } finally {
    await picket.stop(2000);
  }
});

test("[AU-74] a service that is stopped before its database is up answers waiting requests with 503", async () => {
  const { url } = await behindGate();
  const picket = await startService(url, pino({ level: "silent" }));
  const waiting = ask(picket.url, "POST", "/api/auth/dev-login", { body: { email: "first@example.org" } });
  // Answered after the sign-in was taken in.
  await ask(picket.url, "GET", "/health");
  await picket.stop(9000);
  const { status, body } = await waiting;
  expect([status, body.code]).toEqual([503, "unavailable"]);
});
