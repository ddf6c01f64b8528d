/**
 * `npm run demo`: starts the service in DEV_MODE on its embedded database and feeds it a simulated sky through POST
 * /api/signals. Prints the address and a line to paste; runs until Ctrl-C, then stops the service. Uses the HTTP interface
 * alone, so a client can do whatever the demo does.
 */
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { scansBetween } from "../src/sim/sensors.ts";
import { type Access, pushScans, readTracks, signIn } from "./demo/client.ts";
import { demoScenario } from "./demo/record.ts";
import { type ServiceProcess, startProcess } from "./demo/serviceProcess.ts";
import { readArguments, refuseUsage } from "./usage.ts";

const USAGE = `npm run demo [-- --record FILE [--seconds N]]

Starts the service in DEV_MODE on its embedded database and feeds it six drones, an aircraft, birds and clutter, until
Ctrl-C. Prints the address, an API key and a line to paste that holds the live stream.

Settings, from the environment:

  PORT      listening port; a free one is taken when it is in use (8077)
  DATA_DIR  folder of the database and of the service's log (./data/demo)
  others    as for npm start (npm start -- --help)

  --record FILE  starts nothing and writes this sky as a scenario for feed and evaluate
  --seconds N    its length (60)`;

const DATA_DIR = process.env.DATA_DIR ?? "./data/demo";
const PUSH_PERIOD_MS = 250;
const STATUS_PERIOD_MS = 10_000;
/** Fixed, so that every recording of the demo is the same. */
const RECORD_START_MS = Date.UTC(2026, 0, 1, 12);
const RECORD_MAX_S = 3600;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

async function choosePort(): Promise<number> {
  const wanted = Number(process.env.PORT ?? 8077);
  if (wanted === 0 || (await isFree(wanted))) return wanted;
  say(`Port ${wanted} is taken, so the demo takes a free one.`);
  return 0;
}

/** The service's log goes to a file, so that this terminal stays readable. */
async function startService(port: number): Promise<ServiceProcess> {
  mkdirSync(DATA_DIR, { recursive: true });
  const logFile = join(DATA_DIR, "service.log");
  const log = createWriteStream(logFile);
  const env = { ...(process.env as Record<string, string>), DEV_MODE: "1", DATA_DIR, PORT: String(port) };
  return startProcess({
    env: { MAVLINK_UDP: "off", ...env, LOG_FORMAT: "json" },
    onLine: (line) => log.write(`${line}\n`),
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function greet({ url, key, workspaceId }: Access): void {
  const mint = `curl -s -X POST ${url}/api/auth/stream-ticket -H 'X-Api-Key: ${key}' -H 'X-Workspace-Id: ${workspaceId}'`;
  const ticket = `$(${mint} | sed 's/.*"ticket":"\\([^"]*\\)".*/\\1/')`;
  say(`
Picket is running at ${url}
  explore the API   ${url}/api/docs/
  workspace         ${workspaceId}
  API key           ${key}

The live picture, as every client gets it (paste into another terminal):

  curl -N "${url}/api/stream?ticket=${ticket}"

Feeding: 2 radars, 2 RF direction finders, Remote ID, ADS-B; 6 drones, 1 aircraft, birds and clutter. Ctrl-C stops.
`);
}

async function status(access: Access, seconds: number, accepted: number): Promise<string> {
  const tracks = await readTracks(access);
  const confirmed = tracks.filter((track) => track.status === "confirmed").length;
  return `${String(seconds).padStart(5)} s  ${confirmed} confirmed tracks of ${tracks.length}, ${accepted} observations accepted`;
}

async function feed(access: Access, isStopped: () => boolean): Promise<void> {
  const startMs = Date.now();
  let sentMs = startMs;
  let accepted = 0;
  let statusMs = startMs + STATUS_PERIOD_MS;
  while (!isStopped()) {
    const nowMs = Date.now();
    const scans = scansBetween(startMs, sentMs, nowMs);
    sentMs = nowMs;
    try {
      if (scans.length > 0) accepted += (await pushScans(access, scans)).accepted;
      if (nowMs >= statusMs) {
        statusMs += STATUS_PERIOD_MS;
        say(await status(access, Math.round((nowMs - startMs) / 1000), accepted));
      }
    } catch (error) {
      // The scans of this period are lost; the next ones show whether the service is back.
      if (!isStopped()) say(`scans not accepted: ${(error as Error).message}`);
    }
    await pause(PUSH_PERIOD_MS);
  }
}

function record(path: string, seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > RECORD_MAX_S)
    return refuseUsage(`--seconds must be a whole number from 1 to ${RECORD_MAX_S}, not "${values.seconds}"`, USAGE);
  const scenario = demoScenario(RECORD_START_MS, seconds);
  writeFileSync(path, JSON.stringify(scenario));
  say(`${path}: ${scenario.scans.length} scans of ${scenario.sensors.length} sensors in ${seconds} s`);
  return 0;
}

async function main(): Promise<number> {
  const service = await startService(await choosePort());
  let stopped = false;
  const stop = () => {
    if (stopped) process.exit(130);
    stopped = true;
    say("\nStopping.");
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  void service.ended.then((code) => {
    if (!stopped) say(`The service ended with status ${code}; ${join(DATA_DIR, "service.log")} says why.`);
    stopped = true;
  });
  const access = await signIn(service.url, "demo@example.org", "demo feed");
  greet(access);
  await feed(access, () => stopped);
  return (await service.stop()) ?? 1;
}

const { values } = readArguments(USAGE, { record: { type: "string" }, seconds: { type: "string", default: "60" } });
try {
  process.exit(values.record === undefined ? await main() : record(values.record, Number(values.seconds)));
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
  process.exit(1);
}
