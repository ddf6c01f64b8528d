/**
 * An edge in a process of its own, for tests of what it costs: prints its port, and answers `/peak` with the most memory that
 * the process has held so far, in bytes. Run by test/integration/unread.test.ts.
 */
import { pino } from "pino";
import { Type } from "typebox";
import { metaRoutes } from "../../src/features/meta/routes.ts";
import { createEdgeMetrics } from "../../src/http/metrics.ts";
import { type Route, route } from "../../src/http/route.ts";
import { startEdge } from "./server.ts";

const peakRoute = route({
  method: "GET",
  path: "/peak",
  access: "open",
  tag: "Test",
  summary: "made up",
  reply: { 200: Type.Object({ bytes: Type.Number() }) },
  errors: [],
  handle: () => ({ status: 200, data: { bytes: process.resourceUsage().maxRSS * 1024 } }),
});

const LARGE = Buffer.alloc(24 << 20, "abcdefghijklmno");
/** More than the buffers of the two sockets hold. */
const largeRoute = route({
  method: "GET",
  path: "/large",
  access: "open",
  tag: "Test",
  summary: "made up",
  reply: { 200: { bytes: true, contentType: "text/plain" } },
  errors: [],
  handle: () => ({ status: 200, bytes: LARGE, contentType: "text/plain" }),
});

/** As large as the description of the whole service. */
const described: Route[] = Array.from({ length: 400 }, (_, i) =>
  route({
    method: "GET",
    path: `/made-up/${i}`,
    access: "open",
    tag: "Test",
    summary: `made up ${"x".repeat(200)}`,
    reply: { 200: Type.Object({ a: Type.Number({ description: "y".repeat(200) }) }) },
    errors: [],
    handle: () => ({ status: 200, data: { a: 1 } }),
  }),
);

const metrics = createEdgeMetrics();
const health = () => ({ status: "ok", version: "0" }) as never;
const routes: Route[] = [
  peakRoute,
  largeRoute,
  ...described,
  ...metaRoutes({ routes: () => routes, health, metrics: () => metrics.text() }).filter(
    (one) => one.path !== "/health",
  ),
];
const edge = await startEdge(routes, { log: pino({ level: "silent" }), metrics });
process.stdout.write(`${edge.port}\n`);
process.on("disconnect", () => process.exit());
