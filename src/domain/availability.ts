/**
 * Which verbs an asset has, and which of them it can take now (docs/interface.md#verbs). Pure: one table of rules, each with an
 * id and a test. The first rule that objects is the reason, and its text is what a refused command is answered with.
 */
import type { AssetSwitches, VerbView } from "./asset.ts";
import type { PayloadSpec } from "./catalogue.ts";
import type { EngagementMode } from "./decisionConfig.ts";
import type { NavReport, PowerReport } from "./platformReport.ts";
import type { HealthLevel, LandedState, LinkState, PowerState } from "./platformStates.ts";
import type { Task } from "./task.ts";
import type { ParamsSchema } from "./verbParams.ts";
import { paramsSchemaOf, VERB_ORDER, VERB_TABLE, type VerbRow, type VerbTraits } from "./verbs.ts";

export interface VerbFacts extends VerbTraits {
  readonly assetName: string;
  readonly kind: "vehicle" | "sensor";
  /** What its model can do. */
  readonly capabilityVerbs: readonly string[];
  readonly effectClasses: readonly string[];
  readonly payloads: readonly PayloadSpec[];
  /** What the protocol of its link carries; null: no protocol is known. */
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
  /** The charge below which only safe verbs are taken, percent; null: the default. */
  readonly reservePct: number | null;
  readonly openTasks: readonly Task[];
  /** false: a build without vehicle control. */
  readonly vehicleControl: boolean;
}

/** Why a verb is not available: the rule, what it looked at, and a text that goes on from the verb's name. */
export interface Objection {
  readonly ruleId: string;
  readonly text: string;
  readonly value: number | string | null;
  /** What `value` is compared with; null: nothing is compared. */
  readonly limit: number | null;
  /** Of value and limit. */
  readonly unit: string | null;
}

/** The sentence of a refusal. It names the verb, because the ledger and the log show it without the command. */
export function sentenceOf(verb: string, { text }: Pick<Objection, "text">): string {
  return `${verb} is unavailable: ${text}`;
}

type Found = Omit<Objection, "ruleId">;

interface Rule {
  readonly id: string;
  /** null: the rule does not object. */
  readonly object: (verb: VerbRow, facts: VerbFacts, planId: string | null) => Found | null;
}

const because = (text: string, value: Found["value"] = null): Found => ({ text, value, limit: null, unit: null });

/** Verbs that land the vehicle or keep it where it is: an empty battery is no reason to refuse them. */
const SAFE_ON_LOW_BATTERY = new Set(["hold", "return_home", "land", "disarm", "stop", "pause", "look_at", "set_mode"]);
const NEEDS_ARMED = new Set(["takeoff"]);
const NEEDS_POSITION = new Set(["goto", "patrol", "orbit", "follow", "investigate", "return_home", "respond"]);
const DISARM_ON_GROUND = new Set(["disarm"]);
const OFF_THE_GROUND: ReadonlySet<string> = new Set<LandedState>(["taking_off", "in_air", "landing"]);
const EMPTY: ReadonlySet<string> = new Set<PowerState>(["critical", "emergency", "failed"]);
const DEFAULT_RESERVE_PCT = 15;

export const NO_VEHICLE_CONTROL = "this deployment was built without vehicle control";

const RULES: readonly Rule[] = [
  {
    id: "approval_required",
    object: (verb, facts, planId) =>
      verb.actsOnContact && (planId === null || !facts.approvedPlanIds.has(planId))
        ? because("it acts on a contact and needs a plan that a person approved", planId)
        : null,
  },
  {
    id: "disabled",
    object: (_, { switches, assetName }) =>
      switches.enabled === false ? because(`${assetName} is switched off`) : null,
  },
  {
    id: "not_taskable",
    object: (_, { switches, assetName }) =>
      switches.taskable === false ? because(`${assetName} is not to be tasked`) : null,
  },
  {
    id: "identity_conflict",
    object: (_, { conflict }) => (conflict ? because("two vehicles are heard with the same system id") : null),
  },
  {
    id: "link_lost",
    object: (_, { linkState }) => {
      if (linkState === "up" || linkState === "degraded") return null;
      const state = linkState === "never_heard" ? "was never heard" : `is ${linkState}`;
      return because(`the link ${state}`, linkState);
    },
  },
  {
    id: "not_ready",
    object: ({ verb }, { healthLevel }) =>
      healthLevel === "not_ready" && (verb === "arm" || verb === "takeoff")
        ? because("it is still starting or calibrating", healthLevel)
        : null,
  },
  { id: "battery_low", object: ({ verb }, facts) => (SAFE_ON_LOW_BATTERY.has(verb) ? null : lowBattery(facts)) },
  {
    id: "not_armed",
    object: ({ verb }, { nav }) =>
      NEEDS_ARMED.has(verb) && nav?.armed === false ? because("it is not armed", "disarmed") : null,
  },
  {
    id: "in_air",
    object: ({ verb }, { nav }) =>
      DISARM_ON_GROUND.has(verb) && OFF_THE_GROUND.has(nav?.landed ?? "undefined")
        ? because("it is in the air", nav?.landed)
        : null,
  },
  {
    id: "no_position_fix",
    object: ({ verb }, { nav }) =>
      NEEDS_POSITION.has(verb) && (nav?.gps_fix === "no_gps" || nav?.gps_fix === "no_fix")
        ? because(`it has no position fix (${nav.gps_fix})`, nav.gps_fix)
        : null,
  },
];

function lowBattery({ kind, power, reservePct }: VerbFacts): Found | null {
  if (kind !== "vehicle" || power == null) return null;
  const { state, percent } = power;
  if (state != null && EMPTY.has(state)) return because(`the battery is in the state ${state}`, state);
  const limit = reservePct ?? DEFAULT_RESERVE_PCT;
  if (percent == null || percent >= limit) return null;
  return { text: `battery ${percent} % is under the reserve of ${limit} %`, value: percent, limit, unit: "%" };
}

const CAMERA_TYPES = /^(eo_|ir_|.*gimbal|laser_rangefinder)/;
const RESPONSE_TYPES = /^(effector_|capture_|collision_)/;

function carries({ payloads }: VerbFacts, types: RegExp): boolean {
  return payloads.some(({ type, operational }) => types.test(type) && operational !== "out_of_service");
}

/** Verbs that payloads add: a camera looks and records, a response payload responds. */
function verbsOfFit(facts: VerbFacts): string[] {
  const verbs: string[] = [];
  if (facts.kind === "vehicle" && carries(facts, CAMERA_TYPES)) verbs.push("look_at", "record");
  const responds = facts.effectClasses.some((effect) => effect !== "none") || carries(facts, RESPONSE_TYPES);
  if (responds) verbs.push("respond");
  return verbs;
}

/** In the order of the table. Every vehicle has `abort`, and so has a sensor that carries out a task. */
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

/** null: the verb is available. No rule stands above `abort`: it is available wherever anything can be commanded. */
export function objectionTo(verb: VerbRow, facts: VerbFacts, planId: string | null): Objection | null {
  if (!facts.vehicleControl) return { ruleId: "feature_absent", ...because(NO_VEHICLE_CONTROL) };
  if (verb.verb === "abort") return null;
  for (const { id, object } of RULES) {
    const found = object(verb, facts, planId);
    if (found !== null) return { ruleId: id, ...found };
  }
  return null;
}

const NO_REASON = {
  unavailable_reason: null,
  unavailable_rule: null,
  reason_code: null,
  rule_id: null,
  value: null,
  limit: null,
  unit: null,
  text: null,
} as const;

function reasonOf(verb: string, objection: Objection) {
  const { ruleId, text, value, limit, unit } = objection;
  const reason = { unavailable_reason: sentenceOf(verb, objection), unavailable_rule: ruleId };
  return { ...reason, reason_code: ruleId, rule_id: ruleId, value, limit, unit, text };
}

/** By its schema, which belongs to one verb: most verbs of most assets are available, and a fleet has thousands. */
const availableViews = new WeakMap<ParamsSchema, VerbView>();

/** Shared and frozen: nothing changes a view. */
function availableView(verb: VerbRow, facts: VerbFacts): VerbView {
  const schema = paramsSchemaOf(verb, facts);
  const known = availableViews.get(schema);
  if (known !== undefined) return known;
  const view = Object.freeze({
    name: verb.verb,
    title: verb.title,
    params_kind: verb.kinds[0]!,
    params_kinds: [...verb.kinds],
    schema_id: verb.verb,
    params_schema: schema as Record<string, unknown>,
    available: true,
    ...NO_REASON,
    requires_approval: verb.actsOnContact,
    requires_confirm: verb.requiresConfirm,
    max_rate_s: null,
  });
  availableViews.set(schema, view);
  return view;
}

/** Its verbs in the order of the table, each with everything that clients read of it. */
export function verbsOf(facts: VerbFacts): VerbView[] {
  return advertisedVerbs(facts).map((verb) => {
    // An approved plan makes the verb available to commands that name the plan.
    const planId = verb.actsOnContact ? (facts.approvedPlanIds.values().next().value ?? null) : null;
    const objection = objectionTo(verb, facts, planId);
    const view = availableView(verb, facts);
    return objection === null ? view : { ...view, available: false, ...reasonOf(verb.verb, objection) };
  });
}
