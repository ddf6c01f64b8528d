/** A connection that outlives the call to stop: what it asks while the edge drains. On a real socket with made-up routes. */
import net from "node:net";
import { expect, test } from "vitest";
import { gate, routes } from "../support/edgeRoutes.ts";
import { ask } from "../support/picket.ts";
import { startEdge } from "../support/server.ts";

test("[ED-78] a request on a kept connection while the service drains is 503 with Retry-After, and the connection closes", async () => {
  const edge = await startEdge(routes);
  const waiting = ask(edge.url, "GET", "/wait");
  const socket = net.connect(edge.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("close", resolve));
  let received = "";
  const answered = (status: string) =>
    new Promise<void>((resolve) =>
      socket.on("data", () => {
        if (received.includes(`HTTP/1.1 ${status}`)) resolve();
      }),
    );
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  const first = answered("200");
  socket.write("GET /open HTTP/1.1\r\nHost: x\r\n\r\n");
  await first;
  const drained = edge.drain(5000);
  const second = answered("503");
  socket.write("GET /open HTTP/1.1\r\nHost: x\r\n\r\n");
  await second;
  await closed;
  expect(received).toMatch(/HTTP\/1.1 503 [\s\S]*Retry-After: \d+\r\n[\s\S]*"unavailable"/);
  gate.release();
  expect((await waiting).body.data).toBe("waited");
  await drained;
});
