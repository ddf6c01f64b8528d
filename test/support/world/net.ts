/**
 * UDP in memory, in place of `node:dgram`: datagrams between sockets of this process are lost, copied, delayed and reordered
 * by seeded draws, and arrive by the world's clock.
 */
import type { RemoteInfo } from "node:dgram";
import { EventEmitter } from "node:events";
import type { Draws } from "./draws.ts";

interface Datagram {
  readonly dueMs: number;
  readonly bytes: Buffer;
  readonly from: RemoteInfo;
  readonly toPort: number;
}

const HOST = "127.0.0.1";
const FIRST_PORT = 40_000;

export class SimulatedNet {
  /** From now on no datagram is lost, copied or delayed. */
  isCalm = false;
  readonly #draws: Draws;
  readonly #sockets = new Map<number, SimulatedSocket>();
  #underWay: Datagram[] = [];
  #nextPort = FIRST_PORT;
  #nowMs = 0;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  /** Delivers the due datagrams, in order of arrival. */
  deliver(nowMs: number): void {
    this.#nowMs = nowMs;
    const due = this.#underWay.filter(({ dueMs }) => dueMs <= nowMs);
    if (due.length === 0) return;
    this.#underWay = this.#underWay.filter(({ dueMs }) => dueMs > nowMs);
    // A stable sort: datagrams that are due at the same time arrive in the order of sending.
    due.sort((a, b) => a.dueMs - b.dueMs);
    for (const { bytes, from, toPort } of due) this.#sockets.get(toPort)?.emit("message", bytes, from);
  }

  bind(socket: SimulatedSocket, wanted: number): number {
    const port = wanted === 0 ? this.#nextPort++ : wanted;
    if (this.#sockets.has(port)) throw Object.assign(new Error("taken"), { code: "EADDRINUSE", syscall: "bind" });
    this.#sockets.set(port, socket);
    return port;
  }

  release(port: number): void {
    this.#sockets.delete(port);
  }

  send(bytes: Uint8Array, fromPort: number, toPort: number): void {
    const draws = this.#draws;
    if (!this.isCalm && draws.chance(0.02)) return;
    const copies = !this.isCalm && draws.chance(0.02) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const delayMs = this.isCalm ? 5 : draws.chance(0.05) ? draws.between(50, 400) : draws.between(2, 20);
      const from = { address: HOST, family: "IPv4" as const, port: fromPort, size: bytes.length };
      this.#underWay.push({ dueMs: this.#nowMs + delayMs, bytes: Buffer.from(bytes), from, toPort });
    }
  }
}

let current: SimulatedNet | null = null;

/** Sockets that are opened from now on belong to this net. */
export function useNet(net: SimulatedNet): void {
  current = net;
}

class SimulatedSocket extends EventEmitter {
  readonly #net: SimulatedNet;
  #port = 0;
  #isClosed = false;

  constructor(net: SimulatedNet) {
    super();
    this.#net = net;
  }

  bind(where: number | { readonly port: number }, then?: unknown): this {
    const port = typeof where === "number" ? where : where.port;
    queueMicrotask(() => {
      try {
        this.#port = this.#net.bind(this, port);
      } catch (fault) {
        this.emit("error", fault);
        return;
      }
      if (typeof then === "function") then();
      this.emit("listening");
    });
    return this;
  }

  address() {
    return { address: HOST, family: "IPv4", port: this.#port };
  }

  send(bytes: Uint8Array, port: number, _host: string, then?: (fault: Error | null) => void): void {
    if (this.#isClosed) throw new Error("the socket is closed");
    this.#net.send(bytes, this.#port, port);
    if (then !== undefined) queueMicrotask(() => then(null));
  }

  close(): this {
    this.#isClosed = true;
    this.#net.release(this.#port);
    queueMicrotask(() => this.emit("close"));
    return this;
  }
}

/** Replaces `createSocket` of node:dgram. */
export function createSocket(): SimulatedSocket {
  if (current === null) throw new Error("no simulated net is in use");
  return new SimulatedSocket(current);
}

export const Socket = SimulatedSocket;
