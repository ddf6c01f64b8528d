/** Streams through the edge, a second server on the port, and draining. On a real socket with made-up routes. */
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { gate, routes, sinks } from "../support/edgeRoutes.ts";
import { ask } from "../support/picket.ts";
import { startEdge, type TestEdge } from "../support/server.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge(routes);
});
afterAll(() => edge.close());

describe("streams and stopping", () => {
  test("[ED-40] a stream sends its headers and first block at once, and ends once", async () => {
    const response = await fetch(`${edge.url}/stream`);
    expect(["content-type", "cache-control", "x-accel-buffering"].map((name) => response.headers.get(name))).toEqual([
      "text/event-stream",
      "no-store",
      "no",
    ]);
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("event: snapshot\ndata: {}\n\n");
    const sink = sinks.at(-1)!;
    expect(sink.write(Buffer.from(": more\n\n"))).toBe(true);
    sink.end();
    sink.end();
    expect(sink.write(Buffer.from("late"))).toBe(false);
    expect(Buffer.from((await reader.read()).value!).toString()).toBe(": more\n\n");
    expect((await reader.read()).done).toBe(true);
  });
  test("[ED-46] HEAD of a stream is 405: it would spend a ticket on nothing", async () => {
    const opened = sinks.length;
    const { status, headers } = await ask(edge.url, "HEAD", "/stream");
    expect([status, headers.get("allow"), sinks.length]).toEqual([405, "GET, OPTIONS", opened]);
  });
  test("[ED-41] a stream whose client leaves is closed once and never written again", async () => {
    const leaving = new AbortController();
    await fetch(`${edge.url}/stream`, { signal: leaving.signal });
    const sink = sinks.at(-1)!;
    const closed = new Promise<void>((resolve) => (sink.onClose = resolve));
    leaving.abort();
    await closed;
    expect(sink.write(Buffer.from("x"))).toBe(false);
  });
  test("[ED-42] given a client that does not read, further blocks are refused; when it reads, the sink drains", async () => {
    const response = await fetch(`${edge.url}/stream`);
    const sink = sinks.at(-1)!;
    const block = Buffer.alloc(1 << 20, 0x20);
    let written = 0;
    while (sink.write(block) && written < 200) written++;
    expect(written).toBeLessThan(200);
    const drained = new Promise<void>((resolve) => {
      sink.onDrain = () => {
        sink.write(Buffer.from(": resync\n\n"));
        resolve();
      };
    });
    const reader = response.body!.getReader();
    let isDrained = false;
    void drained.then(() => (isDrained = true));
    while (!isDrained) await reader.read();
    sink.end();
    await reader.cancel();
  });
  test("[ED-45] given an error in the owner of a stream, only that stream ends", async () => {
    const response = await fetch(`${edge.url}/stream/broken`);
    expect(await response.text()).toBe(": first\n\n");
    await fetch(`${edge.url}/stream`).then(async ({ body }) => {
      sinks.at(-1)!.onClose = () => {
        throw new Error("fell over while closing");
      };
      await body!.cancel();
    });
    const fell = () => edge.lines.filter((line) => line.msg === "a stream failed").length;
    await expect.poll(fell).toBe(2);
    expect((await fetch(`${edge.url}/open`)).status).toBe(200);
  });
  test("[ED-43] a second server on the port fails to start with an error", async () => {
    await expect(startEdge([], { port: edge.port })).rejects.toThrow(`cannot listen on 127.0.0.1:${edge.port}`);
  });
  test("[ED-44] draining answers requests in flight, refuses new ones, ends streams and then closes", async () => {
    const other = await startEdge(routes, { endStreams: () => sinks.at(-1)!.end() });
    const waiting = ask(other.url, "GET", "/wait");
    const stream = await fetch(`${other.url}/stream`);
    const kept = net.connect(other.port, "127.0.0.1");
    let received = "";
    kept.on("data", (chunk) => (received += chunk));
    const open = "GET /open HTTP/1.1\r\nHost: x\r\n\r\n";
    kept.write(open);
    await vi.waitFor(() => expect(received).toContain("200 OK"));
    const drained = other.drain(3000);
    expect(await stream.text()).toContain("snapshot");
    const closed = once(kept, "close");
    kept.write(open);
    await closed;
    expect(received).toMatch(/503 [\s\S]*Connection: close[\s\S]*"unavailable"/);
    gate.release();
    expect((await waiting).body.data).toBe("waited");
    await drained;
    await expect(fetch(`${other.url}/open`)).rejects.toThrow();
  });
});
