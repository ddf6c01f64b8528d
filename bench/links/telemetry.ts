/**
 * 500 registered vehicles send MAVLink telemetry at 10 Hz to a service on one core. Measured at a client of the stream:
 * how old an event is when it arrives. The vehicles are in a process of their own, on three links, because a MAVLink system
 * id is one byte.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { until } from "../until.ts";

const P99_MAX_MS = 100;
const RATE_HZ = 10;
const SHAPE = {
  full: { vehicles: 500, links: 3, seconds: 20, clients: 10 },
  small: { vehicles: 20, links: 1, seconds: 3, clients: 2 },
} as const;
const SETTLE_MS = 3000;

async function call(access: Access, method: string, path: string, body?: object) {
  const headers = { "content-type": "application/json", "x-api-key": access.key, "x-workspace-id": access.workspaceId };
  const response = await fetch(access.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  const answer = (await response.json()) as any;
  if (!answer.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer.error}`);
  return answer.data;
}

async function tell(child: ChildProcess, message: object): Promise<void> {
  child.send(message);
  await once(child, "message");
}

/** Registers every discovered vehicle under its address. */
function adopt(access: Access, count: number): Promise<number> {
  return until(`all of ${count} vehicles are heard and registered`, 200, async () => {
    const heard: { address: string; state: string }[] = await call(access, "GET", "/api/discoveries");
    const left = heard.filter(({ state }) => state === "heard");
    for (let i = 0; i < left.length; i += 20)
      await Promise.all(
        left
          .slice(i, i + 20)
          .map(({ address }) => call(access, "POST", "/api/assets", { name: `V ${address}`, connection: { address } })),
      );
    return left.length === 0 && heard.length === count ? count : null;
  });
}

/** Resolves when the track of every vehicle has the identity `friend`. */
function untilFriends(access: Access, count: number): Promise<number> {
  return until(`all of ${count} vehicles are friends in the picture`, 200, async () => {
    const tracks: { identity: string }[] = await call(access, "GET", "/api/tracks");
    return tracks.filter(({ identity }) => identity === "friend").length === count ? count : null;
  });
}

/** At full size the number of vehicles that are up now is a figure. A small run only checks that all can be up. */
async function countUp(access: Access, count: number, size: Size): Promise<number> {
  const look = async () => {
    const assets: { link: { state: string } }[] = await call(access, "GET", "/api/assets");
    return assets.filter(({ link }) => link.state === "up").length;
  };
  if (size === "full") return look();
  return until(`all of ${count} vehicles are up`, 200, async () => ((await look()) === count ? count : null));
}

interface Seen {
  readonly agesMs: number[];
  readonly sinceMeasuredMs: number[];
  friends: number;
  fleetSlices: number;
  fleetBytes: number;
}

const nowMs = () => performance.timeOrigin + performance.now();

/** Takes one event without its terminator. Does not parse large slices, so that the client is not what is measured. */
function note(frame: string, arrivedMs: number, seen: Seen): void {
  if (frame.startsWith("event: fleet_slice")) {
    seen.fleetSlices++;
    seen.fleetBytes = frame.length;
  } else if (frame.startsWith("event: snapshot")) seen.friends = frame.split('"identity":"friend"').length - 1;
  else if (frame.startsWith("event: track_update")) {
    const at = /"at":"([^"]+)"/.exec(frame)!;
    const measured = /"measured_at":"([^"]+)"/.exec(frame)!;
    seen.agesMs.push(arrivedMs - Date.parse(at[1]!));
    seen.sinceMeasuredMs.push(arrivedMs - Date.parse(measured[1]!));
  }
}

/** Reads one stream until it is aborted. */
async function watch(access: Access, seen: Seen, signal: AbortSignal): Promise<void> {
  const { ticket } = await call(access, "POST", "/api/auth/stream-ticket");
  const response = await fetch(`${access.url}/api/stream?ticket=${ticket}`, { signal });
  let parts: string[] = [];
  for await (const chunk of response.body!) {
    const arrivedMs = nowMs();
    const frames = Buffer.from(chunk).toString("latin1").split("\n\n");
    for (const [i, piece] of frames.entries()) {
      parts.push(piece);
      if (i === frames.length - 1) break;
      note(parts.join(""), arrivedMs, seen);
      parts = [];
    }
  }
}

/** Reads a stream and discards it, as the other clients do. */
async function drain(access: Access, signal: AbortSignal): Promise<void> {
  const { ticket } = await call(access, "POST", "/api/auth/stream-ticket");
  const response = await fetch(`${access.url}/api/stream?ticket=${ticket}`, { signal });
  for await (const _ of response.body!);
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const percentile = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Binds all threads of the service to the first core. Returns false where there is no taskset. */
function pin(pid: number): boolean {
  try {
    execFileSync("taskset", ["-a", "-p", "-c", "0", String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function run(size: Size): Promise<Report> {
  const { vehicles, links, seconds, clients } = SHAPE[size];
  const folder = mkdtempSync(join(tmpdir(), "picket-telemetry-"));
  const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: folder } });
  const pinned = pin(service.process.pid!);
  const child = spawn(process.execPath, [new URL("vehicles.ts", import.meta.url).pathname], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const abort = new AbortController();
  try {
    const access = await signIn(service.url, "telemetry@example.org", "bench");
    for (let i = 0; i < links; i++) {
      const link = await call(access, "POST", "/api/links", { protocol: "mavlink2", port: 0 });
      const count = Math.floor((vehicles * (i + 1)) / links) - Math.floor((vehicles * i) / links);
      await tell(child, { do: "start", port: link.port, count, rateHz: RATE_HZ });
    }
    const adopted = await adopt(access, vehicles);
    await untilFriends(access, vehicles);
    const seen: Seen = { agesMs: [], sinceMeasuredMs: [], friends: 0, fleetSlices: 0, fleetBytes: 0 };
    const streams = [
      watch(access, seen, abort.signal),
      ...Array.from({ length: clients - 1 }, () => drain(access, abort.signal)),
    ];
    for (const stream of streams) stream.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    await until("the first update of a track", 50, async () => (seen.agesMs.length > 0 ? true : null));
    seen.agesMs.length = 0;
    seen.sinceMeasuredMs.length = 0;
    const cpuBefore = cpuSeconds(service.process.pid!);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const cpuShare = (cpuSeconds(service.process.pid!) - cpuBefore) / seconds;
    const counters = await call(access, "GET", "/api/links");
    const up = await countUp(access, vehicles, size);
    const framesPerS = counters.reduce((sum: number, { rate_hz }: { rate_hz: number }) => sum + rate_hz, 0);
    const p99Ms = percentile(seen.agesMs, 0.99);
    const isRight = adopted === vehicles && up === vehicles && seen.friends === vehicles && seen.agesMs.length > 0;
    return {
      ok: isRight && (size === "small" || p99Ms < P99_MAX_MS),
      vehicles: up,
      pinnedToOneCore: pinned,
      framesPerS,
      serviceCpuShare: cpuShare,
      streamClients: clients,
      trackUpdatesPerS: seen.agesMs.length / seconds,
      friendsInSnapshot: seen.friends,
      eventAgeP50Ms: percentile(seen.agesMs, 0.5),
      eventAgeP99Ms: p99Ms,
      measuredToClientP50Ms: percentile(seen.sinceMeasuredMs, 0.5),
      measuredToClientP99Ms: percentile(seen.sinceMeasuredMs, 0.99),
      fleetSlices: seen.fleetSlices,
      fleetSliceBytes: seen.fleetBytes,
      p99MaxMs: P99_MAX_MS,
    };
  } finally {
    abort.abort();
    child.kill("SIGTERM");
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
