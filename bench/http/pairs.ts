/**
 * Compares a route of the service with a bare uWebSockets.js handler that writes the same bytes. Both run at once, each in
 * a process of its own; autocannon, in a third, loads one and then the other, so that both halves of a pair see the same
 * machine. The figure is the median ratio of the pairs.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Access } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Size } from "../benches.ts";

const CONNECTIONS = 8;
const SHAPE = { full: { pairs: 5, seconds: 3 }, small: { pairs: 1, seconds: 1 } } as const;
const AUTOCANNON = createRequire(import.meta.url).resolve("autocannon/autocannon.js");
const run1 = promisify(execFile);
const BARE = `
  import { readFileSync } from "node:fs";
  import { App, us_socket_local_port } from "uWebSockets.js";
  const body = readFileSync(process.env.BODY);
  App().any("/*", (res) => {
    res.cork(() => res.writeHeader("Content-Type", "application/json").end(body));
  }).listen("127.0.0.1", 0, (socket) => console.log("http://127.0.0.1:" + us_socket_local_port(socket)));
  process.on("SIGTERM", () => process.exit(0));
`;

interface Load {
  readonly requestsPerS: number;
  readonly p99Ms: number;
  readonly bytesPerAnswer: number;
}

async function load(url: string, key: string, seconds: number): Promise<Load> {
  const args = [AUTOCANNON, "--json", "-c", String(CONNECTIONS), "-d", String(seconds), "-H", `X-Api-Key=${key}`, url];
  const { stdout } = await run1(process.execPath, args, { maxBuffer: 1 << 24 });
  const result = JSON.parse(stdout);
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return {
    requestsPerS: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
    bytesPerAnswer: result.throughput.total / result.requests.total,
  };
}

/** `keepAlive` runs once a second while the pairs are measured, so that the service has to encode the answer again. */
export async function measurePairs(
  size: Size,
  access: Access,
  path: string,
  folder: string,
  keepAlive: () => Promise<void>,
) {
  const answer = await fetch(access.url + path, { headers: { "x-api-key": access.key } });
  const file = join(folder, "body.json");
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
  const bare = await startProcess({ env: { BODY: file }, argv: ["--input-type=module", "-e", BARE] });
  try {
    return await pairsOf(size, access, access.url + path, bare.url, keepAlive);
  } finally {
    await bare.stop();
  }
}

async function pairsOf(size: Size, access: Access, url: string, bareUrl: string, keepAlive: () => Promise<void>) {
  const { pairs, seconds } = SHAPE[size];
  const ours: Load[] = [];
  const bare: Load[] = [];
  let fault: unknown = null;
  const feed = setInterval(() => keepAlive().catch((cause) => (fault = cause)), 1000);
  try {
    for (let i = 0; i < pairs; i++) {
      ours.push(await load(url, access.key, seconds));
      bare.push(await load(bareUrl, access.key, seconds));
    }
  } finally {
    clearInterval(feed);
  }
  if (fault !== null) throw fault;
  const ratios = ours.map((one, i) => one.requestsPerS / bare[i]!.requestsPerS).sort((a, b) => a - b);
  const mean = (loads: Load[], of: (one: Load) => number) =>
    loads.reduce((sum, one) => sum + of(one), 0) / loads.length;
  return {
    ratio: ratios[ratios.length >> 1]!,
    ratioLowest: ratios[0]!,
    requestsPerS: mean(ours, (one) => one.requestsPerS),
    p99Ms: mean(ours, (one) => one.p99Ms),
    bareRequestsPerS: mean(bare, (one) => one.requestsPerS),
    bareP99Ms: mean(bare, (one) => one.p99Ms),
    bytesPerAnswer: mean(ours, (one) => one.bytesPerAnswer),
    bareBytesPerAnswer: mean(bare, (one) => one.bytesPerAnswer),
  };
}

/** Answers smaller than the reference's could not be compared with them. */
export function isSameSize(figures: { readonly bytesPerAnswer: number; readonly bareBytesPerAnswer: number }): boolean {
  return Math.abs(figures.bytesPerAnswer / figures.bareBytesPerAnswer - 1) < 0.1;
}
