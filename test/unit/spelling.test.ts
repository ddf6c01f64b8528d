/** The distance between names, and the help text's columns. */
import { describe, expect, test } from "vitest";
import { twoColumns } from "../../src/lib/columns.ts";
import { editDistance, nearestName } from "../../src/lib/spelling.ts";

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "abc", 0],
  ["abc", "ab", 1],
  ["abc", "xbc", 1],
  ["abc", "acb", 1],
  ["kitten", "sitting", 3],
  ["ca", "abc", 3],
])("[CF-8] %j and %j are %i slips apart, whichever comes first", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test("[CF-8] the nearest name wins, and a name that is too far from all has none", () => {
  const known = ["LOG_LEVEL", "LOG_FORMAT", "PORT", "HOST"];
  expect(nearestName("LOG_LEVLE", known)).toBe("LOG_LEVEL");
  expect(nearestName("log-format", known)).toBe("LOG_FORMAT");
  expect(nearestName("PORTS", known)).toBe("PORT");
  expect(nearestName("HOSTNAME", known)).toBeNull();
  expect(nearestName("LOG", known)).toBeNull();
  expect(nearestName("PORT", [])).toBeNull();
});

describe("[CF-9] two columns", () => {
  test("wrap the second one at words and leave the first one alone", () => {
    expect(
      twoColumns(
        [
          ["A", "one two three"],
          ["LONG", "four"],
        ],
        16,
      ),
    ).toBe(["  A     one two", "        three", "  LONG  four"].join("\n"));
  });

  test("a word that is wider than its column stands alone", () => {
    expect(twoColumns([["A", "a verylongword b"]], 10)).toBe(["  A  a", "     verylongword", "     b"].join("\n"));
  });
});
