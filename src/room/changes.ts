/**
 * Every way into a room besides scans (`accept`) and time (`step`, `flush`): one union, so that a recorder, a replay,
 * another node and the tests iterate one list. A change is plain data, complete in itself: applied to a room in the same
 * state it always has the same effect. Its rows are written to the database before it is committed.
 */
import type { Actor } from "../domain/access.ts";
import type { Geodetic } from "../domain/geodesy.ts";
import type { Integration } from "../domain/link.ts";
import type { Modality } from "../domain/modality.ts";
import type { PlatformReport } from "../domain/platformReport.ts";
import type { SensorPose, SensorProfile } from "../domain/sensorProfile.ts";
import type { Task, TaskStatus } from "../domain/task.ts";
import type { Identity } from "../domain/track.ts";
import type { RegisteredAsset } from "./forces/fleet.ts";

/** Counts of the observations of one source that a call brought and the room did not take. */
export interface TurnedAway {
  /** null: the observation had no source id. */
  readonly sourceId: string | null;
  readonly rejected: number;
  readonly duplicates: number;
}

export type Change =
  /** Rows of the registry as they were written, new or in place of older ones, with their models. */
  | { readonly op: "assets_saved"; readonly rows: readonly RegisteredAsset[] }
  | { readonly op: "asset_removed"; readonly assetId: string }
  /** A task as it was just written. `previous` is null for a new one. */
  | { readonly op: "task_moved"; readonly task: Task; readonly previous: TaskStatus | null }
  /** A link received a report of a platform. */
  | { readonly op: "platform_reported"; readonly report: PlatformReport }
  /** A link was deleted: its platforms become `closed` at once, instead of `lost` after a silence. */
  | { readonly op: "link_closed"; readonly linkId: string }
  | { readonly op: "discovery_ignored"; readonly key: string }
  /** The state of the links by protocol family. `isNews`: more than counters changed, so the slice is sent. */
  | { readonly op: "integrations_set"; readonly integrations: readonly Integration[]; readonly isNews: boolean }
  /** A sensor reported a modality for the first time, or by another protocol family than before. */
  | { readonly op: "source_reported"; readonly id: string; readonly modality: Modality; readonly protocol: string }
  /** A sensor of a scenario, with its model and its place; it has no row in the registry. */
  | {
      readonly op: "sensor_registered";
      readonly id: string;
      readonly profile: SensorProfile;
      readonly pose: SensorPose | null;
    }
  /** The first known position becomes the origin of the local frame, unless the workspace names an origin. */
  | { readonly op: "origin_set"; readonly origin: Geodetic }
  /** An operator marks a track; an absent member stays, null removes it (`identity`: back to the automatic rules). */
  | {
      readonly op: "track_marked";
      readonly trackId: string;
      readonly actor: Actor;
      readonly reason: string | null;
      readonly identity?: Identity | null;
      readonly label?: string | null;
      readonly note?: string | null;
    }
  /** An operator merges tracks that are one object. */
  | {
      readonly op: "tracks_merged";
      readonly keptId: string;
      readonly otherIds: readonly string[];
      readonly actor: Actor;
      readonly reason: string | null;
    }
  /** An operator splits a track that is two objects. */
  | { readonly op: "track_split"; readonly trackId: string; readonly actor: Actor; readonly reason: string | null }
  | { readonly op: "signals_refused"; readonly turnedAway: readonly TurnedAway[] }
  /** A call did not fit into the inbox and was refused as a whole. */
  | { readonly op: "call_refused" }
  /** The next event numbers were reserved in the database: those above `above`, up to and including `limit`. */
  | { readonly op: "numbers_reserved"; readonly above: number; readonly limit: number };

export type Op = Change["op"];
export type ChangeOf<O extends Op> = Extract<Change, { readonly op: O }>;
