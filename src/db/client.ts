/**
 * Statements and transactions against Postgres, each under a deadline, which postgres.js lacks. Calls wait for a database
 * that is starting. While it is away they fail at once with UnavailableError: the edge answers 503 and the live picture
 * goes on.
 */
import type postgres from "postgres";
import { RefusedError, UnavailableError } from "../domain/errors.ts";
import { QUERY_DEADLINE_MS } from "../limits.ts";
import { Connector, type ConnectorOptions, type DatabaseState, type StateListener } from "./connector.ts";
import { DeadlineError, isBusy, isOutage, within } from "./faults.ts";
import { FencedError, type RoomWriter } from "./fencing.ts";

export type Sql = postgres.ISql<Record<string, never>>;

export interface Database {
  readonly state: DatabaseState;
  /** Statements outside a transaction, under one deadline. */
  run<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * All or nothing. A RefusedError thrown inside rolls back and passes through. `outcomeUnknown` of an UnavailableError
   * is true when the transaction may have been committed nevertheless.
   */
  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Resolves at the first "up", rejects at the deadline. */
  ready(deadlineMs: number): Promise<void>;
  /** Called at each change of state, with the fault that caused a "down", and with the first fault of the start. */
  onChange(listener: StateListener): void;
  /** Called when a write failed because another process owns the workspace, so that the room is closed. */
  onFenced(listener: (writer: RoomWriter) => void): void;
  /** Refuses the calls that wait for the start: the service is about to stop. */
  refuseWaiting(): void;
  /** Waits for calls under way to end, each within its deadline; refuses new ones. */
  stop(): Promise<void>;
}

/** Notices a database that froze while nobody called. */
const HEARTBEAT_MS = 1000;

export function openDatabase(options: ConnectorOptions): Database {
  return new PostgresDatabase(new Connector(options));
}

class PostgresDatabase implements Database {
  readonly #connector: Connector;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #heart: NodeJS.Timeout;
  readonly #fencedListeners: ((writer: RoomWriter) => void)[] = [];

  constructor(connector: Connector) {
    this.#connector = connector;
    this.#heart = setInterval(() => {
      if (connector.pool !== null) this.run((sql) => sql`select 1`).catch(() => undefined);
    }, HEARTBEAT_MS);
    this.#heart.unref();
  }

  get state(): DatabaseState {
    return this.#connector.state;
  }

  onChange(listener: StateListener): void {
    this.#connector.onChange(listener);
  }

  onFenced(listener: (writer: RoomWriter) => void): void {
    this.#fencedListeners.push(listener);
  }

  run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#attempt((sql) => work(sql as unknown as Sql));
  }

  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    let isCommitting = false;
    let isAbandoned = false;
    const commit = async (sql: postgres.Sql) =>
      (await sql.begin(async (tx) => {
        const result = await work(tx as unknown as Sql);
        // The caller was told that nothing was done, so it must not be committed now.
        if (isAbandoned) throw new DeadlineError("the transaction came to its end after its deadline");
        // The driver sends COMMIT next. After a fault from here on we cannot know whether the server executed it.
        isCommitting = true;
        return result;
      })) as T;
    return this.#attempt(commit, () => {
      isAbandoned = true;
      return isCommitting;
    });
  }

  ready(deadlineMs: number): Promise<void> {
    const up = new Promise<void>((resolve) => {
      if (this.state === "up") return resolve();
      this.onChange((next) => next === "up" && resolve());
    });
    return within(up, deadlineMs);
  }

  refuseWaiting(): void {
    this.#connector.refuseWaiting();
  }

  async stop(): Promise<void> {
    clearInterval(this.#heart);
    const last = this.#connector.stop();
    await Promise.allSettled(this.#underWay);
    last?.cut();
  }

  /** `abandon` is called at an outage and returns whether the work may have been done nevertheless. */
  async #attempt<T>(work: (sql: postgres.Sql) => Promise<T>, abandon: () => boolean = () => false): Promise<T> {
    if (this.state === "starting")
      await this.#connector.untilStarted().catch((cause) => {
        throw new UnavailableError("the database is still starting", { cause });
      });
    const { pool } = this.#connector;
    if (pool === null) throw new UnavailableError("the database is away");
    const answer = within(work(pool.sql), QUERY_DEADLINE_MS);
    this.#underWay.add(answer);
    try {
      return await answer;
    } catch (fault) {
      if (fault instanceof RefusedError) throw fault;
      if (fault instanceof FencedError) for (const listener of this.#fencedListeners) listener(fault.writer);
      if (isBusy(fault)) throw new UnavailableError("the database cannot do it now", { cause: fault });
      if (!isOutage(fault)) throw fault;
      this.#connector.replace(pool, fault);
      throw new UnavailableError("the database does not answer", { cause: fault, outcomeUnknown: abandon() });
    } finally {
      this.#underWay.delete(answer);
    }
  }
}
