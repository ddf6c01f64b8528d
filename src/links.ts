/**
 * Starts the links: the deployment's MAVLink socket (Decision 15) and those that workspaces opened; and the dispatcher that
 * takes tasks to them. What cannot be opened is reported by `integration_slice` and tried again; it stops nobody.
 */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Database } from "./db/client.ts";
import { UnavailableError } from "./domain/errors.ts";
import { PROTOCOL_FAMILIES } from "./features/catalogue/types/protocolFamilies.ts";
import { isSystemError, type LinkSettings, PortInUseError } from "./features/links/adapter.ts";
import { ADAPTERS } from "./features/links/adapters.ts";
import { LinkHost } from "./features/links/host.ts";
import { storedSettings } from "./features/links/journeys.ts";
import { findEveryLink, findFirstWorkspace, type LinkRow } from "./features/links/store.ts";
import { observe } from "./features/signals/observe.ts";
import { Dispatcher } from "./features/tasks/dispatch.ts";
import { TaskProgress } from "./features/tasks/progress.ts";
import type { Clock } from "./lib/clock.ts";
import type { Rooms } from "./workspace/rooms.ts";

/** The id of the deployment's own MAVLink socket. */
const MAVLINK_LINK_ID = "lnk_deployment_mavlink";
const DISPATCH_PERIOD_MS = 50;
const TRY_AGAIN_MS = 1000;

export interface Links {
  readonly host: LinkHost;
  readonly progress: TaskProgress;
  /** Resolves when every stored link was tried once. */
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
  const progress = new TaskProgress(db, clock);
  const host: LinkHost = new LinkHost({
    rooms,
    clock,
    log,
    adapters: ADAPTERS,
    familyTitle: (protocol) => TITLES.get(protocol) ?? protocol,
    observe,
    progress: (room, taskId, change) => dispatcher.progress(room, taskId, change),
    off: new Set(config.mavlinkUdp === null ? ["mavlink2"] : []),
  });
  const dispatcher = new Dispatcher({
    clock,
    rooms: () => rooms.all(),
    progress,
    send: (room, command) => config.vehicleControl && host.send(room, command),
    onFault: (fault) => log.error({ err: fault }, "a task could not be moved on"),
  });
  const timers: NodeJS.Timeout[] = [];
  const opener = new Opener(host, { config, log, clock, db, rooms });
  return {
    host,
    progress,
    start() {
      timers.push(setInterval(() => dispatcher.tick(), DISPATCH_PERIOD_MS));
      timers.push(setInterval(() => host.refresh(), 1000));
      timers.push(setInterval(() => opener.tick(), TRY_AGAIN_MS));
      opener.tick();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await host.stop();
    },
  };
}

/** Opens what the registry and the configuration name, each until it is open. */
class Opener {
  readonly #host: LinkHost;
  readonly #parts: LinksParts;
  #wanted: LinkRow[] | null = null;
  #mavlinkIsOpen: boolean;
  #isBusy = false;
  readonly #complained = new Set<string>();

  constructor(host: LinkHost, parts: LinksParts) {
    this.#host = host;
    this.#parts = parts;
    this.#mavlinkIsOpen = parts.config.mavlinkUdp === null;
  }

  tick(): void {
    if (this.#isBusy || (this.#wanted?.length === 0 && this.#mavlinkIsOpen)) return;
    this.#isBusy = true;
    this.#openAll()
      .catch((fault) => {
        if (!(fault instanceof UnavailableError)) this.#parts.log.error({ err: fault }, "links could not be opened");
      })
      .finally(() => (this.#isBusy = false));
  }

  async #openAll(): Promise<void> {
    const { config, db } = this.#parts;
    this.#wanted ??= await db.run(findEveryLink);
    const left: LinkRow[] = [];
    for (const row of this.#wanted) if (!(await this.#openRow(row))) left.push(row);
    this.#wanted = left;
    if (this.#mavlinkIsOpen) return;
    const workspaceId = config.mavlinkWorkspace ?? (await db.run(findFirstWorkspace));
    if (workspaceId !== null) this.#mavlinkIsOpen = await this.#openMavlink(workspaceId, config.mavlinkUdp!);
  }

  async #openRow(row: LinkRow): Promise<boolean> {
    const settings = storedSettings(row, this.#parts.config.secretKey);
    if (settings === null) {
      this.#complain(row.id, `the credential of link ${row.name} cannot be read: SECRET_KEY is missing or another`);
      return true;
    }
    const more = { assetId: row.asset_id, secretPrefix: row.secret_prefix, createdAtMs: row.created_at.getTime() };
    return this.#open(row.workspace_id, settings, more);
  }

  #openMavlink(workspaceId: string, address: string): Promise<boolean> {
    const colon = address.lastIndexOf(":");
    const settings: LinkSettings = {
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
    return this.#open(workspaceId, settings, { assetId: null, secretPrefix: null, createdAtMs: null });
  }

  async #open(
    workspaceId: string,
    settings: LinkSettings,
    more: { assetId: string | null; secretPrefix: string | null; createdAtMs: number | null },
  ): Promise<boolean> {
    try {
      await this.#parts.rooms.openWorkspace(workspaceId);
      await this.#host.open(workspaceId, settings, more);
      this.#host.forgetRefused(settings.linkId);
      return true;
    } catch (fault) {
      if (!(fault instanceof PortInUseError) && !isSystemError(fault)) throw fault;
      this.#host.noteRefused(workspaceId, settings, fault.message);
      this.#complain(settings.linkId, `${settings.name}: ${fault.message}; trying again`);
      return false;
    }
  }

  #complain(id: string, text: string): void {
    if (this.#complained.has(id)) return;
    this.#complained.add(id);
    this.#parts.log.warn({ link: id }, text);
  }
}
