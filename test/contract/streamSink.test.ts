/** The edge's sink under a hub, with a real socket that reads slowly: what the transport holds stays bounded. */
import net from "node:net";
import { expect, test } from "vitest";
import { route } from "../../src/http/route.ts";
import type { Sink } from "../../src/stream/sink.ts";
import { startEdge } from "../support/server.ts";

test("[ST-48] a sink reports a drain only when the transport holds nothing more", async () => {
  const opened: Sink[] = [];
  const edge = await startEdge([
    route({
      method: "GET",
      path: "/slow",
      access: "open",
      tag: "Test",
      summary: "A stream that the test writes",
      reply: { 200: { bytes: true, contentType: "text/event-stream" } },
      errors: [],
      handle: () => ({ status: 200, stream: (sink) => void opened.push(sink) }),
    }),
  ]);
  const socket = net.connect(edge.port, "127.0.0.1");
  try {
    socket.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    while (opened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const sink = opened[0]!;
    let drains = 0;
    let written = 0;
    sink.onDrain = () => drains++;
    // More than any socket buffers take, in one block: most of it is held in the server.
    const block = Buffer.alloc(32 << 20, 0x20);
    expect(sink.write(block)).toBe(false);
    written += block.length;
    let read = 0;
    let readAtDrain = 0;
    await new Promise<void>((resolve) => {
      sink.onDrain = () => {
        drains++;
        readAtDrain = read;
        resolve();
      };
      socket.on("data", (chunk) => {
        read += chunk.length;
      });
      socket.resume();
    });
    // All but what the kernel may hold has been read by then; a drain at the first writable would come after a few KB.
    expect(readAtDrain).toBeGreaterThan(written - (12 << 20));
    expect(drains).toBe(1);
    expect(sink.write(Buffer.from(": on\n\n"))).toBe(true);
  } finally {
    socket.destroy();
    await edge.close();
  }
});
