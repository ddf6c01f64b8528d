/** What a peer can make the service hold by asking and not reading. The edge runs in a process of its own and is measured. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const EDGE = fileURLToPath(new URL("../support/edgeProcess.ts", import.meta.url));
const MIB = 1 << 20;
/** More than this is not explained by a connection's one unsent answer and its parser. */
const GROWTH_BYTES_MAX = 48 * MIB;
const HEAP_MIB = 64;

let edge: ChildProcess;
let port: number;
let sockets: net.Socket[] = [];

const url = (path: string) => `http://127.0.0.1:${port}${path}`;
const peakBytes = async () => ((await (await fetch(url("/peak"))).json()) as { data: { bytes: number } }).data.bytes;

beforeEach(async () => {
  edge = fork(EDGE, { execArgv: [`--max-old-space-size=${HEAP_MIB}`], stdio: ["ignore", "pipe", "inherit", "ipc"] });
  port = Number(String((await once(edge.stdout!, "data"))[0]));
  // The files are read, compressed and kept at their first request.
  for (const path of ["/api/docs/swagger-ui-bundle.js", "/api/openapi.json"]) await (await fetch(url(path))).text();
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  edge.disconnect();
});

/** Opens connections that ask `times` times in one write each and never read. */
async function askUnread(connections: number, request: string, times: number): Promise<void> {
  const opened = Array.from({ length: connections }, () => net.connect(port, "127.0.0.1").pause());
  sockets.push(...opened);
  for (const socket of opened) socket.on("error", () => {});
  await Promise.all(opened.map((socket) => once(socket, "connect")));
  for (const socket of opened) socket.write(request.repeat(times));
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Asks for a second and more beside the unread connections; the longest answer in ms, and how much the peak grew. */
async function measure(ask: () => Promise<void>): Promise<{ slowestMs: number; grownBytes: number }> {
  const before = await peakBytes();
  await ask();
  let slowestMs = 0;
  for (let i = 0; i < 20; i++) {
    const startedMs = performance.now();
    await peakBytes();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { slowestMs, grownBytes: (await peakBytes()) - before };
}

describe("[ED-130] a connection that asks and does not read costs bounded memory", () => {
  const asked: [string, number, string, number][] = [
    ["one connection, a file of 1.7 MB", 1, get("/api/docs/swagger-ui-bundle.js"), 500],
    ["50 connections, the description", 50, get("/api/openapi.json"), 200],
    ["four connections, small answers", 4, get("/nowhere"), 50_000],
    ["four connections, answers without a body", 4, "OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n", 50_000],
    ["four connections, heads", 4, "HEAD /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 50_000],
  ];
  test.each(asked)("%s", { timeout: 60_000 }, async (_what, connections, request, times) => {
    const { slowestMs, grownBytes } = await measure(() => askUnread(connections, request, times));
    expect(grownBytes / MIB).toBeLessThan(GROWTH_BYTES_MAX / MIB);
    expect(slowestMs).toBeLessThan(3000);
  });
});

describe("an answer that waits for its peer", () => {
  const ask = async () => {
    const socket = net.connect({ port, host: "127.0.0.1" }).pause();
    sockets.push(socket);
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(get("/large"));
    await new Promise((resolve) => setTimeout(resolve, 500));
    return socket;
  };
  /** Reads until `isEnd` says so of the bytes so far, or the connection ends. */
  const readUntil = (socket: net.Socket, isEnd: (bytes: number, last: string) => boolean) =>
    new Promise<number>((resolve) => {
      let bytes = 0;
      let last = "";
      const take = (chunk: Buffer) => {
        bytes += chunk.length;
        last = (last + chunk.subarray(-200).toString("latin1")).slice(-200);
        if (!isEnd(bytes, last)) return;
        socket.off("data", take);
        resolve(bytes);
      };
      socket.on("data", take);
      socket.on("close", () => resolve(bytes));
      socket.resume();
    });
  const LARGE_BYTES = 24 * MIB;

  test("[ED-131] a client that reads late gets every byte, and can ask again on the same connection", async () => {
    const socket = await ask();
    const received = await readUntil(socket, (bytes) => bytes > LARGE_BYTES && bytes < LARGE_BYTES + 1000);
    expect(received).toBeLessThan(LARGE_BYTES + 1000);
    socket.write(get("/"));
    const next = await readUntil(socket, (_bytes, last) => last.includes('"status":"up"'));
    expect(next).toBeGreaterThan(0);
    expect(socket.destroyed).toBe(false);
  });

  test("[ED-132] another request meanwhile cuts the connection, and that is counted", async () => {
    const socket = await ask();
    socket.write(get("/"));
    expect(await readUntil(socket, () => false)).toBeLessThan(LARGE_BYTES);
    const metrics = await (await fetch(url("/api/metrics"), { headers: { "X-Api-Key": "dak_owner" } })).text();
    expect(metrics).toMatch(/^picket_http_answers_cut_total 1$/m);
  });
});
