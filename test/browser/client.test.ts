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
/** Follows the client's rules: a ticket a stream, a new one after each cut, back off, never the browser's own reconnect. */
const streamScript = (key: string, workspace: string) => `
  const seen = { snapshots: 0, updates: 0, errors: 0, mints: 0 };
  async function open() {
    const headers = { "X-Api-Key": ${JSON.stringify(key)}, "X-Workspace-Id": ${JSON.stringify(workspace)} };
    const answer = await fetch("/api/auth/stream-ticket", { method: "POST", headers });
    const { data } = await answer.json();
    seen.mints++;
    const source = new EventSource("/api/stream?ticket=" + data.ticket);
    source.addEventListener("snapshot", () => { seen.snapshots++; tell(seen); });
    source.addEventListener("track_update", () => { seen.updates++; tell(seen); });
    // The ticket is spent: the browser's own reconnect cannot work, so the client closes, mints and opens anew.
    source.onerror = () => { seen.errors++; source.close(); tell(seen); setTimeout(open, 200); };
  }
  open();
`;

/** Signs in with the cookie, lets a page of another port try it, refreshes, signs out, and tries once more. */
const cookieScript = (neighbour: string) => `
  const post = async (path, body, headers = {}) => {
    const options = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
    const answer = await fetch("/api/auth/" + path, options);
    return { status: answer.status, body: await answer.json() };
  };
  async function run() {
    const signedIn = await post("dev-login", { email: "page@example.com", cookie: true });
    const visible = document.cookie;
    const frame = document.createElement("iframe");
    frame.src = ${JSON.stringify(neighbour)} + "#" + encodeURIComponent(location.origin);
    const tried = new Promise((resolve) => addEventListener("message", resolve, { once: true }));
    document.body.append(frame);
    await tried;
    const refreshed = await post("refresh", {});
    const bearer = { Authorization: "Bearer " + refreshed.body.data?.session_token };
    const out = await post("logout", { cookie: true }, bearer);
    const after = await post("refresh", {});
    tell({ visible, token: signedIn.body.data.refresh_token ?? null, revoked: out.body.data?.revoked,
      statuses: [signedIn, refreshed, out, after].map(({ status }) => status) });
  }
  run();
`;

/** Needs nobody's permission: the request is simple enough to go without a preflight, and the cookie goes along. */
const NEIGHBOUR_SCRIPT = `
  const url = decodeURIComponent(location.hash.slice(1)) + "/api/auth/refresh";
  fetch(url, { method: "POST", mode: "no-cors", credentials: "include" }).finally(() => parent.postMessage("tried", "*"));
`;

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
    const nothing = { snapshots: 0, updates: 0, errors: 0, mints: 0 };
    const page = await servePage(service.url, streamScript(key, member.workspaceId), nothing);
    let step = 0;
    const feeding = setInterval(() => void pushScan(step++), 300);
    const browser = openBrowser(["--remote-debugging-port=0", page.url]);
    try {
      await expect.poll(() => page.seen.updates).toBeGreaterThan(3);
      expect(page.seen).toMatchObject({ snapshots: 1, mints: 1, errors: 0 });
      const before = page.seen.updates;
      service.picket.rooms.get(member.workspaceId)?.hub.closeAll("workspace_changed");
      await expect.poll(() => page.seen.snapshots).toBe(2);
      await expect.poll(() => page.seen.updates).toBeGreaterThan(before + 3);
      expect(page.seen).toMatchObject({ snapshots: 2, mints: 2, errors: 1 });
    } finally {
      clearInterval(feeding);
      browser.kill();
      await page.stop();
    }
  });

  test("[AU-18] the cookie is out of a script's reach, and a page on another port of the host cannot spend it", async () => {
    const neighbour = await servePage(service.url, NEIGHBOUR_SCRIPT, null);
    const page = await servePage(service.url, cookieScript(neighbour.url), null);
    const browser = openBrowser([page.url]);
    try {
      await expect.poll(() => page.seen, { timeout: 15_000 }).not.toBeNull();
      expect(page.seen).toEqual({ visible: "", token: null, revoked: 1, statuses: [200, 200, 200, 400] });
      const refreshes = page.passed.filter(({ path }) => path === "/api/auth/refresh");
      expect(refreshes).toEqual([
        { path: "/api/auth/refresh", site: "same-site", hasCookie: true, status: 401 },
        { path: "/api/auth/refresh", site: "same-origin", hasCookie: true, status: 200 },
        { path: "/api/auth/refresh", site: "same-origin", hasCookie: false, status: 400 },
      ]);
    } finally {
      browser.kill();
      await Promise.all([page.stop(), neighbour.stop()]);
    }
  });
});
