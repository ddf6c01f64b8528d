/** The folder of the embedded database before its server starts: empty, whole or damaged, and the password beside it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newSecret, SECRET_LENGTH_MIN } from "../lib/ids.ts";
import { createWhole } from "../lib/wholeFile.ts";
import { StartRefusedError } from "./startRefused.ts";

/** Without any of these no server starts; a folder that has some of them holds somebody's data. */
const PARTS = ["PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact"];

export function isEmptyFolder(dataDir: string): boolean {
  return !existsSync(dataDir) || readdirSync(dataDir).length === 0;
}

/** Throws unless the folder is empty or absent, or holds a database with all its parts. Changes nothing. */
export function refuseDamaged(dataDir: string): void {
  if (isEmptyFolder(dataDir)) return;
  const missing = PARTS.filter((part) => !existsSync(join(dataDir, part)));
  if (!missing.includes("PG_VERSION") && !/^\d+\s*$/.test(readFileSync(join(dataDir, "PG_VERSION"), "utf8")))
    missing.push("a number in PG_VERSION");
  if (missing.length === 0) return;
  throw new StartRefusedError(
    `the database in ${dataDir} is damaged: it lacks ${missing.join(", ")}. Nothing was changed. Put the whole folder back from a backup, ` +
      `with ${passwordFileOf(join(dataDir, ".."))} of the same time; or, to begin without its data, move the folder away: mv ${dataDir} ${dataDir}.damaged`,
  );
}

const passwordFileOf = (dataRoot: string): string => join(dataRoot, "postgres.password");

/** The file of the password that the database was made with; made anew only where there is no database yet. */
export function preparePassword(dataRoot: string, dataDir: string): string {
  const file = passwordFileOf(dataRoot);
  const isNew = isEmptyFolder(dataDir);
  if (isNew && !existsSync(file)) createWhole(file, newSecret("pgw"));
  const length = existsSync(file) ? readFileSync(file, "utf8").trim().length : 0;
  if (length >= SECRET_LENGTH_MIN) return file;
  const remedy = isNew
    ? "move it away: there is no database yet, and a new password is made"
    : `put it back from the backup, since the database in ${dataDir} knows no other password`;
  throw new StartRefusedError(
    `${file} is missing or damaged: it holds ${length} characters, and a password has at least ${SECRET_LENGTH_MIN}; ${remedy}`,
  );
}
