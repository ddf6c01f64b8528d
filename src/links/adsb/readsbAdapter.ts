/** Polls `aircraft.json` over HTTP: bounded in time and size, no redirects, back-off with jitter after a failure. */
import { type ClientRequest, get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { utf8Text } from "../../lib/utf8.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { Backoff, faultCode, LinkLife } from "../lifecycle.ts";
import { lookupAllowed, whyNotUrl } from "../net/allowedHosts.ts";
import { sourceIdOf, whyNotSourceId } from "../sourceId.ts";
import { AircraftFile } from "./aircraftJson.ts";

const TIMEOUT_MS = 5000;
const BODY_BYTES_MAX = 8 << 20;
const PERIOD_S = 1;
/** A decoder writes its file about every second. After this time without a change it has stopped. */
const STALE_MS = 10_000;
const STALE_PERIODS = 5;

class BadAnswer extends Error {
  readonly code = "bad_answer";
}

/** Reads the body; throws when it grows beyond the bound, whatever its Content-Length says. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new BadAnswer(`the answer is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return utf8Text(Buffer.concat(chunks));
}

/**
 * Resolves with the response. A far end that switches protocols (101) ends a request without response and without error, so
 * `close` rejects too: the promise must always settle.
 */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      reject(new BadAnswer(`it answered ${statusCode}`));
    });
    // After the response, errors come through the body; this one then has no effect.
    request.on("error", reject);
    request.once("close", () => reject(new BadAnswer("it ended the connection without an answer")));
  });
}

/** Uses node:http because its lookup can be replaced: the address that is checked is the one that is connected to. */
async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const get = url.protocol === "https:" ? getHttps : getHttp;
  const response = await responseTo(
    get(url, { signal, lookup: lookupAllowed, headers: { Accept: "application/json" } }),
  );
  if (response.statusCode === 200) return readBody(response);
  response.destroy();
  throw new BadAnswer(`it answered ${response.statusCode}`);
}

class ReadsbLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #life: LinkLife;
  readonly #backoff = new Backoff();
  readonly #file = new AircraftFile();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(settings: LinkSettings, context: LinkContext) {
    this.#settings = settings;
    this.#context = context;
    this.#life = new LinkLife(context.clock, () => context.changed());
    this.#next(0);
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.#life.status(nowMs);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    this.#life.closed();
  }

  #next(afterMs: number): void {
    if (this.#abort.signal.aborted) return;
    this.#timer = setTimeout(() => (this.#running = this.#poll()), afterMs);
  }

  async #poll(): Promise<void> {
    const periodS = typeof this.#settings.options.period_s === "number" ? this.#settings.options.period_s : PERIOD_S;
    try {
      await this.#fetch();
      this.#backoff.reset();
      const stillMs = this.#file.standsStillMs(this.#context.clock.nowMs());
      if (stillMs <= Math.max(STALE_MS, STALE_PERIODS * periodS * 1000)) this.#life.up();
      else this.#life.failed("stale", `${this.#settings.address}: its file is no longer updated`);
      this.#next(periodS * 1000);
    } catch (fault) {
      if (this.#abort.signal.aborted) return;
      this.#life.counters.bad++;
      this.#life.failed(faultCode(fault), `${this.#settings.address}: ${(fault as Error).message}`);
      this.#next(Math.max(periodS * 1000, this.#backoff.nextMs()));
    }
  }

  async #fetch(): Promise<void> {
    const startedMs = this.#context.clock.monotonicMs();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const text = await fetchText(new URL(this.#settings.address), AbortSignal.any([this.#abort.signal, timeout]));
      this.#life.rttMs = Math.round(this.#context.clock.monotonicMs() - startedMs);
      this.#take(text);
    } catch (fault) {
      // The socket's own error after an abort does not say why.
      throw timeout.aborted ? timeout.reason : fault;
    }
  }

  #take(text: string): void {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new BadAnswer("the answer is not JSON");
    }
    const decoded = this.#file.read(json, this.#context.clock.nowMs());
    if (decoded === null) throw new BadAnswer("the answer is not an aircraft.json");
    this.#life.offsetMs = this.#file.offsetMs;
    this.#life.counters.bad += decoded.bad;
    const sourceId = sourceIdOf(this.#settings);
    for (const { icao } of decoded.observations) this.#life.heard(icao as string);
    if (decoded.observations.length === 0) return;
    const wire = decoded.observations.map((one) => ({ ...one, source_id: sourceId, modality: "adsb" }));
    this.#life.counters.dropped += this.#context.observe(wire).rejected;
  }
}

export const readsbAdapter: LinkAdapter = {
  protocol: "adsb_readsb_json",
  transports: ["http"],
  defaults: { transport: "http", role: "connect", port: null },
  verbs: [],
  refuse({ role, address, options }) {
    if (role !== "connect") return "aircraft.json is polled: the role is connect";
    const period = options.period_s;
    if (period !== undefined && !(typeof period === "number" && period >= 0.25 && period <= 10))
      return "options.period_s must be from 0.25 to 10";
    return whyNotSourceId(options) ?? whyNotUrl(address, ["http:", "https:"]);
  },
  open: async (settings, context) => new ReadsbLink(settings, context),
};
