/**
 * Remote ID receivers over MQTT: subscribes to their topic and turns the broadcasts that they received into `remote_id`
 * observations. The client library is an optional dependency, loaded when the first such link opens.
 */
import type { MqttClient } from "mqtt";
import { claimOf, OdidTransmitters, readOdid } from "../../domain/openDroneId.ts";
import { LINK_SOURCES_MAX, REMOTE_ID_PAYLOADS_PER_RECEIVER_HZ } from "../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { Backoff, faultCode, LinkLife, SourceLimit } from "../lifecycle.ts";
import { whyNotUrl } from "../net/allowedHosts.ts";
import { FarClock } from "../net/farClock.ts";
import { whyNotSourceId } from "../sourceId.ts";
import { connectBroker } from "./broker.ts";
import { readMessage, receiverName } from "./message.ts";

const PAYLOAD_BYTES_MAX = 4096;
/** MQTT writes the length in two bytes. */
const USERNAME_BYTES_MAX = 1024;

/** A refusal by the broker has a reason code of the protocol. */
const codeOf = (fault: Error) =>
  typeof (fault as { code?: unknown }).code === "number" ? "refused" : faultCode(fault);

class RemoteIdLink implements OpenLink {
  readonly #settings: LinkSettings;
  readonly #context: LinkContext;
  readonly #life: LinkLife;
  readonly #backoff = new Backoff();
  readonly #limit = new SourceLimit(REMOTE_ID_PAYLOADS_PER_RECEIVER_HZ);
  readonly #transmitters = new OdidTransmitters();
  readonly #clocks = new Map<string, FarClock>();
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
    return { ...this.#life.status(nowMs), offsetMs: FarClock.worstOffsetMs(this.#clocks.values()) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#client?.endAsync(true);
    this.#life.closed();
  }

  async #connect(): Promise<void> {
    let library: typeof import("mqtt");
    try {
      library = await import("mqtt");
    } catch {
      this.#life.failed("not_installed", "the optional package mqtt is not installed");
      return;
    }
    if (!this.#isClosed) this.#open(library);
  }

  #open(library: typeof import("mqtt")): void {
    const { address, options, secret } = this.#settings;
    const client = connectBroker(library, address, {
      ...(typeof options.username === "string" ? { username: options.username } : {}),
      ...(secret === null ? {} : { password: secret }),
    });
    this.#client = client;
    let why = { code: "refused", text: "the broker closed the connection" };
    // After a fault the library would wait for more input that it cannot read. It is ended only when it has processed the
    // packets that it read before.
    const fail = (code: string, text: string) => {
      why = { code, text };
      client.stream.destroy();
    };
    client.on("connect", () => this.#subscribe(client, fail));
    client.on("message", (topic, body, { retain }) => this.#take(topic, body, retain));
    client.on("error", (fault) => fail(codeOf(fault), fault.message));
    client.once("close", () => {
      setImmediate(() => client.end(true));
      if (this.#isClosed) return;
      this.#life.failed(why.code, `${address}: ${why.text}`);
      this.#timer = setTimeout(() => void this.#connect(), this.#backoff.nextMs());
    });
  }

  #subscribe(client: MqttClient, fail: (code: string, text: string) => void): void {
    const { topic, qos } = this.#settings.options;
    client.subscribe(String(topic), { qos: qos === 1 ? 1 : 0 }, (fault, granted) => {
      if (fault !== null || granted?.[0]?.qos === 128) {
        fail("refused", `the subscription to ${String(topic)} was refused`);
        return;
      }
      this.#backoff.reset();
      this.#life.up();
    });
  }

  /** The clock of a receiver that sends its time; null: there are too many receivers. */
  #clockOf(receiver: string): FarClock | null {
    const known = this.#clocks.get(receiver);
    if (known !== undefined || this.#clocks.size >= LINK_SOURCES_MAX) return known ?? null;
    const clock = new FarClock();
    this.#clocks.set(receiver, clock);
    return clock;
  }

  #take(topic: string, body: Buffer, isRetained: boolean): void {
    if (this.#isClosed) return;
    const nowMs = this.#context.clock.nowMs();
    const { counters } = this.#life;
    const kind = this.#settings.options.payload === "raw" ? "raw" : "json";
    const heard = body.length > PAYLOAD_BYTES_MAX ? null : readMessage(body, kind);
    const receiver = heard?.receiver ?? receiverName(topic.split("/").at(-1)) ?? "receiver";
    if (!this.#limit.take(receiver, nowMs)) {
      counters.dropped++;
      return;
    }
    const messages = heard === null ? null : readOdid(heard.payload, nowMs);
    if (heard === null || messages === null || "bad" in messages) {
      counters.bad++;
      return;
    }
    // A retained message may be of any age.
    if (isRetained && heard.atMs === null) {
      counters.dropped++;
      return;
    }
    this.#life.heard(receiver);
    if (heard.atMs !== null && !isRetained) this.#clockOf(receiver)?.note(heard.atMs, nowMs);
    const claim =
      heard.mac === null
        ? claimOf(messages)
        : this.#transmitters.join(`${receiver}\u0000${heard.mac}`, messages, nowMs);
    // Only a message with a position makes an observation; the rest is kept for the next one.
    if (typeof claim.lat !== "number" || typeof claim.uas_id !== "string") return;
    const { source_id: own } = this.#settings.options;
    const observation = {
      ...claim,
      source_id: typeof own === "string" ? own : `rid:${receiver}`,
      modality: "remote_id",
      measured_at: heard.atMs === null ? nowMs : (this.#clockOf(receiver)?.toOurs(heard.atMs) ?? heard.atMs),
      transport: heard.transport,
      receiver: { mac: heard.mac, rssi_dbm: heard.rssiDbm, channel: heard.channel },
    };
    counters.dropped += this.#context.observe([observation]).rejected;
  }
}

/**
 * Why no broker may accept this topic filter (MQTT 3.1.1, 4.7.1): `#` must stand alone at the end, `+` alone between two `/`.
 * null: it is valid.
 */
function whyNotTopic(topic: unknown): string | null {
  if (typeof topic !== "string" || topic === "" || topic.length > 500)
    return "options.topic must be the topic that the receivers publish to";
  const levels = topic.split("/");
  const isWrong = levels.some(
    (level, i) => /[+#]/.test(level) && level !== "+" && !(level === "#" && i === levels.length - 1),
  );
  if (isWrong) return `options.topic ${topic}: # stands alone as the last level, + alone as one of them`;
  return topic.includes("\u0000") ? "options.topic must not have the character U+0000" : null;
}

export const remoteIdAdapter: LinkAdapter = {
  protocol: "odid_wifi_ble",
  transports: ["mqtt"],
  defaults: { transport: "mqtt", role: "connect", port: null },
  verbs: [],
  refuse({ address, options, secret }) {
    const { username } = options;
    if (username !== undefined && (typeof username !== "string" || Buffer.byteLength(username) > USERNAME_BYTES_MAX))
      return `options.username must be a text of at most ${USERNAME_BYTES_MAX} bytes`;
    if (secret !== null && typeof username !== "string")
      return "a secret needs options.username: MQTT has no password without a user name";
    const wrongTopic = whyNotTopic(options.topic);
    if (wrongTopic !== null) return wrongTopic;
    if (options.payload !== undefined && options.payload !== "json" && options.payload !== "raw")
      return "options.payload must be json or raw";
    return whyNotSourceId(options) ?? whyNotUrl(address, ["mqtt:", "mqtts:"]);
  },
  open: async (settings, context) => new RemoteIdLink(settings, context),
};
