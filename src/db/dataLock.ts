/**
 * The lock on a data folder: one process at a time. The operating system holds it, through SQLite's file lock, and lets it go
 * when the process ends, however it ends; nothing is left to clear up. It also holds between containers that share the
 * folder, in which process numbers mean nothing (ADR 0110).
 */
import { closeSync, openSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { codeOf } from "../lib/settings.ts";
import { writeWhole } from "../lib/wholeFile.ts";
import { StartRefusedError } from "./startRefused.ts";

export interface DataLock {
  release(): void;
}

const LOCK_FILE = "service.lock";
/** Says who holds the lock. Believed only while the lock is held. */
const HOLDER_FILE = "service.holder";
const SQLITE_BUSY = 5;

/** Node warns of SQLite as experimental on stderr. Of it only a lock is used, so there is nothing for a person to do. */
function openSqlite(path: string): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const sqlite = process.getBuiltinModule("node:sqlite");
    return new sqlite.DatabaseSync(path);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function holderOf(folder: string): string {
  try {
    return readFileSync(join(folder, HOLDER_FILE), "utf8").trim();
  } catch {
    return "a process that has not written its number yet";
  }
}

/** The folder must be there. Throws a StartRefusedError that names the process which has it. */
export function lockData(folder: string): DataLock {
  const path = join(folder, LOCK_FILE);
  // SQLite would let everybody read it, and who may open it can lock us out.
  closeSync(openSync(path, "a", 0o600));
  const file = openSqlite(path);
  try {
    // Locks the file and writes nothing to it.
    file.exec("begin exclusive");
  } catch (fault) {
    file.close();
    throw refusalOf(fault, folder, path);
  }
  const since = new Date(performance.timeOrigin).toISOString();
  writeWhole(join(folder, HOLDER_FILE), `process ${process.pid} on ${hostname()}, running since ${since}\n`);
  return { release: () => file.close() };
}

function refusalOf(fault: unknown, folder: string, path: string): StartRefusedError {
  if ((fault as { errcode?: unknown }).errcode === SQLITE_BUSY)
    return new StartRefusedError(
      `DATA_DIR ${folder} is in use by ${holderOf(folder)}: stop that service, or give this one another DATA_DIR`,
    );
  return new StartRefusedError(
    `DATA_DIR ${folder} cannot be locked, because ${path} cannot be used (${(fault as Error).message || codeOf(fault)}): move that file away, or name a folder on a disk of this machine`,
    { cause: fault },
  );
}
