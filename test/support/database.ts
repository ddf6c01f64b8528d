/** One embedded Postgres in a folder of its own, which tests can freeze, kill and leave behind. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedDatabase } from "../../src/db/embedded.ts";

const EMBEDDED = new URL("../../src/db/embedded.ts", import.meta.url).href;

export interface TestDatabase {
  readonly dataRoot: string;
  /** Its address now; starts it when it is not running, as the service's own `locate` does. */
  locate(): Promise<string>;
  pid(): number;
  /** The server with all its processes. */
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
  stop(): Promise<void>;
}

export function postmasterPid(dataRoot: string): number {
  return Number(readFileSync(join(dataRoot, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
}

export function makeDataRoot(): string {
  return mkdtempSync(join(tmpdir(), "picket-db-"));
}

export function createTestDatabase(dataRoot = makeDataRoot()): TestDatabase {
  const server = embeddedDatabase(dataRoot);
  const pid = () => postmasterPid(dataRoot);
  return {
    dataRoot,
    pid,
    locate: async () => (await server.start()).url,
    signal(name) {
      const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid())], { encoding: "utf8" });
      for (const each of [pid(), ...children.trim().split(/\s+/).map(Number)]) process.kill(each, name);
    },
    async stop() {
      await server.stop();
      rmSync(dataRoot, { recursive: true, force: true });
    },
  };
}

/** Starts the server from a process that is then killed, so that the server outlives its service. */
export async function leaveBehind(dataRoot: string): Promise<void> {
  const code = `const { embeddedDatabase } = await import(${JSON.stringify(EMBEDDED)});
    await embeddedDatabase(${JSON.stringify(dataRoot)}).start(); process.kill(process.pid, "SIGKILL");`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", code], { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
}
