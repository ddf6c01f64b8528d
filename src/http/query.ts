/**
 * Query strings and path parameters: decoded once, coerced by their schema, unknown names refused. Pure; the socket
 * hands in raw text.
 */
import type { TObject, TSchema } from "typebox";
import { type Refusal, refusal } from "../domain/errors.ts";
import { type Check, compileCheck } from "./validate.ts";

type Values = Record<string, unknown>;
type Read = { readonly refusal: null; readonly value: Values } | { readonly refusal: Refusal };

const NO_VALUES: Values = Object.freeze(Object.create(null) as Values);
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PLUS = /\+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

const refused = (sentence: string): Read => ({ refusal: refusal("invalid_input", sentence) });

export interface QueryReader {
  read(raw: string): Read;
}

interface Parameter {
  readonly types: ReadonlySet<string>;
  readonly isList: boolean;
}

function typesOf(schema: TSchema): Set<string> {
  const json = schema as { type?: string; anyOf?: TSchema[]; enum?: unknown[]; items?: TSchema };
  if (json.anyOf) return new Set(json.anyOf.flatMap((part) => [...typesOf(part)]));
  if (json.enum) return new Set(json.enum.map((value) => typeof value));
  if (json.type === "array" && json.items) return typesOf(json.items);
  return new Set(json.type === undefined ? [] : [json.type]);
}

/** A text that cannot be coerced stays a string, so that the schema's check names the rule. */
function coerce(text: string, types: ReadonlySet<string>): unknown {
  if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function decode(text: string): string | null {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replace(PLUS, " "));
  } catch {
    return null;
  }
}

/** On an open route unknown names are ignored: monitors and browsers add their own, and nothing depends on them. */
export function compileQuery(schema: TObject | undefined, isOpen: boolean): QueryReader {
  const properties = Object.entries((schema?.properties ?? {}) as Record<string, TSchema>);
  const known = new Map<string, Parameter>(
    properties.map(([name, part]) => [
      name,
      { types: typesOf(part), isList: (part as { type?: string }).type === "array" },
    ]),
  );
  const defaults = properties.flatMap(([name, part]) => ("default" in part ? [[name, part.default] as const] : []));
  const check: Check | null = schema ? compileCheck(schema, "the query") : null;
  const finish = (value: Values): Read => {
    for (const [name, fallback] of defaults) if (!(name in value)) value[name] = fallback;
    if (check !== null && !check.check(value)) return refused(`query: ${check.explain(value)}`);
    return { refusal: null, value };
  };
  const nothing: Read = schema === undefined ? { refusal: null, value: NO_VALUES } : finish({});
  if (nothing.refusal === null) Object.freeze(nothing.value);
  return {
    read(raw) {
      if (raw === "") return nothing;
      const value: Values = {};
      for (const pair of raw.split("&")) {
        if (pair === "") continue;
        const equals = pair.indexOf("=");
        const name = decode(equals === -1 ? pair : pair.slice(0, equals));
        const text = equals === -1 ? "" : decode(pair.slice(equals + 1));
        if (name === null || text === null) return refused("query: a percent sign is not followed by a valid escape");
        const parameter = known.get(name);
        if (parameter === undefined) {
          if (isOpen) continue;
          return refused(`query: unknown parameter ${JSON.stringify(name.slice(0, 64))}${listOf(known)}`);
        }
        if (CONTROL.test(text)) return refused(`query: ${name} must not contain control characters`);
        if (parameter.isList) ((value[name] ??= []) as unknown[]).push(coerce(text, parameter.types));
        else if (name in value) return refused(`query: ${name} is given twice`);
        else value[name] = coerce(text, parameter.types);
      }
      return finish(value);
    },
  };
}

function listOf(known: ReadonlyMap<string, Parameter>): string {
  return known.size === 0 ? "; this route takes none" : `; this route takes ${[...known.keys()].join(", ")}`;
}

export interface ParamsReader {
  read(raw: readonly string[]): Read;
}

/** Path parameters are strings unless their schema is a number. */
export function compileParams(schema: TObject | undefined, names: readonly string[]): ParamsReader {
  const nothing: Read = { refusal: null, value: NO_VALUES };
  if (names.length === 0) return { read: () => nothing };
  const check: Check | null = schema ? compileCheck(schema, "the path") : null;
  const types = names.map((name) =>
    typesOf(((schema?.properties ?? {}) as Record<string, TSchema>)[name] ?? ({ type: "string" } as TSchema)),
  );
  return {
    read(raw) {
      const value: Values = {};
      for (let i = 0; i < names.length; i++) {
        let text: string;
        try {
          text = decodeURIComponent(raw[i]!);
        } catch {
          return refused(`path: ${names[i]} holds a percent sign that is not followed by a valid escape`);
        }
        if (text === "" || CONTROL.test(text))
          return refused(`path: ${names[i]} must be text without control characters`);
        value[names[i]!] = coerce(text, types[i]!);
      }
      if (check !== null && !check.check(value)) return refused(`path: ${check.explain(value)}`);
      return { refusal: null, value };
    },
  };
}
