/**
 * JSON in one form only (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript
 * writes them. Equal values have equal bytes, so their hashes are equal.
 */
import { assert } from "./assert.ts";

export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    assert(Number.isFinite(value), "JSON has no infinities");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  assert(typeof value === "object", "only JSON values have a canonical form");
  const members = Object.entries(value as object)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
