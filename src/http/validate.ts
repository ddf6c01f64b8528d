/**
 * Schemas compiled once at start, and the sentence that names the member and the rule when one fails. Unknown members
 * are refused unless a schema allows them: a misspelt optional member must not be ignored silently.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { memberName } from "./json.ts";

export interface Check {
  check(value: unknown): boolean;
  /** One sentence for the first broken rule. Call it only after `check` returned false. */
  explain(value: unknown): string;
}

type Json = Record<string, unknown>;

/**
 * A copy of the schema in which objects refuse unknown members unless they allow them. Parts of an intersection stay open:
 * each would refuse the members of the others.
 */
export function closeObjects(schema: unknown, insideIntersection = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closeObjects(part, insideIntersection));
  if (typeof schema !== "object" || schema === null) return schema;
  const source = schema as Json;
  const closed: Json = {};
  for (const [key, value] of Object.entries(source)) {
    if (key === "properties" || key === "patternProperties" || key === "$defs")
      closed[key] = Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, closeObjects(part)]));
    else if (key === "allOf") closed[key] = closeObjects(value, true);
    else if (key === "items" || key === "anyOf" || key === "oneOf" || key === "additionalProperties")
      closed[key] = closeObjects(value, insideIntersection && key !== "items");
    else closed[key] = value;
  }
  if (source.type === "object" && "properties" in source && !("additionalProperties" in source) && !insideIntersection)
    closed.additionalProperties = false;
  return closed;
}

/** `what` names the whole value in a sentence: "the body", "the query". */
export function compileCheck(schema: TSchema, what: string): Check {
  const closed = closeObjects(schema) as TSchema;
  const validator = Compile(closed);
  return {
    check: (value) => validator.Check(value),
    explain: (value) => explain(pickError(validator.Errors(value)), value, what, closed),
  };
}

const KEYWORDS_OF_A_UNION = new Set(["anyOf", "oneOf"]);

/**
 * The most helpful error. A union reports the errors of every branch: the null branch of a nullable is noise, and a branch
 * whose constant does not match was not meant. The rest is in document order; the first is taken.
 */
function pickError(errors: TLocalizedValidationError[]): TLocalizedValidationError | MergedError | undefined {
  const leaves = errors.filter((e) => !KEYWORDS_OF_A_UNION.has(e.keyword) && !isEchoOfUnknown(e));
  const meant = leaves.filter((e) => !isNull(e));
  const candidates = meant.length > 0 ? meant : leaves;
  const first = candidates[0] ?? errors[0];
  if (first === undefined) return undefined;
  const branch = branchOf(first.schemaPath);
  if (branch === null) return first;
  const siblings = candidates.filter((e) => branchOf(e.schemaPath) === branch);
  const deeper = siblings.filter((e) => e.instancePath.length > unionInstance(errors, branch).length);
  const unmatched = new Set(deeper.filter((e) => e.keyword === "const").map((e) => branchIndex(e.schemaPath, branch)));
  const matched = deeper.filter((e) => !unmatched.has(branchIndex(e.schemaPath, branch)));
  if (matched[0] !== undefined) return matched[0];
  return mergeAlternatives(siblings, errors, branch) ?? first;
}

interface MergedError {
  readonly keyword: "alternatives";
  readonly instancePath: string;
  readonly allowed: string[];
}

/** Constants and types of the branches, as one rule: "must be one of x, y", "must be a number or null". */
function mergeAlternatives(
  siblings: TLocalizedValidationError[],
  errors: TLocalizedValidationError[],
  branch: string,
): MergedError | null {
  const instancePath = siblings[0]?.instancePath ?? "";
  if (siblings.some((e) => e.instancePath !== instancePath)) return null;
  const allowed: string[] = [];
  for (const error of errors.filter((e) => e.instancePath === instancePath && branchOf(e.schemaPath) === branch)) {
    if (error.keyword === "const") allowed.push(String(error.params.allowedValue));
    else if (error.keyword === "enum") allowed.push(...error.params.allowedValues.map(String));
    else if (error.keyword === "type") allowed.push(...[error.params.type].flat().map(article));
    else if (!KEYWORDS_OF_A_UNION.has(error.keyword)) return null;
  }
  return allowed.length > 1 ? { keyword: "alternatives", instancePath, allowed: [...new Set(allowed)] } : null;
}

/** The path of the innermost union that the schema path goes through, or null. */
function branchOf(schemaPath: string): string | null {
  return /^(.*)\/(?:anyOf|oneOf)\/\d+/.exec(schemaPath)?.[1] ?? null;
}

function branchIndex(schemaPath: string, branch: string): string {
  return schemaPath.slice(branch.length).split("/")[2] ?? "";
}

function unionInstance(errors: TLocalizedValidationError[], branch: string): string {
  return errors.find((e) => KEYWORDS_OF_A_UNION.has(e.keyword) && e.schemaPath === branch)?.instancePath ?? "";
}

const isNull = (e: TLocalizedValidationError) => e.keyword === "type" && e.params.type === "null";
/** An error that only repeats the errors of the single unknown members. */
const isEchoOfUnknown = (e: TLocalizedValidationError) => e.keyword === "additionalProperties";

const ARTICLES: Record<string, string> = {
  number: "a number",
  integer: "a whole number",
  string: "a string",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};
const article = (type: string) => ARTICLES[type] ?? type;

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return String(value);
  return article(typeof value);
}

function pointerParts(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(value: unknown, parts: readonly string[]): unknown {
  let at = value;
  for (const part of parts) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Json)[part];
  }
  return at;
}

/** The rule in words (`x-rule`) of a schema with a pattern, which is no help to a person. */
function patternRule(closed: TSchema, schemaPath: string, message: string): string {
  const rule = (valueAt(closed, pointerParts(schemaPath.slice(1))) as Json | undefined)?.["x-rule"];
  return typeof rule === "string" ? `must be ${rule}` : message;
}

function explain(
  error: TLocalizedValidationError | MergedError | undefined,
  value: unknown,
  what: string,
  closed: TSchema,
): string {
  if (error === undefined) return `${what} is not valid`;
  const parts = pointerParts(error.instancePath);
  const name = memberName(parts) || what;
  const actual = valueAt(value, parts);
  switch (error.keyword) {
    case "required": {
      const missing = error.params.requiredProperties[0] ?? "";
      return `${memberName([...parts, missing])} is required`;
    }
    case "boolean":
      if (error.schemaPath.endsWith("additionalItems"))
        return `${memberName(parts.slice(0, -1)) || what} has too many items`;
      return `unknown member ${name}`;
    case "alternatives":
      return `${name} must be ${error.allowed.every((a) => a in NAMES) ? "" : "one of "}${error.allowed.join(error.allowed.every((a) => a in NAMES) ? " or " : ", ")}`;
    case "type":
      return `${name} must be ${[error.params.type].flat().map(article).join(" or ")}, not ${describeValue(actual)}`;
    case "enum":
      return `${name} must be one of ${error.params.allowedValues.join(", ")}`;
    case "const":
      return `${name} must be ${String(error.params.allowedValue)}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `${name} must be ${error.params.comparison} ${error.params.limit}, not ${describeValue(actual)}`;
    case "minLength":
      return error.params.limit === 1
        ? `${name} must not be empty`
        : `${name} must have at least ${error.params.limit} characters`;
    case "maxLength":
      return `${name} must have at most ${error.params.limit} characters`;
    case "minItems":
      return `${name} must have at least ${count(error.params.limit, "item")}`;
    case "maxItems":
      return `${name} must have at most ${count(error.params.limit, "item")}`;
    case "pattern":
      return `${name} ${patternRule(closed, error.schemaPath, error.message)}`;
    case "format":
      return `${name} must be a valid ${error.params.format}`;
    default:
      return `${name} ${error.message}`;
  }
}

const NAMES: Record<string, true> = Object.fromEntries(Object.values(ARTICLES).map((a) => [a, true]));
const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
