/**
 * A pool of postgres.js over our own sockets, which mends three faults of the driver (ADR 0030): a pool whose server
 * stopped answering can be cut; a server that closes during the handshake is not retried without pause (the driver alone
 * tries 580 times a second); a connection that is lost in a transaction does not end the process. The pool neither
 * retries nor keeps a state.
 */
import net from "node:net";
import postgres from "postgres";
import { QUERY_DEADLINE_MS } from "../limits.ts";
import { PROCESS_NAME } from "./processName.ts";

export interface Pool {
  readonly sql: postgres.Sql;
  /** Closes all sockets now and sends nothing more, so that a frozen server leaves nothing open on our side. */
  cut(): void;
}

interface PoolOptions {
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The server ends a statement that takes longer; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** Called when a connection closed that we did not close. */
  readonly onLost: (fault: Error) => void;
}

/** The server ends a transaction that is idle for so long: its process is frozen, or it would have met its deadline. */
const IDLE_IN_TRANSACTION_MS = QUERY_DEADLINE_MS + 1000;

const lost = (why: string) => Object.assign(new Error(why), { code: "CONNECTION_CLOSED" });

/**
 * Emits "close" only after the driver has been ended. The driver forgets a closed socket but not the transaction on it:
 * the next statement, even its own rollback, is written to null from a timer, and that error ends the process. What the
 * driver writes before it is ended is dropped, because the socket is destroyed.
 */
class HeldSocket extends net.Socket {
  letGo: () => Promise<void> = () => Promise.resolve();

  // An override and not a listener, because the driver removes all listeners when it starts TLS.
  override emit(event: string | symbol, ...told: unknown[]): boolean {
    if (event !== "close") return super.emit(event, ...told);
    void this.letGo().then(() => super.emit(event, ...told));
    return true;
  }
}

const TEXT_ARRAY = 1009;
/** The parameter of `any(${ids})`. No column is an array. */
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
      // The driver reads these two when it starts TLS.
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
          // One lost connection ends the pool. Whoever opened the pool decides when to open another.
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
    // We never close a healthy connection, so every close is a fault.
    idle_timeout: 0,
    max_lifetime: null,
    // The driver would look types up at each connection; one that is lost in that is an unhandled rejection.
    fetch_types: false,
    types: { textArray },
    onnotice: () => undefined,
    connection: {
      application_name: PROCESS_NAME,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    // The driver takes this option, its types lack it.
    ...({ socket: connect } as object),
  });
  const cut = () => {
    if (ended !== null) return;
    // First end the driver, which refuses statements in flight and later ones; then destroy the sockets. In the other
    // order the driver would still write to sockets with TLS.
    ended = sql
      .end({ timeout: 0 })
      .catch(() => undefined)
      .finally(() => {
        for (const socket of sockets) socket.destroy();
      });
  };
  return { sql, cut };
}
