/**
 * Forward-only migrations: the numbered files of sql/, all that are due in one transaction, under an advisory lock, so
 * that of several servers that start at once one works and the others wait. Refuses an edited file. Refuses a newer
 * schema too, unless each migration that this version does not know says in its first line that it is additive.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { StartRefusedError } from "./startRefused.ts";

/** Identifies our advisory lock; an arbitrary number, the same in every version. */
const LOCK_KEY = 80_77_01;

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
  /** Older versions can work with the schema that it leaves: the file begins with `-- additive: <why>`. */
  readonly isAdditive: boolean;
}

/** A row of schema_migrations. */
interface DoneMigration {
  readonly name: string;
  readonly sha256: string;
  readonly is_additive: boolean;
}

interface Migrated {
  /** Names of the migrations that ran now. */
  readonly ran: string[];
  /** Names of migrations that a newer version ran; this version works beside them. */
  readonly ahead: string[];
}

export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const sha256 = createHash("sha256").update(text).digest("hex");
      return { number: Number(name.slice(0, 4)), name, text, sha256, isAdditive: text.startsWith("-- additive: ") };
    });
}

/** Which are still to run, and which are ahead of this version; throws when it cannot work with the schema. */
function compareMigrations(all: readonly Migration[], done: readonly DoneMigration[]) {
  const byName = new Map(all.map((migration) => [migration.name, migration]));
  const ahead: string[] = [];
  for (const { name, sha256, is_additive } of done) {
    const known = byName.get(name);
    if (known !== undefined && known.sha256 !== sha256)
      throw new StartRefusedError(`${name} was edited after it ran; restore the file and write a new migration`);
    if (known === undefined && !is_additive)
      throw new StartRefusedError(
        `the database is of a newer version: it has ${name}, which this version does not know; run the newer version`,
      );
    if (known === undefined) ahead.push(name);
  }
  const ran = new Set(done.map(({ name }) => name));
  const pending = all.filter(({ name }) => !ran.has(name));
  if (ahead.length > 0 && pending.length > 0)
    throw new StartRefusedError(
      `the database is of another version: it has ${ahead[0]}, which this version does not know, and lacks ${pending[0]!.name}; run a version that has both`,
    );
  return { pending, ahead };
}

export async function migrate(sql: postgres.Sql, folder: string): Promise<Migrated> {
  const all = readMigrations(folder);
  return (await sql.begin(async (outer) => {
    await outer`select pg_advisory_xact_lock(${LOCK_KEY})`;
    await outer`create table if not exists schema_migrations (name text primary key, sha256 text not null, ran_at timestamptz not null default now())`;
    await outer`alter table schema_migrations add column if not exists is_additive boolean not null default false`;
    const done = await outer<DoneMigration[]>`
      select name, sha256, is_additive from schema_migrations order by name`;
    const { pending, ahead } = compareMigrations(all, done);
    for (const { name, text, sha256, isAdditive } of pending) {
      await outer`set local lock_timeout = '5s'`;
      await outer.savepoint(async (step) => {
        await step.unsafe(text);
        await step`insert into schema_migrations ${step({ name, sha256, is_additive: isAdditive })}`;
      });
    }
    return { ran: pending.map(({ name }) => name), ahead };
  })) as Migrated;
}
