/**
 * Parts of the picture that are constant so far: engagements (`engagement_slice`), zones, regions, rules, and the decision
 * config. Each becomes a part with a wing of its own when its routes exist.
 */
import type { DecisionConfig, EngagementMode } from "../../domain/decisionConfig.ts";
import type { SliceEvent, SliceMembers } from "../../domain/events.ts";
import type { FusionHealth } from "../../domain/health.ts";
import type { Environment } from "../../domain/modality.ts";
import { NO_EVENTS, type Part } from "../part.ts";

function constantPart(slice: SliceEvent | null, members: object): Part {
  const json = JSON.stringify(members);
  return { slice, version: 1, refresh: () => NO_EVENTS, json: () => json };
}

export function engagementPart(environment: Environment): Part {
  const mode = environment === "sim" || environment === "replay" ? environment : "live";
  const members: SliceMembers<"engagement_slice"> = {
    threats: [],
    plan: null,
    candidate_plans: [],
    sim: { mode, simulator: mode === "live" ? "none" : "internal", run: "idle" },
  };
  return constantPart("engagement_slice", members);
}

export function configPart(effective: DecisionConfig, configHash: string): Part {
  const decision_config = { effective, config_hash: configHash };
  return constantPart(null, { zones: [], regions: [], rules: [], decision_config });
}

/** `live_state`: a stream opens with two slices, the ceiling and the fusion health; the picture has both in one member. */
export function livePart(engagementMode: EngagementMode, health: () => FusionHealth): Part {
  return {
    slice: "live_state",
    version: 1,
    refresh: () => NO_EVENTS,
    json: () => JSON.stringify({ live_state: { engagement_mode: engagementMode, fusion_health: health() } }),
    sliceJsons: () => [
      JSON.stringify({ engagement_mode: engagementMode } satisfies SliceMembers<"live_state">),
      JSON.stringify({ fusion_health: health() } satisfies SliceMembers<"live_state">),
    ],
  };
}
