/**
 * The way to Postgres: postgres.js with what it lacks (platform notes): a deadline on every query, and a breaker that
 * tries again by itself and at a bounded rate. While the database is away every call fails at once with
 * UnavailableError, so that the edge answers 503 and the live picture goes on.
 */
import postgres from "postgres";
import { RefusedError, UnavailableError } from "../domain/errors.ts";
import { QUERY_DEADLINE_MS } from "../limits.ts";

export type Sql = postgres.ISql<Record<string, never>>;
export type DatabaseState = "starting" | "up" | "down";

export interface Database {
  readonly state: DatabaseState;
  /** Statements outside a transaction, under one deadline. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** All or nothing. A RefusedError thrown inside rolls back and passes through. */
  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Resolves at the first "up", rejects at the deadline. */
  ready(deadlineMs: number): Promise<void>;
  /** Told of each change of state, with the fault that caused a "down". */
  onChange(listener: (state: DatabaseState, fault: unknown) => void): void;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** Finds out where the database is; for the embedded one this starts it. Asked again until it answers. */
  readonly locate: () => Promise<string>;
  /** Runs once after the first connection, e.g. migrations; "up" comes after it. */
  readonly prepare: (sql: postgres.Sql) => Promise<void>;
  readonly poolMax?: number;
}

const RETRY_MS = 500;
const CONNECT_TIMEOUT_S = 2;
/** Preparing may run migrations over much data. */
const PREPARE_DEADLINE_MS = 60_000;

/** Errors of the way, not of the statement: the connection, the server's start or stop, its limits. */
function isOutage(fault: unknown): boolean {
  const code = (fault as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return false;
  return /^(ECONN|EPIPE|ENOENT|EHOST|ENET|ETIMEDOUT|EAI_|CONNECT|08|57P|53|58|XX)/.test(code);
}

class DeadlineError extends Error {
  readonly code = "CONNECT_TIMEOUT";
}

function within<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineError(`the database did not answer within ${deadlineMs} ms`)), deadlineMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function openDatabase(options: DatabaseOptions): Database {
  let state: DatabaseState = "starting";
  let pool: postgres.Sql | null = null;
  let prepared = false;
  let stopped = false;
  let retry: NodeJS.Timeout | null = null;
  const listeners: ((state: DatabaseState, fault: unknown) => void)[] = [];

  const settled = new Promise<void>((resolve) => listeners.push(() => resolve()));

  const become = (next: DatabaseState, fault: unknown = null) => {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener(next, fault);
  };

  const connect = async (): Promise<void> => {
    retry = null;
    let fresh: postgres.Sql | null = null;
    try {
      const url = await options.locate();
      fresh = postgres(url, { max: options.poolMax ?? 10, connect_timeout: CONNECT_TIMEOUT_S, idle_timeout: 300, onnotice: () => {} });
      await within(fresh`select 1`, QUERY_DEADLINE_MS);
      if (!prepared) await within(options.prepare(fresh), PREPARE_DEADLINE_MS);
      if (stopped) return await fresh.end({ timeout: 0 });
      prepared = true;
      pool = fresh;
      become("up");
    } catch (fault) {
      void fresh?.end({ timeout: 0 }).catch(() => {});
      become("down", fault);
      tryLater();
    }
  };

  const tryLater = () => {
    if (!stopped && retry === null) retry = setTimeout(() => void connect(), RETRY_MS);
  };

  /** Throws the pool away: its connections may hang for ever, and its own reconnecting knows no bound. */
  const fail = (used: postgres.Sql, fault: unknown) => {
    if (pool !== used) return;
    pool = null;
    void used.end({ timeout: 0 }).catch(() => {});
    become("down", fault);
    tryLater();
  };

  const attempt = async <T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    // The first second of a fresh start is not an outage: whoever comes then waits for the first answer.
    if (state === "starting") await within(settled, QUERY_DEADLINE_MS).catch(() => {});
    const used = pool;
    if (used === null) throw new UnavailableError(`the database is ${state === "starting" ? "starting" : "away"}`);
    try {
      return await within(work(used), QUERY_DEADLINE_MS);
    } catch (fault) {
      if (fault instanceof RefusedError || !isOutage(fault)) throw fault;
      fail(used, fault);
      throw new UnavailableError("the database does not answer", { cause: fault });
    }
  };

  void connect();
  return {
    get state() {
      return state;
    },
    run: (work) => attempt((sql) => work(sql as unknown as Sql)),
    transact: <T>(work: (sql: Sql) => Promise<T>) =>
      attempt((sql) => sql.begin((tx) => work(tx as unknown as Sql)) as Promise<T>),
    onChange: (listener) => void listeners.push(listener),
    ready: (deadlineMs) =>
      within(
        new Promise<void>((resolve) => {
          if (state === "up") return resolve();
          listeners.push((next) => next === "up" && resolve());
        }),
        deadlineMs,
      ),
    async stop() {
      stopped = true;
      if (retry !== null) clearTimeout(retry);
      const last = pool;
      pool = null;
      state = "down";
      await last?.end({ timeout: 2 }).catch(() => {});
    },
  };
}
