/**
 * The edge's socket: listens exclusively, hands every request to the pipeline, drains and closes. It knows routes
 * as data and no feature.
 */
import { createAccessLog } from "./accessLog.ts";
import { listenExclusively } from "./addon.ts";
import type { EdgeParts } from "./edgeParts.ts";
import { createPipeline } from "./pipeline.ts";
import { compileRouter } from "./router.ts";

export interface Server {
  readonly port: number;
  readonly url: string;
  /** Takes no new work, answers what is in flight, ends streams; resolves when all is done, at the deadline at the latest. */
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
  const pipeline = createPipeline(parts, router, accessLog);
  const listener = listenExclusively(parts.host.replace(/^\[|\]$/g, ""), parts.port, pipeline.receive);
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
  return {
    port: listener.port,
    url: `http://${reachable(parts.host)}:${listener.port}`,
    close,
    async drain(deadlineMs) {
      const endAt = parts.clock.monotonicMs() + deadlineMs;
      listener.stop();
      pipeline.drain();
      parts.endStreams?.();
      while ((pipeline.pending > 0 || pipeline.sinks.size > 0) && parts.clock.monotonicMs() < endAt)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
      for (const sink of [...pipeline.sinks]) sink.end();
      close();
    },
  };
}
