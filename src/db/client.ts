/**
 * The way to Postgres: postgres.js with what it lacks (platform notes): a deadline on every query, and a breaker that
 * tries again by itself and at a bounded rate. While the database is away every call fails at once with
 * UnavailableError, so that the edge answers 503 and the live picture goes on.
 */
import type postgres from "postgres";
import { RefusedError, UnavailableError } from "../domain/errors.ts";
import { QUERY_DEADLINE_MS } from "../limits.ts";
import { openPool, type Pool } from "./pool.ts";

export type Sql = postgres.ISql<Record<string, never>>;
export type DatabaseState = "starting" | "up" | "down";

export interface Database {
  readonly state: DatabaseState;
  /** Statements outside a transaction, under one deadline. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * All or nothing. A RefusedError thrown inside rolls back and passes through. An UnavailableError says whether it may
   * have been done all the same: `outcomeUnknown`.
   */
  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Resolves at the first "up", rejects at the deadline. */
  ready(deadlineMs: number): Promise<void>;
  /** Told of each change of state, with the fault that caused a "down". */
  onChange(listener: (state: DatabaseState, fault: unknown) => void): void;
  /** Lets what is under way end first; each has its deadline. */
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
/** So that a database that freezes while nobody asks is noticed, too. */
const HEARTBEAT_MS = 1000;
/** The server ends a slow statement before our deadline does, so that one lock does not cost everybody the pool. */
const STATEMENT_TIMEOUT_MS = QUERY_DEADLINE_MS - 200;
/** Preparing may run migrations over much data. */
const PREPARE_DEADLINE_MS = 60_000;

function codeOf(fault: unknown): string {
  const code = (fault as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Errors of the way, not of the statement: the connection, the server's start or stop. */
function isOutage(fault: unknown): boolean {
  return /^(ECONN|EPIPE|ENOENT|EHOST|ENET|ETIMEDOUT|EAI_|CONNECT|08|57P|58|XX)/.test(codeOf(fault));
}

/** The server answers but cannot do it now: full, read-only, a lock or a deadlock, a statement over its time. */
function isBusy(fault: unknown): boolean {
  return /^(53|57014|25006|55P03|40001|40P01)/.test(codeOf(fault));
}

class DeadlineError extends Error {
  readonly code = "CONNECT_TIMEOUT";
}

function within<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DeadlineError(`the database did not answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function openDatabase(options: DatabaseOptions): Database {
  let state: DatabaseState = "starting";
  let pool: Pool | null = null;
  let prepared = false;
  let stopped = false;
  let retry: NodeJS.Timeout | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  /** What was asked and is not answered yet. */
  const underWay = new Set<Promise<unknown>>();
  const listeners: ((state: DatabaseState, fault: unknown) => void)[] = [];

  const settled = new Promise<void>((resolve) => listeners.push(() => resolve()));

  const become = (next: DatabaseState, fault: unknown = null) => {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener(next, fault);
  };

  const connect = async (): Promise<void> => {
    retry = null;
    triedAtMs = performance.now();
    let fresh: Pool | null = null;
    try {
      const url = await options.locate();
      if (!prepared) await prepareOnce(url);
      const opened = openPool(url, {
        connectionsMax: options.poolMax ?? 10,
        connectTimeoutMs: QUERY_DEADLINE_MS,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        onLost: (fault) => fail(opened, fault),
      });
      fresh = opened;
      await within(opened.sql`select 1`, QUERY_DEADLINE_MS);
      if (stopped) return opened.cut();
      pool = opened;
      become("up");
    } catch (fault) {
      fresh?.cut();
      if (stopped) return;
      become("down", fault);
      tryLater();
    }
  };

  /** On a connection of its own: a migration may take longer than any statement of the service. */
  const prepareOnce = async (url: string): Promise<void> => {
    const once = openPool(url, {
      connectionsMax: 1,
      connectTimeoutMs: QUERY_DEADLINE_MS,
      statementTimeoutMs: 0,
      onLost: () => undefined,
    });
    try {
      await within(options.prepare(once.sql), PREPARE_DEADLINE_MS);
      prepared = true;
    } finally {
      once.cut();
    }
  };

  /** At once when the last attempt is long ago, never more often than every RETRY_MS. */
  const tryLater = () => {
    const pauseMs = Math.max(0, triedAtMs + RETRY_MS - performance.now());
    if (!stopped && retry === null) retry = setTimeout(() => void connect(), pauseMs);
  };

  /** Throws the pool away: its connections may hang for ever. */
  const fail = (used: Pool, fault: unknown) => {
    // Also a pool that is no longer the current one: it may be on its way out while we stop.
    used.cut();
    if (pool !== used) return;
    pool = null;
    become("down", fault);
    tryLater();
  };

  /** `abandon` is told of an outage, and says whether the work may be done all the same. */
  const attempt = async <T>(
    work: (sql: postgres.Sql) => Promise<T>,
    abandon: () => boolean = () => false,
  ): Promise<T> => {
    // The first second of a fresh start is not an outage: whoever comes then waits for the first answer.
    if (state === "starting") await within(settled, QUERY_DEADLINE_MS).catch(() => {});
    const used = pool;
    if (used === null) throw new UnavailableError(`the database is ${state === "starting" ? "starting" : "away"}`);
    const answer = within(work(used.sql), QUERY_DEADLINE_MS);
    underWay.add(answer);
    try {
      return await answer;
    } catch (fault) {
      if (fault instanceof RefusedError) throw fault;
      if (isBusy(fault)) throw new UnavailableError("the database cannot do it now", { cause: fault });
      if (!isOutage(fault)) throw fault;
      fail(used, fault);
      throw new UnavailableError("the database does not answer", { cause: fault, outcomeUnknown: abandon() });
    } finally {
      underWay.delete(answer);
    }
  };

  const transact = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    let isCommitting = false;
    let isAbandoned = false;
    const commit = async (sql: postgres.Sql) =>
      (await sql.begin(async (tx) => {
        const result = await work(tx as unknown as Sql);
        // Whoever was told that it failed must not find it done later.
        if (isAbandoned) throw new DeadlineError("the transaction came to its end after its deadline");
        // The driver sends COMMIT next. A fault from here on leaves it open whether the server took it.
        isCommitting = true;
        return result;
      })) as T;
    return attempt(commit, () => {
      isAbandoned = true;
      return isCommitting;
    });
  };

  const heart = setInterval(() => {
    if (pool !== null) attempt((sql) => sql`select 1`).catch(() => undefined);
  }, HEARTBEAT_MS);
  heart.unref();
  void connect();
  return {
    get state() {
      return state;
    },
    run: (work) => attempt((sql) => work(sql as unknown as Sql)),
    transact,
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
      clearInterval(heart);
      if (retry !== null) clearTimeout(retry);
      const last = pool;
      pool = null;
      state = "down";
      await Promise.allSettled(underWay);
      last?.cut();
    },
  };
}
