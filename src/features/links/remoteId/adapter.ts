/**
 * Remote ID receivers over MQTT: subscribes to their topic and turns what their radios heard into `remote_id` observations.
 * The client library is an optional dependency, loaded when the first such link opens.
 */
import type { IClientOptions, MqttClient } from "mqtt";
import { decodeOdid, OdidTransmitters } from "../../../domain/openDroneId.ts";
import { REMOTE_ID_PAYLOADS_PER_RECEIVER_HZ } from "../../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { Backoff, faultCode, LinkLife, SourceLimit } from "../lifecycle.ts";
import { resolveOutbound, whyNotUrl } from "../outbound.ts";
import { readMessage } from "./message.ts";

const PAYLOAD_BYTES_MAX = 4096;
const CONNECT_TIMEOUT_MS = 5000;

class RemoteIdLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #life: LinkLife;
  readonly #backoff = new Backoff();
  readonly #limit = new SourceLimit(REMOTE_ID_PAYLOADS_PER_RECEIVER_HZ);
  readonly #transmitters = new OdidTransmitters();
  #client: MqttClient | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(settings: LinkSettings, context: LinkContext) {
    this.#settings = settings;
    this.#context = context;
    this.#life = new LinkLife(context.clock, () => context.changed());
    void this.#connect();
  }

  get counters() {
    return this.#life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.#life.status(nowMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#client?.endAsync(true);
    this.#life.closed();
  }

  /** The library's own way of coming back has no jitter, so it is off. */
  async #connect(): Promise<void> {
    const { address, options, secret } = this.#settings;
    let library: typeof import("mqtt");
    try {
      library = await import("mqtt");
    } catch {
      this.#life.failed("not_installed", "the optional package mqtt is not installed");
      return;
    }
    try {
      await resolveOutbound(new URL(address).hostname);
    } catch (fault) {
      if (!this.#isClosed) this.#again(faultCode(fault), (fault as Error).message);
      return;
    }
    if (this.#isClosed) return;
    this.#open(library, address, options, secret);
  }

  #again(code: string, text: string): void {
    this.#life.failed(code, `${this.#settings.address}: ${text}`);
    this.#timer = setTimeout(() => void this.#connect(), this.#backoff.nextMs());
  }

  #open(
    library: typeof import("mqtt"),
    address: string,
    options: LinkSettings["options"],
    secret: string | null,
  ): void {
    const wanted: IClientOptions = {
      reconnectPeriod: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      clean: true,
      ...(typeof options.username === "string" ? { username: options.username } : {}),
      ...(secret === null ? {} : { password: secret }),
    };
    const client = library.connect(address, wanted);
    this.#client = client;
    let why: { code: string; text: string } = { code: "refused", text: "the broker closed the connection" };
    client.on("connect", () => this.#subscribe(client));
    client.on("message", (topic, body) => this.#take(topic, body));
    client.on("error", (fault) => (why = { code: faultCode(fault), text: fault.message }));
    client.on("close", () => {
      client.end(true);
      if (!this.#isClosed) this.#again(why.code, why.text);
    });
  }

  #subscribe(client: MqttClient): void {
    const { topic, qos } = this.#settings.options;
    client.subscribe(String(topic), { qos: qos === 1 ? 1 : 0 }, (fault, granted) => {
      if (fault !== null || granted?.[0]?.qos === 128) {
        this.#life.failed("refused", `the broker refused the subscription to ${String(topic)}`);
        client.end(true);
        return;
      }
      this.#backoff.reset();
      this.#life.up();
    });
  }

  #take(topic: string, body: Buffer): void {
    if (this.#isClosed) return;
    const nowMs = this.#context.clock.nowMs();
    const { counters } = this.#life;
    const kind = this.#settings.options.payload === "raw" ? "raw" : "json";
    const heard = body.length > PAYLOAD_BYTES_MAX ? null : readMessage(body, kind);
    const receiver =
      heard?.receiver ??
      topic
        .split("/")
        .at(-1)!
        .replaceAll(/[^\x21-\x7e]/g, "")
        .slice(0, 64);
    if (!this.#limit.take(receiver, nowMs)) {
      counters.dropped++;
      return;
    }
    const part = heard === null ? null : decodeOdid(heard.payload, nowMs);
    if (heard === null || part === null || "bad" in part) {
      counters.bad++;
      return;
    }
    this.#life.heard(receiver);
    const claim = heard.mac === null ? part : this.#transmitters.join(`${receiver} ${heard.mac}`, part, nowMs);
    if (typeof claim.lat !== "number" || typeof claim.uas_id !== "string") return;
    const { source_id: own } = this.#settings.options;
    const observation = {
      ...claim,
      source_id: typeof own === "string" ? own : `rid:${receiver}`,
      modality: "remote_id",
      measured_at: heard.atMs ?? nowMs,
      transport: heard.transport,
      receiver: { mac: heard.mac, rssi_dbm: heard.rssiDbm, channel: heard.channel },
    };
    counters.dropped += this.#context.observe([observation]).rejected;
  }
}

export const remoteIdAdapter: LinkAdapter = {
  protocol: "odid_wifi_ble",
  transports: ["mqtt"],
  defaults: { transport: "mqtt", role: "connect", port: null },
  verbs: [],
  refuse({ address, options }) {
    if (typeof options.topic !== "string" || options.topic === "" || options.topic.length > 500)
      return "options.topic must name the topic that the receivers publish to";
    if (options.payload !== undefined && options.payload !== "json" && options.payload !== "raw")
      return "options.payload must be json or raw";
    return whyNotUrl(address, ["mqtt:", "mqtts:"]);
  },
  open: async (settings, context) => new RemoteIdLink(settings, context),
};
