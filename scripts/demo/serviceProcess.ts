/**
 * The service as a child process: started, ready when /health answers, stopped by SIGTERM. For the demo, the start bench
 * and the tests of the first run. Reads the address from the first lines of the log, as an operator does.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isHealthy } from "./client.ts";

export interface ServiceProcess {
  readonly process: ChildProcess;
  readonly url: string;
  /** Milliseconds from spawn to the first 200 of /health. */
  readonly startMs: number;
  /** Resolves with the exit status. */
  readonly ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

const POLL_MS = 5;

interface ServiceOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Given each line of stdout and stderr. */
  readonly onLine?: (line: string) => void;
  readonly deadlineMs?: number;
  /** Script and arguments of a reference to be measured in place of the service. */
  readonly argv?: readonly string[];
}

export async function startProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const spawnedMs = performance.now();
  const child = spawn(process.execPath, options.argv ?? ["src/main.ts"], {
    env: { PATH: process.env.PATH ?? "", LOG_FORMAT: "json", MAVLINK_UDP: "off", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: otherwise Ctrl-C would reach it beside our SIGTERM, and a second signal ends it at once.
    detached: true,
  });
  const killWithUs = () => child.kill("SIGTERM");
  process.once("exit", killWithUs);
  const lines: string[] = [];
  const address = new Promise<string>((resolve) => {
    const onLine = (line: string) => {
      options.onLine?.(line);
      if (lines.push(line) > 20) lines.shift();
      const found = /https?:\/\/[\w.:[\]-]+/.exec(line);
      if (found) resolve(found[0]);
    };
    createInterface({ input: child.stdout }).on("line", onLine);
    createInterface({ input: child.stderr }).on("line", onLine);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      process.off("exit", killWithUs);
      resolve(code);
    });
  });
  let isOver = false;
  const failed = ended.then((code) => {
    isOver = true;
    throw new Error(`the service ended with status ${code}:\n${lines.join("\n")}`);
  });
  const url = await beforeDeadline(Promise.race([address, failed]), options.deadlineMs ?? 30_000, child);
  while (!(await isHealthy(url))) {
    if (isOver) await failed;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  failed.catch(() => {}); // from here on the caller watches `ended`
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { process: child, url, startMs: performance.now() - spawnedMs, ended, stop };
}

async function beforeDeadline<T>(work: Promise<T>, deadlineMs: number, child: ChildProcess): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      child.kill("SIGTERM");
      reject(new Error(`the service gave no address within ${deadlineMs} ms`));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
