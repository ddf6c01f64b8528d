/** Limits so tight that a simulated run of some seconds meets them. Everything else keeps the service's own. */
import type * as Limits from "../../../src/limits.ts";

export const TIGHT = {
  STREAM_NUMBERS_PER_BLOCK: 500,
  INBOX_OBSERVATIONS_MAX: 2000,
  PLATFORMS_PER_WORKSPACE_MAX: 7,
  SOURCES_PER_WORKSPACE_MAX: 22,
  CLAIMED_IDENTITIES_MAX: 6,
  ALERTS_ACTIVE_MAX: 1,
  SEEN_IDS_PER_WORKSPACE_MAX: 120,
  OPEN_TASKS_PER_ASSET_MAX: 6,
  LAG_CATCH_UP_BYTES: 60_000,
  LAG_CATCH_UP_MS: 1500,
  LAG_CLOSE_MS: 4000,
} satisfies Partial<Record<keyof typeof Limits, number>>;
