/** SBS-1 (BaseStation) over TCP: connects to the feeder's port 30003, reconnects when it is lost. */

import { SBS_LINES_HZ } from "../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { LinkLife, SourceLimit } from "../lifecycle.ts";
import { whyNotConnect } from "../net/allowedHosts.ts";
import { TcpClient } from "../net/tcpClient.ts";
import { sourceIdOf, whyNotSourceId } from "../sourceId.ts";
import { LineSplitter, SbsDecoder } from "./sbs.ts";

/** Silence after which a connection counts as dead. A feeder under an empty sky sends nothing for long. */
const SILENCE_MS = 300_000;
/** Most observations in one call; lines that arrive together are passed on together. */
const BATCH_MAX = 1000;

class SbsLink implements OpenLink {
  readonly #context: LinkContext;
  readonly #sourceId: string;
  readonly #life: LinkLife;
  readonly #decoder = new SbsDecoder();
  readonly #limit = new SourceLimit(SBS_LINES_HZ);
  readonly #client: TcpClient;
  #lines = new LineSplitter();

  constructor(settings: LinkSettings, context: LinkContext) {
    this.#context = context;
    this.#sourceId = sourceIdOf(settings);
    this.#life = new LinkLife(context.clock, () => context.changed());
    this.#client = new TcpClient({
      host: settings.address,
      port: settings.port!,
      life: this.#life,
      onData: (data) => this.#take(data),
      onLost: () => (this.#lines = new LineSplitter()),
      silenceMs: SILENCE_MS,
    });
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.#life.status(nowMs);
  }

  async close(): Promise<void> {
    this.#client.close();
    this.#life.closed();
  }

  #take(data: Buffer): void {
    const nowMs = this.#context.clock.nowMs();
    const badBefore = this.#lines.bad;
    const observations: object[] = [];
    for (const line of this.#lines.push(data.toString("latin1"))) {
      if (!this.#limit.take("", nowMs)) {
        this.#life.counters.dropped++;
        continue;
      }
      const decoded = this.#decoder.decode(line, nowMs);
      if (decoded === "bad") this.#life.counters.bad++;
      else {
        this.#life.heard(decoded === null ? null : (decoded.icao as string));
        if (decoded !== null) observations.push({ ...decoded, source_id: this.#sourceId, modality: "adsb" });
      }
    }
    this.#life.counters.bad += this.#lines.bad - badBefore;
    for (let i = 0; i < observations.length; i += BATCH_MAX)
      this.#life.counters.dropped += this.#context.observe(observations.slice(i, i + BATCH_MAX)).rejected;
  }
}

export const sbsAdapter: LinkAdapter = {
  protocol: "adsb_sbs",
  transports: ["tcp"],
  defaults: { transport: "tcp", role: "connect", port: 30_003 },
  verbs: [],
  refuse({ role, address, port, options }) {
    if (role !== "connect") return "an SBS-1 feeder listens: the role is connect";
    if (port === null || port === 0) return "an SBS-1 link needs a port";
    return whyNotSourceId(options) ?? whyNotConnect(address);
  },
  open: async (settings, context) => new SbsLink(settings, context),
};
