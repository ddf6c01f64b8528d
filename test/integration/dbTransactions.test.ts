/** Connections that go away in the middle of transactions, many at once: nobody's process ends, and no outcome is claimed that is not known. */
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase, type Sql } from "../../src/db/client.ts";
import { openPool } from "../../src/db/pool.ts";
import { RefusedError, refusal, UnavailableError } from "../../src/domain/errors.ts";
import { QUERY_DEADLINE_MS } from "../../src/limits.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

const CONNECTIONS = 8;
/** Reached by a test that fails only. */
const READY_MS = 60_000;
let server: TestDatabase;
const opened: Database[] = [];
/** What nobody caught: each of these ends a process that is not a test. */
const uncaught: unknown[] = [];
const note = (fault: unknown) => void uncaught.push(fault);

beforeAll(async () => {
  server = createTestDatabase();
  const sql = postgres(await server.locate(), { max: 1, onnotice: () => undefined });
  await sql`create table notes (id integer primary key)`;
  await sql`create table slowly_committed (id integer primary key)`;
  await sql.unsafe(`create function linger() returns trigger language plpgsql as
    $$ begin perform pg_sleep(1); return null; end $$`);
  await sql.unsafe(`create constraint trigger lingers after insert on slowly_committed
    deferrable initially deferred for each row execute function linger()`);
  await sql.end();
});
beforeEach(() => {
  uncaught.length = 0;
  process.on("uncaughtException", note).on("unhandledRejection", note);
});
afterEach(async () => {
  for (const db of opened.splice(0)) await db.stop();
  // Late ones come with the sockets' last events.
  await sleep(50);
  process.off("uncaughtException", note).off("unhandledRejection", note);
  expect(uncaught).toEqual([]);
});
afterAll(() => server.stop());

async function up(): Promise<Database> {
  const db = openDatabase({ locate: server.locate, prepare: async () => undefined, poolMax: CONNECTIONS });
  opened.push(db);
  await db.ready(READY_MS);
  return db;
}

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (fault: unknown) => fault,
  );

type Admin = postgres.Sql;

/** With a connection that is open before the work begins, so that a fault comes when it is meant to. */
async function asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = postgres(await server.locate(), { max: 1, onnotice: () => undefined });
  try {
    await admin`select 1`;
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Ends the service's connections from the server's side, as an administrator or a proxy does. */
function terminateAll(admin: Admin, query = "%"): Promise<unknown> {
  return admin`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'picket/%' and query like ${query}`;
}

const untilRuns = (admin: Admin, query: string) =>
  until(`${query} runs`, async () => {
    const rows = await admin`select 1 from pg_stat_activity
      where application_name like 'picket/%' and state = 'active' and query like ${query}`;
    return rows.length > 0;
  });

let next = 1;
/** One transaction of three statements that is under way for a while. */
async function writeThree(sql: Sql): Promise<number[]> {
  const ids = [next++, next++];
  await sql`insert into notes (id) values (${ids[0]!})`;
  await sql`select pg_sleep(0.05)`;
  await sql`insert into notes (id) values (${ids[1]!})`;
  return ids;
}

async function expectNoHalf(db: Database): Promise<void> {
  const rows = await db.run((sql) => sql<{ id: number }[]>`select id from notes where id > 0`);
  const kept = new Set(rows.map(({ id }) => id));
  for (const id of kept) expect(kept.has(id % 2 === 0 ? id - 1 : id + 1)).toBe(true);
}

/** Keeps every connection in a transaction while the fault comes; returns what the callers were told. */
async function underFault(db: Database, pauseMs: number, fault: () => void | Promise<void>): Promise<unknown[]> {
  const callers = Array.from({ length: CONNECTIONS * 3 }, () => faultOf(db.transact(writeThree)));
  await sleep(pauseMs);
  await fault();
  return Promise.all(callers);
}

test("[AU-69] given connections that the server ends inside transactions, their callers get 503 and the process goes on", async () => {
  const db = await up();
  await asAdmin(async (admin) => {
    for (const pauseMs of [1, 20, 60, 75]) {
      for (const fault of await underFault(db, pauseMs, async () => void (await terminateAll(admin))))
        expect(fault === null || fault instanceof UnavailableError).toBe(true);
      await db.ready(READY_MS);
    }
  });
  await expectNoHalf(db);
});

test("[AU-69] given a server that is killed or frozen during transactions, their callers get 503 and the process goes on", async () => {
  const db = await up();
  for (const fault of await underFault(db, 30, () => server.signal("SIGKILL")))
    expect(fault === null || fault instanceof UnavailableError).toBe(true);
  await expect.poll(() => db.state, { interval: 10 }).toBe("down");
  await db.ready(READY_MS);
  try {
    for (const fault of await underFault(db, 30, () => server.signal("SIGSTOP")))
      expect(fault === null || fault instanceof UnavailableError).toBe(true);
  } finally {
    server.signal("SIGCONT");
  }
  await db.ready(READY_MS);
  await expectNoHalf(db);
});

test("[AU-69] a transaction that ignores the loss of its connection fails without harm to the process", async () => {
  const db = await up();
  const going = faultOf(
    db.transact(async (sql) => {
      await sql`select 1`;
      await faultOf(asAdmin((admin) => terminateAll(admin)));
      for (let i = 0; i < 20; i++) {
        await faultOf(sql`insert into notes (id) values (-1)`);
        await sleep(2);
      }
    }),
  );
  expect(await going).toBeInstanceOf(UnavailableError);
  await db.ready(READY_MS);
  expect(await db.run((sql) => sql`select id from notes where id = -1`)).toEqual([]);
});

test("[AU-69] pools that are cut while connecting, inside transactions and between statements leave nothing behind", async () => {
  const url = await server.locate();
  const options = { connectionsMax: 3, connectTimeoutMs: 2000, statementTimeoutMs: 0, onLost: () => undefined };
  const faults: Promise<unknown>[] = [];
  for (let i = 0; i < 30; i++) {
    const pool = openPool(url, options);
    for (let caller = 0; caller < 6; caller++)
      faults.push(
        faultOf(
          pool.sql.begin(async (tx) => {
            await tx`select 1`;
            await sleep(caller);
            await tx`select pg_sleep(0.1)`;
          }),
        ),
      );
    await sleep(i);
    pool.cut();
    faults.push(faultOf(pool.sql`select 1`));
  }
  for (const fault of await Promise.all(faults)) expect((fault as { code?: string }).code).toMatch(/^CONNECTION_/);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const left = () => sql`select pid from pg_stat_activity where application_name like 'picket/%'`;
  await expect.poll(left).toEqual([]);
  await sql.end();
});

test("[AU-70] a transaction's 503 says whether the work may have been done", async () => {
  const db = await up();
  const commit = (id: number) => faultOf(db.transact((sql) => sql`insert into slowly_committed (id) values (${id})`));
  await asAdmin(async (admin) => {
    const early = faultOf(db.transact((sql) => sql`select pg_sleep(1.7)`));
    await untilRuns(admin, "%pg_sleep%");
    await terminateAll(admin);
    expect(await early).toMatchObject({ name: "UnavailableError", outcomeUnknown: false });
    await db.ready(READY_MS);

    const late = commit(1);
    await untilRuns(admin, "commit");
    await terminateAll(admin, "commit");
    expect(await late).toMatchObject({ name: "UnavailableError", outcomeUnknown: true });
    await db.ready(READY_MS);
  });
  expect(await db.transact((sql) => sql`select id from slowly_committed`)).toEqual([]);
  expect(await faultOf(db.run((sql) => sql`select pg_sleep(5)`))).toMatchObject({ outcomeUnknown: false });
});

test("[AU-70] given a COMMIT whose answer is lost, the caller is told that the outcome is unknown", async () => {
  const db = await up();
  const lost = faultOf(db.transact((sql) => sql`insert into slowly_committed (id) values (2)`));
  await asAdmin((admin) => untilRuns(admin, "commit"));
  // Our side is away before the answer: the server goes on and commits.
  const cause = Object.assign(new Error("the way is gone"), { code: "ECONNRESET" });
  expect(await faultOf(db.run(() => Promise.reject(cause)))).toBeInstanceOf(UnavailableError);
  expect(await lost).toMatchObject({ name: "UnavailableError", outcomeUnknown: true });
  await db.ready(READY_MS);
  const rows = () => db.run((sql) => sql`select id from slowly_committed where id = 2`);
  await expect.poll(rows).toEqual([{ id: 2 }]);
});

test("[AU-70] a transaction that ends near its deadline is done, not done, or reported as unknown", async () => {
  const db = await up();
  // All of them around the deadline of 2 s: some before it, some after, some in the moment between.
  const told = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, i) =>
      faultOf(
        db.transact(async (sql) => {
          await sql`insert into notes (id) values (${-10 - i})`;
          await sleep(1993 + i);
        }),
      ),
    ),
  );
  // What would be done behind a caller's back would be done by then.
  await sleep(200);
  await db.ready(READY_MS);
  const rows = await db.run((sql) => sql<{ id: number }[]>`select id from notes where id <= -10`);
  const done = new Set(rows.map(({ id }) => id));
  for (const [i, fault] of told.entries()) {
    if (fault === null) expect(done.has(-10 - i)).toBe(true);
    else if (!(fault as UnavailableError).outcomeUnknown) expect(done.has(-10 - i)).toBe(false);
  }
  expect(told.at(-1)).toBeInstanceOf(UnavailableError);
});

test("[AU-71] stopping lets running transactions end, also while another connection is lost", async () => {
  const db = await up();
  const refused = new RefusedError(refusal("invalid_state", "no"));
  const written = faultOf(db.transact(writeThree));
  const saidNo = faultOf(
    db.transact(async (sql) => {
      await writeThree(sql);
      throw refused;
    }),
  );
  await sleep(10);
  await db.stop();
  expect([await written, await saidNo]).toEqual([null, refused]);
  expect(await faultOf(db.run((sql) => sql`select 1`))).toBeInstanceOf(UnavailableError);

  const other = await up();
  const flying = asAdmin((admin) => underFault(other, 30, async () => void (await terminateAll(admin))));
  await sleep(20);
  const startMs = performance.now();
  await other.stop();
  expect(performance.now() - startMs).toBeLessThan(1.8 * QUERY_DEADLINE_MS);
  for (const fault of await flying) expect(fault === null || fault instanceof UnavailableError).toBe(true);
});
