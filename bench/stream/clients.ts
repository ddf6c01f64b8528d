/**
 * Many stream clients in one child process: raw sockets that share one read buffer and count bytes. Controlled by crowd.ts
 * over the process channel. Client 0 keeps its text, so that the bench can check the events themselves.
 */
import net from "node:net";

const SENT = Buffer.from('"sent":');
const shared = Buffer.alloc(512 << 10);
const sockets: net.Socket[] = [];
let received: Float64Array = new Float64Array(0);
let total = 0;
let told = -1;
let delaysMs: number[] = [];
let probe: string[] = [];
let watched = -1;
let resyncs = 0;

const nowMs = () => performance.timeOrigin + performance.now();

function read(index: number, count: number): void {
  received[index]! += count;
  total += count;
  const bytes = shared.subarray(0, count);
  if (index === 0) probe.push(bytes.toString("latin1"));
  const at = bytes.indexOf(SENT);
  if (at >= 0 && index !== watched)
    delaysMs.push(nowMs() - Number.parseFloat(bytes.toString("latin1", at + 7, at + 24)));
  if (index === watched && bytes.includes("event: resync")) resyncs++;
}

async function connect(port: number, path: string, count: number): Promise<void> {
  received = new Float64Array(count);
  for (let from = 0; from < count; from += 200) {
    const batch = Array.from({ length: Math.min(200, count - from) }, (_, i) => open(port, path, from + i));
    await Promise.all(batch);
  }
}

function open(port: number, path: string, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer: shared,
        callback(count) {
          read(index, count);
          resolve();
          return true;
        },
      },
    });
    sockets[index] = socket;
    socket.once("error", reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  });
}

const ACTIONS: Record<string, (m: { port: number; path: string; count: number; index: number }) => unknown> = {
  connect: ({ port, path, count }) => connect(port, path, count),
  zero() {
    received.fill(0);
    total = 0;
    delaysMs = [];
    probe = [];
  },
  report: () => ({
    total,
    least: Math.min(...received),
    most: Math.max(...received),
    probe: probe.join(""),
    delaysMs,
    resyncs,
  }),
  pause({ index }) {
    watched = index;
    sockets[index]!.pause();
  },
  resume: ({ index }) => void sockets[index]!.resume(),
  leave() {
    for (const socket of sockets.splice(0)) socket.destroy();
  },
};

process.on("message", async (message: { do: string; port: number; path: string; count: number; index: number }) => {
  const answer = await ACTIONS[message.do]!(message);
  process.send!({ done: message.do, answer });
});
// Reports how many bytes came in so far; the bench sends the next flush when all have arrived.
setInterval(() => {
  if (total !== told) process.send!({ total: (told = total) });
}, 2);
process.on("disconnect", () => process.exit(0));
