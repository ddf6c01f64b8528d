/**
 * The states of a platform, its link and its power (docs/interface.md#asset-views), and the one rule that derives a link's
 * state from silence, for platforms and sensors alike: up while reports come as expected, degraded when they are late or many
 * are missing, lost after a long silence.
 */
import { LINK_DEGRADED_LOSS_PCT, LINK_DEGRADED_PERIODS, LINK_LOST_MIN_MS, LINK_LOST_PERIODS } from "../limits.ts";

export const LINK_STATES = ["never_heard", "connecting", "up", "degraded", "lost", "closed"] as const;
export type LinkState = (typeof LINK_STATES)[number];

export const HEALTH_LEVELS = ["ok", "warn", "fail", "not_ready", "unknown"] as const;
export type HealthLevel = (typeof HEALTH_LEVELS)[number];

export const POWER_STATES = ["ok", "low", "critical", "emergency", "failed", "charging"] as const;
export type PowerState = (typeof POWER_STATES)[number];

export const LANDED_STATES = ["undefined", "on_ground", "in_air", "taking_off", "landing"] as const;
export type LandedState = (typeof LANDED_STATES)[number];

export interface Reporting {
  /** Time since its last report. */
  readonly silentMs: number;
  /** Expected time between two reports. */
  readonly periodMs: number;
  /** Share of its messages that did not arrive. */
  readonly lossPct?: number;
  /** A shorter silence than this is ignored, whatever the period. */
  readonly silentMinMs?: number;
}

export function linkStateOf({
  silentMs,
  periodMs,
  lossPct = 0,
  silentMinMs = 0,
}: Reporting): "up" | "degraded" | "lost" {
  if (silentMs > Math.max(LINK_LOST_PERIODS * periodMs, LINK_LOST_MIN_MS)) return "lost";
  const isLate = silentMs > Math.max(LINK_DEGRADED_PERIODS * periodMs, silentMinMs);
  return isLate || lossPct > LINK_DEGRADED_LOSS_PCT ? "degraded" : "up";
}
