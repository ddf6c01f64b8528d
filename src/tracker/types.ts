/** What the tracker gives the room: the table of tracks, ends, the effect of edits, and figures about itself. */
import { TRACK_CAPACITY } from "../../assembly/layout.ts";
import { BIRTH_HEIGHT_SIGMA_M } from "../../assembly/physics.ts";

/** One sigma of the height of a track whose height no sensor measured. */
export const UNMEASURED_HEIGHT_SIGMA_M = BIRTH_HEIGHT_SIGMA_M;

/** Tracks that the table holds at once, tentative ones included. */
export const TRACKS_LIVE_MAX: number = TRACK_CAPACITY;

export const TRACK_STATUS = ["tentative", "confirmed", "coasting"] as const;

/**
 * The table of tracks: one row for each live track, predicted to the time asked for. Valid until the next call into the
 * tracker; never kept.
 */
export interface TrackTable {
  readonly count: number;
  /** The time that positions and covariances are valid at, microseconds since the epoch. */
  readonly atUs: number;
  /** Names the track: a whole number under 2^53 that does not depend on the order in which scans arrived. */
  readonly key: Float64Array;
  /** Index into TRACK_STATUS. */
  readonly status: Uint8Array;
  /** 1 where the row was updated, initiated or changed status since the last `readTracks`. */
  readonly touched: Uint8Array;
  readonly existence: Float64Array;
  readonly eastM: Float64Array;
  readonly northM: Float64Array;
  readonly upM: Float64Array;
  readonly velEastMps: Float64Array;
  readonly velNorthMps: Float64Array;
  readonly velUpMps: Float64Array;
  /** 6 per row: packed upper triangle ee en eu nn nu uu, m^2. */
  readonly covPosM2: Float64Array;
  /** 6 per row, (m/s)^2. */
  readonly covVelM2ps2: Float64Array;
  /** Time of the first and of the last measurement that updated it, microseconds since the epoch. */
  readonly firstAtUs: Float64Array;
  readonly lastAtUs: Float64Array;
  readonly hits: Uint32Array;
  readonly misses: Uint32Array;
  /** 1 for a ray track: a bearing without a range. Then the members ray.. are set and the position has no meaning. */
  readonly bearingOnly: Uint8Array;
  readonly rayAzRad: Float64Array;
  readonly rayElRad: Float64Array;
  readonly raySigmaRad: Float64Array;
  readonly raySensor: Int32Array;
  /** The room's number of the identity that the track is believed to claim, 0 for none. */
  readonly claim: Float64Array;
  /** CONTRIBUTORS_MAX per row: sensor slot (-1 empty), time of its last update, number of updates. */
  readonly contributorSensor: Int32Array;
  readonly contributorLastAtUs: Float64Array;
  readonly contributorHits: Uint32Array;
  /** Probability of the manoeuvring model(s), 0..1. */
  readonly manoeuvre: Float64Array;
  /** Radar cross-section, smoothed, dBsm, NaN when never reported. */
  readonly rcsDbsm: Float64Array;
}

/**
 * A track that is gone. `revised`: late data changed the past, and there it never was. `mergedInto` is the key of the track
 * that goes on in its place, 0 when there is none.
 */
export interface EndedTrack {
  readonly key: number;
  readonly reason: "stale" | "merged" | "capacity" | "revised";
  readonly mergedInto: number;
}

/** What an operator's merge did: the ended tracks go on in the kept one. */
export interface TracksMerged {
  readonly keptKey: number;
  readonly endedKeys: readonly number[];
}

/** What an operator's split did: the track keeps its key for one of the two objects, the other is new. */
export interface TrackSplit {
  readonly keptKey: number;
  readonly newKeys: readonly number[];
}

interface SensorReport {
  readonly sourceId: string;
  /** Mean normalised innovation squared over its degrees of freedom; 1 is consistent. Null before enough samples. */
  readonly nisMean: number | null;
  /** Estimated constant errors, and whether they are being corrected. */
  readonly azBiasDeg: number | null;
  readonly rangeBiasM: number | null;
  readonly clockOffsetMs: number | null;
  readonly corrected: boolean;
}

export interface TrackerHealth {
  readonly tentative: number;
  readonly confirmed: number;
  readonly coasting: number;
  readonly scansFused: number;
  readonly observationsFused: number;
  /** Times that the tracker went back to a kept state, and scans that it ran again for that. */
  readonly rewinds: number;
  readonly scansReplayed: number;
  /** Not fused: repeated, or older than the lag window. The room sorts most of these out before. */
  readonly duplicateScans: number;
  readonly tooLateScans: number;
  /** Not fused, because every sensor slot of the kernel was taken by another source. */
  readonly scansWithoutSlot: number;
  /** Times that the lag window became shorter, because it held too many measurements. */
  readonly lagWindowsShortened: number;
  /** Explained scans that were left out, because too many waited for the stream. */
  readonly explainsDropped: number;
  readonly droppedForCapacity: number;
  /** Searches for near tracks or measurements that the bound on a scan's cost ended early. */
  readonly searchesCut: number;
  readonly sensors: readonly SensorReport[];
  /** 16 hex digits: build of the kernel. */
  readonly buildHash: string;
}
