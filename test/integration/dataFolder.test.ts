/** What the service finds in DATA_DIR: nothing, a damaged database, another service, broken files of a power cut. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import { embeddedDatabase } from "../../src/db/embedded.ts";
import { StartRefusedError } from "../../src/db/startRefused.ts";
import { createWhole, writeWhole } from "../../src/lib/wholeFile.ts";
import { leaveBehind, postmasterPid } from "../support/database.ts";
import { until } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "picket-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const EXIT_STARTUP = 1;
const EXIT_CONFIG = 78;

let roots = 0;
function makeRoot(): string {
  const root = join(folder, `root${roots++}`);
  mkdirSync(root);
  return root;
}

/** Runs the service until it ends by itself. */
async function runService(env: Record<string, string>): Promise<{ status: number | null; said: string }> {
  const child = spawn(process.execPath, ["src/main.ts"], {
    env: { PATH: process.env.PATH ?? "", LOG_FORMAT: "json", MAVLINK_UDP: "off", PORT: "0", DEV_MODE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const [status] = await once(child, "close");
  return { status, said };
}

async function withRows<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const notes = (url: string) => withRows(url, async (sql) => (await sql`select id from notes`).map((row) => row.id));

/** A stopped database with one row. */
async function makeDatabase(): Promise<{ root: string; dataDir: string }> {
  const root = makeRoot();
  const database = embeddedDatabase(root);
  const { url } = await database.start();
  await withRows(url, async (sql) => {
    await sql`create table notes (id integer primary key)`;
    await sql`insert into notes values (7)`;
  });
  await database.stop();
  return { root, dataDir: join(root, "postgres") };
}

test("[AU-100] a database that lost a file is refused and left as it is; with the file back its rows are there", async () => {
  const { root, dataDir } = await makeDatabase();
  const losses: [string, (path: string) => void, (path: string) => void][] = [
    ["PG_VERSION", (path) => renameSync(path, `${path}.lost`), (path) => renameSync(`${path}.lost`, path)],
    ["pg_wal", (path) => renameSync(path, `${path}.lost`), (path) => renameSync(`${path}.lost`, path)],
    ["PG_VERSION", (path) => writeFileSync(path, ""), (path) => writeFileSync(path, "18\n")],
  ];
  for (const [part, lose, restore] of losses) {
    lose(join(dataDir, part));
    const before = [readdirSync(root).sort(), readdirSync(dataDir).sort()];
    const database = embeddedDatabase(root);
    const fault = await database.start().catch((thrown) => thrown);
    expect(fault).toBeInstanceOf(StartRefusedError);
    expect(fault.message).toContain(`the database in ${dataDir} is damaged: it lacks `);
    expect(fault.message).toContain(part);
    expect(fault.message).toContain("from a backup");
    expect(fault.message).toContain(`mv ${dataDir} ${dataDir}.damaged`);
    await database.stop();
    expect([readdirSync(root).sort(), readdirSync(dataDir).sort()]).toEqual(before);
    restore(join(dataDir, part));
  }
  const database = embeddedDatabase(root);
  const { url } = await database.start();
  expect(await notes(url)).toEqual([7]);
  await database.stop();
});

test("[AU-100] a first start initialises an empty folder and leaves beside it what an earlier one left", async () => {
  const root = makeRoot();
  mkdirSync(join(root, "postgres"));
  mkdirSync(join(root, "postgres.new"));
  writeFileSync(join(root, "postgres.new", "mine"), "kept");
  const database = embeddedDatabase(root);
  expect((await database.start()).adopted).toBe(false);
  await database.stop();
  expect(readFileSync(join(root, "postgres.new", "mine"), "utf8")).toBe("kept");
  expect(readdirSync(root).filter((name) => name.startsWith("postgres.new-"))).toEqual([]);
});

test("[AU-100] the service with a damaged database says so and ends with status 78", async () => {
  const root = makeRoot();
  mkdirSync(join(root, "postgres", "base"), { recursive: true });
  const { status, said } = await runService({ DATA_DIR: root });
  expect(said).toContain("is damaged: it lacks PG_VERSION, global/pg_control, pg_wal, pg_xact");
  expect(said).not.toContain("Picket is at");
  expect(status).toBe(EXIT_CONFIG);
  expect(readdirSync(join(root, "postgres"))).toEqual(["base"]);
});

test("[AU-101] of two services on one DATA_DIR the second is refused by the name of the first, which goes on; after a kill -9 the next one starts", async () => {
  const root = makeRoot();
  const env = { PORT: "0", DATA_DIR: root, DEV_MODE: "1" };
  const first = await startProcess({ env });
  const second = await runService({ DATA_DIR: root });
  expect(second.said).toContain(`DATA_DIR ${root} is in use by process ${first.process.pid} on `);
  expect(second.status).toBe(EXIT_CONFIG);
  await until("the database", () => existsSync(join(root, "postgres", "postmaster.pid")));
  await until("a ready server", () => readFileSync(join(root, "postgres", "postmaster.pid"), "utf8").includes("ready"));
  const left = postmasterPid(root);
  first.process.kill("SIGKILL");
  await first.ended;
  const third = await startProcess({ env });
  try {
    expect(postmasterPid(root)).toBe(left);
  } finally {
    expect(await third.stop()).toBe(0);
  }
});

test("[AU-101] one who was refused stops no database of the one who has the folder", async () => {
  const { root } = await makeDatabase();
  const first = embeddedDatabase(root);
  const { url } = await first.start();
  const second = embeddedDatabase(root);
  await expect(second.start()).rejects.toThrow(`is in use by process ${process.pid} on `);
  await second.stop();
  expect(await notes(url)).toEqual([7]);
  await first.stop();
  // Nobody has it any more.
  const third = embeddedDatabase(root);
  await third.start();
  await third.stop();
});

test.each([
  ["empty", ""],
  ["no number", "garbage\n"],
  ["the number of another program and nothing more", `${process.pid}`],
])("[AU-102] a postmaster.pid without a server, %s, is set aside", async (_, content) => {
  const { root, dataDir } = await makeDatabase();
  writeFileSync(join(dataDir, "postmaster.pid"), content);
  const database = embeddedDatabase(root);
  const { url } = await database.start();
  expect(await notes(url)).toEqual([7]);
  await database.stop();
  expect(readFileSync(join(dataDir, "postmaster.pid.stale"), "utf8")).toBe(content);
});

test("[AU-102] while a server lives, a broken postmaster.pid starts no second one", async () => {
  const { root, dataDir } = await makeDatabase();
  await leaveBehind(root);
  const pidFile = join(dataDir, "postmaster.pid");
  const whole = readFileSync(pidFile, "utf8");
  writeFileSync(pidFile, "");
  const database = embeddedDatabase(root);
  await expect(database.start()).rejects.toThrow(`works in ${dataDir}`);
  expect(readFileSync(pidFile, "utf8")).toBe("");
  writeFileSync(pidFile, whole);
  expect((await database.start()).adopted).toBe(true);
  await database.stop();
});

test("[AU-103] postgres.password that is missing or short is refused with what to do, and not made anew beside a database", async () => {
  const { root } = await makeDatabase();
  const file = join(root, "postgres.password");
  const password = readFileSync(file, "utf8");
  for (const damaged of ["", "short", password.slice(0, 31), null]) {
    if (damaged === null) rmSync(file);
    else writeFileSync(file, damaged);
    const database = embeddedDatabase(root);
    const fault = await database.start().catch((thrown) => thrown);
    expect(fault).toBeInstanceOf(StartRefusedError);
    expect(fault.message).toMatch(/postgres\.password is missing or damaged: .* put it back from the backup/);
    await database.stop();
    expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(damaged);
  }
  const young = makeRoot();
  writeFileSync(join(young, "postgres.password"), "");
  await expect(embeddedDatabase(young).start()).rejects.toThrow("move it away: there is no database yet");
});

test("[AU-103] a kept secret is written whole: no moment shows a part, and what is there is not replaced", () => {
  const root = makeRoot();
  const file = join(root, "kept");
  createWhole(file, "first");
  createWhole(file, "second");
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { ino } = statSync(file);
  writeWhole(file, "third");
  expect(readFileSync(file, "utf8")).toBe("third");
  // Another file took its name; the one that was there was not written into.
  expect(statSync(file).ino).not.toBe(ino);
  expect(readdirSync(root)).toEqual(["kept"]);
});

test("[AU-104] a busy port ends the start with status 1 before a database is made", async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const root = makeRoot();
  try {
    const { port } = busy.address() as { port: number };
    const { status, said } = await runService({ DATA_DIR: root, PORT: String(port) });
    expect(said).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(status).toBe(EXIT_STARTUP);
    expect(existsSync(join(root, "postgres"))).toBe(false);
  } finally {
    busy.close();
  }
});

test("[AU-105] a schema of a newer version ends the service with status 78, the sentence in the log, and no database left running", async () => {
  const { root, dataDir } = await makeDatabase();
  const database = embeddedDatabase(root);
  const { url } = await database.start();
  await withRows(url, async (sql) => {
    await sql`create table schema_migrations (name text primary key, sha256 text not null, ran_at timestamptz not null default now())`;
    await sql`insert into schema_migrations (name, sha256) values ('9999_later.sql', 'x')`;
  });
  await database.stop();
  const { status, said } = await runService({ DATA_DIR: root });
  expect(said).toContain("the database is of a newer version: it has 9999_later.sql");
  expect(said).not.toContain("trying again");
  expect(status).toBe(EXIT_CONFIG);
  expect(existsSync(join(dataDir, "postmaster.pid"))).toBe(false);
});

test("[FR-8] SIGHUP drains as SIGTERM does, also when nobody reads the log any more", async () => {
  const root = makeRoot();
  const service = await startProcess({ env: { PORT: "0", DATA_DIR: root, DEV_MODE: "1" } });
  const pidFile = join(root, "postgres", "postmaster.pid");
  await until("the database", () => existsSync(pidFile) && readFileSync(pidFile, "utf8").includes("ready"));
  service.process.stdout?.destroy();
  service.process.stderr?.destroy();
  service.process.kill("SIGHUP");
  expect(await service.ended).toBe(0);
  expect(existsSync(pidFile)).toBe(false);
});
