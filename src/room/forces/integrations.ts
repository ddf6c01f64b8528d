/**
 * `integration_slice` (docs/interface.md#integrations): the state of each protocol family that is built, and what nobody
 * registered yet. Pure.
 */
import type { EventPayloads } from "../../domain/events.ts";
import type { Integration } from "../../domain/link.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import type { Sources } from "../sensors/sensors.ts";
import { discoveriesOf, isPushedLately } from "./discoveries.ts";
import { PUSHED } from "./fleet.ts";
import type { Forces } from "./forces.ts";
import { OWN_POSITIONS_SOURCE } from "./ownPositions.ts";

export function integrationsOf(sources: Sources, forces: Forces, nowMs: number): EventPayloads["integration_slice"] {
  const candidates = discoveriesOf(sources, forces.fleet, nowMs).filter(({ state }) => state === "heard");
  return { integrations: [restPush(sources, nowMs), ...forces.integrations], candidates };
}

/** What came by POST /api/signals: sources that a link feeds count there. */
function restPush(sources: Sources, nowMs: number): Integration {
  let rejected = 0;
  let observations = 0;
  let lastHeardAtMs = 0;
  let suppressed = 0;
  let count = 0;
  for (const source of sources.all()) {
    if (source.id === OWN_POSITIONS_SOURCE || source.protocol !== PUSHED) continue;
    count++;
    rejected += source.rejected;
    observations += source.observations;
    suppressed += source.quarantined + source.late;
    lastHeardAtMs = Math.max(lastHeardAtMs, source.lastHeardAtMs);
  }
  return {
    id: "int_rest_push",
    protocol: PUSHED,
    title: "REST push",
    status: isPushedLately(sources, nowMs) ? "active" : "listening",
    listeners: [],
    sources: count,
    suppressed,
    rate_hz: null,
    bad_pct: observations + rejected === 0 ? 0 : Math.round((1000 * rejected) / (observations + rejected)) / 10,
    last_at: lastHeardAtMs > 0 ? toRfc3339(lastHeardAtMs) : null,
    error_code: null,
    detail: null,
  };
}
