/** Shared by the stream benches: the child process with the clients, the edge with a hub, and moving tracks. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { ALL_DOMAIN_MASK, type EventPayloads } from "../../src/domain/events.ts";
import { createEdgeMetrics } from "../../src/http/metrics.ts";
import { route } from "../../src/http/route.ts";
import { type Server, startServer } from "../../src/http/server.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Hub } from "../../src/stream/hub.ts";

export interface CrowdReport {
  readonly total: number;
  readonly least: number;
  readonly most: number;
  readonly probe: string;
  readonly delaysMs: number[];
  readonly resyncs: number;
}

const DEADLINE_MS = 60_000;

export class Crowd {
  readonly #child: ChildProcess;
  #total = 0;
  #waiting: ((answer: unknown) => void) | null = null;
  #wanted: { readonly total: number; readonly reached: () => void } | null = null;

  constructor() {
    this.#child = fork(fileURLToPath(new URL("clients.ts", import.meta.url)), { serialization: "advanced" });
    this.#child.on("message", (message: { total?: number; done?: string; answer?: unknown }) => {
      if (message.done !== undefined) this.#waiting?.(message.answer);
      if (message.total === undefined) return;
      this.#total = message.total;
      if (this.#wanted !== null && this.#total >= this.#wanted.total) this.#wanted.reached();
    });
  }

  ask<T = undefined>(action: string, rest: object = {}): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting = (answer) => resolve(answer as T);
      this.#child.send({ do: action, ...rest });
    });
  }

  async zero(): Promise<void> {
    await this.ask("zero");
    this.#total = 0;
  }

  /** Resolves when the clients together have read so many bytes since `zero`. */
  received(total: number): Promise<void> {
    if (this.#total >= total) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.#total} of ${total} bytes arrived within ${DEADLINE_MS} ms`)),
        DEADLINE_MS,
      );
      this.#wanted = {
        total,
        reached: () => {
          clearTimeout(timer);
          this.#wanted = null;
          resolve();
        },
      };
    });
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** The real edge with one open route that attaches to the hub. */
export async function startHubServer(sessionsMax: number): Promise<{ hub: Hub; server: Server }> {
  const hub: Hub = new Hub({ sessionsMax, snapshot: () => ({ tracksJson: "[]", generation: hub.generation }) });
  const stream = route({
    method: "GET",
    path: "/stream",
    access: "open",
    tag: "Bench",
    summary: "The hub's stream",
    reply: { 200: { bytes: true, contentType: "text/event-stream" } },
    errors: [],
    handle: () => ({
      status: 200,
      stream: (sink) => void hub.attach(sink, ALL_DOMAIN_MASK, { kind: "key", keyId: "key_bench" }, Date.now()),
    }),
  });
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    routes: [stream],
    authenticate: () => Promise.reject(new Error("no credential is asked for")),
    openWorkspace: () => Promise.reject(new Error("no workspace is asked for")),
    log: pino({ level: "silent" }),
    clock: systemClock,
    metrics: createEdgeMetrics(),
  });
  return { hub, server };
}

/** Fifty of a hundred tracks move in each flush, so each moves five times a second at ten flushes a second. */
export function publishMoves(hub: Hub, flush: number, sent: number): void {
  const at = new Date().toISOString();
  // Only the time of sending is read by the clients, so the payload lacks the rest of an alert.
  hub.publish("alert", { sent } as unknown as EventPayloads["alert"], Date.now());
  for (let i = flush % 2; i < 100; i += 2) {
    const track = {
      id: `trk_01jd0000000000000000000${100 + i}`,
      number: i + 1,
      status: "confirmed",
      identity: "unknown",
      lat: 52.1234567 + flush * 1e-5 + i * 1e-3,
      lon: 4.1234567 - flush * 1e-5,
      alt_hae_m: 120.25 + (flush % 7),
      vel_enu_mps: [12.31, -3.57, 0.21],
      speed_mps: 12.82,
      course_deg: 106.2,
      ce90_m: 7.31,
      existence: 0.9991,
      classification: [{ type: "air_vehicle.uas.rotary", confidence: 0.83, sub_class: [] }],
      measured_at: at,
      valid_at: at,
      stale_at: at,
    };
    hub.publish("track_update", { at, env: "live", lat_ms: { ingest: 12, fuse: 31, emit: 20 }, track }, Date.now());
  }
}

/** Bytes of one block on the wire: chunked transfer coding adds the length before it and a line end after it. */
export function wireBytes(block: Uint8Array): number {
  return block.length === 0 ? 0 : block.length + block.length.toString(16).length + 4;
}

export const epochMs = () => performance.timeOrigin + performance.now();

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
