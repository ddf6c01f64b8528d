/**
 * Bounds of the few open objects of the interface, such as the spec of an asset. What passes can be walked, stored as jsonb and
 * encoded. Pure.
 */
import { SPEC_BYTES_MAX, SPEC_DEPTH_MAX, SPEC_KEYS_MAX } from "../limits.ts";

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const HALF_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** Postgres keeps neither the zero character nor half surrogates. */
const isUnkept = (text: string): boolean => text.includes("\0") || HALF_SURROGATE.test(text);

/** A sentence that names the rule; null: it passes. Checked level by level, before any recursion over it. */
export function whyNotFree(value: object, what: string): string | null {
  let keys = 0;
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > SPEC_DEPTH_MAX) return `${what} is nested deeper than ${SPEC_DEPTH_MAX} levels`;
    const next: object[] = [];
    for (const node of level) {
      for (const [key, member] of Object.entries(node)) {
        if (FORBIDDEN_KEYS.has(key)) return `${what} must not have a member called ${key}`;
        if (++keys > SPEC_KEYS_MAX) return `${what} has more than ${SPEC_KEYS_MAX} members`;
        if (isUnkept(key) || (typeof member === "string" && isUnkept(member)))
          return `${what} has text with a zero character or half a surrogate pair`;
        if (typeof member === "object" && member !== null) next.push(member);
      }
    }
    level = next;
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes > SPEC_BYTES_MAX ? `${what} is larger than ${SPEC_BYTES_MAX} bytes` : null;
}
