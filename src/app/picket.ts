/**
 * Builds every part in order, connects and starts them, and stops them in reverse. The timers of the service and its real
 * clock, mail and sockets are chosen here; the parts below are handed them.
 */
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { embeddedDatabase } from "../db/embedded.ts";
import { migrate } from "../db/migrate.ts";
import { StartRefusedError } from "../db/startRefused.ts";
import { Authenticator } from "../features/auth/credentials.ts";
import { deleteExpired } from "../features/auth/store.ts";
import { createTokenKeys } from "../features/auth/token.ts";
import { accessChanges } from "../features/stream/endAccess.ts";
import { Tickets } from "../features/stream/tickets.ts";
import type { EdgeParts } from "../http/edgeParts.ts";
import { createEdgeMetrics } from "../http/metrics.ts";
import { createRequestLimit } from "../http/requestLimit.ts";
import type { Route } from "../http/route.ts";
import { type Server, startServer } from "../http/server.ts";
import type { Clock } from "../lib/clock.ts";
import { DATABASE_START_WAIT_MS, STEP_PERIOD_MS } from "../limits.ts";
import { createBeat } from "../room/pace.ts";
import type { Rooms } from "../room/rooms.ts";
import { compileKernel } from "../tracker/kernel/build.ts";
import { EventRecorder, recordRooms } from "./eventRecorder.ts";
import { createHealth } from "./health.ts";
import { createLinks } from "./openLinks.ts";
import { openRooms } from "./openRoom.ts";
import { registerDrops } from "./processMetrics.ts";
import { serviceRoutes } from "./sliceParts.ts";
import { stopInOrder } from "./stopping.ts";

export interface Picket {
  readonly url: string;
  readonly routes: readonly Route[];
  readonly rooms: Rooms;
  readonly db: Database;
  /** Resolves when the database cannot be used by this version: the service is to stop. */
  readonly refused: Promise<StartRefusedError>;
  /** Drains: takes no new work, fuses what waits, ends the streams with a comment, closes the database. */
  stop(deadlineMs: number): Promise<void>;
}

const MIGRATIONS = fileURLToPath(new URL("../../sql", import.meta.url));
const HOUSEKEEPING_PERIOD_MS = 30_000;
const RECORD_PERIOD_MS = 250;
/** A start that takes longer is logged. */
const START_TOLD_AFTER_MS = 1000;

interface Store {
  readonly db: Database;
  readonly refused: Promise<StartRefusedError>;
  readonly stopEmbedded: () => Promise<void>;
}

/** Looks for the database once `listening` has resolved: a busy port must not cost an initdb, nor leave its files. */
function openStore(config: Config, log: Logger, listening: Promise<void>): Store {
  const { databaseUrl, dataDir } = config;
  const embedded = embeddedDatabase(dataDir);
  if (databaseUrl === null) embedded.claim();
  const locate = async () => {
    await listening;
    if (databaseUrl !== null) return databaseUrl;
    const { url, adopted } = await embedded.start();
    log.info(`embedded Postgres ${adopted ? "of an earlier run adopted" : "started"} in ${dataDir}`);
    return url;
  };
  const db = openDatabase({
    locate,
    prepare: async (sql) => {
      const { ran, ahead } = await migrate(sql, MIGRATIONS);
      if (ran.length > 0) log.info(`migrated: ${ran.join(", ")}`);
      if (ahead.length > 0) log.warn(`the database was migrated by a newer version (${ahead.join(", ")}); going on`);
    },
  });
  tellState(db, log);
  const refused = new Promise<StartRefusedError>((resolve) => {
    db.onChange((_, fault) => fault instanceof StartRefusedError && resolve(fault));
  });
  return { db, refused, stopEmbedded: async () => (databaseUrl === null ? embedded.stop() : undefined) };
}

function tellState(db: Database, log: Logger): void {
  const wait = `requests that need the database wait for it, up to ${DATABASE_START_WAIT_MS / 1000} s`;
  let wasUp = false;
  const slow = setTimeout(() => {
    if (db.state === "starting") log.info(`the database is still starting: ${wait}`);
  }, START_TOLD_AFTER_MS);
  slow.unref();
  db.onChange((state, fault) => {
    clearTimeout(slow);
    // The process ends and says why itself.
    if (fault instanceof StartRefusedError) return;
    if (state === "starting")
      return log.warn({ err: fault }, `the database does not answer yet, trying again: ${wait}`);
    if (state === "up") log.info("the database is up");
    else if (wasUp)
      log.error({ err: fault }, "the database is away: reads go on from memory, writes answer 503; trying again");
    else
      log.error({ err: fault }, "the database did not start in time: requests that need it answer 503; trying again");
    wasUp ||= state === "up";
  });
}

function startPace(rooms: Rooms, clock: Clock): () => void {
  const beat = setInterval(createBeat(rooms, clock), STEP_PERIOD_MS);
  const ping = setInterval(() => rooms.ping(clock.nowMs()), 1000);
  return () => {
    clearInterval(beat);
    clearInterval(ping);
  };
}

/** Closes a room whose workspace another process has taken over. */
function closeFenced(db: Database, rooms: Rooms, log: Logger): void {
  db.onFenced(({ id, ownerEpoch }) => {
    // The failed write may be of an older room, whose successor must stay open.
    if (rooms.get(id)?.ownerEpoch !== ownerEpoch) return;
    log.warn({ workspace: id, epoch: ownerEpoch }, "another process has taken the workspace over: its room is closed");
    rooms.close(id, "workspace_moved");
  });
}

interface HousekeepingParts {
  readonly db: Database;
  readonly rooms: Rooms;
  readonly tickets: Tickets;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly flushUse: () => Promise<void>;
}

/** Writes recorded events often; now and then closes idle rooms and deletes what has expired. Returns what stops it. */
function startHousekeeping({ db, rooms, tickets, recorder, clock, log, flushUse }: HousekeepingParts): () => void {
  const recording = setInterval(() => void recorder.flush(), RECORD_PERIOD_MS);
  const housekeeping = setInterval(() => {
    const nowMs = clock.nowMs();
    rooms.closeIdle(nowMs);
    tickets.sweep(nowMs);
    void flushUse();
    if (db.state === "up")
      db.run(deleteExpired).catch((fault) => log.warn({ err: fault }, "expired sign-in rows were not deleted"));
  }, HOUSEKEEPING_PERIOD_MS);
  return () => {
    clearInterval(housekeeping);
    clearInterval(recording);
  };
}

/** What the edge asks of every request besides a credential. */
function edgeRules({ corsOrigins, rateLimitRps }: Config, clock: Clock): Pick<EdgeParts, "corsOrigins" | "limit"> {
  return { corsOrigins, ...(rateLimitRps > 0 ? { limit: createRequestLimit(rateLimitRps, clock) } : {}) };
}

export async function startPicket(config: Config, log: Logger, clock: Clock): Promise<Picket> {
  let beginStore: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => (beginStore = resolve));
  const { db, refused, stopEmbedded } = openStore(config, log, listening);
  const kernel = await compileKernel();
  const tokens = createTokenKeys(config.sessionSecrets);
  const authenticator = new Authenticator({ db, tokens, clock });
  const recorder = new EventRecorder(db, log);
  const rooms = openRooms({ config, log, clock, db, kernel });
  recordRooms(recorder, rooms);
  closeFenced(db, rooms, log);
  const links = createLinks({ config, log, clock, db, rooms });
  const tickets = new Tickets();
  const onAccess = accessChanges({ credentials: authenticator, tickets, clock, hubOf: (id) => rooms.get(id)?.hub });
  const metrics = createEdgeMetrics();
  registerDrops(metrics.registry, { recorder, progress: links.progress, host: links.host });
  const health = createHealth({ db, rooms, metrics, clock, dataDir: config.dataDir, mail: config.smtpUrl !== null });
  const basics = { config, clock, db, tokens, authenticator };
  const routes = serviceRoutes({ ...basics, rooms, links, tickets, metrics, health, onAccess });
  let server: Server;
  try {
    server = await startServer({
      host: config.host,
      port: config.port,
      routes,
      log,
      clock,
      metrics,
      openWorkspace: (id) => rooms.openWorkspace(id),
      authenticate: (bearer, apiKey) => authenticator.authenticate(bearer, apiKey),
      ...edgeRules(config, clock),
      endStreams: () => rooms.closeAll("service_stopping"),
    });
  } catch (fault) {
    await db.stop();
    await stopEmbedded();
    throw fault;
  }
  beginStore();
  const stopPace = startPace(rooms, clock);
  const flushUse = () =>
    authenticator.flushUse().catch((fault) => log.warn({ err: fault }, "times of last key use were not written"));
  links.start();
  const stopHousekeeping = startHousekeeping({ db, rooms, tickets, recorder, clock, log, flushUse });

  log.info(`Picket is at ${server.url} · API explorer ${server.url}/api/docs/`);
  if (config.devMode)
    log.warn("DEV_MODE is on: anyone who reaches this address can sign in as anyone; never expose it");
  return {
    url: server.url,
    routes,
    rooms,
    db,
    refused,
    stop(deadlineMs) {
      stopHousekeeping();
      return stopInOrder(
        { clock, log, server, links, rooms, stopPace, recorder, flushUse, db, stopEmbedded },
        deadlineMs,
      );
    },
  };
}
