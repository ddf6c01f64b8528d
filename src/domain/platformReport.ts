/**
 * Reports of platforms, and commands with their progress, independent of any protocol. Adapters (`links/`) translate into
 * these; the room (`room/forces/fleet.ts`) merges them. An absent member changes nothing; null means that the value is now
 * unknown. Units are in the names, angles in degrees from true north.
 */
import type { HealthLevel, LandedState, PowerState } from "./platformStates.ts";

/** Protocol family of sources that push to POST /api/signals. */
export const PUSHED = "rest_push";
/** Source of the scans with our own platforms' positions. The name is reserved. */
export const OWN_POSITIONS_SOURCE = "own_positions";

/** The sender. Protocol, address and system id are hashed to the adoption key (docs/interface.md#asset-views). */
export interface PlatformSource {
  /** Key of the protocol family, e.g. `mavlink2`. */
  readonly protocol: string;
  /** Where it was heard, in the spelling that `connection.address` is compared with, e.g. `192.0.2.7:14550`. */
  readonly address: string;
  /** MAVLink system id, SAPIENT node id, CoT uid: unique at its address. */
  readonly systemId: string;
  /** The link that heard it. */
  readonly linkId: string;
}

export interface MotionReport {
  readonly lat: number;
  readonly lon: number;
  readonly alt_hae_m?: number | null;
  /** `alt_hae_m` is above mean sea level, because the platform reports no other height: shown, but not fused. */
  readonly alt_is_msl?: boolean;
  readonly alt_rel_m?: number | null;
  readonly vel_enu_mps?: readonly [number, number, number] | null;
  readonly heading_deg?: number | null;
}

export interface PowerReport {
  readonly percent?: number | null;
  readonly voltage_v?: number | null;
  readonly current_a?: number | null;
  readonly remaining_s?: number | null;
  readonly state?: PowerState | null;
}

export interface NavReport {
  /** `no_gps no_fix 2d 3d dgps rtk_float rtk_fixed static ppp`. */
  readonly gps_fix?: string | null;
  readonly sats?: number | null;
  readonly hdop?: number | null;
  readonly landed?: LandedState;
  readonly armed?: boolean | null;
  readonly mode?: string | null;
  readonly home?: { readonly lat: number; readonly lon: number; readonly alt_hae_m: number | null } | null;
}

export interface HealthComponentReport {
  /** Stable within the platform, e.g. `battery_0`, `gps`. The newest report of an id replaces the older. */
  readonly id: string;
  readonly name: string;
  readonly level: HealthLevel;
  readonly message: string;
  readonly code: string | null;
}

/** The medium in which a platform moves, as in a track's `domain`. */
export type MovesIn = "air" | "ground" | "surface" | "subsurface";

export interface PlatformReport {
  readonly source: PlatformSource;
  /** When it was received, milliseconds since the epoch. */
  readonly atMs: number;
  readonly identity?: {
    readonly kindGuess?: "vehicle" | "sensor";
    /** Catalogue type key, e.g. `quadrotor`; the domain follows from it. */
    readonly typeGuess?: string | null;
    /** Where it moves, if it reports that apart from its type. */
    readonly domainGuess?: MovesIn;
    readonly modelGuess?: string | null;
    readonly name?: string | null;
    readonly remoteIdSerial?: string | null;
  };
  readonly motion?: MotionReport;
  /** When the motion was measured; absent: at receipt. A later time than receipt counts as receipt. */
  readonly motionAtMs?: number;
  readonly power?: PowerReport;
  readonly nav?: NavReport;
  /** Names of the modes that it can be set to; the same array while they are the same. */
  readonly modes?: readonly string[] | null;
  /** Overall level that the platform reports; its components can only make it worse. */
  readonly healthLevel?: HealthLevel;
  readonly armable?: boolean | null;
  readonly components?: readonly HealthComponentReport[];
  /** `components` is the whole list: earlier ones that are not in it have ended. */
  readonly areAllComponents?: boolean;
  /** One line for a person, e.g. a STATUSTEXT; the last few are kept. */
  readonly message?: string;
  readonly radio?: {
    readonly rssi_dbm?: number | null;
    readonly loss_pct?: number | null;
    readonly rtt_ms?: number | null;
  };
  /** How often this source is expected to be heard; for the link state (docs/interface.md#asset-views). */
  readonly expectedPeriodS?: number;
  /** It signed off. */
  readonly goodbye?: boolean;
  /**
   * Addresses of other sources on the same link that use the same system id now; empty: none any more.
   */
  readonly conflicts?: readonly string[];
}

/** A task as it is handed to an adapter. */
export interface OutgoingCommand {
  readonly taskId: string;
  readonly source: PlatformSource;
  readonly verb: string;
  /** Checked against the verb's schema; `kind` included. `track` parameters come with the track's position filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly deadlineAtMs: number;
  /** Whether it may be sent again when no answer comes. */
  readonly resendSafe: boolean;
  /** The asset has answered that it is carrying the command out; its final answer is still due. */
  readonly isInProgress?: boolean;
}

/**
 * Progress of a command after it was handed over, in the order in which it happens. The ledger ignores moves that it does not
 * allow.
 */
export type CommandProgress = {
  /** How often the link sent it again; only with the first report about it. */
  readonly resends?: number;
} & (
  | { readonly is: "accepted" }
  | { readonly is: "executing"; readonly progressPct: number | null; readonly etaMs?: number | null }
  /** The platform was asked to stop it and goes on with it. */
  | { readonly is: "cancel_declined"; readonly text: string }
  /** The platform cannot do it now: it is queued again and sent after the pause, until its deadline. */
  | { readonly is: "busy"; readonly retryAfterMs: number; readonly text: string }
  | {
      readonly is: "refused" | "failed" | "succeeded" | "cancelled" | "timed_out";
      readonly code: string;
      readonly text: string;
    }
);

/** Counts of the observations that a link handed to its room. */
export interface Observed {
  readonly accepted: number;
  /** Not taken: against a rule, too late, in the future, or more than fits. A wrong clock of the sender shows here. */
  readonly rejected: number;
  /** Why the first of these was not taken, as a sentence; null: all were taken. */
  readonly why: string | null;
}
