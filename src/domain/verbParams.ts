/**
 * The parameters of verbs (docs/interface.md#verbs). Each form is one schema, and that schema is everything there is: clients
 * read it as `params_schema`, the API description shows it, and a command is checked with it. Pure; knows no verb.
 */
import { type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { MODE_NAME_LENGTH_MAX } from "../limits.ts";
import { type Refusal, refusal } from "./errors.ts";
import { LAT_MAX, LON_MAX } from "./members.ts";

/** The kinds that a verb's parameters may have; `asset` and `payload` have no verb yet. */
type ParamsKind =
  | "none"
  | "point"
  | "track"
  | "asset"
  | "region"
  | "angle"
  | "speed"
  | "mode"
  | "duration"
  | "payload"
  | "path";

export type Params = Readonly<Record<string, unknown>>;
export type ParamsSchema = Readonly<Record<string, unknown>>;
export type WrongParams = Refusal<"params_kind_mismatch" | "invalid_input" | "invalid_position">;

const CLOSED = { additionalProperties: false } as const;

/** The unit is a member of the schema, so that a form can show it beside the field. */
const Quantity = (unit: string, bounds: object) => Type.Number({ ...bounds, "x-unit": unit });
const Metres = (minimum: number, maximum: number, more: object = {}) => Quantity("m", { minimum, maximum, ...more });
const Degrees = (minimum: number, maximum: number) => Quantity("deg", { minimum, maximum });
const Speed = Quantity("m/s", { exclusiveMinimum: 0, maximum: 400 });
const Word = <const T extends readonly string[]>(values: T, more: object = {}) =>
  Type.Enum(values, { type: "string", ...more });
const Id = Type.String({ minLength: 1, maxLength: 64 });

const POINT = { lat: Degrees(-LAT_MAX, LAT_MAX), lon: Degrees(-LON_MAX, LON_MAX) };
const ALT_REF = Type.Optional(Word(["hae", "agl", "rel_home"], { description: "what alt_m is measured from" }));
const ALTITUDE = { alt_m: Type.Optional(Metres(-500, 30_000)), alt_ref: ALT_REF };
/** A height means nothing without its reference. */
const WITH_REFERENCE = { dependentRequired: { alt_m: ["alt_ref"] } };

function form(kind: ParamsKind, title: string, members: Record<string, TSchema> = {}, more: object = {}) {
  return Type.Object({ kind: Type.Literal(kind), ...members }, { ...CLOSED, ...more, title });
}
/** The schema of one kind of parameters. A verb takes one form or several, of different kinds. */
export type ParamsForm = ReturnType<typeof form>;

export const NONE = form("none", "NoParams");
export const TRACK = form("track", "TrackParams", {
  track_id: Id,
  standoff_m: Type.Optional(Metres(0, 10_000)),
  alt_offset_m: Type.Optional(
    Metres(-1000, 5000, {
      description: "above the asset's own height at the beginning; for look_at above the track's",
    }),
  ),
});
export const GO_TO = form(
  "point",
  "GoToParams",
  { ...POINT, ...ALTITUDE, speed_mps: Type.Optional(Speed), yaw_deg: Type.Optional(Degrees(-360, 360)) },
  WITH_REFERENCE,
);
export const LOOK_AT = form("point", "LookAtParams", { ...POINT, ...ALTITUDE }, WITH_REFERENCE);
export const ORBIT = form(
  "point",
  "OrbitParams",
  {
    ...POINT,
    ...ALTITUDE,
    radius_m: Quantity("m", { exclusiveMinimum: 0, maximum: 10_000 }),
    speed_mps: Type.Optional(Speed),
    direction: Type.Optional(Word(["clockwise", "counter_clockwise"])),
  },
  WITH_REFERENCE,
);
/** Without a reference the height is above the ground that the vehicle takes off from. */
export const TAKEOFF = form("point", "TakeoffParams", { alt_m: Metres(0.5, 5000), alt_ref: ALT_REF });
export const PATH = form("path", "PathParams", {
  points: Type.Array(Type.Object({ ...POINT, ...ALTITUDE }, { ...CLOSED, ...WITH_REFERENCE }), {
    minItems: 1,
    maxItems: 200,
  }),
  loop: Type.Optional(Type.Boolean()),
  speed_mps: Type.Optional(Speed),
});
export const ANGLE = form("angle", "AngleParams", {
  az_deg: Degrees(-360, 360),
  el_deg: Degrees(-90, 90),
  hfov_deg: Type.Optional(Degrees(0.1, 360)),
});
export const SPEED = form("speed", "SpeedParams", { speed_mps: Speed });
export const MODE = form("mode", "ModeParams", {
  mode: Type.String({ minLength: 1, maxLength: MODE_NAME_LENGTH_MAX }),
});
export const REGION = form("region", "RegionParams", { region_id: Id });
export const DURATION = form("duration", "DurationParams", {
  s: Quantity("s", { exclusiveMinimum: 0, maximum: 86_400 }),
});
const LEVEL = Type.Optional(Word(["low", "medium", "high"]));
export const THRESHOLDS = form("mode", "ThresholdParams", {
  detection: LEVEL,
  classification: LEVEL,
  report_rate: LEVEL,
});

/** `MODE` for a platform whose modes are known. */
export function modeForm(modes: readonly string[]): ParamsForm {
  return form("mode", "ModeParams", { mode: Word(modes) });
}

/** What one verb takes: the schema that clients read, and the check with that schema. */
export interface ParamsRule {
  readonly kinds: readonly string[];
  /** Shared and frozen. */
  readonly schema: ParamsSchema;
  /** null: they fit. `verb` is named in the sentence. */
  whyNot(verb: string, given: Params): WrongParams | null;
}

type Compiled = ReturnType<typeof Compile>;

export function paramsRule(forms: readonly ParamsForm[]): ParamsRule {
  const plain = forms.map((one) => JSON.parse(JSON.stringify(one)) as Record<string, unknown>);
  const formOf = new Map(forms.map((one) => [one.properties.kind.const as string, one]));
  const compiled = new Map<string, Compiled>();
  const kinds = [...formOf.keys()];
  return {
    kinds,
    schema: Object.freeze(plain.length === 1 ? plain[0]! : { anyOf: plain }),
    whyNot(verb, given) {
      const { kind } = given;
      const chosen = typeof kind === "string" ? formOf.get(kind) : undefined;
      if (typeof kind !== "string" || chosen === undefined) {
        const got = typeof kind === "string" ? `"${kind}"` : "none was given";
        return refusal("params_kind_mismatch", `${verb} takes params of kind ${kinds.join(" or ")}; ${got}`);
      }
      // Compiling takes about a millisecond, and most verbs are never used.
      const check = compiled.get(kind) ?? Compile(chosen);
      compiled.set(kind, check);
      return check.Check(given) ? null : whyWrong(verb, given, check.Errors(given)[0]);
    },
  };
}

type ParamsError = ReturnType<Compiled["Errors"]>[number] | undefined;

/** One sentence for the first error. */
function whyWrong(verb: string, given: Params, error: ParamsError): WrongParams {
  const path = error?.instancePath ?? "";
  const member = path.replaceAll("/", ".");
  if (error?.keyword === "boolean") return refusal("invalid_input", `${verb} takes no params${member}`);
  const place = /\/(lat|lon)$/.exec(path)?.[1];
  if (place !== undefined && (error?.keyword === "minimum" || error?.keyword === "maximum")) {
    const what = `the ${place === "lat" ? "latitude" : "longitude"} ${valueAt(given, path)} in the params of ${verb}`;
    return refusal("invalid_position", `${what} is not on the earth`);
  }
  if (error?.keyword === "dependentRequired")
    return refusal("invalid_input", `alt_m of ${verb} needs alt_ref: hae, agl or rel_home`);
  if (error?.keyword === "enum")
    return refusal(
      "invalid_input",
      `params${member} of ${verb} must be one of ${error.params.allowedValues.join(", ")}`,
    );
  return refusal("invalid_input", `params${member} of ${verb} ${error?.message ?? "do not fit its schema"}`);
}

function valueAt(given: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown>)[name], given);
}

const FORMS = [NONE, TRACK, GO_TO, LOOK_AT, ORBIT, TAKEOFF, PATH, ANGLE, SPEED, MODE, REGION, DURATION, THRESHOLDS];

/** Every form, for the API description of a command. */
export const ANY_PARAMS = Type.Union(FORMS);
