/** DRAFT of the room's surface, so that the slices compile against it. The lead fills it in. */
import type { EnuFrame, Geodetic } from "../domain/geodesy.ts";
import type { Environment, Modality } from "../domain/modality.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Scan } from "../domain/scan.ts";
import type { SensorPose, SensorProfile } from "../domain/sensorProfile.ts";
import type { Hub } from "../stream/hub.ts";

/** One thing that reports: a registered sensor, or an observed source that nobody has registered yet. */
export interface Source {
  readonly id: string;
  readonly modality: Modality;
  readonly registered: boolean;
  readonly profile: SensorProfile;
  /** The registered placement; null for an observed source, whose observations must carry their own pose. */
  readonly pose: SensorPose | null;
}

/** A scan and the wire observations its rows came from (for obs events and for claims); dropped after the step. */
export interface ScanInput {
  readonly scan: Scan;
  readonly wire: readonly object[];
}

export interface Enqueued {
  readonly accepted: number;
  readonly late: number;
  readonly quarantined: number;
  /** Observations of scans whose (source, scan_id) was taken before. */
  readonly duplicates: number;
  /** The step that will fuse them. */
  readonly tick: number;
}

export interface Workspace {
  readonly id: string;
  readonly environment: Environment;
  readonly generation: number;
  readonly hub: Hub;
  readonly openedAtMs: number;
  /** The local frame; made at the first geodetic point when the registry names no origin. */
  frameAt(first: Geodetic): EnuFrame;
  /** The source as known, or a new observed source of this modality. A refusal when the source table is full. */
  source(id: string, modality: Modality): Source | Refusal;
  /** True the first time this observation id of this source is seen within the window. */
  firstSight(sourceId: string, observationId: string): boolean;
  /** A small number for a claimed identity (serial, ICAO address), stable for the life of the room. */
  intern(identity: string): number;
  hasRoomFor(observations: number): boolean;
  /** Into the inbox; late, future and repeated scans are counted instead. Call hasRoomFor first. */
  enqueue(inputs: readonly ScanInput[], nowMs: number): Enqueued;
  /** Counts what the edge of the signals slice turned away, by source and reason, for fusion_health and sensor_slice. */
  countRejected(sourceId: string | null, code: string, count: number): void;
  /** Write journeys of one workspace queue behind each other. */
  serially<T>(work: () => Promise<T>): Promise<T>;
  /** Bodies for GET: encoded once a generation, shared by all readers. */
  tracksBody(): Uint8Array;
}
