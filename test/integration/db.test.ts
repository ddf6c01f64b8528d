/** The database under faults: frozen, killed, left behind, slow, hostile; and migrations raced, edited and too new. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/db/client.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { RefusedError, refusal, UnavailableError } from "../../src/domain/errors.ts";
import { QUERY_DEADLINE_MS } from "../../src/limits.ts";
import {
  createTestDatabase,
  leaveBehind,
  makeDataRoot,
  postmasterPid,
  type TestDatabase,
} from "../support/database.ts";

/** Reached by a test that fails only. */
const READY_MS = 60_000;
/** Room for a busy machine, well under what a second deadline would add. */
const ABOUT_THE_DEADLINE_MS = 1.8 * QUERY_DEADLINE_MS;
/** Nothing is waited for. */
const AT_ONCE_MS = QUERY_DEADLINE_MS / 2;

let server: TestDatabase;
const opened: Database[] = [];
const folders: string[] = [];

beforeAll(async () => {
  server = createTestDatabase();
  const sql = postgres(await server.locate(), { max: 1, onnotice: () => undefined });
  await sql`create table notes (id integer primary key)`;
  await sql.end();
});
afterEach(async () => {
  for (const db of opened.splice(0)) await db.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(() => server.stop());

function open(locate: () => Promise<string> = server.locate): Database {
  const db = openDatabase({ locate, prepare: async () => undefined, poolMax: 4 });
  opened.push(db);
  return db;
}

async function up(): Promise<Database> {
  const db = open();
  await db.ready(READY_MS);
  return db;
}

const count = async (db: Database) =>
  (await db.run((sql) => sql<{ n: number }[]>`select count(*)::int as n from notes`))[0]!.n;

async function timed<T>(work: () => Promise<T>): Promise<{ fault: unknown; tookMs: number }> {
  const startMs = performance.now();
  const fault = await work().then(
    () => null,
    (error: unknown) => error,
  );
  return { fault, tookMs: performance.now() - startMs };
}

test("[AU-60] a frozen database costs the deadline once, then requests fail at once; it is used within a second of thawing", async () => {
  const db = await up();
  server.signal("SIGSTOP");
  try {
    const first = await timed(() => count(db));
    expect(first.fault).toBeInstanceOf(UnavailableError);
    expect(first.tookMs).toBeLessThan(ABOUT_THE_DEADLINE_MS);
    const second = await timed(() => count(db));
    expect(second.fault).toBeInstanceOf(UnavailableError);
    expect(second.tookMs).toBeLessThan(AT_ONCE_MS);
    expect(db.state).toBe("down");
  } finally {
    server.signal("SIGCONT");
  }
  await db.ready(READY_MS);
  expect(await count(db)).toEqual(expect.any(Number));
});

test("[AU-60] a database that freezes between requests is noticed", async () => {
  const db = await up();
  server.signal("SIGSTOP");
  try {
    await expect.poll(() => db.state, { interval: 50 }).toBe("down");
  } finally {
    server.signal("SIGCONT");
  }
  await db.ready(READY_MS);
});

test("[AU-61] a database killed under writes is started again; every acknowledged row is there, and none in part", async () => {
  const db = await up();
  const acknowledged: number[] = [];
  let next = 1000;
  const write = async () => {
    const [one, two] = [next++, next++];
    await db.transact(async (sql) => {
      await sql`insert into notes (id) values (${one})`;
      await sql`insert into notes (id) values (${two})`;
    });
    acknowledged.push(one, two);
  };
  for (let i = 0; i < 20; i++) await write();
  const flying = Array.from({ length: 4 }, () => timed(write));
  server.signal("SIGKILL");
  for (const { fault } of await Promise.all(flying))
    expect(fault === null || fault instanceof UnavailableError).toBe(true);
  await expect.poll(() => db.state, { interval: 10 }).toBe("down");
  await db.ready(READY_MS);
  const rows = await db.run((sql) => sql<{ id: number }[]>`select id from notes where id >= 1000`);
  const kept = new Set(rows.map((row) => row.id));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  for (const id of kept) expect(kept.has(id % 2 === 0 ? id + 1 : id - 1)).toBe(true);
});

test("[AU-62] a server that a killed run left behind is adopted with its data", async () => {
  const dataRoot = makeDataRoot();
  await leaveBehind(dataRoot);
  const left = postmasterPid(dataRoot);
  const adopted = createTestDatabase(dataRoot);
  try {
    await adopted.locate();
    expect(adopted.pid()).toBe(left);
    const db = open(adopted.locate);
    await db.ready(READY_MS);
    expect(await db.run((sql) => sql<{ one: number }[]>`select 1 as one`)).toEqual([{ one: 1 }]);
    await db.stop();
  } finally {
    await adopted.stop();
  }
  // A dead process that nobody collects keeps its number, but has no command line any more.
  const command = () => {
    try {
      return readFileSync(`/proc/${left}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  await expect.poll(command, { interval: 20 }).toBe("");
});

test("[AU-63] a pid file whose number belongs to another program now does not keep the database from starting", async () => {
  const dataRoot = makeDataRoot();
  const database = createTestDatabase(dataRoot);
  try {
    await database.locate();
    const first = database.pid();
    database.signal("SIGKILL");
    await expect
      .poll(() =>
        database.locate().then(
          () => database.pid() !== first,
          () => false,
        ),
      )
      .toBe(true);
    database.signal("SIGKILL");
    writeFileSync(
      join(dataRoot, "postgres", "postmaster.pid"),
      `${process.pid}\n${dataRoot}/postgres\n1\n1\n\n127.0.0.1\n\nready\n`,
    );
    await expect
      .poll(() =>
        database.locate().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(database.pid()).not.toBe(process.pid);
  } finally {
    await database.stop();
  }
});

test("[AU-64] a statement that exceeds its time is 503 for its caller alone", async () => {
  const db = await up();
  const slow = timed(() => db.run((sql) => sql`select pg_sleep(5)`));
  for (let i = 0; i < 5; i++) await count(db);
  const { fault, tookMs } = await slow;
  expect(fault).toBeInstanceOf(UnavailableError);
  expect(tookMs).toBeLessThan(ABOUT_THE_DEADLINE_MS);
  expect(db.state).toBe("up");
});

test("[AU-64] a statement with an error in it is an internal fault, not an outage", async () => {
  const db = await up();
  const { fault } = await timed(() => db.run((sql) => sql`select * from no_such_table`));
  expect(fault).not.toBeInstanceOf(UnavailableError);
  expect(db.state).toBe("up");
});

test("[AU-72] a list of texts is stored unchanged, whatever characters it holds", async () => {
  const db = await up();
  const texts = ["plain", 'a"b', "c\\d", "{x},y", "", "null", " "];
  expect(await db.run((sql) => sql`select text from unnest(${texts}::text[]) text`)).toEqual(
    texts.map((text) => ({ text })),
  );
  expect(await db.run((sql) => sql`select 1 where 'a' = any(${[] as string[]})`)).toEqual([]);
});

test("[AU-65] given a peer that closes during the handshake, connections are tried about twice a second", async () => {
  let knocks = 0;
  const peer = createServer((socket) => {
    knocks++;
    socket.on("error", () => undefined).end();
  });
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
  const { port } = peer.address() as { port: number };
  const db = open(async () => `postgres://u:p@127.0.0.1:${port}/x`);
  const startMs = performance.now();
  await expect.poll(() => knocks, { interval: 50 }).toBeGreaterThanOrEqual(4);
  expect(db.state).toBe("starting");
  expect(knocks).toBeLessThanOrEqual(2 + (performance.now() - startMs) / 500);
  await db.stop();
  peer.close();
});

test("[AU-66] a refusal inside a transaction rolls it back and reaches the caller unchanged", async () => {
  const db = await up();
  const before = await count(db);
  const refused = new RefusedError(refusal("invalid_state", "no"));
  const { fault } = await timed(() =>
    db.transact(async (sql) => {
      await sql`insert into notes (id) values (1)`;
      throw refused;
    }),
  );
  expect(fault).toBe(refused);
  expect([await count(db), db.state]).toEqual([before, "up"]);
});

test("[AU-67] of eight servers that start at once one migrates; an edited file and a newer schema are refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-sql-"));
  folders.push(folder);
  writeFileSync(join(folder, "0001_one.sql"), "create table raced (id integer)");
  const url = await server.locate();
  const pools = Array.from({ length: 8 }, () => postgres(url, { max: 1, onnotice: () => undefined }));
  try {
    const migrated = await Promise.all(pools.map((sql) => migrate(sql, folder)));
    expect(migrated.flatMap(({ ran }) => ran)).toEqual(["0001_one.sql"]);
    const [sql] = pools;
    writeFileSync(join(folder, "0002_half.sql"), "create table half (id integer); select 1 / 0");
    await expect(migrate(sql!, folder)).rejects.toThrow("division by zero");
    expect((await sql!`select to_regclass('half') as half`)[0]!.half).toBeNull();
    rmSync(join(folder, "0002_half.sql"));
    writeFileSync(join(folder, "0001_one.sql"), "create table raced (id bigint)");
    await expect(migrate(sql!, folder)).rejects.toThrow("was edited after it ran");
    rmSync(join(folder, "0001_one.sql"));
    await expect(migrate(sql!, folder)).rejects.toThrow("newer version");
  } finally {
    await Promise.all(pools.map((sql) => sql.end()));
  }
});

test("[AU-75] an older version starts beside a newer schema where every newer migration says that it is additive", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-sql-"));
  folders.push(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const sql = postgres(await server.locate(), { max: 1, onnotice: () => undefined });
  try {
    await sql`drop table if exists schema_migrations`;
    write("0001_one.sql", "create table older (id integer)");
    write(
      "0002_two.sql",
      "-- additive: a column that has a default\nalter table older add column more integer default 0",
    );
    expect(await migrate(sql, folder)).toEqual({ ran: ["0001_one.sql", "0002_two.sql"], ahead: [] });
    rmSync(join(folder, "0002_two.sql"));
    expect(await migrate(sql, folder)).toEqual({ ran: [], ahead: ["0002_two.sql"] });
    // Neither version is the older one: this one has a migration of its own that the schema lacks.
    write("0003_other.sql", "-- additive: nothing\nselect 1");
    await expect(migrate(sql, folder)).rejects.toThrow("lacks 0003_other.sql");
    rmSync(join(folder, "0003_other.sql"));
    write(
      "0002_two.sql",
      "-- additive: a column that has a default\nalter table older add column more integer default 0",
    );
    write("0004_breaking.sql", "-- breaking: the column moves\nalter table older drop column more");
    await migrate(sql, folder);
    rmSync(join(folder, "0004_breaking.sql"));
    await expect(migrate(sql, folder)).rejects.toThrow("0004_breaking.sql");
  } finally {
    await sql.end();
  }
});

test("[AU-75] each migration since 0060 says in its first line whether it is additive", () => {
  const since = readMigrations(join(import.meta.dirname, "../../sql")).filter(({ number }) => number >= 60);
  expect(since.length).toBeGreaterThan(0);
  for (const { name, text } of since) expect(text, name).toMatch(/^-- (additive|breaking): \w/);
});

test("[AU-76] connections carry the name of the process, and the server ends a transaction whose process is frozen", async () => {
  const db = await up();
  const [row] = await db.run(
    (sql) => sql<{ name: string; idle: string }[]>`
      select application_name as name, current_setting('idle_in_transaction_session_timeout') as idle
      from pg_stat_activity where pid = pg_backend_pid()`,
  );
  expect(row!.name).toMatch(new RegExp(`^picket/[^/]+/${process.pid}-\\d+$`));
  expect(row!.name.length).toBeLessThan(64);
  expect(row!.idle).toBe("3s");
});
