/** Which server works on a database folder: what its postmaster.pid says, and whether that is true. */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, renameSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../lib/settings.ts";

interface Running {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Returns false when there is no such process. */
export function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

export const isAlive = (pid: number): boolean => signalled(pid, 0);

/** Reads without checking first, because a pid file or a /proc entry may vanish between a check and the read. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (fault) {
    if (codeOf(fault) === "ENOENT" || codeOf(fault) === "ESRCH") return null;
    throw fault;
  }
}

/** The server's postmaster.pid, one value a line: pid, data directory, start time, port, ..., status. */
export function readPidFile(dataDir: string): Running | null {
  const text = readIfThere(join(dataDir, "postmaster.pid"));
  if (text === null) return null;
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 && isAlive(pid) && isServerOf(pid, dataDir)
    ? { pid, port: Number(lines[3]), ready: lines[7] === "ready" }
    : null;
}

/** The pid may belong to another program by now, which is common in containers. The command line tells. */
function isServerOf(pid: number, dataDir: string): boolean {
  if (!existsSync("/proc/self/cmdline")) return true;
  return readIfThere(`/proc/${pid}/cmdline`)?.split("\0").includes(dataDir) ?? false;
}

/** The folder that a process works in; null when it ended or is not ours to look at. */
function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** A process of a Postgres on this folder, whatever its pid file says: each of them works inside the folder. */
function findServerProcess(dataDir: string): number | null {
  const folder = realpathSync(dataDir);
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (workingFolderOf(pid) === folder || isServerOf(pid, dataDir)) return pid;
  }
  return null;
}

/**
 * Postgres refuses to start while its pid file is empty or broken, as a power cut leaves it, or names a living process, even
 * when that is another program. It removes one of a dead process itself. Call only under the lock on the data folder.
 */
export function setAsideStalePidFile(dataDir: string): void {
  const file = join(dataDir, "postmaster.pid");
  const text = readIfThere(file);
  if (text === null || !existsSync("/proc/self/cmdline")) return;
  const first = text.split("\n")[0]!.trim();
  const pid = Number(first);
  // A negative number is a server without a postmaster, which Postgres checks itself.
  const isNumber = first !== "" && Number.isInteger(pid) && pid !== 0;
  if (isNumber && (pid < 0 || !isAlive(pid) || isServerOf(pid, dataDir))) return;
  const left = findServerProcess(dataDir);
  if (left !== null)
    throw new Error(
      `${file} does not name the server, but process ${left} works in ${dataDir}; it is tried again when that process has ended`,
    );
  renameSync(file, `${file}.stale`);
}
