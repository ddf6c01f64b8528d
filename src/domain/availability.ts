/**
 * Which verbs an asset has, and which of them it can take now (docs/interface.md#verbs). Pure: one table of rules, each
 * with an id, a test and the sentence that a refused command is answered with. The first rule that objects is the reason.
 */

import type { AssetSwitches, AssetView } from "./asset.ts";
import type { PayloadSpec } from "./catalogue.ts";
import type { EngagementMode } from "./decisionConfig.ts";
import type { NavReport, PowerReport } from "./platformReport.ts";
import type { HealthLevel, LandedState, LinkState } from "./platformStates.ts";
import type { Task } from "./task.ts";
import { PARAMS_SCHEMAS, VERB_ORDER, VERB_TABLE, type VerbRow } from "./verbs.ts";

export interface VerbFacts {
  readonly assetName: string;
  readonly kind: "vehicle" | "sensor";
  /** What its model may advertise. */
  readonly capabilityVerbs: readonly string[];
  readonly effectClasses: readonly string[];
  readonly payloads: readonly PayloadSpec[];
  /** What the protocol of its link carries; null when no protocol is known. */
  readonly protocolVerbs: readonly string[] | null;
  readonly linkState: LinkState;
  readonly healthLevel: HealthLevel;
  readonly power: PowerReport | null;
  readonly nav: NavReport | null;
  readonly switches: AssetSwitches;
  /** Another source uses its system id. */
  readonly conflict: boolean;
  readonly ceiling: EngagementMode;
  readonly approvedPlanIds: ReadonlySet<string>;
  /** Never planned below; null: no reserve is known. */
  readonly reservePct: number | null;
  readonly openTasks: readonly Task[];
  /** false: a build without vehicle control. */
  readonly vehicleControl: boolean;
}

interface Objection {
  readonly ruleId: string;
  readonly sentence: string;
}

interface Rule {
  readonly id: string;
  /** The sentence when the rule objects, null when it does not. */
  readonly object: (verb: VerbRow, facts: VerbFacts, planId: string | null) => string | null;
}

/** What brings it down or lets it stay is not stopped by an empty battery. */
const SAFE_ON_LOW_BATTERY = new Set(["hold", "return_home", "land", "disarm", "stop", "pause", "look_at", "set_mode"]);
const NEEDS_ARMED = new Set(["takeoff"]);
const NEEDS_POSITION = new Set(["goto", "patrol", "orbit", "follow", "investigate", "return_home", "respond"]);
const DISARM_ON_GROUND = new Set(["disarm"]);
const OFF_THE_GROUND: ReadonlySet<string> = new Set<LandedState>(["taking_off", "in_air", "landing"]);
const DEFAULT_RESERVE_PCT = 15;

export const NO_VEHICLE_CONTROL = "this deployment was built without vehicle control";

const RULES: readonly Rule[] = [
  {
    id: "approval_required",
    object: (verb, facts, planId) =>
      verb.actsOnContact && (planId === null || !facts.approvedPlanIds.has(planId))
        ? `${verb.verb} acts on a contact and needs a plan that a person approved`
        : null,
  },
  {
    id: "disabled",
    object: (verb, { switches, assetName }) =>
      switches.enabled === false ? `${verb.verb} is unavailable: ${assetName} is switched off` : null,
  },
  {
    id: "not_taskable",
    object: (verb, { switches, assetName }) =>
      switches.taskable === false ? `${verb.verb} is unavailable: ${assetName} is not to be tasked` : null,
  },
  {
    id: "identity_conflict",
    object: (verb, { conflict }) =>
      conflict ? `${verb.verb} is blocked: two vehicles are heard with the same system id` : null,
  },
  {
    id: "link_lost",
    object: (verb, { linkState }) => {
      if (linkState === "up" || linkState === "degraded") return null;
      const state = linkState === "never_heard" ? "was never heard" : `is ${linkState}`;
      return `${verb.verb} is unavailable: the link ${state}`;
    },
  },
  {
    id: "not_ready",
    object: (verb, { healthLevel }) =>
      healthLevel === "not_ready" && (verb.verb === "arm" || verb.verb === "takeoff")
        ? `${verb.verb} is unavailable: it is still starting or calibrating`
        : null,
  },
  {
    id: "battery_low",
    object: (verb, { power, reservePct, kind }) => {
      if (kind !== "vehicle" || SAFE_ON_LOW_BATTERY.has(verb.verb)) return null;
      if (power?.state === "critical" || power?.state === "emergency" || power?.state === "failed")
        return `${verb.verb} is unavailable: the battery is in the state ${power.state}`;
      const limit = reservePct ?? DEFAULT_RESERVE_PCT;
      return power?.percent != null && power.percent < limit
        ? `${verb.verb} is unavailable: battery ${power.percent} % is under the reserve of ${limit} %`
        : null;
    },
  },
  {
    id: "not_armed",
    object: (verb, { nav }) =>
      NEEDS_ARMED.has(verb.verb) && nav?.armed === false ? `${verb.verb} is unavailable: it is not armed` : null,
  },
  {
    id: "in_air",
    object: (verb, { nav }) =>
      DISARM_ON_GROUND.has(verb.verb) && OFF_THE_GROUND.has(nav?.landed ?? "undefined")
        ? `${verb.verb} is unavailable: it is in the air`
        : null,
  },
  {
    id: "no_position_fix",
    object: (verb, { nav }) =>
      NEEDS_POSITION.has(verb.verb) && (nav?.gps_fix === "no_gps" || nav?.gps_fix === "no_fix")
        ? `${verb.verb} is unavailable: it has no position fix (${nav.gps_fix})`
        : null,
  },
];

const CAMERA_TYPES = /^(eo_|ir_|.*gimbal|laser_rangefinder)/;
const RESPONSE_TYPES = /^(effector_|capture_|collision_)/;

function carries({ payloads }: VerbFacts, types: RegExp): boolean {
  return payloads.some(({ type, operational }) => types.test(type) && operational !== "out_of_service");
}

/** Verbs that follow from the fit: a camera looks and records, a response payload responds. */
function verbsOfFit(facts: VerbFacts): string[] {
  const verbs: string[] = [];
  if (facts.kind === "vehicle" && carries(facts, CAMERA_TYPES)) verbs.push("look_at", "record");
  const responds = facts.effectClasses.some((effect) => effect !== "none") || carries(facts, RESPONSE_TYPES);
  if (responds) verbs.push("respond");
  return verbs;
}

/** What it advertises, in the order of the table. `abort` is part of every vehicle and of whatever is at work. */
export function advertisedVerbs(facts: VerbFacts): readonly VerbRow[] {
  const able = new Set([...facts.capabilityVerbs, ...verbsOfFit(facts)]);
  const { protocolVerbs } = facts;
  const carried = (verb: string) =>
    protocolVerbs === null || protocolVerbs.includes(verb) || VERB_TABLE.get(verb)!.actsOnContact;
  return VERB_ORDER.filter(
    (verb) =>
      (verb === "abort" && (facts.kind === "vehicle" || facts.openTasks.length > 0)) ||
      (verb !== "abort" && able.has(verb) && carried(verb)),
  ).map((verb) => VERB_TABLE.get(verb)!);
}

/** null: it can be done now. `abort` always can, where anything can be commanded: no rule stands above it. */
export function objectionTo(verb: VerbRow, facts: VerbFacts, planId: string | null): Objection | null {
  if (!facts.vehicleControl)
    return { ruleId: "feature_absent", sentence: `${verb.verb} is unavailable: ${NO_VEHICLE_CONTROL}` };
  if (verb.verb === "abort") return null;
  for (const { id, object } of RULES) {
    const sentence = object(verb, facts, planId);
    if (sentence !== null) return { ruleId: id, sentence };
  }
  return null;
}

export function verbsOf(facts: VerbFacts): AssetView["verbs"] {
  return advertisedVerbs(facts).map((verb) => {
    // A plan that holds makes the verb available to commands that name it.
    const planId = verb.actsOnContact ? (facts.approvedPlanIds.values().next().value ?? null) : null;
    const objection = objectionTo(verb, facts, planId);
    return {
      name: verb.verb,
      title: verb.title,
      params_kind: verb.kinds[0]!,
      params_kinds: verb.kinds as string[],
      // Shared and frozen: views are told, never changed.
      params_schema: PARAMS_SCHEMAS.get(verb.verb)! as Record<string, unknown>,
      available: objection === null,
      unavailable_reason: objection?.sentence ?? null,
      unavailable_rule: objection?.ruleId ?? null,
      requires_approval: verb.actsOnContact,
      requires_confirm: verb.requiresConfirm,
      max_rate_s: null,
    };
  });
}
