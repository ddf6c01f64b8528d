/** What operators may configure of the tracker, and where its values come from in the decision configuration. */
import { BUILTIN_DECISION_CONFIG, type DecisionConfig, END_AFTER_COOPERATIVE_S } from "../domain/decisionConfig.ts";

/** Everything else that the tracker is tuned with is a constant of assembly/physics.ts. */
export interface TrackerConfig {
  /** A track is shown when its existence is that of m hits in n looks (kernel/tuning.ts). */
  readonly confirmM: number;
  readonly confirmN: number;
  /** A track without a measurement for so many of its update periods is coasting. */
  readonly coastPeriods: number;
  readonly endAfterS: number;
  /** For tracks that only cooperative reports (ADS-B, Remote ID) update. */
  readonly endAfterCooperativeS: number;
  /** Probability that all measurements of a target in GATE_LOOKS looks are inside its gate. */
  readonly gateProb: number;
  /** Scans older than this are not fused any more. */
  readonly maxLagS: number;
}

export const trackerConfigOf = (config: DecisionConfig): TrackerConfig => ({
  confirmM: config.confirm_m,
  confirmN: config.confirm_n,
  coastPeriods: config.coast_periods,
  endAfterS: config.end_after_s,
  endAfterCooperativeS: END_AFTER_COOPERATIVE_S,
  gateProb: config.gate_prob,
  maxLagS: config.max_lag_s,
});

/** Of a new workspace. */
export const BUILTIN_TRACKER_CONFIG = trackerConfigOf(BUILTIN_DECISION_CONFIG);
