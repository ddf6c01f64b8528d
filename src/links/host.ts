/**
 * Keeps the open links of the process and connects them with the rooms: a link's reports go to the room of its workspace and
 * to no other, a command goes to the link on which its asset was heard. Knows adapters by their interface only.
 */
import { isRefusal } from "../domain/errors.ts";
import type { LinkView } from "../domain/link.ts";
import type { CommandProgress, Observed, OutgoingCommand, PlatformSource } from "../domain/platformReport.ts";
import { assert } from "../lib/assert.ts";
import type { Clock } from "../lib/clock.ts";
import { LINK_CLOSE_WITHIN_MS } from "../limits.ts";
import type { PublishedPicture, RoomFace, RoomsFace } from "../room/face.ts";
import type { LinkAdapter, LinkContext, LinkLog, LinkSettings, OpenLink } from "./adapter.ts";
import { ClosedLink, type HeldLink, type LinkOrigin } from "./heldLink.ts";
import { integrationsOfLinks, linkViewOf } from "./views.ts";

export interface HostParts {
  readonly rooms: RoomsFace;
  readonly clock: Clock;
  readonly log: LinkLog;
  readonly adapters: readonly LinkAdapter[];
  readonly familyTitle: (protocol: string) => string;
  /** Takes observations as POST /api/signals does. */
  readonly observe: (room: RoomFace, observations: readonly object[], nowMs: number, protocol: string) => Observed;
  /** Opens the room if it is closed: a vehicle reports the end of a task once, and that must not be lost. */
  readonly progress: (workspaceId: string, taskId: string, progress: CommandProgress) => void;
  /** Protocols that the deployment switched off. */
  readonly off: ReadonlySet<string>;
}

const EMPTY_PICTURE: PublishedPicture = { tracks: [], assets: [], reportedBy: new Map() };

export class LinkHost {
  readonly #parts: HostParts;
  readonly #adapters: ReadonlyMap<string, LinkAdapter>;
  readonly #links = new Map<string, HeldLink>();
  /** By room: the states that were last published, as JSON. */
  readonly #published = new WeakMap<RoomFace, string>();
  /** By task: the link that carries it. */
  readonly #carrying = new Map<string, { readonly link: HeldLink; readonly source: PlatformSource }>();
  #isStopped = false;
  /** Input that came while its room was not open. */
  readonly dropped = { observations: 0, reports: 0 };

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#adapters = new Map(parts.adapters.map((adapter) => [adapter.protocol, adapter]));
  }

  adapter(protocol: string): LinkAdapter | undefined {
    return this.#adapters.get(protocol);
  }

  /** Why this build cannot open these settings; null: it can try. */
  whyNot(settings: LinkSettings): string | null {
    const adapter = this.#adapters.get(settings.protocol);
    return adapter === undefined ? `no adapter of this build speaks ${settings.protocol}` : adapter.refuse(settings);
  }

  /** Rejects with PortInUseError when the address is taken; every other fault shows in the link's status. */
  async open(workspaceId: string, settings: LinkSettings, origin: LinkOrigin): Promise<void> {
    const adapter = this.#adapters.get(settings.protocol);
    assert(adapter !== undefined, "whyNot was asked before");
    const { linkId } = settings;
    const before = this.#links.get(linkId);
    const open = await adapter.open(settings, this.#contextOf(workspaceId, settings.protocol));
    // Deleted, or the service was stopped, while the address was being bound.
    if (this.#isStopped || this.#links.get(linkId) !== before) return this.#end(settings, open);
    this.#links.set(linkId, { workspaceId, settings, open, ...origin });
    this.refresh();
  }

  /** Lists a link that should be open and is not. `why` is null when it was not tried yet. */
  hold(workspaceId: string, settings: LinkSettings, origin: LinkOrigin, why: { code: string; text: string } | null) {
    const nowMs = this.#parts.clock.nowMs();
    const sinceMs = this.#links.get(settings.linkId)?.open.status(nowMs).sinceMs ?? nowMs;
    const open = new ClosedLink(sinceMs, why?.code ?? null, why?.text ?? null);
    this.#links.set(settings.linkId, { workspaceId, settings, open, ...origin });
    this.refresh();
  }

  async close(linkId: string): Promise<void> {
    const link = this.#links.get(linkId);
    if (link === undefined) return;
    this.#links.delete(linkId);
    for (const [taskId, carrier] of this.#carrying) if (carrier.link === link) this.#carrying.delete(taskId);
    await this.#end(link.settings, link.open);
    if (!this.#isStopped)
      this.#parts.rooms.get(link.workspaceId)?.commit({ op: "link_closed", linkId }, this.#parts.clock.nowMs());
    this.refresh();
  }

  /** Bounded in time, because the workspace's writes and the end of the process wait for it. */
  async #end({ linkId, protocol }: LinkSettings, open: OpenLink): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), LINK_CLOSE_WITHIN_MS);
    });
    const ended = await Promise.race([open.close(), tooLong]).finally(() => clearTimeout(timer));
    if (ended === "late")
      this.#parts.log.warn({ link: linkId, protocol }, "a link did not close in time and is abandoned");
  }

  async closeWhere(of: (link: HeldLink) => boolean): Promise<void> {
    const ids = [...this.#links.values()].filter(of).map(({ settings }) => settings.linkId);
    await Promise.all(ids.map((id) => this.close(id)));
  }

  get(workspaceId: string, linkId: string): HeldLink | undefined {
    const link = this.#links.get(linkId);
    return link?.workspaceId === workspaceId ? link : undefined;
  }

  linksOf(workspaceId: string): HeldLink[] {
    return [...this.#links.values()].filter((link) => link.workspaceId === workspaceId);
  }

  views(workspaceId: string): LinkView[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.linksOf(workspaceId).map((link) => linkViewOf(link, nowMs));
  }

  canCarry(room: RoomFace, command: OutgoingCommand): boolean {
    const open = this.get(room.id, command.source.linkId)?.open;
    return open?.send !== undefined && open.isFree?.(command) !== false;
  }

  /**
   * Whether a link carries the task to `source`, where the asset is heard now. A task sent to an address that the asset has
   * left is dropped there.
   */
  carries(taskId: string, source: PlatformSource | null): boolean {
    const carried = this.#carrying.get(taskId);
    if (carried === undefined) return false;
    const { linkId, address, systemId } = carried.source;
    if (source === null || (source.linkId === linkId && source.address === address && source.systemId === systemId))
      return true;
    this.drop(taskId);
    return false;
  }

  /** false: no link of this room can carry it now. */
  send(room: RoomFace, command: OutgoingCommand): boolean {
    const link = this.get(room.id, command.source.linkId);
    if (link?.open.send === undefined) return false;
    this.#carrying.set(command.taskId, { link, source: command.source });
    link.open.send(command);
    return true;
  }

  resume(room: RoomFace, command: OutgoingCommand): boolean {
    const link = this.get(room.id, command.source.linkId);
    if (link?.open.resume?.(command) !== true) return false;
    this.#carrying.set(command.taskId, { link, source: command.source });
    return true;
  }

  /** Asks the link that carries the task, even if the asset is heard on another one now. */
  cancel(taskId: string): boolean {
    return this.#carrying.get(taskId)?.link.open.cancel?.(taskId) ?? false;
  }

  /** The ledger ended the task. */
  drop(taskId: string): void {
    this.#carrying.get(taskId)?.link.open.drop?.(taskId);
    this.#carrying.delete(taskId);
  }

  /** Publishes the state of the links to their rooms: about once a second, and when a link changes. */
  refresh(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const room of this.#parts.rooms.all()) {
      const integrations = integrationsOfLinks(this.#parts, this.linksOf(room.id), nowMs);
      // Only a changed state is published at once; rates and counts change all the time.
      const shape = JSON.stringify(
        integrations.map(({ status, listeners, error_code }) => [status, listeners, error_code]),
      );
      const isNews = this.#published.get(room) !== shape;
      this.#published.set(room, shape);
      room.commit({ op: "integrations_set", integrations, isNews }, nowMs);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.closeWhere(() => true);
  }

  #contextOf(workspaceId: string, protocol: string): LinkContext {
    const { clock, log, observe, progress, rooms } = this.#parts;
    const roomNow = (): RoomFace | null => {
      const room = rooms.get(workspaceId);
      if (room !== undefined) return room;
      // Open the room in the background: this report is dropped, the next one will be taken.
      Promise.resolve(rooms.openWorkspace(workspaceId)).then(
        (opened) => isRefusal(opened) && log.warn({ workspace: workspaceId, code: opened.code }, opened.sentence),
        (fault) => log.warn({ err: fault, workspace: workspaceId }, "the room of a link could not be opened"),
      );
      return null;
    };
    return {
      workspaceId,
      clock,
      log,
      observe: (observations) => {
        const room = roomNow();
        if (room !== null) return observe(room, observations, clock.nowMs(), protocol);
        this.dropped.observations += observations.length;
        return { accepted: 0, rejected: observations.length, why: null };
      },
      report: (report) => {
        const room = roomNow();
        if (room === null) this.dropped.reports++;
        // The room counts reports for which its table of platforms is full.
        else room.commit({ op: "platform_reported", report }, report.atMs);
      },
      progress: (taskId, change) => progress(workspaceId, taskId, change),
      picture() {
        const room = rooms.get(workspaceId);
        return room === undefined ? EMPTY_PICTURE : room.published(clock.nowMs());
      },
      placeOf(trackId) {
        const track = rooms.get(workspaceId)?.tracks.get(trackId);
        return track === undefined || track.bearingOnly ? null : { lat: track.lat, lon: track.lon };
      },
      changed: () => this.refresh(),
    };
  }
}
