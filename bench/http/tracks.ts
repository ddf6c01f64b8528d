/**
 * GET /api/tracks of a workspace with 100 live tracks, with an API key, against a bare uWebSockets.js handler that writes
 * the same bytes. Both run at once, each in a process of its own; autocannon, in a third, asks one and then the other, so
 * that a pair shares its minute. The figure is the median ratio of the pairs.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Access, readTracks, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { type Body, bodiesOf, bodyAt, GRID_MS, TARGETS } from "../ingest/scene.ts";

const RATIO_MIN = 0.8;
const CONNECTIONS = 8;
const SHAPE = { full: { pairs: 5, seconds: 3 }, small: { pairs: 1, seconds: 1 } } as const;
const FEED_DEADLINE_MS = 20_000;
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

async function pushOnce(access: Access, bodies: readonly Body[]): Promise<void> {
  const body = bodyAt(bodies, "json", Math.floor(Date.now() / GRID_MS) * GRID_MS);
  const headers = { "content-type": "application/json", "x-api-key": access.key };
  const response = await fetch(`${access.url}/api/signals`, { method: "POST", headers, body: new Uint8Array(body) });
  if (!response.ok) throw new Error(`POST /api/signals answered ${response.status}: ${await response.text()}`);
}

/** Scans until every target is a confirmed track. */
async function fillPicture(access: Access, bodies: readonly Body[]): Promise<number> {
  for (const endMs = Date.now() + FEED_DEADLINE_MS; Date.now() < endMs; ) {
    await pushOnce(access, bodies);
    const confirmed = (await readTracks(access)).filter((track) => track.status === "confirmed").length;
    if (confirmed >= TARGETS) return confirmed;
    await new Promise((resolve) => setTimeout(resolve, GRID_MS));
  }
  throw new Error(`no ${TARGETS} confirmed tracks within ${FEED_DEADLINE_MS} ms`);
}

async function measure(size: Size, access: Access, bareUrl: string, bodies: readonly Body[]) {
  const { pairs, seconds } = SHAPE[size];
  const ours: Load[] = [];
  const bare: Load[] = [];
  // Once a second: the tracks stay alive, and the answer is encoded anew while it is asked for.
  let fault: unknown = null;
  const feed = setInterval(() => pushOnce(access, bodies).catch((cause) => (fault = cause)), 1000);
  try {
    for (let i = 0; i < pairs; i++) {
      ours.push(await load(`${access.url}/api/tracks`, access.key, seconds));
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

export async function run(size: Size): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "picket-tracks-"));
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: folder } });
  try {
    const access = await signIn(service.url, "tracks@example.org", "bench");
    const bodies = bodiesOf(0, 1, "json", 600);
    const confirmed = await fillPicture(access, bodies);
    const answer = await fetch(`${service.url}/api/tracks`, { headers: { "x-api-key": access.key } });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const file = join(folder, "body.json");
    writeFileSync(file, bytes);
    const bare = await startProcess({ env: { BODY: file }, argv: ["--input-type=module", "-e", BARE] });
    try {
      const figures = await measure(size, access, bare.url, bodies);
      // Smaller answers than the reference's would be no comparison.
      const isSame = Math.abs(figures.bytesPerAnswer / figures.bareBytesPerAnswer - 1) < 0.1;
      const ok = isSame && (size === "small" || figures.ratio >= RATIO_MIN);
      return { ok, tracks: confirmed, answerBytes: bytes.length, ...figures, ratioMin: RATIO_MIN };
    } finally {
      await bare.stop();
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
