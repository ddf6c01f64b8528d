/**
 * The time from the spawn of the service to its first 200 on /health: with the embedded database, new and existing, and
 * with DATABASE_URL. Reference: a bare Node HTTP server, spawned and polled the same way.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import { embeddedDatabase } from "../../src/db/embedded.ts";
import type { Report, Size } from "../benches.ts";

const EMBEDDED_MS_MAX = 2000;
const DATABASE_URL_MS_MAX = 1000;
const BARE = `
  const server = require("node:http").createServer((request, response) => response.end("ok"));
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
  process.on("SIGTERM", () => process.exit(0));
`;

async function timeStart(env: Record<string, string>, argv?: readonly string[]): Promise<number> {
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", ...env }, ...(argv ? { argv } : {}) });
  const status = await service.stop();
  if (status !== 0) throw new Error(`the service stopped with status ${status}`);
  return service.startMs;
}

async function median(times: number, work: () => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push(await work());
  return taken.sort((a, b) => a - b)[times >> 1] ?? Number.NaN;
}

export async function run(size: Size): Promise<Report> {
  const times = size === "full" ? 5 : 1;
  const dataDir = mkdtempSync(join(tmpdir(), "picket-start-"));
  const database = embeddedDatabase(join(dataDir, "beside"));
  try {
    const { url } = await database.start();
    let fresh = 0;
    const embeddedFreshMs = await median(times, () => timeStart({ DATA_DIR: join(dataDir, `fresh${fresh++}`) }));
    const embeddedMs = await median(times, () => timeStart({ DATA_DIR: join(dataDir, "fresh0") }));
    const env = { DATA_DIR: join(dataDir, "url"), DATABASE_URL: url };
    // The first start migrates, which is not what is measured.
    await timeStart(env);
    const databaseUrlMs = await median(times, () => timeStart(env));
    const referenceMs = await median(times, () => timeStart({}, ["-e", BARE]));
    const withinBounds = Math.max(embeddedFreshMs, embeddedMs) < EMBEDDED_MS_MAX && databaseUrlMs < DATABASE_URL_MS_MAX;
    return {
      ok: size === "small" || withinBounds,
      embeddedFreshMs,
      embeddedMs,
      embeddedMsMax: EMBEDDED_MS_MAX,
      databaseUrlMs,
      databaseUrlMsMax: DATABASE_URL_MS_MAX,
      referenceMs,
      ratio: databaseUrlMs / referenceMs,
    };
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
