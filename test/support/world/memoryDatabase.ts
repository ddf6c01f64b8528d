/**
 * The database of a simulated run: tables in memory behind the service's interface to Postgres, with the faults of a real
 * one: it is slow, fails or goes away, and the answer to a COMMIT is lost, whether it was made or not.
 */
import type { Database, Sql } from "../../../src/db/client.ts";
import { UnavailableError } from "../../../src/domain/errors.ts";
import type { Draws } from "./draws.ts";
import { Fragment, type Rows, TableSpace, type Tables } from "./tables.ts";

/** Probability of each fault of a transaction; the others succeed. */
const FAILS = 0.03;
const LOSES_ANSWER_MADE = 0.03;
const LOSES_ANSWER_NOT_MADE = 0.02;
/** How long a client waits for an answer (QUERY_DEADLINE_MS). */
const LOST_AFTER_MS = 2000;

const NEVER = new Promise<never>(() => undefined);

/** One process and its connection. */
interface Client {
  isCut: boolean;
  readonly untilCut: Promise<void>;
}

type Outcome<T> = { readonly result: T } | { readonly lost: true };

export class MemoryDatabase {
  /** From now on no faults, and every answer at once. */
  isCalm = false;
  isAway = false;
  /** Faults so far. */
  readonly counts = { away: 0, failed: 0, lostMade: 0, lostNotMade: 0 };
  readonly #space = new TableSpace();
  readonly #draws: Draws;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting: { readonly dueMs: number; readonly go: () => void }[] = [];
  #nowMs = 0;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  get tables(): Tables {
    return this.#space.tables;
  }

  get broken(): readonly string[] {
    return this.#space.broken;
  }

  /** The database as one process sees it. After `cut` it gives no answer, and open transactions are rolled back. */
  connect(): { readonly db: Database; cut(): void } {
    let resolve: () => void = () => undefined;
    const client: Client = {
      isCut: false,
      untilCut: new Promise<void>((cut) => {
        resolve = cut;
      }),
    };
    const db: Partial<Database> = {
      run: (work) => this.#run(client, work),
      transact: (work) => this.#transact(client, work),
      onChange: () => undefined,
      onFenced: () => undefined,
    };
    Object.defineProperty(db, "state", { get: () => (this.isAway ? "down" : "up") });
    const cut = () => {
      client.isCut = true;
      this.#space.rollBack();
      resolve();
    };
    return { db: db as Database, cut };
  }

  /** Gives the answers that are due. */
  deliver(nowMs: number): void {
    this.#nowMs = nowMs;
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= nowMs);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ dueMs }) => dueMs > nowMs);
    for (const { go } of due) go();
  }

  #after(ms: number): Promise<void> {
    return new Promise((go) => this.#waiting.push({ dueMs: this.#nowMs + ms, go }));
  }

  /** The duration and the faults of a statement. */
  async #pause(client: Client): Promise<void> {
    if (!this.isCalm && this.#draws.chance(0.15)) await this.#after(this.#draws.between(1, 80));
    if (client.isCut) await NEVER;
    if (!this.isAway) return;
    this.counts.away++;
    throw new UnavailableError("the database is away");
  }

  async #run<T>(client: Client, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(client, async () => {
      await this.#pause(client);
      if (!this.isCalm && this.#draws.chance(FAILS)) throw new UnavailableError("the database does not answer");
      const result = await work(this.#sql(client));
      this.#space.commit();
      return result;
    });
  }

  async #transact<T>(client: Client, work: (sql: Sql) => Promise<T>): Promise<T> {
    const outcome = await this.#inTurn(client, () => this.#attempt(client, work));
    if ("result" in outcome) return outcome.result;
    await this.#after(LOST_AFTER_MS);
    if (client.isCut) await NEVER;
    throw new UnavailableError("the database does not answer", { outcomeUnknown: true });
  }

  /** One transaction at a time: all writers wait for the row of event_heads, so this order is possible in Postgres too. */
  #inTurn<T>(client: Client, work: () => Promise<T>): Promise<T> {
    if (client.isCut) return NEVER;
    const mine = this.#turn.then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    // A cut transaction must not block the next process.
    this.#turn = Promise.race([settled, client.untilCut]);
    return mine;
  }

  async #attempt<T>(client: Client, work: (sql: Sql) => Promise<T>): Promise<Outcome<T>> {
    try {
      await this.#pause(client);
      const result = await work(this.#sql(client));
      if (client.isCut) await NEVER;
      return this.#commit(result);
    } catch (fault) {
      this.#space.rollBack();
      throw fault;
    }
  }

  #commit<T>(result: T): Outcome<T> {
    const draw = this.isCalm ? 1 : this.#draws.between(0, 1);
    if (draw < FAILS) {
      this.counts.failed++;
      throw new UnavailableError("the database cannot do it now");
    }
    if (draw < FAILS + LOSES_ANSWER_NOT_MADE) {
      this.counts.lostNotMade++;
      this.#space.rollBack();
      return { lost: true };
    }
    this.#space.commit();
    if (draw >= FAILS + LOSES_ANSWER_NOT_MADE + LOSES_ANSWER_MADE) return { result };
    this.counts.lostMade++;
    return { lost: true };
  }

  #sql(client: Client): Sql {
    const statement = async (text: string, values: readonly unknown[]): Promise<Rows> => {
      await this.#pause(client);
      // A copy, as a driver returns it: shares no object with the table.
      return structuredClone(this.#space.run(text, values));
    };
    const sql = (first: unknown, ...values: unknown[]) =>
      Array.isArray(first) && "raw" in first
        ? statement((first as string[]).join("$").replaceAll(/\s+/g, " ").trim(), values)
        : new Fragment(first);
    const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
    return Object.assign(sql, { json }) as unknown as Sql;
  }
}
