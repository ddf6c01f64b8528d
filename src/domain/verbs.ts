/**
 * The verbs of a command (docs/interface.md#verbs), one row each: what parameters it takes, what it is for, whether it may be
 * sent twice, and which other work it replaces. Pure. Whether an asset has a verb now is decided in `availability.ts`.
 */
import { type Static, Type } from "typebox";
import { VERBS, type Verb } from "./catalogue.ts";
import { Shape } from "./shape.ts";
import {
  ANGLE,
  DURATION,
  GO_TO,
  LOOK_AT,
  MODE,
  modeForm,
  NONE,
  ORBIT,
  PATH,
  type Params,
  type ParamsForm,
  type ParamsRule,
  type ParamsSchema,
  paramsRule,
  REGION,
  SPEED,
  TAKEOFF,
  THRESHOLDS,
  TRACK,
  type WrongParams,
} from "./verbParams.ts";

export interface VerbRow {
  readonly verb: Verb;
  readonly title: string;
  readonly params: ParamsRule;
  /** The first is `params_kind`; a verb with several takes any of them. */
  readonly kinds: readonly string[];
  /** Verbs of one slot replace each other: a newer task supersedes the older. */
  readonly slot: string;
  /** May be sent again when no answer came. false where doing it twice differs from doing it once. */
  readonly resendSafe: boolean;
  /** The command must name the asset in `confirm`. */
  readonly requiresConfirm: boolean;
  /** Acts on a contact: only with a plan that a person approved (docs/interface.md#human-approval). */
  readonly actsOnContact: boolean;
  /** From the command to its end, seconds, where the command names no deadline. */
  readonly deadlineS: number;
}

const MOVEMENT = { slot: "movement", deadlineS: 900 } as const;
const SHORT = { deadlineS: 15 } as const;

type Particulars = Partial<Omit<VerbRow, "verb" | "title" | "params" | "kinds">>;

function row(verb: Verb, title: string, forms: readonly ParamsForm[], more: Particulars = {}): VerbRow {
  const params = paramsRule(forms);
  return {
    verb,
    title,
    params,
    kinds: params.kinds,
    slot: verb,
    resendSafe: true,
    requiresConfirm: false,
    actsOnContact: false,
    deadlineS: 60,
    ...more,
  };
}

const ROWS: readonly VerbRow[] = [
  row("hold", "Hold position", [NONE], { ...MOVEMENT, deadlineS: 60 }),
  row("goto", "Go to a point", [GO_TO], MOVEMENT),
  row("patrol", "Patrol a path", [PATH], { ...MOVEMENT, deadlineS: 7200 }),
  row("orbit", "Orbit a point", [ORBIT], { ...MOVEMENT, deadlineS: 7200 }),
  row("follow", "Follow a track", [TRACK], { ...MOVEMENT, deadlineS: 3600 }),
  row("investigate", "Investigate", [TRACK, GO_TO], { ...MOVEMENT, deadlineS: 1800 }),
  row("return_home", "Return home", [NONE], MOVEMENT),
  row("land", "Land", [NONE], MOVEMENT),
  row("takeoff", "Take off", [TAKEOFF, NONE], { ...MOVEMENT, deadlineS: 120, resendSafe: false }),
  row("arm", "Arm", [NONE], { ...SHORT, slot: "arming", resendSafe: false }),
  row("disarm", "Disarm", [NONE], { ...SHORT, slot: "arming", requiresConfirm: true }),
  row("set_speed", "Set speed", [SPEED], SHORT),
  row("look_at", "Look at", [LOOK_AT, TRACK, ANGLE], { slot: "pointing", deadlineS: 300 }),
  row("set_mode", "Set mode", [MODE], SHORT),
  row("set_threshold", "Set thresholds", [THRESHOLDS], SHORT),
  row("set_region", "Set region", [REGION], SHORT),
  row("start", "Start", [NONE], { slot: "running" }),
  row("stop", "Stop", [NONE], { slot: "running" }),
  row("pause", "Pause", [NONE], { slot: "running" }),
  row("record", "Record", [DURATION], { deadlineS: 86_400 }),
  row("respond", "Respond to a track", [TRACK], {
    ...MOVEMENT,
    resendSafe: false,
    requiresConfirm: true,
    actsOnContact: true,
    deadlineS: 600,
  }),
  row("abort", "Abort", [NONE], { ...MOVEMENT, deadlineS: 120 }),
];

export const VERB_TABLE: ReadonlyMap<string, VerbRow> = new Map(ROWS.map((one) => [one.verb, one]));
export const VERB_ORDER: readonly string[] = VERBS;

/** What an asset narrows in the parameters of its verbs. */
export interface VerbTraits {
  /** The modes that `set_mode` can set; null: not known, and any name is passed on. */
  readonly modes: readonly string[] | null;
}

/** By list of modes: every heartbeat of a vehicle names the same list. */
const narrowed = new WeakMap<readonly string[], ParamsRule>();

/** The rule of a verb's parameters for this asset: the verb's own, or one that lists the asset's modes. */
function ruleFor({ verb, params }: VerbRow, { modes }: VerbTraits): ParamsRule {
  if (verb !== "set_mode" || modes === null) return params;
  const rule = narrowed.get(modes) ?? paramsRule([modeForm(modes)]);
  narrowed.set(modes, rule);
  return rule;
}

export function paramsSchemaOf(row: VerbRow, traits: VerbTraits): ParamsSchema {
  return ruleFor(row, traits).schema;
}

/** null: they are what the verb takes. Asked of parameters in their normal form. */
export function whyNotParams(row: VerbRow, given: Params, traits: VerbTraits): WrongParams | null {
  return ruleFor(row, traits).whyNot(row.verb, given);
}

/** Parameters may be left out when the verb takes none; a mode may be spelled in any case. */
export function normalParams(
  { verb, kinds }: VerbRow,
  given: Params | null | undefined,
  { modes }: VerbTraits,
): Params {
  if (given == null) return kinds.includes("none") ? { kind: "none" } : {};
  if (verb !== "set_mode" || modes === null || typeof given.mode !== "string") return given;
  const wanted = given.mode.toUpperCase();
  const mode = modes.includes(given.mode) ? given.mode : modes.find((one) => one.toUpperCase() === wanted);
  return mode === undefined ? given : { ...given, mode };
}

/** A row of GET /api/catalogue/verbs: everything about a verb that is the same for all assets. */
export const VerbType = Shape("VerbType", {
  schema_id: Type.String({ description: "what a verb of an asset names its parameters by: the verb's name" }),
  name: Type.String(),
  title: Type.String(),
  params_kind: Type.String({ description: "`params.kind` of the command" }),
  params_kinds: Type.Array(Type.String(), { description: "every kind that it takes; the first is params_kind" }),
  params_schema: Type.Record(Type.String(), Type.Unknown(), {
    description: "JSON Schema of `params`; `x-unit` is the unit of a number",
  }),
  slot: Type.String({ description: "a newer order of a slot takes the place of an older one" }),
  resend_safe: Type.Boolean({ description: "may be sent again when no answer came" }),
  requires_approval: Type.Boolean({ description: "needs a plan that a person approved" }),
  requires_confirm: Type.Boolean({ description: "the command must name the asset in `confirm`" }),
  deadline_s: Type.Number({ description: "until its end, where the command names no deadline" }),
});

export const VERB_TYPES: readonly Static<typeof VerbType>[] = VERB_ORDER.map((name) => {
  const row = VERB_TABLE.get(name)!;
  return {
    schema_id: row.verb,
    name: row.verb,
    title: row.title,
    params_kind: row.kinds[0]!,
    params_kinds: [...row.kinds],
    params_schema: row.params.schema as Record<string, unknown>,
    slot: row.slot,
    resend_safe: row.resendSafe,
    requires_approval: row.actsOnContact,
    requires_confirm: row.requiresConfirm,
    deadline_s: row.deadlineS,
  };
});
