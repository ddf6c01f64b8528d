/**
 * The states that a platform, its link and its power can be in (docs/interface.md#asset-views), as everyone spells them.
 */
export const LINK_STATES = ["never_heard", "connecting", "up", "degraded", "lost", "closed"] as const;
export type LinkState = (typeof LINK_STATES)[number];

export const HEALTH_LEVELS = ["ok", "warn", "fail", "not_ready", "unknown"] as const;
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

export const POWER_STATES = ["ok", "low", "critical", "emergency", "failed", "charging"] as const;
export type PowerState = (typeof POWER_STATES)[number];

export const LANDED_STATES = ["undefined", "on_ground", "in_air", "taking_off", "landing"] as const;
export type LandedState = (typeof LANDED_STATES)[number];
