/**
 * A threat: one or several tracks that are assessed together (docs/interface.md#not-served-yet). This version
 * makes none yet.
 */
import { type Static, Type } from "typebox";
import { nullable, Shape, UtcTime } from "./shape.ts";
import { ActorView } from "./task.ts";
import { Classification, IDENTITIES } from "./track.ts";

/** `monitored` and `suppressed` are side states of the line from `candidate` to `closed`. */
export const THREAT_STATES = [
  "candidate",
  "assessed",
  "declared",
  "assigned",
  "responding",
  "assessing",
  "closed",
  "monitored",
  "suppressed",
] as const;
const THREAT_CLOSE_REASONS = [
  "effective",
  "departed",
  "landed",
  "friendly",
  "neutral",
  "false_alarm",
  "lost",
  "operator",
  "sim_end",
] as const;

/** One rule's share of a score. The contributions of a score add up to it. */
const ScorePart = Type.Object({
  rule_id: Type.String(),
  name: Type.String(),
  value: Type.Number(),
  unit: Type.String(),
  weight: Type.Number(),
  contribution: Type.Number(),
});

export const Threat = Shape("Threat", {
  id: Type.String(),
  number: Type.Integer(),
  track_ids: Type.Array(Type.String(), { description: "one, or several of a swarm" }),
  state: Type.Enum(THREAT_STATES),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  score_parts: Type.Array(ScorePart),
  level: Type.Enum(["low", "medium", "high", "critical"] as const),
  intent: Type.Enum(["unknown", "benign", "surveillance", "intrusion", "attack"] as const),
  identity: Type.Enum(IDENTITIES),
  classification: Type.Array(Classification),
  zone_id: nullable(Type.String({ description: "first protected zone on the predicted path" })),
  time_to_zone_s: nullable(Type.Number()),
  cpa_m: nullable(Type.Number({ description: "closest point of approach" })),
  tcpa_s: nullable(Type.Number({ description: "time to the closest point of approach" })),
  operator: nullable(
    Type.Object(
      { lat: Type.Number(), lon: Type.Number(), sigma_m: Type.Number(), source: Type.String() },
      { description: "claimed or located position of the pilot" },
    ),
  ),
  launch: nullable(Type.Object({ lat: Type.Number(), lon: Type.Number(), at: UtcTime, sigma_m: Type.Number() })),
  assigned: Type.Array(
    Type.Object({ asset_id: Type.String(), role: Type.String(), plan_id: Type.String(), since_at: UtcTime }),
  ),
  acknowledged_by: nullable(ActorView),
  notes: Type.Array(Type.String()),
  opened_at: UtcTime,
  updated_at: UtcTime,
  closed_at: nullable(UtcTime),
  close_reason: nullable(Type.Enum(THREAT_CLOSE_REASONS)),
});
export type Threat = Static<typeof Threat>;
