/**
 * Does a real browser client survive? The system's Chromium, headless, on loopback. Where there is none the tests step
 * aside: `apt-get install chromium` brings it.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servePage } from "../support/browserPage.ts";
import { type Member, startTestPicket, type TestPicket } from "../support/picket.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const profiles = mkdtempSync(join(tmpdir(), "picket-browser-"));

function openBrowser(args: readonly string[]) {
  const profile = mkdtempSync(join(profiles, "profile-"));
  return spawn(CHROMIUM!, [...FLAGS, `--user-data-dir=${profile}`, ...args], { stdio: ["ignore", "pipe", "ignore"] });
}

/** The page's document after its scripts ran. */
function domOf(url: string): Promise<string> {
  const child = openBrowser(["--virtual-time-budget=8000", "--dump-dom", url]);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  return new Promise((resolve) => child.once("close", () => resolve(text)));
}

describe.runIf(CHROMIUM !== undefined)("a real browser", () => {
  let service: TestPicket;
  let member: Member;
  let key: string;
  beforeAll(async () => {
    service = await startTestPicket();
    member = await service.login();
    key = await service.key("operator", member);
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(profiles, { recursive: true, force: true });
  });

  const pushScan = (step: number) =>
    service.request("POST", "/api/signals", {
      key,
      body: {
        scans: [
          {
            source_id: "radar-1",
            modality: "radar",
            measured_at: Date.now(),
            sensor_pose: { lat: 51, lon: 0, alt_hae_m: 100 },
            detections: [{ az_deg: 45, el_deg: 4, range_m: 1000 + 3 * step, range_rate_mps: 10 }],
          },
        ],
      },
    });

  test("[ED-35] the explorer shows every route, from our own origin alone", async () => {
    const dom = await domOf(`${service.url}/api/docs/`);
    const shown = new Set([...dom.matchAll(/data-path="([^"]+)"/g)].map((found) => found[1]));
    for (const { path } of service.picket.routes) expect(shown).toContain(path);
    expect(dom).not.toMatch(/(?:src|href)="https?:/);
  });

  test("[ST-90] EventSource gets the snapshot and deltas; after its stream is cut a client mints a new ticket and goes on", async () => {
    const page = await servePage(service.url, key, member.workspaceId);
    let step = 0;
    const feeding = setInterval(() => void pushScan(step++), 300);
    const browser = openBrowser(["--remote-debugging-port=0", page.url]);
    try {
      await expect.poll(() => page.seen.updates, { timeout: 15_000 }).toBeGreaterThan(3);
      expect(page.seen).toMatchObject({ snapshots: 1, mints: 1, errors: 0 });
      const before = page.seen.updates;
      service.picket.rooms.get(member.workspaceId)?.hub.closeAll("cut by the test");
      await expect.poll(() => page.seen.snapshots, { timeout: 15_000 }).toBe(2);
      await expect.poll(() => page.seen.updates, { timeout: 15_000 }).toBeGreaterThan(before + 3);
      expect(page.seen).toMatchObject({ snapshots: 2, mints: 2, errors: 1 });
    } finally {
      clearInterval(feeding);
      browser.kill();
      await page.stop();
    }
  });
});
