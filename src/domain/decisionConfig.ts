/**
 * The decision configuration's keys that the live picture needs today, with the built-in values
 * (docs/interface.md#decision-configuration).
 */
export const ENGAGEMENT_MODES = ["observe", "recommend", "approve_each", "approve_plan", "supervised"] as const;
export type EngagementMode = (typeof ENGAGEMENT_MODES)[number];

export interface DecisionConfig {
  readonly engagement_mode: EngagementMode;
  readonly confirm_m: number;
  readonly confirm_n: number;
  readonly coast_periods: number;
  readonly end_after_s: number;
  /** Probability that a target's own measurements all lie inside its chi-square gate, over the looks of a short while. */
  readonly gate_prob: number;
  readonly max_lag_s: number;
}

export const BUILTIN_DECISION_CONFIG: DecisionConfig = {
  engagement_mode: "recommend",
  confirm_m: 3,
  confirm_n: 5,
  coast_periods: 2,
  end_after_s: 15,
  gate_prob: 0.99,
  max_lag_s: 5,
};

/** In place of `end_after_s` for tracks that only cooperative reports update (docs/interface.md#tracks). */
export const END_AFTER_COOPERATIVE_S = 60;
