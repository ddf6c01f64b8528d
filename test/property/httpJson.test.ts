/**
 * The fault finder against JSON.parse, which it must agree with on every text, and the depth scan against a count over the
 * parsed value. Neither shares code with what it is checked against.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault, findTooDeep, parseJson } from "../../src/http/json.ts";

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON with a few characters put in, taken out or swapped: near misses, which random text never is. */
const nearJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("", '"', "{", "}", "[", "]", ",", ":", "\\", "0", "e", "-", ".", "\n", "t", "\u0001", " "),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((at, [where, what]) => {
      const i = where % (at.length + 1);
      return at.slice(0, i) + what + at.slice(i + (where % 2));
    }, text),
  );

test("[ED-13] a fault is found exactly where JSON.parse finds one", () => {
  fc.assert(
    fc.property(fc.oneof(nearJson, fc.string()), (text) => {
      const fault = findJsonFault(text);
      expect(fault === null).toBe(parses(text));
      if (fault !== null) expect(fault.offset).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 5000 },
  );
});

test("[ED-13] the text before a fault is sound: cut there, it breaks at its end or is complete", () => {
  fc.assert(
    fc.property(nearJson, (text) => {
      const fault = findJsonFault(text);
      if (fault === null) return;
      const cut = findJsonFault(text.slice(0, fault.offset));
      if (cut !== null) expect(cut.offset).toBe(fault.offset);
    }),
    { numRuns: 3000 },
  );
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("[ED-13] the depth of bytes is the depth of the value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (text, depthMax) => {
      expect(findTooDeep(Buffer.from(text), depthMax) !== -1).toBe(depthOf(JSON.parse(text)) > depthMax);
    }),
    { numRuns: 2000 },
  );
});

test("[ED-13] given any bytes, the parser gives a value or a refusal", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const parsed = parseJson(bytes, 8);
      expect(parsed.refusal === null || parsed.refusal.code === "invalid_input").toBe(true);
    }),
    { numRuns: 2000 },
  );
});
