/**
 * What a link hears of one platform, and what becomes of a command on its way there, in words of no protocol. Adapters
 * (`links/`) translate into these; the room (`room/forces/fleet.ts`) merges them. A member that is absent says
 * nothing new; null says that it is known to be unknown. Units are in the names, angles in degrees from true north.
 */
import type { HealthLevel, LandedState, PowerState } from "./platformStates.ts";

/** Protocol family of what comes through POST /api/signals. */
export const PUSHED = "rest_push";
/** The source under which the positions of our own platforms are fused; the name is reserved. */
export const OWN_POSITIONS_SOURCE = "own_positions";

/** Who speaks. The three together are hashed to the adoption key (docs/interface.md#asset-views). */
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
  /** `alt_hae_m` is really above mean sea level, because the platform tells no other: shown, not fused. */
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

/** Where a platform moves, as a track's `domain` says it. */
export type MovesIn = "air" | "ground" | "surface" | "subsurface";

export interface PlatformReport {
  readonly source: PlatformSource;
  /** When it was received, milliseconds since the epoch. */
  readonly atMs: number;
  readonly identity?: {
    readonly kindGuess?: "vehicle" | "sensor";
    /** Catalogue type key, e.g. `quadrotor`; the domain follows from it. */
    readonly typeGuess?: string | null;
    /** Where it moves, of one that tells it beside its type, or without one. */
    readonly domainGuess?: MovesIn;
    readonly modelGuess?: string | null;
    readonly name?: string | null;
    readonly remoteIdSerial?: string | null;
  };
  readonly motion?: MotionReport;
  /** When the motion was measured, where the platform tells it; absent: at receipt. Later than receipt counts as then. */
  readonly motionAtMs?: number;
  readonly power?: PowerReport;
  readonly nav?: NavReport;
  /** Names of the modes that it can be set to; the same array while they are the same. */
  readonly modes?: readonly string[] | null;
  /** Overall level as the platform itself says; components only add to it. */
  readonly healthLevel?: HealthLevel;
  readonly armable?: boolean | null;
  readonly components?: readonly HealthComponentReport[];
  /** `components` are all that there are: what was told before and is not among them is over. */
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
  /** It said that it is leaving. */
  readonly goodbye?: boolean;
  /**
   * Another source on the same link uses the same system id right now. Set: the addresses that conflict; empty: no more.
   */
  readonly conflicts?: readonly string[];
}

/** A task as an adapter gets it. */
export interface OutgoingCommand {
  readonly taskId: string;
  readonly source: PlatformSource;
  readonly verb: string;
  /** Checked against the verb's schema; `kind` included. `track` parameters come with the track's position filled in. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly deadlineAtMs: number;
  /** Only such a command may be sent again when no answer comes. */
  readonly resendSafe: boolean;
  /** The asset has answered that it is carrying the command out; its final answer is still due. */
  readonly isInProgress?: boolean;
}

/** What becomes of it after it was handed over, in order of happening. The ledger ignores what its moves do not allow. */
export type CommandProgress = {
  /** How often it was sent again, by the time that this is the first word about it. */
  readonly resends?: number;
} & (
  | { readonly is: "accepted" }
  | { readonly is: "executing"; readonly progressPct: number | null; readonly etaMs?: number | null }
  /** Asked to drop it, the platform goes on with it. */
  | { readonly is: "cancel_declined"; readonly text: string }
  /** The platform cannot now: back to the queue, again after the pause, until the deadline. */
  | { readonly is: "busy"; readonly retryAfterMs: number; readonly text: string }
  | {
      readonly is: "refused" | "failed" | "succeeded" | "cancelled" | "timed_out";
      readonly code: string;
      readonly text: string;
    }
);

/** What became of observations that a link handed to its room. */
export interface Observed {
  readonly accepted: number;
  /** Not taken: against a rule, too late, in the future, or more than fits. A far clock that is wrong shows here. */
  readonly rejected: number;
  /** Why the first of them was not taken, a sentence; null: all were. */
  readonly why: string | null;
}
