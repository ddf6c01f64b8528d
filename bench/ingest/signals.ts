/**
 * POST /api/signals under full load: scans of 100 moving targets by radars that scan at most ten times a second, through
 * HTTP, credentials, parsing and checks into the trackers, as JSON and as MessagePack. Reference: a bare uWebSockets.js
 * server that reads and JSON.parses the same bodies. The result is checked: everything accepted was fused, and every
 * workspace has its hundred tracks.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Access, signIn } from "../../scripts/demo/client.ts";
import { startProcess } from "../../scripts/demo/serviceProcess.ts";
import type { Report, Size } from "../benches.ts";
import { until } from "../until.ts";
import { headOf, type LoadResult, type Post, runLoad } from "./load.ts";
import { type Body, bodiesOf, bodyAt, type Encoding, GRID_MS, TARGETS } from "./scene.ts";

const CONNECTIONS = 4;
const OBSERVATIONS_PER_SECOND_MIN = 150_000;
/** On a shared machine two measurements of the same differ by this much. */
const NOISE = 0.95;
const SHAPE = {
  // 24 workspaces of 12 radars could send 288 000 observations a second at 10 Hz.
  full: { workspaces: 24, radars: 12, warmUpMs: 4000, durationMs: 10_000 },
  small: { workspaces: 2, radars: 2, warmUpMs: 1500, durationMs: 1500 },
} as const;
const TRACKS_MIN = 0.95 * TARGETS;
const TRACKS_MAX = 1.1 * TARGETS;
const TYPE = { json: "application/json", msgpack: "application/msgpack" } as const;
const BARE = `
  import { App, us_socket_local_port } from "uWebSockets.js";
  App().any("/*", (res, req) => {
    if (req.getMethod() !== "post") { res.end("ok"); return; }
    let parts = [];
    res.onAborted(() => {});
    res.onData((chunk, isLast) => {
      parts.push(Buffer.from(isLast && parts.length === 0 ? chunk : chunk.slice(0)));
      if (!isLast) return;
      const body = JSON.parse((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString("utf8"));
      res.cork(() => res.writeHeader("Content-Type", "application/json").end('{"accepted":' + body.scans[0].detections.length + "}"));
    });
  }).listen("127.0.0.1", 0, (socket) => console.log("http://127.0.0.1:" + us_socket_local_port(socket)));
  process.on("SIGTERM", () => process.exit(0));
`;

interface Radar {
  readonly access: Access;
  readonly bodies: readonly Body[];
  sentMs: number;
}

/** Connection `i` of n sends for every n-th radar, once for each step of the grid. */
function driver(radars: readonly Radar[], encoding: Encoding): (connection: number) => Post | null {
  const at = new Array<number>(CONNECTIONS).fill(0);
  const shares = Array.from({ length: CONNECTIONS }, (_, i) => radars.filter((_radar, r) => r % CONNECTIONS === i));
  return (connection) => {
    const gridMs = Math.floor(Date.now() / GRID_MS) * GRID_MS;
    const share = shares[connection]!;
    const radar = share[at[connection]! % share.length];
    if (radar === undefined || radar.sentMs >= gridMs) return null;
    at[connection]!++;
    radar.sentMs = gridMs;
    const body = bodyAt(radar.bodies, encoding, gridMs);
    return { head: headOf("/api/signals", TYPE[encoding], body.length, { "X-Api-Key": radar.access.key }), body };
  };
}

interface Measured extends Record<string, unknown> {
  readonly observationsPerS: number;
  readonly ok: boolean;
}

async function measure(url: string, size: Size, encoding: Encoding): Promise<Measured> {
  const { workspaces, radars: radarsEach, warmUpMs, durationMs } = SHAPE[size];
  const port = Number(new URL(url).port);
  const accesses: Access[] = [];
  for (let i = 0; i < workspaces; i++) accesses.push(await signIn(url, `${encoding}${i}@example.org`, "bench"));
  const bodies = Array.from({ length: radarsEach }, (_, r) => bodiesOf(r, radarsEach, encoding));
  const radars = bodies.flatMap((b) => accesses.map((access): Radar => ({ access, bodies: b, sentMs: 0 })));
  const next = driver(radars, encoding);
  const warm: LoadResult[] = [];
  // On a slow machine fewer scans are sent in the same time, and a track needs several to be confirmed.
  await until(`${TARGETS} tracks in each workspace`, 0, async () => {
    warm.push(await runLoad(port, CONNECTIONS, warmUpMs, next));
    return (await Promise.all(accesses.map(look))).every(({ confirmed }) => confirmed >= TRACKS_MIN) ? true : null;
  });
  const load = await runLoad(port, CONNECTIONS, durationMs, next);
  const accepted = [...warm, load].reduce((sum, { sums }) => sum + (sums.accepted ?? 0), 0);
  const rooms = await until("nothing waits to be fused", 100, async () => {
    const looked = await Promise.all(accesses.map(look));
    return looked.every(({ queue }) => queue === 0) ? looked : null;
  });
  const fused = rooms.reduce((sum, room) => sum + room.fused, 0);
  const confirmed = rooms.map((room) => room.confirmed);
  const dropped = rooms.reduce((sum, room) => sum + room.dropped, 0);
  return {
    observationsPerS: (load.sums.accepted ?? 0) / load.seconds,
    statuses: JSON.stringify(load.statuses),
    notTaken: [...warm, load].reduce((sum, part) => sum + notTaken(part), 0),
    dropped,
    accepted,
    fused,
    confirmedMin: Math.min(...confirmed),
    confirmedMax: Math.max(...confirmed),
    ok:
      fused === accepted &&
      dropped === 0 &&
      Math.min(...confirmed) >= TRACKS_MIN &&
      Math.max(...confirmed) <= TRACKS_MAX,
  };
}

function notTaken({ sums }: LoadResult): number {
  return (sums.duplicates ?? 0) + (sums.late ?? 0) + (sums.quarantined ?? 0) + (sums.rejected_count ?? 0);
}

interface Health {
  readonly queue: number;
  readonly obs_in: number;
  readonly obs_dropped: number;
  readonly dropped: { readonly kernel_restarts: number };
  readonly tracks: { readonly confirmed: number };
}

interface Looked {
  readonly queue: number;
  readonly fused: number;
  readonly dropped: number;
  readonly confirmed: number;
}

async function look({ url, key }: Access): Promise<Looked> {
  const response = await fetch(`${url}/api/picture`, { headers: { "x-api-key": key } });
  const { data } = (await response.json()) as { data: { live_state: { fusion_health: Health } } };
  const { queue, obs_in, obs_dropped, dropped, tracks } = data.live_state.fusion_health;
  return { queue, fused: obs_in - queue, dropped: obs_dropped + dropped.kernel_restarts, confirmed: tracks.confirmed };
}

/** Sends the same bodies as fast as possible: a server that keeps nothing does not need real times. */
async function measureBare(size: Size): Promise<number> {
  const bare = await startProcess({ env: {}, argv: ["--input-type=module", "-e", BARE] });
  try {
    const bodies = bodiesOf(0, 1, "json", 50);
    const head = new Map(
      bodies.map((b) => [b, headOf("/", TYPE.json, b.bytes.length, { "X-Api-Key": "x".repeat(47) })]),
    );
    let i = 0;
    const next = () => {
      const body = bodies[i++ % bodies.length]!;
      return { head: head.get(body)!, body: body.bytes };
    };
    const port = Number(new URL(bare.url).port);
    await runLoad(port, CONNECTIONS, SHAPE[size].warmUpMs / 4, next);
    const load = await runLoad(port, CONNECTIONS, SHAPE[size].durationMs / 2, next);
    if (load.sums.accepted !== load.requests * TARGETS) throw new Error("the bare server did not parse every body");
    return (load.requests * TARGETS) / load.seconds;
  } finally {
    await bare.stop();
  }
}

export async function run(size: Size): Promise<Report> {
  const dataDir = mkdtempSync(join(tmpdir(), "picket-ingest-"));
  try {
    const measured: Partial<Record<Encoding, Measured>> = {};
    for (const encoding of ["json", "msgpack"] as const) {
      const service = await startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: dataDir } });
      try {
        measured[encoding] = await measure(service.url, size, encoding);
      } finally {
        await service.stop();
      }
    }
    const bareObservationsPerS = await measureBare(size);
    const { json, msgpack } = measured as Record<Encoding, Measured>;
    const fast =
      json.observationsPerS >= OBSERVATIONS_PER_SECOND_MIN && msgpack.observationsPerS >= NOISE * json.observationsPerS;
    return {
      ok: json.ok && msgpack.ok && (size === "small" || fast),
      json,
      msgpack,
      bareObservationsPerS,
      ratio: json.observationsPerS / bareObservationsPerS,
      observationsPerSMin: OBSERVATIONS_PER_SECOND_MIN,
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
