/**
 * The open rooms, by workspace id. Opens a room on first use, steps all of them, and closes those without input, streams
 * and open tasks, because each holds a WASM memory and their number is bounded: at once when another workspace asks and
 * all places are taken, else after a while.
 */
import { refusal } from "../domain/errors.ts";
import type { StreamEnd } from "../domain/events.ts";
import type { Clock } from "../lib/clock.ts";
import { ROOM_GIVES_WAY_AFTER_MS, ROOM_IDLE_CLOSE_MS } from "../limits.ts";
import type { Change } from "./changes.ts";
import type { NoRoom } from "./face.ts";
import type { RoomEvent } from "./part.ts";
import type { Room } from "./room.ts";

/** Callbacks of every open room. */
interface RoomsListener {
  opened?(room: Room): void;
  /** No longer the room of its workspace; the writes that it accepted are still made. */
  closed?(room: Room): void;
  changed?(room: Room, change: Change, nowMs: number): void;
  published?(room: Room, event: RoomEvent, nowMs: number): void;
}

interface RoomsOptions {
  readonly roomsMax: number;
  readonly clock: Pick<Clock, "nowMs">;
  /** Reads the workspace's rows and builds the room; null when there is no such workspace. */
  readonly open: (id: string) => Promise<Room | null>;
}

export class Rooms {
  readonly #options: RoomsOptions;
  readonly #open = new Map<string, Room>();
  /** The last use of each open room: a number that grows with every use. */
  readonly #askedAt = new Map<string, number>();
  #askings = 0;
  readonly #opening = new Map<string, Promise<Room | NoRoom>>();
  /** Closed rooms whose accepted writes are not all made yet. */
  readonly #closing = new Map<string, Promise<void>>();

  readonly #listeners = new Set<RoomsListener>();

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** For the life of the process; to be called before any room opens. */
  listen(listener: RoomsListener): void {
    this.#listeners.add(listener);
  }

  #listenTo(room: Room): void {
    room.listen({
      changed: (change, nowMs) => {
        for (const listener of this.#listeners) listener.changed?.(room, change, nowMs);
      },
      published: (event, nowMs) => {
        for (const listener of this.#listeners) listener.published?.(room, event, nowMs);
      },
    });
    for (const listener of this.#listeners) listener.opened?.(room);
  }

  all(): Iterable<Room> {
    return this.#open.values();
  }

  get(id: string): Room | undefined {
    return this.#open.get(id);
  }

  /** Synchronous when the room is open: the hot path of every request. */
  openWorkspace(id: string): Room | NoRoom | Promise<Room | NoRoom> {
    this.#askings++;
    const room = this.#open.get(id);
    if (room === undefined) return this.#opening.get(id) ?? this.#begin(id);
    this.#askedAt.set(id, this.#askings);
    return room;
  }

  #begin(id: string): Promise<Room | NoRoom> {
    const opening = this.#load(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #load(id: string): Promise<Room | NoRoom> {
    // Read the rows only after the closing room has written its last one, or memory would miss it.
    await this.#closing.get(id);
    const room = await this.#options.open(id);
    if (room === null) return refusal("not_found", `there is no workspace ${id}`);
    if (this.#open.size >= this.#options.roomsMax && !this.#closeUnused())
      return refusal(
        "overloaded",
        `this node serves its limit of ${this.#options.roomsMax} workspaces, and all of them are in use`,
        {
          "Retry-After": "30",
        },
      );
    this.#open.set(id, room);
    this.#askedAt.set(id, this.#askings);
    this.#listenTo(room);
    return room;
  }

  /** Closes the least recently used room without recent data; false when every room is in use. */
  #closeUnused(): boolean {
    const nowMs = this.#options.clock.nowMs();
    let oldest: string | null = null;
    for (const [id, room] of this.#open) {
      const hasData = room.lastUsedAtMs > room.openedAtMs && nowMs - room.lastUsedAtMs < ROOM_GIVES_WAY_AFTER_MS;
      if (hasData || !room.isFused || isHeldOpen(room)) continue;
      if (oldest === null || this.#askedAt.get(id)! < this.#askedAt.get(oldest)!) oldest = id;
    }
    if (oldest !== null) this.close(oldest, "workspace_idle");
    return oldest !== null;
  }

  /** Open streams of all rooms. */
  get sessions(): number {
    let sessions = 0;
    for (const room of this.#open.values()) sessions += room.hub.sessions;
    return sessions;
  }

  /** True when no step of any room would fuse anything more. */
  get isFused(): boolean {
    for (const room of this.#open.values()) if (!room.isFused) return false;
    return true;
  }

  step(nowMs: number): void {
    for (const room of this.#open.values()) room.step(nowMs);
  }

  flush(nowMs: number): void {
    for (const room of this.#open.values()) room.flush(nowMs);
  }

  ping(nowMs: number): void {
    for (const room of this.#open.values()) room.hub.ping(nowMs);
  }

  closeIdle(nowMs: number): void {
    for (const [id, room] of this.#open) {
      if (isHeldOpen(room)) continue;
      if (nowMs - room.lastUsedAtMs >= ROOM_IDLE_CLOSE_MS) this.close(id, "workspace_idle");
    }
  }

  /**
   * Closes the room of a workspace that was deleted, is idle, or must be opened again with changed settings. The next
   * opening waits until the writes of this one are made.
   */
  close(id: string, end: StreamEnd): void {
    const room = this.#open.get(id);
    if (room === undefined) return;
    room.hub.closeAll(end);
    this.#open.delete(id);
    this.#askedAt.delete(id);
    for (const listener of this.#listeners) listener.closed?.(room);
    this.#closing.set(
      id,
      room.writes.end().finally(() => this.#closing.delete(id)),
    );
  }

  closeAll(end: StreamEnd): void {
    for (const id of [...this.#open.keys()]) this.close(id, end);
  }

  /** Resolves when the closed rooms have made their accepted writes. */
  async written(): Promise<void> {
    await Promise.all(this.#closing.values());
  }
}

/** Open tasks have deadlines, and those are watched in open rooms only. */
function isHeldOpen(room: Room): boolean {
  return room.hub.sessions > 0 || room.tasks.count > 0 || !room.writes.isIdle;
}
