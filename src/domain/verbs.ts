/**
 * The verbs of a command (docs/interface.md#verbs), one row each: what parameters it takes, what it is for, whether it may
 * be sent twice, and which other work it replaces. Pure. Whether an asset has a verb now is decided in `availability.ts`.
 */
import { type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { VERBS, type Verb } from "./catalogue.ts";
import { type Refusal, refusal } from "./errors.ts";
import { LAT_MAX, LON_MAX } from "./members.ts";

const PARAMS_KINDS = [
  "none",
  "point",
  "track",
  "asset",
  "region",
  "angle",
  "speed",
  "mode",
  "duration",
  "payload",
  "path",
] as const;
type ParamsKind = (typeof PARAMS_KINDS)[number];

const CLOSED = { additionalProperties: false } as const;
const Speed = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 400, description: "m/s" }));
const Degrees = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });
const Id = Type.String({ minLength: 1, maxLength: 64 });
/** Whether lat and lon are on the earth is a rule with a code of its own. */
const POINT = { lat: Type.Number(), lon: Type.Number() };
const ALTITUDE = {
  alt_m: Type.Optional(Type.Number({ minimum: -500, maximum: 30_000 })),
  alt_ref: Type.Optional(Type.Enum(["hae", "agl", "rel_home"] as const, { description: "needed with alt_m" })),
};

function params(kind: ParamsKind, members: Record<string, TSchema> = {}) {
  return Type.Object({ kind: Type.Literal(kind), ...members }, CLOSED);
}

const NONE = params("none");
const TRACK = params("track", {
  track_id: Id,
  standoff_m: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
  alt_offset_m: Type.Optional(
    Type.Number({
      minimum: -1000,
      maximum: 5000,
      description: "above the asset's own height when it begins; of look_at above the track's",
    }),
  ),
});
const GO = params("point", { ...POINT, ...ALTITUDE, speed_mps: Speed, yaw_deg: Type.Optional(Degrees(-360, 360)) });
const LOOK = params("point", { ...POINT, ...ALTITUDE });
const ORBIT = params("point", {
  ...POINT,
  ...ALTITUDE,
  radius_m: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
  speed_mps: Speed,
  direction: Type.Optional(Type.Enum(["clockwise", "counter_clockwise"] as const)),
});
const CLIMB = params("point", { alt_m: Type.Number({ minimum: 0.5, maximum: 5000 }), alt_ref: ALTITUDE.alt_ref });
const PATH = params("path", {
  points: Type.Array(Type.Object({ ...POINT, ...ALTITUDE }, CLOSED), { minItems: 1, maxItems: 200 }),
  loop: Type.Optional(Type.Boolean()),
  speed_mps: Speed,
});
const ANGLE = params("angle", {
  az_deg: Degrees(-360, 360),
  el_deg: Degrees(-90, 90),
  hfov_deg: Type.Optional(Degrees(0.1, 360)),
});
const LEVEL = Type.Optional(Type.Enum(["low", "medium", "high"] as const));

export interface VerbRow {
  readonly verb: Verb;
  readonly title: string;
  /** The first is `params_kind`; a verb with several takes any of them. */
  readonly schemas: readonly TSchema[];
  readonly kinds: readonly ParamsKind[];
  /** Verbs of one slot replace each other: a newer task supersedes the older. */
  readonly slot: string;
  /** Sent again when no answer came. Not where twice is not the same as once. */
  readonly resendSafe: boolean;
  /** The asset's name must be said with the command. */
  readonly requiresConfirm: boolean;
  /** Acts on a contact: only with a plan that a person approved (docs/interface.md#human-approval). */
  readonly actsOnContact: boolean;
  /** From the command to its end, seconds, where the command names no deadline. */
  readonly deadlineS: number;
}

const MOVEMENT = { slot: "movement", deadlineS: 900 } as const;
const SHORT = { deadlineS: 15 } as const;

type Particulars = Partial<Omit<VerbRow, "verb" | "title" | "schemas" | "kinds">>;

function row(verb: Verb, title: string, schemas: readonly TSchema[], more: Particulars = {}): VerbRow {
  const kinds = schemas.map((schema) => (schema as typeof NONE).properties.kind.const as ParamsKind);
  return {
    verb,
    title,
    schemas,
    kinds,
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
  row("goto", "Go to a point", [GO], MOVEMENT),
  row("patrol", "Patrol a path", [PATH], { ...MOVEMENT, deadlineS: 7200 }),
  row("orbit", "Orbit a point", [ORBIT], { ...MOVEMENT, deadlineS: 7200 }),
  row("follow", "Follow a track", [TRACK], { ...MOVEMENT, deadlineS: 3600 }),
  row("investigate", "Investigate", [TRACK, GO], { ...MOVEMENT, deadlineS: 1800 }),
  row("return_home", "Return home", [NONE], MOVEMENT),
  row("land", "Land", [NONE], MOVEMENT),
  row("takeoff", "Take off", [CLIMB, NONE], { ...MOVEMENT, deadlineS: 120, resendSafe: false }),
  row("arm", "Arm", [NONE], { ...SHORT, slot: "arming", resendSafe: false }),
  row("disarm", "Disarm", [NONE], { ...SHORT, slot: "arming", requiresConfirm: true }),
  row(
    "set_speed",
    "Set speed",
    [params("speed", { speed_mps: Type.Number({ exclusiveMinimum: 0, maximum: 400 }) })],
    SHORT,
  ),
  row("look_at", "Look at", [LOOK, TRACK, ANGLE], { slot: "pointing", deadlineS: 300 }),
  row("set_mode", "Set mode", [params("mode", { mode: Type.String({ minLength: 1, maxLength: 64 }) })], SHORT),
  row(
    "set_threshold",
    "Set thresholds",
    [params("mode", { detection: LEVEL, classification: LEVEL, report_rate: LEVEL })],
    SHORT,
  ),
  row("set_region", "Set region", [params("region", { region_id: Id })], SHORT),
  row("start", "Start", [NONE], { slot: "running" }),
  row("stop", "Stop", [NONE], { slot: "running" }),
  row("pause", "Pause", [NONE], { slot: "running" }),
  row("record", "Record", [params("duration", { s: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }) })], {
    deadlineS: 86_400,
  }),
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

/** What clients read as `params_schema`: one object a verb, shared and never changed. */
export const PARAMS_SCHEMAS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  ROWS.map(({ verb, schemas }) => {
    const plain = schemas.map((schema) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>);
    return [verb, Object.freeze(plain.length === 1 ? plain[0]! : { anyOf: plain })];
  }),
);

const CHECKS: ReadonlyMap<string, ReadonlyMap<string, ReturnType<typeof Compile>>> = new Map(
  ROWS.map(({ verb, schemas, kinds }) => [verb, new Map(schemas.map((schema, i) => [kinds[i]!, Compile(schema)]))]),
);

type Params = Readonly<Record<string, unknown>>;

/** Parameters that may be left out when the verb takes none. */
export function paramsOf(verb: VerbRow, given: Params | null | undefined): Params {
  return given ?? (verb.kinds.includes("none") ? { kind: "none" } : {});
}

export type WrongParams = Refusal<"params_kind_mismatch" | "invalid_input" | "invalid_position">;

/** null: they are what the verb takes. */
export function whyNotParams({ verb, kinds }: VerbRow, given: Params): WrongParams | null {
  const kind = given.kind;
  const check = typeof kind === "string" ? CHECKS.get(verb)!.get(kind) : undefined;
  if (check === undefined) {
    const got = typeof kind === "string" ? `"${kind}"` : "none was given";
    return refusal("params_kind_mismatch", `${verb} takes params of kind ${kinds.join(" or ")}; ${got}`);
  }
  if (!check.Check(given)) {
    const error = check.Errors(given)[0];
    const member = (error?.instancePath ?? "").replaceAll("/", ".");
    if (error?.keyword === "boolean") return refusal("invalid_input", `${verb} takes no params${member}`);
    return refusal("invalid_input", `params${member} of ${verb} ${error?.message ?? "do not fit its schema"}`);
  }
  return whyNotPlaces(verb, given);
}

function whyNotPlaces(verb: string, given: Params): WrongParams | null {
  const places = Array.isArray(given.points) ? (given.points as Params[]) : [given];
  for (const { lat, lon, alt_m, alt_ref } of places) {
    if (typeof lat === "number" && Math.abs(lat) > LAT_MAX)
      return refusal("invalid_position", `the latitude ${lat} in the params of ${verb} is not on the earth`);
    if (typeof lon === "number" && Math.abs(lon) > LON_MAX)
      return refusal("invalid_position", `the longitude ${lon} in the params of ${verb} is not on the earth`);
    // A height needs its reference. A take-off is always from the ground under it.
    if (typeof alt_m === "number" && alt_ref === undefined && verb !== "takeoff")
      return refusal("invalid_input", `alt_m of ${verb} needs alt_ref: hae, agl or rel_home`);
  }
  return null;
}
