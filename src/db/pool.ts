/**
 * A pool of postgres.js over sockets of our own: one that stopped answering can be cut, a peer that closes during the
 * handshake is not knocked at without pause (the driver alone does 580 times a second), and a connection that goes away
 * in a transaction does not end the process. Knows no retry and no state.
 */
import net from "node:net";
import postgres from "postgres";
import { QUERY_DEADLINE_MS } from "../limits.ts";
import { PROCESS_NAME } from "./processName.ts";

export interface Pool {
  readonly sql: postgres.Sql;
  /** Ends it now: nothing more is sent; a frozen server leaves nothing open on our side. */
  cut(): void;
}

interface PoolOptions {
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The server itself ends a statement that takes longer; 0 is no limit. */
  readonly statementTimeoutMs: number;
  /** A connection closed that we did not close. */
  readonly onLost: (fault: Error) => void;
}

/** A process that is frozen in a transaction keeps its locks no longer. Ours give up after their deadline. */
const IDLE_IN_TRANSACTION_MS = QUERY_DEADLINE_MS + 1000;

const lost = (why: string) => Object.assign(new Error(why), { code: "CONNECTION_CLOSED" });

/**
 * Its end is told only when the driver has let go of it. The driver forgets a closed socket but not the transaction on
 * it: the next statement, its own rollback too, is written to null from a timer, where nothing can catch that. What is
 * written in the meantime is dropped, for the socket is destroyed already.
 */
class HeldSocket extends net.Socket {
  letGo: () => Promise<void> = () => Promise.resolve();

  // Not a listener: when it starts TLS, the driver takes all of them off.
  override emit(event: string | symbol, ...told: unknown[]): boolean {
    if (event !== "close") return super.emit(event, ...told);
    void this.letGo().then(() => super.emit(event, ...told));
    return true;
  }
}

const TEXT_ARRAY = 1009;
/** As `any(${ids})` sends them; no column is an array. */
const textArray = {
  to: TEXT_ARRAY,
  from: [TEXT_ARRAY],
  serialize: (texts: readonly string[]) =>
    `{${texts.map((text) => `"${text.replaceAll(/[\\"]/g, "\\$&")}"`).join(",")}}`,
  parse: (text: string) => text,
};

export function openPool(url: string, options: PoolOptions): Pool {
  const sockets = new Set<HeldSocket>();
  let ended: Promise<void> | null = null;

  const connect = ({ host: [host = "127.0.0.1"], port: [port = 5432] }: { host: string[]; port: number[] }) =>
    new Promise<net.Socket>((resolve, reject) => {
      if (ended !== null) return reject(lost("the pool is closed"));
      const socket = new HeldSocket();
      // The driver reads both when it starts TLS.
      Object.assign(socket, { host, port });
      sockets.add(socket);
      const timer = setTimeout(
        () => socket.destroy(lost("the database did not accept in time")),
        options.connectTimeoutMs,
      );
      socket.letGo = () => {
        clearTimeout(timer);
        sockets.delete(socket);
        const fault = lost("the database closed a connection");
        reject(fault);
        if (ended === null) {
          // One loss ends the pool: whoever opened it decides when the next one is tried.
          cut();
          options.onLost(fault);
        }
        return ended ?? Promise.resolve();
      };
      socket.once("error", reject);
      socket.once("connect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
      socket.setNoDelay(true);
      socket.connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    });
  const sql = postgres(url, {
    max: options.connectionsMax,
    connect_timeout: options.connectTimeoutMs / 1000,
    // Ours never close a healthy connection, so that every close is news.
    idle_timeout: 0,
    max_lifetime: null,
    // A look-up at each connection, and one that is lost in it is a rejection that nobody catches.
    fetch_types: false,
    types: { textArray },
    onnotice: () => undefined,
    connection: {
      application_name: PROCESS_NAME,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    // Taken by the driver, missing in its types.
    ...({ socket: connect } as object),
  });
  const cut = () => {
    if (ended !== null) return;
    // It refuses what is in flight and all that comes later. Only then the sockets: with TLS it would still write to them.
    ended = sql
      .end({ timeout: 0 })
      .catch(() => undefined)
      .finally(() => {
        for (const socket of sockets) socket.destroy();
      });
  };
  return { sql, cut };
}
