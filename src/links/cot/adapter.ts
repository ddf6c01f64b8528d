/**
 * Cursor on Target over TCP (TAK clients connect to us, or we connect to a TAK server) and UDP multicast. Publishes the
 * picture, takes friendly positions and sightings. The format is in `write.ts` and `read.ts`.
 */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import type { PlatformSource } from "../../domain/platformReport.ts";
import {
  COT_CLIENTS_MAX,
  COT_EVENTS_PER_SOURCE_HZ,
  COT_EVENTS_WAITING_MAX,
  COT_STALLED_MS,
  COT_UNREAD_BYTES_MAX,
  LINK_SOURCES_MAX,
} from "../../limits.ts";
import type { PublishedPicture } from "../../room/face.ts";
import {
  type LinkAdapter,
  type LinkContext,
  type LinkSettings,
  type LinkStatus,
  type OpenLink,
  PortInUseError,
} from "../adapter.ts";
import { faultCode, LinkLife, SourceLimit } from "../lifecycle.ts";
import { resolveAllowed, whyNotConnect } from "../net/allowedHosts.ts";
import { SendQueue } from "../net/sendQueue.ts";
import { TcpClient } from "../net/tcpClient.ts";
import { type TcpPeer, TcpServer } from "../net/tcpServer.ts";
import { CotPublisher } from "./publish.ts";
import { readEvent } from "./read.ts";
import { EventSplitter } from "./split.ts";
import { meaningOf } from "./take.ts";
import { isOwnXml, pongEvent } from "./write.ts";

const PERIOD_S = 1;

const QUEUE_BOUNDS = {
  unreadBytesMax: COT_UNREAD_BYTES_MAX,
  waitingMax: COT_EVENTS_WAITING_MAX,
  stalledMs: COT_STALLED_MS,
};

/** Shared by all transports: reads events, reports what they mean, publishes the picture periodically. */
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

  /** Sends an event. `reportedBy` is the platform that reported its own position on this link, if the event is about one. */
  abstract tell(event: string, reportedBy?: PlatformSource): void;
  /** Whether everyone who receives from this link also receives this platform's own events. */
  protected abstract isKnownThere(source: PlatformSource): boolean;
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

  /** Sends the whole picture to a new client, without platforms of which `isKnown` is true. */
  protected tellEverything(tell: (event: string) => void, isKnown = (_: PlatformSource) => false): void {
    if (this.settings.direction === "in") return;
    const shown = this.#pictureToSend();
    for (const { id, xml } of this.#publisher.everything(shown, this.context.clock.nowMs())) {
      const source = this.#heardHere(shown, id);
      if (source === undefined || !isKnown(source)) tell(xml);
    }
  }

  /** Takes one received event. Returns the uid if it is a friend's own position, else null. */
  protected takeEvent(xml: string, peer: string, answer: (event: string) => void): string | null {
    const { workspaceId } = this.context;
    // Our own event, returned to us: it does not count against the far end's rate limit.
    if (isOwnXml(workspaceId, xml)) return null;
    const nowMs = this.context.clock.nowMs();
    if (!this.#limit.take(peer, nowMs)) {
      this.life.counters.dropped++;
      return null;
    }
    const event = readEvent(xml);
    if (event === null) {
      this.life.counters.bad++;
      return null;
    }
    const meaning = meaningOf(event, peer, this.settings.linkId, workspaceId, nowMs);
    if (meaning.is === "own") return null;
    this.life.heard(event.uid);
    if (this.settings.direction === "out" && meaning.is !== "ping") return null;
    if (meaning.is === "ping") answer(pongEvent(nowMs));
    else if (meaning.is === "friend") this.context.report(meaning.report);
    else if (meaning.is === "sighting")
      this.life.counters.dropped += this.context.observe([meaning.observation]).rejected;
    else if (meaning.is === "untimely" || meaning.is === "untaken") this.life.counters.dropped++;
    return meaning.is === "friend" ? event.uid : null;
  }

  #publish(): void {
    const shown = this.#pictureToSend();
    for (const { id, xml } of this.#publisher.due(shown, this.context.clock.nowMs()))
      this.tell(xml, this.#heardHere(shown, id));
  }

  #heardHere({ reportedBy }: PublishedPicture, id: string): PlatformSource | undefined {
    const source = reportedBy.get(id);
    return source?.linkId === this.settings.linkId ? source : undefined;
  }

  /** The picture without platforms that the receivers already see under their own uid; TAK would draw them twice. */
  #pictureToSend(): PublishedPicture {
    const picture = this.context.picture();
    const isNews = ({ id }: { readonly id: string }) => {
      const source = this.#heardHere(picture, id);
      return source === undefined || !this.isKnownThere(source);
    };
    return { ...picture, tracks: picture.tracks.filter(isNews), assets: picture.assets.filter(isNews) };
  }
}

class CotServer extends CotLink {
  /** Clients with the uids that each reports of itself, which are sent to the others only. */
  readonly #peers = new Map<TcpPeer, Set<string>>();
  #server: TcpServer | null = null;

  async start(): Promise<void> {
    this.#server = await TcpServer.open({
      host: this.settings.address,
      port: this.settings.port ?? 0,
      clientsMax: COT_CLIENTS_MAX,
      queue: QUEUE_BOUNDS,
      life: this.life,
      onClient: (peer) => this.#welcome(peer),
    });
  }

  tell(event: string, reportedBy?: PlatformSource): void {
    for (const [peer, uids] of this.#peers) if (!uids.has(reportedBy?.systemId ?? "")) peer.write(event);
  }

  protected isKnownThere(): boolean {
    return false;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  #welcome(peer: TcpPeer) {
    const uids = new Set<string>();
    this.#peers.set(peer, uids);
    const splitter = new EventSplitter();
    const host = peer.name.slice(0, peer.name.lastIndexOf(":"));
    // A client that reconnects has not sent its uid yet; its host identifies it.
    const isOfHost = ({ address }: PlatformSource) => address.startsWith(`${host}/`);
    this.tellEverything((event) => peer.write(event), isOfHost);
    return {
      onData: (data: Buffer) => {
        const before = splitter.bad;
        for (const xml of splitter.push(data)) {
          const uid = this.takeEvent(xml, host, (event) => peer.write(event));
          if (uid !== null && uids.size < LINK_SOURCES_MAX) uids.add(uid);
        }
        this.life.counters.bad += splitter.bad - before;
      },
      onGone: () => void this.#peers.delete(peer),
    };
  }
}

class CotClient extends CotLink {
  readonly #client: TcpClient;
  #queue: SendQueue | null = null;
  #splitter = new EventSplitter();

  constructor(settings: LinkSettings, context: LinkContext) {
    super(settings, context);
    this.#client = new TcpClient({
      host: settings.address,
      port: settings.port!,
      life: this.life,
      onConnect: (socket) => {
        this.#queue = new SendQueue(socket, QUEUE_BOUNDS);
        this.tellEverything((event) => this.tell(event));
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
    if (socket === null || this.#queue === null) return;
    if (this.#queue.write(event)) this.life.counters.tx++;
    else {
      // Disconnect instead of skipping an event: a lost removal would stay on its map. It gets everything when it reconnects.
      this.life.counters.dropped++;
      socket.destroy();
    }
  }

  /** A TAK server forwards each client's events to the others. */
  protected isKnownThere(): boolean {
    return true;
  }

  async stop(): Promise<void> {
    this.#client.close();
  }
}

class CotDatagrams extends CotLink {
  readonly #socket: Socket;
  /** Address to which events go; null until it is resolved, and for a link that only receives. */
  #target: string | null = null;

  constructor(settings: LinkSettings, context: LinkContext) {
    super(settings, context);
    // A datagram to a group reaches every socket that joined it, so several may bind the port. A datagram to one machine
    // reaches only the socket that bound last.
    this.#socket = createSocket({ type: "udp4", reuseAddr: settings.transport === "multicast" });
  }

  async start(): Promise<void> {
    const { address, port, direction, options, transport } = this.settings;
    const socket = this.#socket;
    const isGroup = transport === "multicast";
    const face = typeof options.interface === "string" ? options.interface : undefined;
    const here =
      direction === "out" ? { port: 0, address: "0.0.0.0" } : { port: port!, address: isGroup ? address : "0.0.0.0" };
    const bound = once(socket, "listening");
    socket.bind(here);
    await bound.catch((fault: unknown) => {
      if (faultCode(fault) !== "port_in_use") throw fault;
      throw new PortInUseError(`UDP ${here.address}:${here.port} is taken by another program or link`);
    });
    socket.on("error", (fault) => this.life.failed(faultCode(fault), fault.message));
    if (isGroup) {
      socket.setMulticastTTL(typeof options.ttl === "number" ? options.ttl : 1);
      if (face !== undefined) socket.setMulticastInterface(face);
      if (direction !== "out") socket.addMembership(address, face);
    }
    // Resolved once, so that a later change of the name does not redirect the picture.
    if (direction !== "in") this.#target = isGroup ? address : await resolveAllowed(address);
    socket.on("message", (datagram, from) => this.#take(datagram, from.address));
    // A link that only sends is listed with the port that it sends to; its own port changes with each start.
    if (direction !== "out") this.life.localPort = socket.address().port;
    this.life.up();
  }

  /** A datagram may hold several events. */
  #take(datagram: Buffer, peer: string): void {
    const splitter = new EventSplitter();
    for (const xml of splitter.push(datagram)) this.takeEvent(xml, peer, (event) => this.tell(event));
    splitter.finish();
    this.life.counters.bad += splitter.bad;
  }

  tell(event: string): void {
    if (this.#target === null) return;
    this.#socket.send(event, this.settings.port!, this.#target, (fault) => {
      if (fault === null) this.life.counters.tx++;
      else this.life.counters.dropped++;
    });
  }

  /** Members of a group receive each other. A single receiver knows only its own events. */
  protected isKnownThere({ address, systemId }: PlatformSource): boolean {
    return this.settings.transport === "multicast" || address === `${this.#target}/${systemId}`;
  }

  async stop(): Promise<void> {
    this.#target = null;
    this.#socket.removeAllListeners("message");
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }
}

/** Why these settings of a datagram link cannot work; null: they can. */
function whyNotDatagrams({ transport, direction, address, port, options }: LinkSettings): string | null {
  const { ttl, interface: face } = options;
  if (ttl !== undefined && !(typeof ttl === "number" && Number.isInteger(ttl) && ttl >= 0 && ttl <= 64))
    return "options.ttl must be a whole number from 0 to 64";
  if (face !== undefined && !(typeof face === "string" && isIPv4(face)))
    return "options.interface must be the IPv4 address of one of this machine's interfaces";
  if (port === 0) return "a datagram link needs the port of its receivers, not 0";
  if (transport === "multicast")
    return isIPv4(address) && /^(22[4-9]|23\d)\./.test(address) ? null : `${address} is not a multicast group`;
  return direction === "in" ? null : whyNotConnect(address);
}

export const cotAdapter: LinkAdapter = {
  protocol: "cot_xml",
  transports: ["tcp", "udp", "multicast"],
  defaults: { transport: "tcp", role: "listen", port: 8088 },
  verbs: [],
  refuse(settings) {
    const { transport, role, address, port, options } = settings;
    const { period_s: period } = options;
    if (period !== undefined && !(typeof period === "number" && period >= 0.2 && period <= 60))
      return "options.period_s must be from 0.2 to 60";
    if (port === null) return "a CoT link needs a port";
    if (transport !== "tcp") return whyNotDatagrams(settings);
    if (role === "listen") return null;
    return port === 0 ? "port 0 is not a port to connect to" : whyNotConnect(address);
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
