/** What the room and the tracker say to each other. The kernel's rows and columns stay inside `tracker/`. */
import { TRACK_CAPACITY } from "../../assembly/layout.ts";
import { BIRTH_HEIGHT_SIGMA_M } from "../../assembly/physics.ts";

/**
 * Tuning that operators may set (docs/interface.md#decision-configuration, decision config); everything else is physics in
 * assembly/physics.ts.
 */
export interface TrackerConfig {
  /** A track is shown from m hits in n looks on, as existence has it (tuning.ts). */
  readonly confirmM: number;
  readonly confirmN: number;
  readonly coastPeriods: number;
  readonly endAfterS: number;
  /** End for tracks that only cooperative reports (ADS-B, Remote ID) feed. */
  readonly endAfterCooperativeS: number;
  /** A target's measurements are inside its gate with this probability over GATE_LOOKS looks. */
  readonly gateProb: number;
  readonly maxLagS: number;
}

/** One sigma of the height of a track for which none was measured. */
export const UNMEASURED_HEIGHT_SIGMA_M = BIRTH_HEIGHT_SIGMA_M;

/** Tracks that may live at once, tentative ones included. */
export const TRACKS_LIVE_MAX: number = TRACK_CAPACITY;

export const TRACK_STATUS = ["tentative", "confirmed", "coasting"] as const;

/**
 * The track table as the room reads it after `advance`: one row a live track, predicted to the time asked for.
 * Views into kernel memory or copies: valid until the next call into the tracker, never kept.
 */
export interface TrackTable {
  readonly count: number;
  /** The time that positions and covariances are valid at, microseconds since the epoch. */
  readonly atUs: number;
  /** Stable identity of the track, a whole number under 2^53, the same however late its data came. */
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
  /** 1 for a ray track: a bearing without a range; then rayAzRad.. are set and the position is meaningless. */
  readonly bearingOnly: Uint8Array;
  readonly rayAzRad: Float64Array;
  readonly rayElRad: Float64Array;
  readonly raySigmaRad: Float64Array;
  readonly raySensor: Int32Array;
  /** Intern number of the serial or address that kinematic agreement tied to it, 0 for none. */
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

/** A track that is no more. `mergedInto` is the key of the survivor, 0 when there is none. */
export interface EndedTrack {
  readonly key: number;
  readonly reason: "stale" | "merged" | "capacity" | "revised";
  readonly mergedInto: number;
}

/** What a merge by an operator did: tracks that are gone, into the kept one. */
export interface TracksMerged {
  readonly keptKey: number;
  readonly endedKeys: readonly number[];
}

/** What a split by an operator did: the track that it was keeps its key, beside the new ones. */
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
  /** Times that late data made the tracker go back, and scans run again for it. */
  readonly rewinds: number;
  readonly scansReplayed: number;
  /** Repeated scans and scans older than the lag window that reached the tracker all the same. */
  readonly duplicateScans: number;
  readonly tooLateScans: number;
  /** Scans of sources that no slot was left for. */
  readonly scansWithoutSlot: number;
  /** Times that the bound on kept measurements, not the lag window, said how far back the tracker can go. */
  readonly lagWindowsShortened: number;
  /** Explain records that did not fit their queue. */
  readonly explainsDropped: number;
  readonly droppedForCapacity: number;
  /** Searches for near partners that the bound on a scan's cost ended early. */
  readonly searchesCut: number;
  readonly sensors: readonly SensorReport[];
  /** 16 hex digits: build of the kernel. */
  readonly buildHash: string;
}
