/**
 * The edge's figures: requests by route and status, latencies, streams, process figures. The hot path increments
 * plain numbers; prom-client reads them when it is scraped, because its label hashing costs more than a request's routing.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";

const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** How many latencies are kept for p50 and p99 of /health. */
const RING = 1024;

export interface RouteMetrics {
  readonly method: string;
  readonly path: string;
  readonly byStatus: Map<number, number>;
  readonly buckets: Float64Array;
  sumS: number;
  count: number;
}

export interface EdgeMetrics {
  readonly registry: Registry;
  route(method: string, path: string): RouteMetrics;
  observe(route: RouteMetrics, status: number, ms: number): void;
  streamOpened(): void;
  streamClosed(): void;
  /** A connection ended before its peer had read its answer. */
  answerCut(): void;
  readonly streamsOpen: number;
  /** Of the last 1,024 answers, without streams. 0 before the first. */
  latencyMs(): { p50: number; p99: number };
  /** The Prometheus text format. */
  text(): Promise<string>;
}

function emptyRoute(method: string, path: string): RouteMetrics {
  return { method, path, byStatus: new Map(), buckets: new Float64Array(BUCKETS_S.length + 1), sumS: 0, count: 0 };
}

/** prom-client has no histogram with cells set from outside, so this one implements the method that the registry calls. */
function latencyMetric(routes: readonly RouteMetrics[]): Metric {
  const name = "picket_http_request_duration_seconds";
  const values = (route: RouteMetrics) => {
    const labels = { method: route.method, route: route.path };
    let below = 0;
    const cells = Array.from(route.buckets, (n, i) => {
      below += n;
      return {
        labels: { ...labels, le: i < BUCKETS_S.length ? BUCKETS_S[i]! : "+Inf" },
        value: below,
        metricName: `${name}_bucket`,
      };
    });
    return [
      ...cells,
      { labels, value: route.sumS, metricName: `${name}_sum` },
      { labels, value: route.count, metricName: `${name}_count` },
    ];
  };
  const metric = {
    name,
    collect() {},
    async get() {
      const used = routes.filter((route) => route.count > 0);
      return {
        name,
        help: "time from the request's headers to its answer",
        type: "histogram",
        values: used.flatMap(values),
        aggregator: "sum",
      };
    },
    reset() {},
  };
  return metric as unknown as Metric;
}

function registerCounters(registry: Registry, routes: readonly RouteMetrics[], streamsOpen: () => number): void {
  const requests = new Counter({
    name: "picket_http_requests_total",
    help: "answered requests",
    labelNames: ["method", "route", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const route of routes)
        for (const [status, n] of route.byStatus)
          this.inc({ method: route.method, route: route.path, status: String(status) }, n);
    },
  });
  void requests;
  new Gauge({
    name: "picket_http_streams_open",
    help: "server-sent event streams open now",
    registers: [registry],
    collect() {
      this.set(streamsOpen());
    },
  });
  registry.registerMetric(latencyMetric(routes));
}

export function createEdgeMetrics(): EdgeMetrics {
  const registry = new Registry();
  const routes: RouteMetrics[] = [];
  const ring = new Float32Array(RING);
  let observed = 0;
  let streamsOpen = 0;
  const answersCut = new Counter({
    name: "picket_http_answers_cut_total",
    help: "answers whose connection ended before the peer had read all of it, pipelined requests behind it included",
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry, prefix: "picket_" });
  registerCounters(registry, routes, () => streamsOpen);
  return {
    registry,
    route(method, path) {
      const route = emptyRoute(method, path);
      routes.push(route);
      return route;
    },
    observe(route, status, ms) {
      route.byStatus.set(status, (route.byStatus.get(status) ?? 0) + 1);
      route.count++;
      route.sumS += ms / 1000;
      let bucket = 0;
      while (bucket < BUCKETS_S.length && ms > BUCKETS_S[bucket]! * 1000) bucket++;
      route.buckets[bucket]!++;
      ring[observed++ % RING] = ms;
    },
    streamOpened() {
      streamsOpen++;
    },
    streamClosed() {
      streamsOpen--;
    },
    answerCut() {
      answersCut.inc();
    },
    get streamsOpen() {
      return streamsOpen;
    },
    latencyMs() {
      const sorted = ring.slice(0, Math.min(observed, RING)).sort();
      const at = (share: number) =>
        Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 1000) / 1000;
      return { p50: at(0.5), p99: at(0.99) };
    },
    text: () => registry.metrics(),
  };
}
