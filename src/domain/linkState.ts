/**
 * Is something that reports now and then still there? One rule for platforms and sensors (docs/interface.md#asset-views):
 * up while it reports as expected, degraded when it is late or much of what it sends is missing, lost after a long silence.
 */
import { LINK_DEGRADED_LOSS_PCT, LINK_DEGRADED_PERIODS, LINK_LOST_MIN_MS, LINK_LOST_PERIODS } from "../limits.ts";

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
