/**
 * Cursor on Target over TCP (TAK clients come to us, or we go to a TAK server) and UDP multicast. Publishes the picture,
 * takes friendly positions and sightings. Protocol facts are in `write.ts` and `read.ts`.
 */
import { createSocket, type Socket } from "node:dgram";
import { COT_CLIENTS_MAX, COT_EVENTS_PER_SOURCE_HZ, COT_UNREAD_BYTES_MAX } from "../../../limits.ts";
import type { LinkAdapter, LinkContext, LinkSettings, LinkStatus, OpenLink } from "../adapter.ts";
import { faultCode, LinkLife, SourceLimit } from "../lifecycle.ts";
import { whyNotOutbound } from "../outbound.ts";
import { TcpClient } from "../tcpClient.ts";
import { type TcpPeer, TcpServer } from "../tcpServer.ts";
import { CotPublisher } from "./publish.ts";
import { EventSplitter, readEvent } from "./read.ts";
import { meaningOf } from "./take.ts";
import { pongEvent } from "./write.ts";

const PERIOD_S = 1;

/** What all transports share: reading events, telling what they mean, and the round of publishing. */
abstract class CotLink implements OpenLink {
  protected readonly settings: LinkSettings;
  protected readonly context: LinkContext;
  protected readonly life: LinkLife;
  readonly #publisher: CotPublisher;
  readonly #limit = new SourceLimit(COT_EVENTS_PER_SOURCE_HZ);
  readonly #timer: NodeJS.Timeout | null;

  constructor(settings: LinkSettings, context: LinkContext) {
    this.settings = settings;
    this.context = context;
    this.life = new LinkLife(context.clock, () => context.changed());
    this.#publisher = new CotPublisher(context.workspaceId);
    const periodS = typeof settings.options.period_s === "number" ? settings.options.period_s : PERIOD_S;
    this.#timer = settings.direction === "in" ? null : setInterval(() => this.#publish(), periodS * 1000);
  }

  abstract tell(event: string): void;
  abstract stop(): Promise<void>;

  get counters() {
    return this.life.counters;
  }

  status(nowMs: number): LinkStatus {
    return this.life.status(nowMs);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.stop();
    this.life.closed();
  }

  protected everything(): string[] {
    if (this.settings.direction === "in") return [];
    return this.#publisher.everything(this.context.picture(), this.context.clock.nowMs());
  }

  protected takeEvent(xml: string, peer: string, answer: (event: string) => void): void {
    const nowMs = this.context.clock.nowMs();
    if (!this.#limit.take(peer, nowMs)) {
      this.life.counters.dropped++;
      return;
    }
    const event = readEvent(xml);
    if (event === null) {
      this.life.counters.bad++;
      return;
    }
    this.life.heard(event.uid);
    if (this.settings.direction === "out" && event.type !== "t-x-c-t") return;
    const meaning = meaningOf(event, peer, this.settings.linkId, this.context.workspaceId, nowMs);
    if (meaning.is === "ping") answer(pongEvent(nowMs));
    else if (meaning.is === "friend") this.context.hear(meaning.report);
    else if (meaning.is === "sighting")
      this.life.counters.dropped += this.context.observe([meaning.observation]).rejected;
    else if (meaning.is === "untimely") this.life.counters.dropped++;
  }

  #publish(): void {
    for (const event of this.#publisher.due(this.context.picture(), this.context.clock.nowMs())) this.tell(event);
  }
}

class CotServer extends CotLink {
  readonly #peers = new Set<TcpPeer>();
  #server: TcpServer | null = null;

  async start(): Promise<void> {
    this.#server = await TcpServer.open({
      host: this.settings.address,
      port: this.settings.port ?? 0,
      clientsMax: COT_CLIENTS_MAX,
      unreadBytesMax: COT_UNREAD_BYTES_MAX,
      life: this.life,
      onClient: (peer) => this.#welcome(peer),
    });
  }

  tell(event: string): void {
    for (const peer of this.#peers) peer.write(event);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  #welcome(peer: TcpPeer) {
    this.#peers.add(peer);
    const splitter = new EventSplitter();
    const host = peer.name.slice(0, peer.name.lastIndexOf(":"));
    for (const event of this.everything()) peer.write(event);
    return {
      onData: (data: Buffer) => {
        const before = splitter.bad;
        for (const xml of splitter.push(data)) this.takeEvent(xml, host, (event) => peer.write(event));
        this.life.counters.bad += splitter.bad - before;
      },
      onGone: () => void this.#peers.delete(peer),
    };
  }
}

class CotClient extends CotLink {
  readonly #client: TcpClient;
  #splitter = new EventSplitter();

  constructor(settings: LinkSettings, context: LinkContext) {
    super(settings, context);
    this.#client = new TcpClient({
      host: settings.address,
      port: settings.port!,
      life: this.life,
      onConnect: () => {
        for (const event of this.everything()) this.tell(event);
      },
      onData: (data) => {
        const before = this.#splitter.bad;
        for (const xml of this.#splitter.push(data)) this.takeEvent(xml, settings.address, (event) => this.tell(event));
        this.life.counters.bad += this.#splitter.bad - before;
      },
      onLost: () => (this.#splitter = new EventSplitter()),
    });
  }

  tell(event: string): void {
    const { socket } = this.#client;
    if (socket === null) return;
    if (socket.writableLength > COT_UNREAD_BYTES_MAX) {
      this.life.counters.dropped++;
      return;
    }
    socket.write(event);
    this.life.counters.tx++;
  }

  async stop(): Promise<void> {
    this.#client.close();
  }
}

class CotDatagrams extends CotLink {
  #socket: Socket | null = null;

  /** A group is joined to hear it; several programs of one machine may. */
  async start(): Promise<void> {
    const { address, port, direction, options, transport } = this.settings;
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    const isGroup = transport === "multicast";
    const face = typeof options.interface === "string" ? options.interface : undefined;
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      const here = direction === "out" ? { port: 0 } : { port: port ?? 0, address: isGroup ? address : "0.0.0.0" };
      socket.bind(here, () => resolve());
    });
    socket.removeAllListeners("error");
    socket.on("error", (fault) => this.life.failed(faultCode(fault), fault.message));
    if (isGroup) {
      socket.setMulticastTTL(typeof options.ttl === "number" ? options.ttl : 1);
      if (face !== undefined) socket.setMulticastInterface(face);
      if (direction !== "out") socket.addMembership(address, face);
    }
    socket.on("message", (datagram, from) =>
      this.takeEvent(datagram.toString("utf8"), from.address, (event) => this.tell(event)),
    );
    this.#socket = socket;
    this.life.localPort = socket.address().port;
    this.life.up();
  }

  tell(event: string): void {
    const { address, port } = this.settings;
    this.#socket?.send(event, port ?? 0, address, (fault) => {
      if (fault === null) this.life.counters.tx++;
      else this.life.counters.dropped++;
    });
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => (this.#socket === null ? resolve() : this.#socket.close(() => resolve())));
  }
}

export const cotAdapter: LinkAdapter = {
  protocol: "cot_xml",
  transports: ["tcp", "udp", "multicast"],
  defaults: { transport: "tcp", role: "listen", port: 8088 },
  verbs: [],
  refuse({ transport, role, address, port, options }) {
    const { period_s: period, ttl } = options;
    if (period !== undefined && !(typeof period === "number" && period >= 0.2 && period <= 60))
      return "options.period_s must be from 0.2 to 60";
    if (ttl !== undefined && !(typeof ttl === "number" && ttl >= 0 && ttl <= 64))
      return "options.ttl must be from 0 to 64";
    if (transport === "multicast" && !/^(22[4-9]|23\d)\./.test(address)) return `${address} is no multicast group`;
    if (port === null) return "a CoT link needs a port";
    return transport === "tcp" && role === "connect" ? whyNotOutbound(address) : null;
  },
  async open(settings, context) {
    if (settings.transport === "tcp" && settings.role === "connect") return new CotClient(settings, context);
    const link = settings.transport === "tcp" ? new CotServer(settings, context) : new CotDatagrams(settings, context);
    try {
      await link.start();
    } catch (fault) {
      await link.close();
      throw fault;
    }
    return link;
  },
};
