/** The server-sent streams of the edge: opens one on an exchange and keeps it until it ends. Knows no event. */
import type { Logger } from "pino";
import type { Exchange } from "./exchange.ts";
import type { EdgeMetrics } from "./metrics.ts";
import { assertWritable, sendStreamHead } from "./reply.ts";
import type { Responder } from "./responder.ts";
import type { Headers } from "./route.ts";
import { ResponseSink } from "./sink.ts";

export class OpenStreams {
  readonly #log: Logger;
  readonly #metrics: EdgeMetrics;
  readonly #responder: Responder;
  readonly #sinks = new Set<ResponseSink>();

  constructor({ log, metrics }: { readonly log: Logger; readonly metrics: EdgeMetrics }, responder: Responder) {
    this.#log = log;
    this.#metrics = metrics;
    this.#responder = responder;
  }

  get count(): number {
    return this.#sinks.size;
  }

  endAll() {
    for (const sink of [...this.#sinks]) sink.end();
  }

  /** Writes the head of the answer and hands the sink to its owner. */
  open(x: Exchange, owner: (sink: ResponseSink) => void, headers: Headers | undefined) {
    if (x.settled !== null) return;
    if (this.#responder.isDraining) return this.#responder.refuseStopping(x);
    assertWritable(200, headers);
    this.#responder.note(x, 200);
    // From here on it is no request in flight: a service that stops ends streams separately.
    x.detach();
    x.onSettled?.("answered");
    const sink = new ResponseSink(
      x.res,
      (ended) => {
        this.#sinks.delete(ended);
        this.#metrics.streamClosed();
      },
      (cause) => this.#log.error({ request_id: x.id, path: x.path, err: cause }, "a stream failed"),
    );
    x.onSettled = (settled) => {
      if (settled === "aborted") sink.aborted();
    };
    this.#sinks.add(sink);
    this.#metrics.streamOpened();
    sendStreamHead(x, headers, () => sink.start(owner));
  }
}
