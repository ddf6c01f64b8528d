/** Gives each slice its parts: what its routes need of the database, the rooms, the links and the configuration. */
import { createHash } from "node:crypto";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import type { AccessChange } from "../domain/access.ts";
import { followModel } from "../features/assets/followModel.ts";
import type { assetRoutes } from "../features/assets/routes.ts";
import { whyNotRemodel } from "../features/assets/whyNotRemodel.ts";
import type { Authenticator } from "../features/auth/credentials.ts";
import type { TokenKeys } from "../features/auth/token.ts";
import { whyNotReferences } from "../features/catalogue/parseSpec.ts";
import { resolveModel } from "../features/catalogue/resolveModel.ts";
import { findEntries } from "../features/catalogue/store.ts";
import { PROTOCOL_FAMILIES } from "../features/catalogue/types/protocolFamilies.ts";
import type { Tickets } from "../features/stream/tickets.ts";
import type { EdgeMetrics } from "../http/metrics.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Rooms } from "../room/rooms.ts";
import { endTasks } from "../tasking/endTasks.ts";
import type { createHealth } from "./health.ts";
import { smtpMailer } from "./mail.ts";
import type { Links } from "./openLinks.ts";
import { profileOf, remodel } from "./openRoom.ts";
import { buildRoutes } from "./routes.ts";

/** The running parts that slices are built on. */
interface Service {
  readonly config: Config;
  readonly clock: Clock;
  readonly db: Database;
  readonly tokens: TokenKeys;
  readonly authenticator: Authenticator;
  readonly rooms: Rooms;
  readonly links: Links;
  readonly tickets: Tickets;
  readonly metrics: EdgeMetrics;
  readonly health: ReturnType<typeof createHealth>;
  readonly onAccess: (change: AccessChange) => void;
}

/** The parts of the sign-in slice. */
function signInParts({ config, clock, db, tokens, authenticator }: Service) {
  return {
    db,
    tokens,
    clock,
    pepper: createHash("sha256").update(`login-code:${config.sessionSecrets[0]}`).digest("base64url"),
    mailer: config.smtpUrl === null ? null : smtpMailer(config.smtpUrl, config.mailFrom),
    devMode: config.devMode,
    workspacesPerUserMax: config.workspacesPerUserMax,
    publicUrl: config.publicUrl,
    async onSession(token: string) {
      // A fault here is no fault of the sign-in: the token is verified again at its first use.
      await Promise.resolve(authenticator.authenticate(token, "")).catch(() => undefined);
    },
  };
}

/** The parts of the slices for people: keys and workspaces. */
function accountParts({ config, clock, db, authenticator, rooms, onAccess }: Service) {
  return {
    keys: { db, clock, flushUse: () => authenticator.flushUse(), onAccess },
    workspaces: {
      db,
      clock,
      limits: { tracks: config.tracksPerWorkspaceMax, streams: config.streamsPerWorkspaceMax },
      workspacesPerUserMax: config.workspacesPerUserMax,
      onAccess,
      onWorkspaceChanged: (workspaceId: string) => rooms.close(workspaceId, "workspace_changed"),
    },
  };
}

function catalogueParts({ config, clock, db, rooms }: Service): Parameters<typeof buildRoutes>[0]["catalogue"] {
  return {
    db,
    clock,
    config,
    onChanged: (workspaceId) => remodel(rooms, db, clock, workspaceId),
    whyNotChanged: (room, entries, nameOf) =>
      whyNotRemodel(room.forces.fleet.assets(), (model) => resolveModel(nameOf(model), entries)),
    onRenamed: (...[sql, room, rename, actor]) => followModel(clock, sql, room, rename, actor),
  };
}

/** The parts of the slices for our own forces: assets, tasks, links and the event log. */
function forcesParts({ config, clock, db, links }: Service) {
  const { host, progress } = links;
  const directions = new Map(PROTOCOL_FAMILIES.map(({ key, direction }) => [key, direction]));
  return {
    assets: {
      db,
      clock,
      profileOf,
      whyNotReferences,
      async resolveModel(workspaceId: string, name: string) {
        return resolveModel(name, await db.run((sql) => findEntries(sql, workspaceId)));
      },
      endTasks: (...[sql, room, assetId, actor]: EndTasksArguments) => endTasks(clock, sql, room, assetId, actor),
      onRemoved: links.closeLinksOf,
    },
    tasks: {
      db,
      clock,
      vehicleControl: config.vehicleControl,
      progress,
      cancel: (...[room, task]: Parameters<Links["cancel"]>) => links.cancel(room, task),
    },
    links: {
      db,
      clock,
      host,
      secretKey: config.secretKey,
      directionOf: (protocol: string) => directions.get(protocol) ?? null,
    },
    events: { db },
  };
}

type EndTasksArguments = Parameters<Parameters<typeof assetRoutes>[0]["endTasks"]>;

export function serviceRoutes(service: Service): readonly Route[] {
  const { clock, health, metrics, rooms, tickets } = service;
  const routes: Route[] = [];
  routes.push(
    ...buildRoutes({
      tracks: { clock },
      meta: { routes: () => routes, health, metrics: () => metrics.text() },
      auth: signInParts(service),
      catalogue: catalogueParts(service),
      stream: {
        tickets,
        clock,
        openWorkspace: (id) => rooms.openWorkspace(id),
        streamsOpen: () => metrics.streamsOpen,
      },
      ...accountParts(service),
      ...forcesParts(service),
    }),
  );
  return routes;
}
