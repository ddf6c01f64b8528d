/**
 * GET /api/tracks with 100 live tracks and an API key, against a bare uWebSockets.js handler that writes the same bytes.
 * The sky is kept moving by one scan a second, so that the answer is encoded anew now and then as in use. Runs alternate
 * within the same minute; the answer is checked before anything is timed.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { type Access, readTracks, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { type Body, bodiesOf, bodyAt, GRID_MS, TARGETS } from "../ingest/scene.ts";

const RATIO_MIN = 0.8;
const CONNECTIONS = 32;
const SHAPE = { full: { pairs: 4, seconds: 5 }, small: { pairs: 1, seconds: 1 } } as const;
const BARE = `
  import { readFileSync } from "node:fs";
  import { App, us_socket_local_port } from "uWebSockets.js";
  const bytes = readFileSync(process.env.BODY_FILE);
  App().any("/*", (res) => {
    res.cork(() => res.writeHeader("Content-Type", "application/json").end(bytes));
  }).listen("127.0.0.1", 0, (socket) => console.log("http://127.0.0.1:" + us_socket_local_port(socket)));
  process.on("SIGTERM", () => process.exit(0));
`;

async function push({ url, key }: Access, bodies: readonly Body[]): Promise<void> {
  const gridMs = Math.floor(Date.now() / GRID_MS) * GRID_MS;
  const headers = { "content-type": "application/json", "x-api-key": key };
  const answer = await fetch(`${url}/api/signals`, {
    method: "POST",
    headers,
    body: new Uint8Array(bodyAt(bodies, "json", gridMs)),
  });
  if (answer.status !== 200) throw new Error(`POST /api/signals answered ${answer.status}`);
}

/** Until all targets are confirmed. */
async function fillSky(access: Access, bodies: readonly Body[]): Promise<void> {
  for (let i = 0; i < 80; i++) {
    await push(access, bodies);
    await new Promise((resolve) => setTimeout(resolve, GRID_MS));
    if (i < 10) continue;
    const confirmed = (await readTracks(access)).filter((track) => track.status === "confirmed").length;
    if (confirmed === TARGETS) return;
  }
  throw new Error(`the sky never had exactly ${TARGETS} confirmed tracks`);
}

async function requestsPerS(url: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return result.requests.total / result.duration;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export async function run(size: Size): Promise<Report> {
  const { pairs, seconds } = SHAPE[size];
  const dataDir = mkdtempSync(join(tmpdir(), "picket-tracks-"));
  const bodyFile = join(dataDir, "body.json");
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: dataDir } });
  const bodies = bodiesOf(0, 1, "json");
  let timer: NodeJS.Timeout | undefined;
  try {
    const access = await signIn(service.url, "tracks@example.org", "bench");
    await fillSky(access, bodies);
    const url = `${service.url}/api/tracks`;
    const headers = { "x-api-key": access.key };
    writeFileSync(bodyFile, Buffer.from(await (await fetch(url, { headers })).arrayBuffer()));
    const bare = await startProcess({ env: { BODY_FILE: bodyFile }, argv: ["--input-type=module", "-e", BARE] });
    timer = setInterval(() => void push(access, bodies).catch(() => {}), 1000);
    try {
      const ours: number[] = [];
      const reference: number[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        ours.push(await requestsPerS(url, headers, seconds));
        reference.push(await requestsPerS(`${bare.url}/api/tracks`, headers, seconds));
      }
      const ratio = median(ours.map((value, i) => value / reference[i]!));
      return {
        ok: size === "small" || ratio >= RATIO_MIN,
        requestsPerS: median(ours),
        bareRequestsPerS: median(reference),
        ratio,
        ratioMin: RATIO_MIN,
      };
    } finally {
      await bare.stop();
    }
  } finally {
    clearInterval(timer);
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
