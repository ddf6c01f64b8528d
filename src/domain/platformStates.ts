/**
 * The states that a platform, its link and its power can be in (docs/interface.md#asset-views), and the one rule by which a
 * link's state follows from silence, for platforms and sensors alike: up while reports come as expected, degraded when they
 * are late or much of what is sent is missing, lost after a long silence.
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
  /** Since its last report. */
  readonly silentMs: number;
  /** Between two reports, as expected. */
  readonly periodMs: number;
  /** Share of its messages that did not arrive. */
  readonly lossPct?: number;
  /** A shorter silence means nothing, whatever the period. */
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
