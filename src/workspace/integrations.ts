/**
 * `integration_slice` (contract §12): the state of each protocol family that is built, and the sources that were heard
 * and that nobody registered. Today one family: REST push. Pure.
 */
import { toRfc3339 } from "../lib/clock.ts";
import type { Source, Sources } from "./sources.ts";

/** A source that has been silent this long is no candidate any more (contract §12: expires after 10 min). */
const CANDIDATE_AGE_MAX_MS = 600_000;

function candidateOf(source: Source, nowMs: number) {
  const pose = source.lastPose;
  return {
    key: source.id,
    protocol: "rest_push",
    address: source.id,
    system_id: null,
    kind_guess: "sensor",
    domain_guess: "sensor",
    type_guess: source.modality,
    model_guess: null,
    remote_id_serial: null,
    motion: pose === null ? null : { lat: pose.lat, lon: pose.lon, alt_hae_m: pose.alt_hae_m },
    first_heard_at: toRfc3339(source.firstHeardAtMs),
    last_heard_at: toRfc3339(source.lastHeardAtMs),
    messages: source.scans,
    state: nowMs - source.lastHeardAtMs > CANDIDATE_AGE_MAX_MS ? "expired" : "heard",
    adopted_asset_id: null,
    conflicts: [],
  };
}

export function integrationsOf(sources: Sources, nowMs: number) {
  let rejected = 0;
  let observations = 0;
  let lastHeardAtMs = 0;
  let suppressed = 0;
  const candidates = [];
  for (const source of sources.all()) {
    rejected += source.rejected;
    observations += source.observations;
    suppressed += source.quarantined + source.late;
    lastHeardAtMs = Math.max(lastHeardAtMs, source.lastHeardAtMs);
    if (source.registered || source.firstHeardAtMs === 0) continue;
    const candidate = candidateOf(source, nowMs);
    if (candidate.state === "heard") candidates.push(candidate);
  }
  const restPush = {
    id: "int_rest_push",
    protocol: "rest_push",
    title: "REST push",
    status: sources.count > 0 ? "active" : "listening",
    listeners: [],
    sources: sources.count,
    suppressed,
    rate_hz: null,
    bad_pct: observations + rejected === 0 ? 0 : Math.round((1000 * rejected) / (observations + rejected)) / 10,
    last_at: lastHeardAtMs > 0 ? toRfc3339(lastHeardAtMs) : null,
    error_code: null,
    detail: null,
  };
  return { integrations: [restPush], candidates };
}
