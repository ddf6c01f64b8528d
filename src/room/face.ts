/**
 * A room as the code outside of `src/room` sees it: its read views and its door. Slices, links and the task machine import
 * this file and, for the changes that they commit, `changes.ts`; nothing else of the room.
 */
import type { AssetView } from "../domain/asset.ts";
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import type { Refusal } from "../domain/errors.ts";
import type { EnuFrame, Geodetic } from "../domain/geodesy.ts";
import type { Environment } from "../domain/modality.ts";
import type { PlatformSource } from "../domain/platformReport.ts";
import type { Task } from "../domain/task.ts";
import type { Track } from "../domain/track.ts";
import type { NumberBlock } from "../stream/numbering.ts";
import type { Session, StreamOwner } from "../stream/session.ts";
import type { Sink } from "../stream/sink.ts";
import type { TrackExplains } from "../tracker/pastExplains.ts";
import type { Alerts } from "./alerts/alerts.ts";
import type { Change } from "./changes.ts";
import type { RegisteredAsset } from "./forces/fleet.ts";
import type { ForcesView } from "./forces/forcesView.ts";
import type { Admitted } from "./intake/admission.ts";
import type { ScanInput } from "./intake/inbox.ts";
import type { RoomEvent } from "./part.ts";
import type { Sensors } from "./sensors/sensors.ts";
import type { Ledger } from "./tasks/ledger.ts";
import type { EncodedPicture } from "./telling/encodedPicture.ts";
import type { Histories } from "./tracks/history.ts";
import type { LiveTrack } from "./tracks/liveTrack.ts";
import type { Tracks } from "./tracks/tracks.ts";

export type { Discovered } from "./forces/discovered.ts";
export type { FleetAsset, FleetEntry, RegisteredAsset } from "./forces/fleet.ts";
export type { ScanInput } from "./intake/inbox.ts";
export type { Channel } from "./sensors/sensor.ts";
export type { LiveTrack } from "./tracks/liveTrack.ts";

/** The picture as protocols publish it to other systems. */
export interface PublishedPicture {
  readonly tracks: readonly Track[];
  readonly assets: readonly AssetView[];
  /** By the id of a track or an asset: the platform that reports its own position now and so need not be sent ours. */
  readonly reportedBy: ReadonlyMap<string, PlatformSource>;
}

/** The outcome of one call's scans, in observations, and the step that will fuse them. */
export interface Accepted extends Admitted {
  readonly tick: number;
}

/** Every entry through the door, in order. A recorder keeps them; a replay applies them to a fresh room. */
export type DoorEntry =
  | { readonly verb: "accept"; readonly nowMs: number; readonly scans: readonly ScanInput[] }
  | { readonly verb: "commit"; readonly nowMs: number; readonly change: Change }
  /**
   * After its effect. `scans`: number of scans taken from the inbox, because a busy machine leaves some for the next step.
   * `everyTrack`: it also predicted tracks without an update.
   */
  | { readonly verb: "step"; readonly nowMs: number; readonly scans: number; readonly everyTrack: boolean }
  | { readonly verb: "flush"; readonly nowMs: number };

/** Callbacks of a room. A listener must not enter the room from within a call. */
export interface RoomListener {
  /**
   * Before the entry has any effect; for a step, after it. The room then writes into a scan's measurements, so a recorder
   * copies them here.
   */
  entered?(entry: DoorEntry): void;
  /** After the effect of the change was published. */
  changed?(change: Change, nowMs: number): void;
  /** An event that a part returned: alerts and tasks, not track updates. */
  published?(event: RoomEvent, nowMs: number): void;
}

/** The rows of the registry as a room opens. */
export interface Registry {
  readonly assets: readonly RegisteredAsset[];
  readonly tasks: readonly Task[];
  readonly ignoredKeys: readonly string[];
}

/**
 * The initial state of a room as plain data. A fresh room of the same build that starts from it and takes the same entries
 * through its door ends in the same state.
 */
export interface RoomStart {
  readonly id: string;
  readonly ownerEpoch: number;
  readonly name: string;
  readonly environment: Environment;
  /** Milliseconds since the epoch. */
  readonly openedAtMs: number;
  readonly origin: Geodetic | null;
  readonly tracksMax: number;
  readonly streamsMax: number;
  readonly decisionConfig: DecisionConfig;
  /** The first numbers of its events. */
  readonly numbers: NumberBlock;
  readonly registry: Registry;
  /** The hash of the tracker's kernel. */
  readonly buildHash: string;
}

export interface RoomFace {
  readonly id: string;
  readonly start: RoomStart;
  /** Which opening of the workspace's room this is; its writes to the database name it. */
  readonly ownerEpoch: number;
  readonly name: string;
  readonly environment: Environment;
  /** Number of the last domain event. */
  readonly generation: number;
  /** Number of steps so far. */
  readonly tick: number;
  readonly decisionConfig: DecisionConfig;
  /** null until a first position is known. */
  readonly frame: EnuFrame | null;

  // ---- read views
  readonly tracks: Pick<Tracks, "get" | "all" | "count" | "version">;
  readonly histories: Pick<Histories, "has" | "points">;
  readonly forces: ForcesView;
  readonly sensors: Pick<Sensors, "get" | "all" | "find" | "whyNotModality" | "version">;
  readonly tasks: Pick<Ledger, "get" | "open" | "openOf" | "count" | "version">;
  readonly alerts: Pick<Alerts, "active">;
  readonly encoded: Pick<EncodedPicture, "assetsBody" | "tracksBody" | "pictureBody">;
  /** A track in its wire form. */
  viewOfTrack(track: LiveTrack, nowMs: number): Track;
  /** Its height above the ellipsoid, metres; null where it is unknown. */
  heightOfTrack(track: LiveTrack): number | null;
  /**
   * Explains of the last scans of a track, the newest `limit` since a time, computed in slices: see `Tracker.explainsOf`.
   * null while nothing was fused.
   */
  explainsOf(track: LiveTrack, sinceUs: number, limit: number): Generator<undefined, TrackExplains, undefined> | null;
  published(nowMs: number): PublishedPicture;

  // ---- the door
  /**
   * Whether a call of this size fits into the inbox. The caller commits one that does not as `call_refused`. In a closed
   * room nothing fits, because it would be lost there.
   */
  hasRoomFor(observations: number): boolean;
  /** An observation with this id of this sensor was accepted within the window. */
  hasSeen(sensorId: string, observationId: string): boolean;
  accept(scans: readonly ScanInput[], nowMs: number): Accepted;
  /** false: a bound refused the change, and it was counted. */
  commit(change: Change, nowMs: number): boolean;
  /** Runs write journeys one after the other; an urgent one goes before those that have not begun. */
  serially<T>(work: () => Promise<T>, isUrgent?: boolean): Promise<T>;
  listen(listener: RoomListener): () => void;

  // ---- streams
  /** null: another stream can be opened. */
  whyNotStream(): Refusal<"too_many_streams" | "unavailable"> | null;
  openStream(sink: Sink, kindsMask: number, owner: StreamOwner, nowMs: number): Session | Refusal;
}

/** Why a workspace cannot be opened now. */
export type NoRoom = Refusal<"not_found" | "overloaded">;

/** The open rooms, by workspace id. */
export interface RoomsFace {
  all(): Iterable<RoomFace>;
  get(workspaceId: string): RoomFace | undefined;
  /** Synchronous when the room is open. */
  openWorkspace(workspaceId: string): RoomFace | NoRoom | Promise<RoomFace | NoRoom>;
}
