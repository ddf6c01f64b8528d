/**
 * 10 000 clients, 100 moving tracks: the hub, its sessions and the edge's sinks, against a bare uWebSockets.js loop that
 * writes the same buffers to as many clients. The next flush is sent when every client has read the last one, so that no
 * client lags and each gets every event; the bytes of each client and the chain of prev_gen prove it.
 */
import { App, type HttpResponse, us_listen_socket_close, us_socket_local_port } from "uWebSockets.js";
import type { Hub } from "../../src/stream/hub.ts";
import type { Sink } from "../../src/stream/sink.ts";
import type { Report, Size } from "../benches.ts";
import { Crowd, type CrowdReport, epochMs, pause, publishMoves, startHubServer, wireBytes } from "./crowd.ts";

const SHAPE = { full: { clients: 10_000, flushes: 20, rounds: 3 }, small: { clients: 200, flushes: 20, rounds: 1 } };
const RATIO_MIN = 0.9;
const CLIENT_BYTES_MAX = 20_000;
const EVENTS_A_FLUSH = 51;

interface Arm {
  readonly bytesPerS: number;
  readonly missed: number;
}

/** Keeps each block that the sessions are written, as the same buffer. */
function record(hub: Hub, blocks: Uint8Array[]): void {
  const sink: Sink = { write: (block) => blocks.push(block) > 0, end() {}, onDrain: null, onClose: null };
  hub.attach(sink, 0x3fff, { kind: "key", keyId: "key_record" }, Date.now());
  blocks.length = 0;
}

function missedOf(report: CrowdReport, flushes: number, bytesEach: number): number {
  const chain = [...report.probe.matchAll(/"stream_gen":(\d+),"prev_gen":(\d+|null)/g)];
  const broken = chain.filter(([, , prev], i) => i > 0 && prev !== chain[i - 1]![1]).length;
  const counted = flushes * EVENTS_A_FLUSH - chain.length;
  return Math.abs(counted) + broken + (report.least === bytesEach && report.most === bytesEach ? 0 : 1);
}

async function timed(
  crowd: Crowd,
  clients: number,
  flushes: number,
  send: (flush: number) => Uint8Array,
): Promise<Arm> {
  await crowd.zero();
  let bytesEach = 0;
  const startMs = performance.now();
  for (let flush = 0; flush < flushes; flush++) {
    bytesEach += wireBytes(send(flush));
    await crowd.received(bytesEach * clients);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const missed = missedOf(await crowd.ask<CrowdReport>("report"), flushes, bytesEach);
  return { bytesPerS: (bytesEach * clients) / seconds, missed };
}

/** Measures the service and keeps the blocks for the bare loop. */
async function measureOurs(crowd: Crowd, clients: number, flushes: number, blocks: Uint8Array[]) {
  const { hub, server } = await startHubServer(clients + 1);
  const rssBefore = process.memoryUsage.rss();
  await crowd.ask("connect", { port: server.port, path: "/stream", count: clients });
  await pause(100);
  const bytesPerClient = (process.memoryUsage.rss() - rssBefore) / clients;
  record(hub, blocks);
  const arm = await timed(crowd, clients, flushes, (flush) => {
    publishMoves(hub, flush, epochMs());
    hub.flush(Date.now());
    return blocks.at(-1)!;
  });
  const bytesPerClientAfter = (process.memoryUsage.rss() - rssBefore) / clients;
  await crowd.ask("leave");
  await server.drain(2000);
  return { ...arm, lagged: hub.counts.lagged, bytesPerClient, bytesPerClientAfter };
}

async function measureBare(
  crowd: Crowd,
  clients: number,
  flushes: number,
  blocks: readonly Uint8Array[],
): Promise<Arm> {
  const open = new Set<HttpResponse>();
  const app = App().get("/stream", (res) => {
    res.onAborted(() => open.delete(res));
    open.add(res);
    res.cork(() => res.writeHeader("Content-Type", "text/event-stream").write(":\n\n"));
  });
  // biome-ignore lint/suspicious/noExplicitAny: the addon's handle has no type
  const socket = await new Promise<any>((resolve) => app.listen("127.0.0.1", 0, resolve));
  await crowd.ask("connect", { port: us_socket_local_port(socket), path: "/stream", count: clients });
  await pause(100);
  const arm = await timed(crowd, clients, flushes, (flush) => {
    const block = blocks[flush]!;
    for (const res of open) res.cork(() => res.write(block));
    return block;
  });
  await crowd.ask("leave");
  us_listen_socket_close(socket);
  return arm;
}

export async function run(size: Size): Promise<Report> {
  const { clients, flushes, rounds } = SHAPE[size];
  const crowd = new Crowd();
  try {
    const blocks: Uint8Array[] = [];
    const first = await measureOurs(crowd, clients, flushes, blocks);
    const ours: Arm[] = [first];
    const bare: Arm[] = [await measureBare(crowd, clients, flushes, blocks)];
    for (let round = 1; round < rounds; round++) {
      bare.push(await measureBare(crowd, clients, flushes, blocks));
      ours.push(await measureOurs(crowd, clients, flushes, []));
    }
    const mean = (arms: readonly Arm[]) => arms.reduce((sum, arm) => sum + arm.bytesPerS, 0) / arms.length;
    const missed = [...ours, ...bare].reduce((sum, arm) => sum + arm.missed, 0);
    // The two halves of a pair are measured right after each other, in alternating order.
    const ratios = ours.map((arm, i) => arm.bytesPerS / bare[i]!.bytesPerS).sort((x, y) => x - y);
    const ratio = ratios[ratios.length >> 1]!;
    const memory = Math.max(first.bytesPerClient, first.bytesPerClientAfter);
    const reached = ratio >= RATIO_MIN && memory < CLIENT_BYTES_MAX;
    return {
      ok: missed === 0 && first.lagged === 0 && (size === "small" || reached),
      clients,
      blockBytes: blocks[0]!.length,
      bytesPerS: mean(ours),
      bareBytesPerS: mean(bare),
      ratio,
      ratioLowest: ratios[0],
      missed,
      lagged: first.lagged,
      bytesPerClient: first.bytesPerClient,
      bytesPerClientAfter: first.bytesPerClientAfter,
    };
  } finally {
    crowd.end();
  }
}
