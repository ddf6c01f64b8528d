/**
 * A plan: which assets respond to which threats, and the expected outcome (docs/interface.md#not-served-yet). This version makes
 * none yet.
 */
import { type Static, Type } from "typebox";
import { nullable, Shape, UtcTime } from "./shape.ts";
import { ActorView } from "./task.ts";

const PLAN_STATES = [
  "candidate",
  "approved",
  "executing",
  "completed",
  "rejected",
  "expired",
  "superseded",
  "aborted",
  "failed",
] as const;
const Probability = Type.Number({ minimum: 0, maximum: 1 });

const Assignment = Shape("PlanAssignment", {
  asset_id: Type.String(),
  threat_id: Type.String(),
  role: Type.String(),
  verb: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  start_in_s: Type.Number(),
  eta_s: nullable(Type.Number()),
  p_success: Probability,
  resource_use: Type.Number(),
});

/** Why the plan may, or may not, be approved. */
const Constraint = Shape("PlanConstraint", {
  rule_id: Type.String(),
  ok: Type.Boolean(),
  value: nullable(Type.Number()),
  limit: nullable(Type.Number()),
  unit: Type.String(),
  text: Type.String(),
});

export const Plan = Shape("Plan", {
  id: Type.String(),
  rank: Type.Integer({ description: "1 is the best" }),
  score: Type.Number(),
  label: Type.String(),
  threat_ids: Type.Array(Type.String()),
  assignments: Type.Array(Assignment),
  timeline: Type.Array(Type.Object({ t_s: Type.Number(), asset_id: Type.String(), event: Type.String() })),
  p_leak: Probability,
  p_success: Probability,
  cost: Type.Object({
    assets_used: Type.Integer(),
    uses_spent: Type.Integer(),
    energy_pct: Type.Number(),
    time_s: Type.Number(),
  }),
  risk: Type.Object({
    collateral: Probability,
    crewed_traffic: Type.Boolean(),
    over_people: Type.Boolean(),
    rf_impact: Type.Boolean(),
    items: Type.Array(Type.String()),
  }),
  constraints: Type.Array(Constraint),
  approval: Type.Object({
    needed: Type.Boolean(),
    required_role: nullable(Type.String()),
    count: Type.Integer({ description: "approvals needed" }),
    by: Type.Array(ActorView),
    at: nullable(UtcTime),
  }),
  basis: Type.Object(
    { stream_gen: Type.Integer(), config_hash: Type.String(), tracker_hash: Type.String(), plan_hash: Type.String() },
    { description: "what an approval is bound to" },
  ),
  created_at: UtcTime,
  expires_at: UtcTime,
  state: Type.Enum(PLAN_STATES),
});
export type Plan = Static<typeof Plan>;
