/**
 * A pool of postgres.js over sockets of our own: one that stopped answering can be cut, and a peer that closes during
 * the handshake is not knocked at without pause (the driver alone does 580 times a second). Knows no retry and no state.
 */
import net from "node:net";
import postgres from "postgres";

export interface Pool {
  readonly sql: postgres.Sql;
  /** Ends it now; a frozen server leaves nothing open on our side. */
  cut(): void;
  /** Lets what is running end first. */
  end(withinS: number): Promise<void>;
}

export interface PoolOptions {
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The server itself ends a statement that takes longer; 0 is no limit. */
  readonly statementTimeoutMs: number;
  /** A connection closed that we did not close. */
  readonly onLost: (fault: Error) => void;
}

const lost = (why: string) => Object.assign(new Error(why), { code: "CONNECTION_CLOSED" });

export function openPool(url: string, options: PoolOptions): Pool {
  const sockets = new Set<net.Socket>();
  let closing = false;
  const connect = ({ host: [host = "127.0.0.1"], port: [port = 5432] }: { host: string[]; port: number[] }) =>
    new Promise<net.Socket>((resolve, reject) => {
      if (closing) return reject(lost("the pool is closed"));
      const socket = host.startsWith("/")
        ? net.connect(`${host}/.s.PGSQL.${port}`)
        : net.connect({ host, port, noDelay: true });
      // The driver reads both when it starts TLS.
      Object.assign(socket, { host, port });
      sockets.add(socket);
      const timer = setTimeout(
        () => socket.destroy(lost("the database did not accept in time")),
        options.connectTimeoutMs,
      );
      socket.once("connect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
      socket.once("error", reject);
      socket.once("close", () => {
        clearTimeout(timer);
        sockets.delete(socket);
        if (closing) return;
        // One loss ends the pool: whoever opened it decides when the next one is tried.
        const fault = lost("the database closed a connection");
        reject(fault);
        options.onLost(fault);
        cut();
      });
    });
  const sql = postgres(url, {
    max: options.connectionsMax,
    connect_timeout: options.connectTimeoutMs / 1000,
    // Ours never close a healthy connection, so that every close is news.
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => undefined,
    connection: { application_name: "picket", statement_timeout: options.statementTimeoutMs },
    // Taken by the driver, missing in its types.
    ...({ socket: connect } as object),
  });
  const cut = () => {
    closing = true;
    void sql.end({ timeout: 0 }).catch(() => undefined);
    for (const socket of sockets) socket.destroy();
  };
  return {
    sql,
    cut,
    async end(withinS) {
      closing = true;
      await sql.end({ timeout: withinS }).catch(() => undefined);
      cut();
    },
  };
}
