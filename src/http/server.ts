/**
 * The edge's socket: listens exclusively, hands every request to the pipeline, drains and closes. Knows routes as data and
 * no feature.
 */
import { createAccessLog } from "./accessLog.ts";
import { listenExclusively } from "./addon.ts";
import type { EdgeParts } from "./edgeParts.ts";
import { Pipeline } from "./pipeline.ts";
import { compileRouter } from "./router.ts";

export interface Server {
  readonly port: number;
  readonly url: string;
  /** Refuses new requests; resolves when those in flight are answered, or at the deadline. Streams stay open. */
  takeNoMore(deadlineMs: number): Promise<void>;
  /** Refuses new requests, answers those in flight, ends streams, closes; resolves when done, or at the deadline. */
  drain(deadlineMs: number): Promise<void>;
  /** Cuts every connection. */
  close(): void;
}

const DRAIN_POLL_MS = 10;

const authority = (host: string) => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);

/** An address that a browser on this machine can open. */
const reachable = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : authority(host));

export async function startServer(parts: EdgeParts): Promise<Server> {
  const router = compileRouter(parts.routes, (method, path) => parts.metrics.route(method, path));
  const accessLog = createAccessLog(parts.log);
  const pipeline = new Pipeline(parts, router, accessLog);
  const listener = listenExclusively(parts.host.replace(/^\[|\]$/g, ""), parts.port, (res, req) =>
    pipeline.receive(res, req),
  );
  if (listener === null) {
    accessLog.stop();
    throw new Error(
      `cannot listen on ${authority(parts.host)}:${parts.port}: is another server using the port, and is the address one of this machine?`,
    );
  }
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    accessLog.stop();
    listener.cut();
  };
  const refuseNew = () => {
    listener.stop();
    pipeline.drain();
  };
  const untilOrLate = async (isDone: () => boolean, deadlineMs: number) => {
    const endAtMs = parts.clock.monotonicMs() + deadlineMs;
    while (!isDone() && parts.clock.monotonicMs() < endAtMs)
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  };
  return {
    port: listener.port,
    url: `http://${reachable(parts.host)}:${listener.port}`,
    close,
    takeNoMore(deadlineMs) {
      refuseNew();
      return untilOrLate(() => pipeline.pending === 0, deadlineMs);
    },
    async drain(deadlineMs) {
      refuseNew();
      try {
        parts.endStreams?.();
        await untilOrLate(() => pipeline.pending + pipeline.unsent + pipeline.streams.count === 0, deadlineMs);
        pipeline.streams.endAll();
      } finally {
        close();
      }
    },
  };
}
