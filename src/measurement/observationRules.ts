/**
 * The schemas of `domain/observation.ts` as tables: one pass over the members of an observation, without allocation while
 * they are valid. The compiled schema takes ten times as long (ADR 0050); a property test checks that both decide alike.
 * Magic numbers become null in place. Knows no room and no geometry.
 */
import type { TObject, TSchema } from "typebox";
import { Time } from "../domain/members.ts";
import { parseTimeUs } from "./time.ts";

/** A parsed object of the wire. */
export type Wire = Record<string, unknown>;

const NUMBER = 1;
const INTEGER = 2;
const LINE = 3;
const PATTERN = 4;
const ENUM = 5;
const BOOLEAN = 6;
const TIME = 7;
const OBJECT = 8;
const ARRAY = 9;
const RAW = 10;
const ANY = 11;

interface Rule {
  readonly kind: number;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly min: number;
  readonly max: number;
  /** Numbers that mean "unknown"; null when there is none. */
  readonly magic: readonly number[] | null;
  readonly values: ReadonlySet<unknown> | null;
  readonly pattern: RegExp | null;
  readonly members: Rules | null;
  readonly item: Rule | null;
  /** The rule in words: "must be a number from 0 to 360". */
  readonly text: string;
}

export interface Rules {
  readonly byName: ReadonlyMap<string, Rule>;
  readonly required: readonly string[];
}

/** An invalid member and the sentence about it. */
export interface Fault {
  /** The top-level member of the observation, also for a fault inside of it. */
  readonly member: string;
  readonly sentence: string;
}

/** Count of unknown members in one request. */
export interface UnknownTally {
  unknown: number;
}

const RAW_BYTES_MAX = 4096;
const UNKNOWN_DEPTH_MAX = 16;

// ---- from schemas to tables, once at start

type Json = Readonly<Record<string, unknown>>;
const LINE_PATTERN_START = "^[^\\u0000-\\u001f\\u007f";

/** `opaque`: members whose values the caller checks. */
export function rulesOf(schema: TObject, opaque: readonly string[] = []): Rules {
  const byName = new Map<string, Rule>();
  const required = new Set((schema as unknown as { required?: string[] }).required ?? []);
  for (const [name, member] of Object.entries(schema.properties))
    byName.set(
      name,
      opaque.includes(name)
        ? { ...EMPTY, kind: ANY, required: required.has(name) }
        : ruleOf(member, required.has(name), name),
    );
  return { byName, required: [...required] };
}

const EMPTY: Rule = {
  kind: ANY,
  required: false,
  nullable: false,
  min: 0,
  max: 0,
  magic: null,
  values: null,
  pattern: null,
  members: null,
  item: null,
  text: "",
};

function ruleOf(schema: TSchema, required: boolean, name = ""): Rule {
  const json = schema as unknown as Json;
  const branches = schema === Time ? undefined : (json.anyOf as Json[] | undefined);
  if (branches === undefined) return { ...plainRule(json, name), required };
  const nullable = branches.some((b) => b.type === "null");
  const magic = branches.flatMap((b) => ("const" in b ? [b.const as number] : []));
  const value = branches.find((b) => b.type !== "null" && !("const" in b));
  const inner = plainRule(value ?? {}, name);
  return {
    ...inner,
    required,
    nullable,
    magic: magic.length > 0 ? magic : null,
    text: nullable ? `${inner.text} or null` : inner.text,
  };
}

function plainRule(schema: Json, name: string): Rule {
  if (schema === (Time as unknown as Json))
    return { ...EMPTY, kind: TIME, text: "must be an RFC 3339 time or epoch milliseconds, years 2000 to 2199" };
  if ("enum" in schema) return choice(schema.enum as unknown[]);
  if ("const" in schema) return choice([schema.const]);
  switch (schema.type) {
    case "number":
    case "integer": {
      const whole = schema.type === "integer";
      const min = schema.minimum as number;
      const max = schema.maximum as number;
      return {
        ...EMPTY,
        kind: whole ? INTEGER : NUMBER,
        min,
        max,
        text: `must be a ${whole ? "whole " : ""}number from ${min} to ${max}`,
      };
    }
    case "string":
      return textRule(schema);
    case "boolean":
      return { ...EMPTY, kind: BOOLEAN, text: "must be true or false" };
    case "array": {
      const min = (schema.minItems as number | undefined) ?? 0;
      const max = schema.maxItems as number;
      return {
        ...EMPTY,
        kind: ARRAY,
        min,
        max,
        item: ruleOf(schema.items as TSchema, true),
        text: min === max ? `must be an array of ${max}` : `must be an array of at most ${max}`,
      };
    }
    default:
      if (name === "raw")
        return {
          ...EMPTY,
          kind: RAW,
          text: `must be an object of at most ${RAW_BYTES_MAX} bytes of JSON, ${UNKNOWN_DEPTH_MAX} levels deep`,
        };
      return { ...EMPTY, kind: OBJECT, members: rulesOf(schema as unknown as TObject), text: "must be an object" };
  }
}

function choice(values: readonly unknown[]): Rule {
  return {
    ...EMPTY,
    kind: ENUM,
    values: new Set(values),
    text: `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`,
  };
}

function textRule(schema: Json): Rule {
  const pattern = schema.pattern as string;
  const max = schema.maxLength as number;
  if (pattern.startsWith(LINE_PATTERN_START))
    return { ...EMPTY, kind: LINE, max, text: `must be a string of 1 to ${max} characters without control characters` };
  return { ...EMPTY, kind: PATTERN, pattern: new RegExp(pattern, "u"), text: `must match ${pattern}` };
}

/** The same rules with these members optional. */
export function withOptional({ byName, required }: Rules, names: readonly string[]): Rules {
  const needed = new Set(required.filter((name) => !names.includes(name)));
  return {
    byName: new Map([...byName].map(([name, rule]) => [name, { ...rule, required: needed.has(name) }])),
    required: [...needed],
  };
}

// ---- the pass itself

/** null when every member is valid and no required one is missing. */
export function findFault(wire: Wire, rules: Rules, tally: UnknownTally): Fault | null {
  let required = 0;
  for (const name in wire) {
    const value = wire[name];
    const rule = rules.byName.get(name);
    if (rule === undefined) {
      tally.unknown++;
      if (typeof value === "object" && value !== null && isDeeperThan(value, UNKNOWN_DEPTH_MAX))
        return {
          member: name,
          sentence: `an unknown member is nested deeper than ${UNKNOWN_DEPTH_MAX} levels`,
        };
      continue;
    }
    if (rule.required) required++;
    if (rule.kind === NUMBER && typeof value === "number" && value >= rule.min && value <= rule.max) continue;
    const broken = whyBroken(rule, name, value, tally);
    if (broken !== null) return { member: name, sentence: broken };
    if (rule.magic?.includes(value as number)) wire[name] = null;
  }
  if (required === rules.required.length) return null;
  const missing = rules.required.find((name) => !Object.hasOwn(wire, name)) ?? "";
  return { member: missing, sentence: `${missing} is required` };
}

function whyBroken(rule: Rule, name: string, value: unknown, tally: UnknownTally): string | null {
  if (value === null) return rule.nullable ? null : `${name} must not be null`;
  if (isKept(rule, value)) {
    if (rule.kind === OBJECT)
      return findFault(value as Wire, rule.members!, tally)?.sentence.replace(/^/, `${name}: `) ?? null;
    if (rule.kind === ARRAY) return whyItemsBroken(rule, name, value as unknown[], tally);
    return null;
  }
  return rule.magic?.includes(value as number) ? null : `${name} ${rule.text}`;
}

function whyItemsBroken(rule: Rule, name: string, items: readonly unknown[], tally: UnknownTally): string | null {
  for (let i = 0; i < items.length; i++) {
    const broken = whyBroken(rule.item!, `${name}[${i}]`, items[i], tally);
    if (broken !== null) return broken;
  }
  return null;
}

function isKept(rule: Rule, value: unknown): boolean {
  switch (rule.kind) {
    case NUMBER:
      return typeof value === "number" && value >= rule.min && value <= rule.max;
    case INTEGER:
      return Number.isInteger(value) && (value as number) >= rule.min && (value as number) <= rule.max;
    case LINE:
      return typeof value === "string" && isLine(value, rule.max);
    case PATTERN:
      return typeof value === "string" && rule.pattern!.test(value);
    case ENUM:
      return rule.values!.has(value);
    case BOOLEAN:
      return typeof value === "boolean";
    case TIME:
      return !Number.isNaN(parseTimeUs(value));
    case OBJECT:
      return isObject(value);
    case ARRAY:
      return Array.isArray(value) && value.length >= rule.min && value.length <= rule.max;
    case RAW:
      return (
        isObject(value) && !isDeeperThan(value, UNKNOWN_DEPTH_MAX) && JSON.stringify(value).length <= RAW_BYTES_MAX
      );
    default:
      return true;
  }
}

export function isObject(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** 1 to `lengthMax` code points, no control characters, no half surrogates. */
function isLine(text: string, lengthMax: number): boolean {
  const units = text.length;
  if (units === 0 || units > 2 * lengthMax) return false;
  let points = 0;
  for (let i = 0; i < units; i++, points++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return false;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const low = text.charCodeAt(++i);
    if (unit > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return false;
  }
  return points <= lengthMax;
}

/** Without recursion, because V8 parses arrays 200,000 levels deep. Encoding such a value later would overflow the stack. */
function isDeeperThan(value: object, depthMax: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= depthMax) return true;
    const next: object[] = [];
    for (const node of level)
      for (const child of Object.values(node)) if (typeof child === "object" && child !== null) next.push(child);
    level = next;
  }
  return false;
}
