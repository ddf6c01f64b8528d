/**
 * One client of 1 000 stops reading: how much memory that costs the server, whether the others are delayed, and whether the
 * client gets a resync when it reads again. Flushes come at the service's pace, first without the pause, then with it.
 */
import { LAG_CATCH_UP_BYTES } from "../../src/limits.ts";
import type { Hub } from "../../src/stream/hub.ts";
import type { Report, Size } from "../benches.ts";
import { until } from "../until.ts";
import { Crowd, type CrowdReport, epochMs, pause, publishMoves, startHubServer } from "./crowd.ts";

const SHAPE = {
  full: { clients: 1000, paceMs: 100, flushes: 60 },
  // Slow enough that even on a busy machine no client lags but the paused one.
  small: { clients: 20, paceMs: 20, flushes: 60 },
} as const;
const PAUSED = 7;
const MEMORY_BYTES_MAX = 3 << 20;
/** On a shared machine two rounds of the same differ by this much. */
const DELAY_FACTOR_MAX = 1.5;
const DELAY_SLACK_MS = 5;
const FLUSHES_UNTIL_LAG_MAX = 2000;

class Pacer {
  readonly #hub: Hub;
  readonly #paceMs: number;
  #flush = 0;
  #dueMs = performance.now();

  constructor(hub: Hub, paceMs: number) {
    this.#hub = hub;
    this.#paceMs = paceMs;
  }

  async flush(): Promise<void> {
    this.#dueMs = Math.max(this.#dueMs + this.#paceMs, performance.now());
    await pause(this.#dueMs - performance.now());
    publishMoves(this.#hub, this.#flush++, epochMs());
    this.#hub.flush(Date.now());
  }
}

function p99(delaysMs: readonly number[]): number {
  return [...delaysMs].sort((a, b) => a - b)[Math.floor(delaysMs.length * 0.99)] ?? Number.NaN;
}

const memory = () => {
  globalThis.gc?.();
  return process.memoryUsage.rss();
};

async function measure(crowd: Crowd, hub: Hub, { paceMs, flushes }: (typeof SHAPE)[Size]) {
  const pacer = new Pacer(hub, paceMs);
  for (let i = 0; i < flushes / 2; i++) await pacer.flush();
  await pause(50);
  await crowd.zero();
  for (let i = 0; i < flushes; i++) await pacer.flush();
  await pause(50);
  const without = p99((await crowd.ask<CrowdReport>("report")).delaysMs);

  const before = memory();
  await crowd.ask("pause", { index: PAUSED });
  let untilLag = 0;
  while (hub.behind === 0 && untilLag++ < FLUSHES_UNTIL_LAG_MAX) await pacer.flush();
  await crowd.zero();
  const from = hub.generation;
  // More than the hub's log holds, so that the client's missed events are gone and it has to resync.
  const blockBytes = 30_000;
  for (let i = 0; i < (1.3 * LAG_CATCH_UP_BYTES) / blockBytes; i++) await pacer.flush();
  const during = memory();
  const { delaysMs } = await crowd.ask<CrowdReport>("report");
  const stillBehind = hub.behind;
  const missedAtLeast = hub.generation - from;
  await crowd.ask("resume", { index: PAUSED });
  for (let i = 0; i < flushes && hub.behind > 0; i++) await pacer.flush();
  await pacer.flush();
  const resyncs = await until("the paused client reads its resync", 100, async () => {
    const report = await crowd.ask<CrowdReport>("report");
    return report.resyncs > 0 ? report.resyncs : null;
  });
  return { without, withPaused: p99(delaysMs), grownBytes: during - before, stillBehind, missedAtLeast, resyncs };
}

export async function run(size: Size): Promise<Report> {
  const shape = SHAPE[size];
  const crowd = new Crowd();
  const { hub, server } = await startHubServer(shape.clients);
  try {
    await crowd.ask("connect", { port: server.port, path: "/stream", count: shape.clients });
    const found = await measure(crowd, hub, shape);
    const told = found.stillBehind === 1 && found.resyncs === 1 && hub.counts.dropped >= found.missedAtLeast;
    const unmoved = found.withPaused <= found.without * DELAY_FACTOR_MAX + DELAY_SLACK_MS;
    return {
      ok:
        told &&
        hub.sessions === shape.clients &&
        (size === "small" || (unmoved && found.grownBytes < MEMORY_BYTES_MAX)),
      clients: shape.clients,
      p99MsWithout: found.without,
      p99MsWithPaused: found.withPaused,
      ratio: found.withPaused / found.without,
      grownBytes: found.grownBytes,
      behind: found.stillBehind,
      resyncs: found.resyncs,
      dropped: hub.counts.dropped,
      missedAtLeast: found.missedAtLeast,
    };
  } finally {
    await crowd.ask("leave");
    crowd.end();
    await server.drain(2000);
  }
}
