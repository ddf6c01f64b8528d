/**
 * Forward-only migrations: the numbered files of sql/, all that are due in one transaction, under an advisory lock, so
 * that of several servers that start at once one works and the others wait. Refuses an edited file and a newer schema.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";

/** Any number, the same in every version: the lock is ours by this name. */
const LOCK_KEY = 80_77_01;

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      return { number: Number(name.slice(0, 4)), name, text, sha256: createHash("sha256").update(text).digest("hex") };
    });
}

/** Which are still to run; throws when the history is not a part of ours. */
function pendingMigrations(all: readonly Migration[], done: readonly { name: string; sha256: string }[]): Migration[] {
  const byName = new Map(all.map((migration) => [migration.name, migration]));
  for (const { name, sha256 } of done) {
    const known = byName.get(name);
    if (known === undefined)
      throw new Error(
        `the database is of a newer version: it has ${name}, which this version does not know; run the newer version`,
      );
    if (known.sha256 !== sha256)
      throw new Error(`${name} was edited after it ran; restore the file and write a new migration`);
  }
  const ran = new Set(done.map(({ name }) => name));
  return all.filter(({ name }) => !ran.has(name));
}

/** Returns the names that ran. */
export async function migrate(sql: postgres.Sql, folder: string): Promise<string[]> {
  const all = readMigrations(folder);
  return (await sql.begin(async (outer) => {
    await outer`select pg_advisory_xact_lock(${LOCK_KEY})`;
    await outer`create table if not exists schema_migrations (name text primary key, sha256 text not null, ran_at timestamptz not null default now())`;
    const done = await outer<
      { name: string; sha256: string }[]
    >`select name, sha256 from schema_migrations order by name`;
    const ran: string[] = [];
    for (const migration of pendingMigrations(all, done)) {
      await outer`set local lock_timeout = '5s'`;
      await outer.savepoint(async (step) => {
        await step.unsafe(migration.text);
        await step`insert into schema_migrations ${step({ name: migration.name, sha256: migration.sha256 })}`;
      });
      ran.push(migration.name);
    }
    return ran;
  })) as string[];
}
