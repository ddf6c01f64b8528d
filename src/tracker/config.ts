/** What of the decision configuration the tracker is opened with: the one way from the operators' keys to its own. */
import { BUILTIN_DECISION_CONFIG, type DecisionConfig, END_AFTER_COOPERATIVE_S } from "../domain/decisionConfig.ts";
import type { TrackerConfig } from "./types.ts";

export const trackerConfigOf = (config: DecisionConfig): TrackerConfig => ({
  confirmM: config.confirm_m,
  confirmN: config.confirm_n,
  coastPeriods: config.coast_periods,
  endAfterS: config.end_after_s,
  endAfterCooperativeS: END_AFTER_COOPERATIVE_S,
  gateProb: config.gate_prob,
  maxLagS: config.max_lag_s,
});

/** The tracker as a new workspace opens it. */
export const BUILTIN_TRACKER_CONFIG = trackerConfigOf(BUILTIN_DECISION_CONFIG);
