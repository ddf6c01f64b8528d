/**
 * Finds a member that is given twice in one object. JSON leaves open which one counts, so two readers of the same bytes could
 * see different commands. Found by counting: a text has as many colons outside strings as its value has members, unless one
 * member replaced another.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

function countColons(bytes: Uint8Array): number {
  let colons = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (bytes[i] === COLON) colons++;
  }
  return colons;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : parts.length;
  return parts.reduce<number>((sum, part) => sum + countMembers(part), own);
}

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs;

/** The first duplicate; slow, and called only when the counts differ. */
function nameOf(text: string): string {
  const open: Set<string>[] = [];
  for (const [token, isKey] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (isKey !== undefined) {
      // Two spellings of one name (\u0061 and a) are one name.
      const name = JSON.parse(token.slice(0, -isKey.length)) as string;
      if (open.at(-1)?.has(name)) return name;
      open.at(-1)?.add(name);
    }
  }
  return "";
}

/** `value` is the parsed text; null: no member is given twice. */
export function findDuplicateKey(bytes: Uint8Array, text: string, value: unknown): string | null {
  return countColons(bytes) === countMembers(value) ? null : nameOf(text);
}
