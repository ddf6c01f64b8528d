/**
 * A TCP listener of a link with a bounded number of clients and a bounded send queue for each. Knows nothing of what the bytes
 * mean. Shared by the protocols to which others connect.
 */
import { createServer, type Server, type Socket } from "node:net";
import { PortInUseError } from "../adapter.ts";
import { faultCode, type LinkLife } from "../lifecycle.ts";
import { SendQueue, type SendQueueBounds } from "./sendQueue.ts";

const END_WITHIN_MS = 2000;

interface TcpServerParts {
  readonly host: string;
  readonly port: number;
  readonly clientsMax: number;
  /** A client that leaves more than this unread is disconnected. */
  readonly queue: SendQueueBounds;
  readonly life: LinkLife;
  /** Returns what to do with the client's bytes, and when it has left. */
  readonly onClient: (client: TcpPeer) => { readonly onData: (data: Buffer) => void; readonly onGone?: () => void };
}

/** One client. It is disconnected, and the message counted as dropped, when it does not read. */
export class TcpPeer {
  readonly name: string;
  readonly #socket: Socket;
  readonly #queue: SendQueue;
  readonly #parts: TcpServerParts;

  constructor(socket: Socket, parts: TcpServerParts) {
    this.#socket = socket;
    this.#queue = new SendQueue(socket, parts.queue);
    this.#parts = parts;
    this.name = `${socket.remoteAddress}:${socket.remotePort}`;
  }

  write(bytes: Uint8Array | string): void {
    const { counters } = this.#parts.life;
    if (!this.#socket.writable) return;
    if (this.#queue.write(bytes)) counters.tx++;
    else {
      counters.dropped++;
      this.#socket.destroy();
    }
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Closes after what waits was written; destroys the socket if that takes too long. */
  end(): void {
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), END_WITHIN_MS).unref();
  }
}

export class TcpServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(parts: TcpServerParts): Promise<TcpServer> {
    const server = createServer({ noDelay: true });
    const listener = new TcpServer(server);
    server.on("connection", (socket) => listener.#welcome(socket, parts));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: parts.host, port: parts.port, exclusive: true }, resolve);
    }).catch((fault: unknown) => {
      server.close();
      if (faultCode(fault) === "port_in_use")
        throw new PortInUseError(`TCP ${parts.host}:${parts.port} is taken by another program`);
      throw fault;
    });
    server.removeAllListeners("error");
    server.on("error", (fault) => parts.life.failed(faultCode(fault), fault.message));
    const address = server.address();
    parts.life.localPort = typeof address === "object" && address !== null ? address.port : parts.port;
    parts.life.up();
    return listener;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #welcome(socket: Socket, parts: TcpServerParts): void {
    if (this.#sockets.size >= parts.clientsMax) {
      parts.life.counters.dropped++;
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const client = parts.onClient(new TcpPeer(socket, parts));
    socket.on("data", client.onData);
    // Many clients leave with a reset; `close` follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      client.onGone?.();
    });
  }
}
