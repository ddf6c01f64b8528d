/**
 * Starts the links, which are the deployment's MAVLink socket (docs/interface.md#links) and those that workspaces opened,
 * and the dispatcher that sends tasks over them. A link that cannot be opened is shown by `integration_slice` and tried
 * again; the others open without it.
 */
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import { isRefusal, UnavailableError } from "../domain/errors.ts";
import { isTerminal, type Task } from "../domain/task.ts";
import { PROTOCOL_FAMILIES } from "../features/catalogue/types/protocolFamilies.ts";
import { storedSettings } from "../features/links/journeys.ts";
import { findEveryLink, findFirstWorkspace, type LinkRow } from "../features/links/store.ts";
import { observe } from "../features/signals/observe.ts";
import type { Clock } from "../lib/clock.ts";
import { type LinkSettings, PortInUseError } from "../links/adapter.ts";
import { ADAPTERS } from "../links/adapters.ts";
import type { LinkOrigin } from "../links/heldLink.ts";
import { LinkHost } from "../links/host.ts";
import { faultCode } from "../links/lifecycle.ts";
import type { RoomFace } from "../room/face.ts";
import type { Rooms } from "../room/rooms.ts";
import { Dispatcher } from "../tasking/dispatcher.ts";
import { TaskProgress } from "../tasking/progress.ts";
import { createReload } from "./reloadAfterUnknownWrite.ts";

/** The id of the deployment's own MAVLink socket. */
const MAVLINK_LINK_ID = "lnk_deployment_mavlink";
const DISPATCH_PERIOD_MS = 50;
const TRY_AGAIN_MS = 1000;

export interface Links {
  readonly host: LinkHost;
  readonly progress: TaskProgress;
  /** Closes the links of a removed asset. Their rows were deleted with it. */
  closeLinksOf(workspaceId: string, assetId: string): void;
  /** Tells the asset to drop a task; the cancel is in the database already. */
  cancel(room: RoomFace, task: Task): void;
  /** Opens the links and starts the timers of links, dispatcher and reload. */
  start(): void;
  stop(): Promise<void>;
}

interface LinksParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly db: Database;
  readonly rooms: Rooms;
}

const TITLES = new Map(PROTOCOL_FAMILIES.map(({ key, title }) => [key, title]));

export function createLinks({ config, log, clock, db, rooms }: LinksParts): Links {
  const progress = new TaskProgress(db, clock, (id) => rooms.openWorkspace(id));
  const host: LinkHost = new LinkHost({
    rooms,
    clock,
    log,
    adapters: ADAPTERS,
    familyTitle: (protocol) => TITLES.get(protocol) ?? protocol,
    observe,
    progress: (workspaceId, taskId, change) => dispatcher.progress(workspaceId, taskId, change),
    off: new Set(config.mavlinkUdp === null ? ["mavlink2"] : []),
  });
  const closeLinksOf = (workspaceId: string, assetId: string): void => {
    host
      .closeWhere((link) => link.workspaceId === workspaceId && link.assetId === assetId)
      .catch((fault) =>
        log.warn({ err: fault, asset: assetId }, "a link of a removed asset could not be closed cleanly"),
      );
  };
  const dispatcher = new Dispatcher({
    clock,
    progress,
    carriers: {
      canCarry: (room, command) => config.vehicleControl && host.canCarry(room, command),
      send: (room, command) => host.send(room, command),
      carries: (taskId, source) => host.carries(taskId, source),
      resume: (room, command) => config.vehicleControl && host.resume(room, command),
      cancel: (taskId) => host.cancel(taskId),
    },
    onFault: (fault) => log.error({ err: fault }, "a task could not be dispatched"),
  });
  rooms.listen({
    opened: (room) => dispatcher.opened(room),
    closed: (room) => dispatcher.closed(room),
    changed(room, change) {
      // A link that is working on a task stops when the task has ended.
      if (change.op === "task_moved" && isTerminal(change.task.status)) host.drop(change.task.id);
      dispatcher.changed(room, change);
    },
  });
  const reload = createReload({
    db,
    clock,
    rooms: () => rooms.all(),
    progress,
    onRemoved: closeLinksOf,
    onFault: (fault) =>
      log.error({ err: fault }, "a room could not be reloaded after a write whose outcome is unknown"),
  });
  const timers: NodeJS.Timeout[] = [];
  const opener = new Opener(host, { config, log, clock, db, rooms });
  return {
    host,
    progress,
    closeLinksOf,
    cancel: (room, task) => dispatcher.cancel(room, task),
    start() {
      timers.push(setInterval(() => dispatcher.tick(), DISPATCH_PERIOD_MS));
      timers.push(setInterval(() => host.refresh(), 1000));
      timers.push(setInterval(reload, TRY_AGAIN_MS));
      timers.push(setInterval(() => opener.tick(), TRY_AGAIN_MS));
      opener.tick();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await host.stop();
    },
  };
}

interface Wanted {
  readonly workspaceId: string;
  readonly settings: LinkSettings;
  readonly origin: LinkOrigin;
}

function mavlinkSettings(address: string): LinkSettings {
  const colon = address.lastIndexOf(":");
  return {
    linkId: MAVLINK_LINK_ID,
    name: "MAVLINK_UDP",
    protocol: "mavlink2",
    transport: "udp",
    role: "listen",
    direction: "both",
    address: address.slice(0, colon),
    port: Number(address.slice(colon + 1)),
    options: {},
    secret: null,
  };
}

/** Opens the links that the database and the configuration name. Tries each until it is open or deleted. */
class Opener {
  readonly #host: LinkHost;
  readonly #parts: LinksParts;
  #wanted: Set<Wanted> | null = null;
  #mavlinkIsKnown: boolean;
  #isBusy = false;
  readonly #complained = new Set<string>();

  constructor(host: LinkHost, parts: LinksParts) {
    this.#host = host;
    this.#parts = parts;
    this.#mavlinkIsKnown = parts.config.mavlinkUdp === null;
  }

  tick(): void {
    if (this.#isBusy || (this.#wanted?.size === 0 && this.#mavlinkIsKnown)) return;
    this.#isBusy = true;
    this.#openAll()
      .catch((fault) => {
        if (!(fault instanceof UnavailableError)) this.#parts.log.error({ err: fault }, "links could not be opened");
      })
      .finally(() => (this.#isBusy = false));
  }

  async #openAll(): Promise<void> {
    const { config, db } = this.#parts;
    this.#wanted ??= new Set((await db.run(findEveryLink)).flatMap((row) => this.#wantedOf(row) ?? []));
    if (!this.#mavlinkIsKnown) {
      const workspaceId = config.mavlinkWorkspace ?? (await db.run(findFirstWorkspace));
      if (workspaceId !== null) this.#wanted.add(this.#wantedMavlink(workspaceId, config.mavlinkUdp!));
      this.#mavlinkIsKnown = workspaceId !== null;
    }
    // One after the other, oldest first, so that of two links on one port the same one gets it at each start.
    for (const wanted of this.#wanted) if (await this.#open(wanted)) this.#wanted.delete(wanted);
  }

  /** Holds the link at once, so that it is listed and can be deleted before it is open. null: it cannot be opened here. */
  #wantedOf(row: LinkRow): Wanted | null {
    const { workspace_id: workspaceId, id } = row;
    const { settings, canRead } = storedSettings(row, this.#parts.config.secretKey);
    const origin = { assetId: row.asset_id, secretPrefix: row.secret_prefix, createdAtMs: row.created_at.getTime() };
    const why = canRead ? this.#host.whyNot(settings) : "its credential needs the SECRET_KEY that it was sealed with";
    const code = canRead ? "bad_settings" : "no_credential";
    this.#host.hold(workspaceId, settings, origin, why === null ? null : { code, text: why });
    if (why === null) return { workspaceId, settings, origin };
    this.#complain(id, `link ${row.name} stays closed: ${why}`);
    return null;
  }

  #wantedMavlink(workspaceId: string, address: string): Wanted {
    const settings = mavlinkSettings(address);
    const origin = { assetId: null, secretPrefix: null, createdAtMs: null };
    this.#host.hold(workspaceId, settings, origin, null);
    return { workspaceId, settings, origin };
  }

  /** Returns true when there is nothing left to do for this link. */
  async #open({ workspaceId, settings, origin }: Wanted): Promise<boolean> {
    if (this.#host.get(workspaceId, settings.linkId) === undefined) return true;
    try {
      const room = await this.#parts.rooms.openWorkspace(workspaceId);
      if (isRefusal(room) && room.code === "not_found") {
        // We make the ids, so this workspace will never exist. Nobody could use the link or see why it is closed.
        await this.#host.close(settings.linkId);
        this.#complain(settings.linkId, `${settings.name} stays closed: ${room.sentence}`);
        return true;
      }
      await this.#host.open(workspaceId, settings, origin);
      return true;
    } catch (fault) {
      if (fault instanceof UnavailableError) throw fault;
      const code = fault instanceof PortInUseError ? "port_in_use" : faultCode(fault);
      if (this.#host.get(workspaceId, settings.linkId) === undefined) return true;
      const { message } = fault as Error;
      this.#host.hold(workspaceId, settings, origin, { code, text: message });
      this.#complain(settings.linkId, `${settings.name}: ${message}; trying again`);
      return false;
    }
  }

  #complain(id: string, text: string): void {
    if (this.#complained.has(id)) return;
    this.#complained.add(id);
    this.#parts.log.warn({ link: id }, text);
  }
}
