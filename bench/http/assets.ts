/**
 * GET /api/assets of a workspace with 1 000 assets, a hundred of which move, with an API key, against the bare handler of
 * `pairs.ts`. The answer is checked to be complete before it is timed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { isSameSize, measurePairs } from "./pairs.ts";

const RATIO_MIN = 0.7;
const ASSETS = { full: 1000, small: 50 } as const;
const MOVING = 100;
const AT_ONCE = 20;

async function post(access: Access, path: string, body: object): Promise<{ id: string }> {
  const headers = { "content-type": "application/json", "x-api-key": access.key };
  const response = await fetch(access.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { ok: boolean; data: { id: string }; error: string };
  if (!answer.ok) throw new Error(`POST ${path} answered ${response.status}: ${answer.error}`);
  return answer.data;
}

async function register(access: Access, count: number): Promise<{ ids: string[]; perS: number }> {
  const ids: string[] = [];
  const startedMs = performance.now();
  for (let from = 0; from < count; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => `Vehicle ${from + i}`);
    const made = await Promise.all(
      names.map((name) => post(access, "/api/assets", { name, catalog_name: "quadrotor" })),
    );
    ids.push(...made.map(({ id }) => id));
  }
  return { ids, perS: count / ((performance.now() - startedMs) / 1000) };
}

function tellPositions(access: Access, ids: readonly string[]): Promise<unknown> {
  const signals = ids.slice(0, MOVING).map((id, i) => ({
    source_id: "gcs",
    modality: "blue_force",
    measured_at: Date.now(),
    asset_key: id,
    lat: 50 + i / 1000,
    lon: 8,
    alt_hae_m: 120,
    battery_pct: 80,
  }));
  return post(access, "/api/signals", { signals });
}

export async function run(size: Size): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "picket-assets-"));
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: folder } });
  try {
    const access = await signIn(service.url, "assets@example.org", "bench");
    const { ids, perS: registrationsPerS } = await register(access, ASSETS[size]);
    await tellPositions(access, ids);
    const answer = await fetch(`${access.url}/api/assets`, { headers: { "x-api-key": access.key } });
    const { data } = (await answer.json()) as { data: { id: string; motion: object | null }[] };
    const isWhole = data.length === ids.length && new Set(data.map(({ id }) => id)).size === ids.length;
    const moving = data.filter(({ motion }) => motion !== null).length;
    const figures = await measurePairs(size, access, "/api/assets", folder, async () => {
      await tellPositions(access, ids);
    });
    const isRight = isWhole && moving === Math.min(MOVING, ids.length) && isSameSize(figures);
    const ok = isRight && (size === "small" || figures.ratio >= RATIO_MIN);
    return { ok, assets: data.length, moving, registrationsPerS, ...figures, ratioMin: RATIO_MIN };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
