/** GET /api/tracks of a workspace with 100 live tracks, with an API key, against the bare handler of `pairs.ts`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, readTracks, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { type Body, bodiesOf, bodyAt, GRID_MS, TARGETS } from "../ingest/scene.ts";
import { until } from "../until.ts";
import { isSameSize, measurePairs } from "./pairs.ts";

const RATIO_MIN = 0.8;
async function pushOnce(access: Access, bodies: readonly Body[]): Promise<void> {
  const body = bodyAt(bodies, "json", Math.floor(Date.now() / GRID_MS) * GRID_MS);
  const headers = { "content-type": "application/json", "x-api-key": access.key };
  const response = await fetch(`${access.url}/api/signals`, { method: "POST", headers, body: new Uint8Array(body) });
  if (!response.ok) throw new Error(`POST /api/signals answered ${response.status}: ${await response.text()}`);
}

/** Scans until every target is a confirmed track. */
function fillPicture(access: Access, bodies: readonly Body[]): Promise<number> {
  return until(`${TARGETS} confirmed tracks`, GRID_MS, async () => {
    await pushOnce(access, bodies);
    const confirmed = (await readTracks(access)).filter((track) => track.status === "confirmed").length;
    return confirmed >= TARGETS ? confirmed : null;
  });
}

export async function run(size: Size): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "picket-tracks-"));
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: folder } });
  try {
    const access = await signIn(service.url, "tracks@example.org", "bench");
    const bodies = bodiesOf(0, 1, "json", 600);
    const confirmed = await fillPicture(access, bodies);
    const figures = await measurePairs(size, access, "/api/tracks", folder, () => pushOnce(access, bodies));
    const ok = isSameSize(figures) && (size === "small" || figures.ratio >= RATIO_MIN);
    return { ok, tracks: confirmed, ...figures, ratioMin: RATIO_MIN };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
