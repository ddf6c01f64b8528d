/**
 * Keeps a pool to the database: finds the server, prepares it once, opens a pool, and replaces a pool that failed, at
 * most once every RETRY_MS. It sends no statement of the service.
 */
import type postgres from "postgres";
import { DATABASE_START_WAIT_MS, QUERY_DEADLINE_MS } from "../limits.ts";
import { within } from "./faults.ts";
import { openPool, type Pool } from "./pool.ts";
import { StartRefusedError } from "./startRefused.ts";

/**
 * "starting" until the first pool is open, however many attempts that takes, or until an attempt fails after the start's
 * time is over. Calls wait while it is "starting", and are refused while it is "down".
 */
export type DatabaseState = "starting" | "up" | "down";
export type StateListener = (state: DatabaseState, fault: unknown) => void;

export interface ConnectorOptions {
  /** Finds out where the database is; for the embedded one this starts it. Called again until it succeeds. */
  readonly locate: () => Promise<string>;
  /**
   * Runs once after the first connection, e.g. migrations; the state becomes "up" after it. A StartRefusedError ends the
   * attempts.
   */
  readonly prepare: (sql: postgres.Sql) => Promise<void>;
  readonly poolMax?: number;
  /** How long the start may take, and a call may wait for it. */
  readonly startWaitMs?: number;
}

const POOL_MAX_DEFAULT = 10;
const RETRY_MS = 500;
/** The server ends a slow statement before our deadline does, so that one lock does not cost all callers the pool. */
const STATEMENT_TIMEOUT_MS = QUERY_DEADLINE_MS - 200;
/** Migrations may have to rewrite large tables. */
const PREPARE_DEADLINE_MS = 60_000;

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #listeners: StateListener[] = [];
  readonly #startWaitMs: number;
  readonly #startedAtMs = performance.now();
  /** Resolves when the state is no longer "starting". */
  readonly #started: Promise<void>;
  #endStart: () => void = () => undefined;
  #hasToldStartFault = false;
  #state: DatabaseState = "starting";
  #pool: Pool | null = null;
  #isPrepared = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | null = null;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#startWaitMs = options.startWaitMs ?? DATABASE_START_WAIT_MS;
    this.#started = new Promise((resolve) => (this.#endStart = resolve));
    void this.#connect();
  }

  get state(): DatabaseState {
    return this.#state;
  }

  /** null unless the state is "up". */
  get pool(): Pool | null {
    return this.#pool;
  }

  onChange(listener: StateListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves at once unless the database is starting; rejects when that takes longer than a call may wait. */
  untilStarted(): Promise<void> {
    return this.#state === "starting" ? within(this.#started, this.#startWaitMs) : Promise.resolve();
  }

  /** Cuts a pool on which something failed, because its connections may hang for ever, and opens a new one. */
  replace(failed: Pool, fault: unknown): void {
    // Even if it is no longer the current pool: after `stop`, the last pool may still have work.
    failed.cut();
    if (this.#pool !== failed) return;
    this.#pool = null;
    this.#become("down", fault);
    this.#tryLater();
  }

  /** Refuses all calls that wait for the start. */
  refuseWaiting(): void {
    if (this.#state === "starting") this.#become("down", new Error("the service stops before its database is up"));
  }

  /** Stops opening pools and returns the last one, if any. The caller cuts it when its work has ended. */
  stop(): Pool | null {
    this.#isStopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const last = this.#pool;
    this.#pool = null;
    this.#state = "down";
    this.#endStart();
    return last;
  }

  async #connect(): Promise<void> {
    this.#retry = null;
    this.#triedAtMs = performance.now();
    let fresh: Pool | null = null;
    try {
      const url = await this.#options.locate();
      if (!this.#isPrepared) await this.#prepareOnce(url);
      const opened = openPool(url, {
        connectionsMax: this.#options.poolMax ?? POOL_MAX_DEFAULT,
        connectTimeoutMs: QUERY_DEADLINE_MS,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        onLost: (fault) => this.replace(opened, fault),
      });
      fresh = opened;
      await within(opened.sql`select 1`, QUERY_DEADLINE_MS);
      if (this.#isStopped) return opened.cut();
      this.#pool = opened;
      this.#become("up");
    } catch (fault) {
      fresh?.cut();
      if (this.#isStopped) return;
      // Tried again, it would be refused again.
      if (fault instanceof StartRefusedError) return this.#become("down", fault);
      this.#noteFailure(fault);
      this.#tryLater();
    }
  }

  /** On a connection of its own, because a migration may take longer than any statement of the service. */
  async #prepareOnce(url: string): Promise<void> {
    const once = openPool(url, {
      connectionsMax: 1,
      connectTimeoutMs: QUERY_DEADLINE_MS,
      statementTimeoutMs: 0,
      onLost: () => undefined,
    });
    try {
      await within(this.#options.prepare(once.sql), PREPARE_DEADLINE_MS);
      this.#isPrepared = true;
    } finally {
      once.cut();
    }
  }

  #noteFailure(fault: unknown): void {
    const isStarting = this.#state === "starting" && performance.now() - this.#startedAtMs < this.#startWaitMs;
    if (!isStarting) this.#become("down", fault);
    else if (!this.#hasToldStartFault) {
      this.#hasToldStartFault = true;
      this.#tell(fault);
    }
  }

  #become(next: DatabaseState, fault: unknown = null): void {
    if (this.#state === next) return;
    this.#state = next;
    this.#endStart();
    this.#tell(fault);
  }

  #tell(fault: unknown): void {
    for (const listener of this.#listeners) listener(this.#state, fault);
  }

  /** Connects at once when the last attempt began more than RETRY_MS ago. */
  #tryLater(): void {
    if (this.#isStopped || this.#retry !== null) return;
    const pauseMs = Math.max(0, this.#triedAtMs + RETRY_MS - performance.now());
    this.#retry = setTimeout(() => void this.#connect(), pauseMs);
  }
}
