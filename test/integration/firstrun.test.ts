/** What a newcomer does: run the demo, follow the README. Real processes, the real embedded database, real curl. */
import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import { codeBlocks, readDocument, section } from "../support/documents.ts";
import { until } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "picket-first-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** A stream never ends by itself: curl leaves it after this time, with status 28. */
const STREAM_S = 3;
/** Any other request may have to wait for a database that is starting (30 s). */
const ANSWER_S = 40;
const CURL = `curl() {
  case " $* " in *" -N "*|*" -sN "*) command curl -m ${STREAM_S} "$@" || [ $? -eq 28 ] ;; *) command curl -m ${ANSWER_S} "$@" ;; esac
}`;

function bash(script: string, env: Record<string, string> = {}) {
  return spawnSync("bash", ["--norc", "-c", `${CURL}\nset -eu\n${script}`], {
    encoding: "utf8",
    // On a socket bash takes itself for a remote shell and reads the user's start-up files.
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "", ...env },
    timeout: 110_000,
  });
}

test("[DO-8] the README's walk through runs as printed", async () => {
  const blocks = codeBlocks(section(readDocument("README.md"), "## Walk through"), "bash");
  expect(blocks.length).toBe(7);
  const service = await startProcess({ env: { PORT: "0", DATA_DIR: join(folder, "readme"), DEV_MODE: "1" } });
  try {
    const ended = bash(blocks.join("\n"), { BASE: service.url });
    expect(ended.stderr).toBe("");
    expect(ended.status).toBe(0);
    expect(ended.stdout.match(/"accepted":1/g)).toHaveLength(6);
    const tracks = ended.stdout.split("\n").find((line) => line.includes('"data":['));
    expect(tracks).toMatch(/"id":"trk_/);
    expect(ended.stdout).toContain('"code":"verb_unavailable"');
    expect(ended.stdout).toContain('"status":"refused"');
    expect(ended.stdout).toContain("event: snapshot");
  } finally {
    expect(await service.stop()).toBe(0);
  }
});

/** A port that was free a moment ago: the README's vehicle talks to a socket that the service's configuration names. */
async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

test("[DO-9] the README's vehicle is found, adopted and flown as printed", async () => {
  const readme = readDocument("README.md");
  const [signIn, makeKey] = codeBlocks(section(readme, "## Walk through"), "bash");
  const blocks = codeBlocks(section(readme, "## Fly a vehicle"), "bash");
  expect(blocks.length).toBe(2);
  const port = await freeUdpPort();
  const env = { PORT: "0", DATA_DIR: join(folder, "fly"), DEV_MODE: "1", MAVLINK_UDP: `127.0.0.1:${port}` };
  const service = await startProcess({ env });
  const vehicle = spawn(process.execPath, ["scripts/vehicle.ts", "--id", "7", "--target", `127.0.0.1:${port}`]);
  try {
    const keys = bash(`${signIn}${makeKey}echo "KEY=$KEY"`, { BASE: service.url });
    const KEY = /KEY=(dak_\S+)/.exec(keys.stdout)?.[1] ?? keys.stderr;
    await until("the vehicle", async () => {
      const answer = await fetch(`${service.url}/api/discoveries`, { headers: { "X-Api-Key": KEY } });
      return (await answer.text()).includes('"mavlink2"');
    });
    const ended = bash(blocks.join("\n"), { BASE: service.url, KEY });
    expect(ended.stderr).toBe("");
    expect(ended.stdout).toMatch(/"name":"Kestrel"/);
    expect(ended.stdout).toMatch(/\narm succeeded\ntakeoff (sent|accepted|executing|succeeded)\n$/);
  } finally {
    vehicle.kill("SIGINT");
    expect(await service.stop()).toBe(0);
  }
});

test("[DO-19] the README's recording is made, fed and evaluated as printed", async () => {
  const readme = readDocument("README.md");
  const [signIn, makeKey] = codeBlocks(section(readme, "## Walk through"), "bash");
  const blocks = codeBlocks(section(readme, "## Feed a recording"), "bash").join("\n");
  const service = await startProcess({ env: { PORT: "0", DATA_DIR: join(folder, "feed"), DEV_MODE: "1" } });
  try {
    const ended = bash(`${signIn}${makeKey}${blocks.replaceAll("/tmp/", `${folder}/`)}`, { BASE: service.url });
    expect(ended.status, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/requests: \d+ accepted, 0 duplicates, 0 late, 0 quarantined, 0 rejected/);
    expect(Number(ended.stdout.trim().split("\n").at(-1))).toBeGreaterThanOrEqual(6);
    const rows = readFileSync(join(folder, "tracks.ndjson"), "utf8").trim().split("\n");
    expect(JSON.parse(rows.at(-1)!)).toMatchObject({ t: 30, status: expect.stringMatching(/^(confirmed|coasting)$/) });
  } finally {
    expect(await service.stop()).toBe(0);
  }
});

test("[FR-4] the demo shows tracks, its pasted line holds the stream, and Ctrl-C stops it all", async () => {
  const demo = spawn(process.execPath, ["scripts/demo.ts"], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", DATA_DIR: join(folder, "demo") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => demo.once("close", resolve));
  let text = "";
  const shown = new Promise<void>((resolve) => {
    demo.stdout.on("data", (chunk) => {
      text += chunk;
      if (/\d+ confirmed tracks of/.test(text)) resolve();
    });
  });
  try {
    await Promise.race([shown, ended]);
    expect(text).toMatch(/Picket is running at http:\/\/127\.0\.0\.1:\d+/);
    expect(Number(/(\d+) confirmed tracks of/.exec(text)?.[1])).toBeGreaterThanOrEqual(5);
    const line = text.split("\n").find((candidate) => candidate.includes("curl -N"));
    const stream = bash(line ?? "");
    expect(stream.stdout).toContain("event: snapshot");
    expect(stream.stdout).toContain("event: track_update");
  } finally {
    demo.kill("SIGINT");
  }
  expect(await ended).toBe(0);
});

/** A dead process that nobody collects has no command line any more. */
function commandsNaming(folderName: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const commands = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return ""; // it ended while we looked
    }
  });
  return commands.filter((command) => command.includes(folderName));
}

test("[FR-6] a Ctrl-C that arrives from the terminal and from npm counts once: the service drains and leaves nothing behind", async () => {
  const dataDir = join(folder, "twice");
  const service = await startProcess({ env: { PORT: "0", DATA_DIR: dataDir, DEV_MODE: "1" } });
  const pidFile = join(dataDir, "postgres", "postmaster.pid");
  await until("the database", () => existsSync(pidFile) && readFileSync(pidFile, "utf8").includes("ready"));
  expect(commandsNaming(dataDir)).not.toEqual([]);
  service.process.kill("SIGINT");
  service.process.kill("SIGINT");
  expect(await service.ended).toBe(0);
  expect(commandsNaming(dataDir)).toEqual([]);
});

// A fresh start makes its database in about half a second: these moments are in every part of it.
test.each([0, 50, 100, 200, 400])(
  "[FR-6] Ctrl-C %i ms after the first answer leaves nothing behind",
  async (afterMs) => {
    const dataDir = join(folder, `young${afterMs}`);
    const service = await startProcess({ env: { PORT: "0", DATA_DIR: dataDir, DEV_MODE: "1" } });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    service.process.kill("SIGINT");
    expect(await service.ended).toBe(0);
    expect(commandsNaming(dataDir)).toEqual([]);
  },
);
