/**
 * A TCP client that reconnects: it hands over what it reads, and after a loss tries again with back-off and jitter. A far end
 * that accepts the connection and sends nothing is disconnected after a while. Shared by the protocols that connect.
 */
import { connect, type Socket } from "node:net";
import { Backoff, faultCode, type LinkLife } from "../lifecycle.ts";
import { lookupAllowed } from "./allowedHosts.ts";

const CONNECT_TIMEOUT_MS = 5000;

interface TcpClientParts {
  readonly host: string;
  readonly port: number;
  readonly life: LinkLife;
  readonly onConnect?: (socket: Socket) => void;
  readonly onData: (data: Buffer) => void;
  /** The connection is lost; discard what was read in part. */
  readonly onLost?: () => void;
  /** Disconnects after this long without data; 0: never. */
  readonly silenceMs?: number;
}

export class TcpClient {
  readonly #parts: TcpClientParts;
  readonly #backoff = new Backoff();
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: TcpClientParts) {
    this.#parts = parts;
    this.#connect();
  }

  get socket(): Socket | null {
    return this.#socket?.readyState === "open" ? this.#socket : null;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  #again(code: string, text: string): void {
    const { host, port, life } = this.#parts;
    life.failed(code, `${host}:${port}: ${text}`);
    this.#timer = setTimeout(() => this.#connect(), this.#backoff.nextMs());
  }

  #connect(): void {
    const { host, port, life, onConnect, onData, silenceMs = 0 } = this.#parts;
    const socket = connect({ host, port, noDelay: true, lookup: lookupAllowed });
    this.#socket = socket;
    let why = { code: "refused", text: "the far end closed the connection" };
    socket.setTimeout(CONNECT_TIMEOUT_MS);
    socket.on("connect", () => {
      socket.setTimeout(silenceMs);
      life.up();
      onConnect?.(socket);
    });
    socket.on("data", (data) => {
      this.#backoff.reset();
      onData(data);
    });
    socket.on("timeout", () => {
      why = { code: "timeout", text: "the far end is silent" };
      socket.destroy();
    });
    socket.on("error", (fault) => (why = { code: faultCode(fault), text: fault.message }));
    socket.on("close", () => {
      this.#parts.onLost?.();
      if (!this.#isClosed) this.#again(why.code, why.text);
    });
  }
}
