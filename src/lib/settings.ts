/**
 * Settings from environment variables: the definition of one, parsers for its text, and a reader that gathers all faults.
 * Knows no variable by name.
 */
import { readFileSync } from "node:fs";
import { nearestName } from "./spelling.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why a text cannot be used; the reason continues a sentence that begins with the variable's name: "must be …". */
export class BadValue {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Parse<T> = (text: string) => T | BadValue;

export interface Variable<T = unknown> {
  readonly name: string;
  /** The default, or what happens without a value, for people. */
  readonly fallback: string;
  readonly meaning: string;
  /** A value for .env.example; "" where any value would mislead. */
  readonly example: string;
  /** NAME_FILE may name a file that holds the value: that is how container platforms hand over secrets. */
  readonly isSecret: boolean;
  readonly parse: Parse<T>;
  readonly valueWhenUnset: T;
}

interface Facts {
  readonly meaning: string;
  readonly isSecret?: boolean;
  readonly example?: string;
}

/** Unset means `fallback`, which is parsed like any other value. */
export function withDefault<T>(name: string, fallback: string, parse: Parse<T>, facts: Facts): Variable<T> {
  const valueWhenUnset = parse(fallback);
  if (valueWhenUnset instanceof BadValue) throw new Error(`the default of ${name} ${valueWhenUnset.reason}`);
  return { isSecret: false, example: fallback, ...facts, name, fallback, parse, valueWhenUnset };
}

/** Unset means null; `fallback` describes the effect for people. */
export function optional<T>(name: string, fallback: string, parse: Parse<T>, facts: Facts): Variable<T | null> {
  return { isSecret: false, example: "", ...facts, name, fallback, parse, valueWhenUnset: null };
}

export const anyText: Parse<string> = (text) => text;

export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const number = Number(text);
    const isValid = Number.isInteger(number) && number >= min && number <= max;
    return isValid ? number : new BadValue(`must be a whole number from ${min} to ${max}, not "${text}"`);
  };
}

export function oneOf<T>(values: Readonly<Record<string, T>>): Parse<T> {
  const names = Object.keys(values).join(", ");
  return (text) =>
    Object.hasOwn(values, text) ? values[text]! : new BadValue(`must be one of ${names}, not "${text}"`);
}

/** The value may hold a password, so the fault does not repeat it. */
export function urlOf(...schemes: readonly string[]): Parse<string> {
  const beginnings = schemes.map((scheme) => `${scheme}//`).join(" or ");
  return (text) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol)
      ? text
      : new BadValue(`must be a URL that starts with ${beginnings}`);
}

/** A browser's `Origin` has scheme, host and port and nothing else, so anything else would never match. */
export const originList: Parse<readonly string[]> = (text) => {
  const origins: string[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    const parsed = URL.canParse(part) ? new URL(part) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.href !== `${parsed.origin}/`)
      return new BadValue(`must be origins such as https://ops.example.org, separated by commas, not "${part}"`);
    origins.push(parsed.origin);
  }
  return Object.freeze(origins);
};

/** Settings that cannot be used, a sentence each. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

export const codeOf = (fault: unknown): string => (fault as NodeJS.ErrnoException).code ?? String(fault);

/** Reads variables one by one and gathers the faults. */
export class SettingsReader {
  readonly faults: string[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** A wrong value adds to `faults` and reads as unset. */
  read<T>({ name, isSecret, parse, valueWhenUnset }: Variable<T>): T {
    const text = this.#text(name);
    const fileName = `${name}_FILE`;
    const path = isSecret ? this.#text(fileName) : null;
    if (text !== null && path !== null) {
      this.faults.push(`${name} and ${fileName} are both set; set one of them`);
      return valueWhenUnset;
    }
    const given = path === null ? text : this.#textOfFile(fileName, path);
    if (given === null) return valueWhenUnset;
    const value = parse(given);
    if (!(value instanceof BadValue)) return value;
    this.faults.push(`${path === null ? name : `the content of ${fileName} (${path})`} ${value.reason}`);
    return valueWhenUnset;
  }

  /** Null where unset or empty: Compose and shells pass an unset variable on as an empty one. */
  #text(name: string): string | null {
    const value = this.#env[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }

  #textOfFile(name: string, path: string): string | null {
    try {
      const value = readFileSync(path, "utf8").trim();
      if (value !== "") return value;
      this.faults.push(`${name} names ${path}, which is empty`);
    } catch (fault) {
      this.faults.push(`${name} names ${path}, which cannot be read (${codeOf(fault)})`);
    }
    return null;
  }
}

/** A sentence for each name in the environment that is probably a misspelt one of `variables`. */
export function misspeltNames(env: Environment, variables: readonly Variable[], prefix: string): string[] {
  const names = variables.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]));
  const sentences: string[] = [];
  for (const [name, value = ""] of Object.entries(env)) {
    if (value === "" || names.includes(name)) continue;
    const base = name.replace(/_FILE$/, "");
    const meant = unprefixed(name, value, names, prefix) ?? nearestName(name, names);
    if (base !== name && names.includes(base))
      sentences.push(`${name} is not read, because only secrets can come from a file; set ${base} itself`);
    else if (meant !== null)
      sentences.push(`${name} is not a setting of this service and is not read; did you mean ${meant}?`);
  }
  return sentences.sort();
}

/** LOG_LEVEL for PICKET_LOG_LEVEL. But Kubernetes sets PICKET_PORT=tcp://… where there is a service of that name. */
function unprefixed(name: string, value: string, names: readonly string[], prefix: string): string | null {
  if (!name.startsWith(prefix) || /^(tcp|udp):\/\//.test(value)) return null;
  const rest = name.slice(prefix.length);
  return names.includes(rest) ? rest : null;
}
