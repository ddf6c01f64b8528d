/**
 * One process of the service in a simulated run: the real rooms, links, dispatcher, routes and repairs, wired as in
 * `src/app/picket.ts`, without sockets and Postgres. Every room is recorded from its start.
 */
import type { Logger } from "pino";
import { EventRecorder, recordRooms } from "../../../src/app/eventRecorder.ts";
import { createLinks, type Links } from "../../../src/app/openLinks.ts";
import { openRooms, profileOf } from "../../../src/app/openRoom.ts";
import type { Config } from "../../../src/config.ts";
import type { Database } from "../../../src/db/client.ts";
import type { Principal } from "../../../src/domain/access.ts";
import { isRefusal, type Refusal, RefusedError } from "../../../src/domain/errors.ts";
import { assetRoutes } from "../../../src/features/assets/routes.ts";
import { whyNotReferences } from "../../../src/features/catalogue/parseSpec.ts";
import { resolveModel } from "../../../src/features/catalogue/resolveModel.ts";
import { linkRoutes } from "../../../src/features/links/routes.ts";
import { signalRoutes } from "../../../src/features/signals/routes.ts";
import { cancelRoute, commandRoute } from "../../../src/features/tasks/commandRoutes.ts";
import { trackEditRoutes } from "../../../src/features/tracks/editRoutes.ts";
import type { Route } from "../../../src/http/route.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Room } from "../../../src/room/room.ts";
import type { Rooms } from "../../../src/room/rooms.ts";
import { endTasks } from "../../../src/tasking/endTasks.ts";
import type { KernelBuild } from "../../../src/tracker/kernel/build.ts";
import { WORKSPACE_ROW } from "./tables.ts";

export const MAVLINK_PORT = 14_550;
/** Port of the link that operators open and close. */
export const SECOND_MAVLINK_PORT = 14_551;
export const TRACKS_MAX = 1000;
export const WORKSPACE = WORKSPACE_ROW.id;

const OPERATOR: Principal = {
  kind: "user",
  userId: "usr_sim",
  email: "operator@example.org",
  name: "operator",
  sessionId: "ses_sim",
  memberships: new Map(),
};

interface ServiceParts {
  readonly clock: Clock;
  readonly db: Database;
  readonly kernel: KernelBuild;
  /** Called with every line of the log about a fault. */
  readonly onFault: (fields: unknown, text: string) => void;
  /** Called when a room has opened, before anything enters it. */
  readonly onOpened: (room: Room) => void;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the data of any route
  readonly data?: any;
}

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

const CONFIG = {
  vehicleControl: true,
  mavlinkUdp: `127.0.0.1:${MAVLINK_PORT}`,
  mavlinkWorkspace: WORKSPACE,
  secretKey: null,
  tracksPerWorkspaceMax: TRACKS_MAX,
  streamsPerWorkspaceMax: 8,
} as Partial<Config> as Config;

export class Service {
  readonly rooms: Rooms;
  readonly links: Links;
  readonly recorder: EventRecorder;
  readonly #clock: Clock;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor({ clock, db, kernel, onFault, onOpened }: ServiceParts) {
    const log = { info: () => undefined, warn: () => undefined, error: onFault } as unknown as Logger;
    this.#clock = clock;
    this.recorder = new EventRecorder(db, log);
    this.rooms = openRooms({ config: CONFIG, log, clock, db, kernel });
    this.rooms.listen({ opened: onOpened });
    recordRooms(this.recorder, this.rooms);
    this.links = createLinks({ config: CONFIG, log, clock, db, rooms: this.rooms });
    this.#routes = new Map(
      routesOf(clock, db, this.links).map((route) => [`${route.method} ${route.path}`, route] as const),
    );
    this.links.start();
  }

  get room(): Room | undefined {
    return this.rooms.get(WORKSPACE);
  }

  /** Requests without an answer so far. */
  readonly #underWay = new Set<Promise<unknown>>();

  /** A request as the edge passes it on, with a checked body. A refusal is an answer; every other fault is thrown. */
  ask(name: string, asked: Asked): Promise<Answer> {
    const answer = this.#answer(name, asked);
    const over = answer
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#underWay.delete(over));
    this.#underWay.add(over);
    return answer;
  }

  async #answer(name: string, asked: Asked): Promise<Answer> {
    const { params = {}, query = {}, body, contentType = "application/json" } = asked;
    const route = this.#routes.get(name);
    if (route === undefined) throw new Error(`there is no route ${name}`);
    const receivedAtMs = this.#clock.nowMs();
    const room = await this.rooms.openWorkspace(WORKSPACE);
    if (isRefusal(room)) throw new Error(room.sentence);
    const request = { id: "req", ip: "", contentType, receivedAtMs, header: () => "" };
    const context = { params, query, body, request, principal: OPERATOR, role: "operator", room, refuse };
    try {
      return (await route.handle(context as never)) as Answer;
    } catch (fault) {
      if (!(fault instanceof RefusedError)) throw fault;
      return { status: 400, data: fault.refusal };
    }
  }

  /** Stops as the process does: no more input; accepted scans are fused and accepted writes are made. */
  async stop(): Promise<void> {
    await Promise.all([...this.#underWay, this.links.stop()]);
    const nowMs = this.#clock.nowMs();
    this.rooms.step(nowMs);
    this.rooms.flush(nowMs);
    this.rooms.closeAll("service_stopping");
    await this.rooms.written();
    await this.recorder.end();
  }
}

function refuse(first: Refusal | Refusal["code"], sentence = "", headers?: Record<string, string>): never {
  const refusal = typeof first === "string" ? { refused: true as const, code: first, sentence, ...headers } : first;
  throw new RefusedError(refusal as Refusal);
}

type EndTasksArguments = Parameters<Parameters<typeof assetRoutes>[0]["endTasks"]>;

function routesOf(clock: Clock, db: Database, links: Links): Route[] {
  const tasks = {
    db,
    clock,
    vehicleControl: true,
    progress: links.progress,
    cancel: (...[room, task]: Parameters<Links["cancel"]>) => links.cancel(room, task),
  };
  const assets = {
    db,
    clock,
    profileOf,
    whyNotReferences,
    resolveModel: async (_: string, name: string) => resolveModel(name, []),
    endTasks: (...[sql, room, assetId, actor]: EndTasksArguments) => endTasks(clock, sql, room, assetId, actor),
    onRemoved: links.closeLinksOf,
  };
  return [
    ...signalRoutes(),
    ...assetRoutes(assets),
    commandRoute(tasks),
    cancelRoute(tasks),
    ...trackEditRoutes(clock),
    ...linkRoutes({ db, clock, host: links.host, secretKey: null, directionOf: () => "both" }),
  ];
}
