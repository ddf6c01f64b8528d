/** What the edge says of a JSON text that it will not take: where, and why. */
import { describe, expect, test } from "vitest";
import { findJsonFault, findTooDeep, memberName, parseJson } from "../../src/http/json.ts";

const sentenceOf = (text: string | Uint8Array) => {
  const parsed = parseJson(typeof text === "string" ? Buffer.from(text) : text, 4);
  return parsed.refusal?.sentence ?? null;
};

describe("[ED-13] the position of a fault", () => {
  test.each([
    ["", 0, "a value"],
    ["{", 1, "a member name in double quotes"],
    ['{"a" 1}', 5, '":" after the member name'],
    ['{"a":1,}', 7, "a member name in double quotes"],
    ["[1,]", 3, "a value"],
    ["[1 2]", 3, '"," or "]"'],
    ['{"a":1 "b":2}', 7, '"," or "}"'],
    ["01", 1, "the end of the body"],
    ["-", 0, "a value"],
    ["NaN", 0, "a value"],
    ["tru", 0, "a value"],
    ['"abc', 4, 'the closing " of a string'],
    ['"a\\x"', 2, "a valid escape sequence"],
    ['"a\nb"', 2, "no control character in a string"],
    ["{} {}", 3, "the end of the body"],
  ])("%j", (text, offset, expected) => {
    expect(findJsonFault(text)).toEqual({ offset, expected });
  });

  test("is given in lines and columns", () => {
    expect(sentenceOf('{\n  "a": 1,\n  "b": x\n}')).toContain("expected a value at line 3, column 8 (offset 19)");
  });
});

describe("[ED-95] a member that is given twice is refused by its name", () => {
  test.each([
    ['{"a":1,"a":1}', "a"],
    ['{"x":[{"b":":{","c":{}},{"b":1,"c":{"d":0,"e":2,"d":3}}]}', "d"],
    ['{"verb" : 1, "v\\u0065rb"\n:2}', "verb"],
    ['{"":1,"":2}', ""],
    ['{"a\\"":1,"a\\"":2}', 'a"'],
  ])("%s", (text, name) => {
    expect(sentenceOf(text)).toBe(`the member ${JSON.stringify(name)} is given twice`);
  });
  test.each(['{"a":{"a":1},"b":[{"a":":"},{"a":2}]}', '{"1":1,"01":2}', '[":",":"]', '{"A":1,"a":2}'])(
    "not in %s",
    (text) => expect(sentenceOf(text)).toBeNull(),
  );
});

describe("[ED-13] nesting", () => {
  test("is counted outside strings, and siblings do not add up", () => {
    expect(findTooDeep(Buffer.from('[["[[[[[[", {}], [[]]]'), 3)).toBe(-1);
    expect(findTooDeep(Buffer.from('["\\"", [[[]]]]'), 3)).toBe(9);
    expect(sentenceOf("[[[[[]]]]]")).toBe("the body is nested deeper than 4 levels at byte 4");
    expect(sentenceOf("[[[[]]]]")).toBeNull();
  });
});

describe("[ED-13] a key that reaches into a prototype is refused before any schema", () => {
  test.each([
    ['{"a":[{"__proto__":1}]}', 'the member name "__proto__" is not allowed (in a[0])'],
    ['{"constructor":{}}', 'the member name "constructor" is not allowed'],
    ['{"a":{"b":[1,1e999]}}', "a.b[1] must be a finite number"],
    ['{"a":"\\u0000"}', "a must not contain the NUL character"],
    ['{"a":"\\udc00"}', "a must not contain half of a surrogate pair"],
  ])("%s", (text, sentence) => {
    expect(sentenceOf(text)).toBe(sentence);
  });
  test("pairs of surrogates, -0 and deep but finite values pass", () => {
    expect(sentenceOf('{"a":"\\ud83d\\ude81","b":-0,"c":5e-324}')).toBeNull();
  });
  test("a body that looks like a refusal is read as a body", () => {
    expect(parseJson(Buffer.from('{"refused":true,"code":"internal","sentence":"x"}'), 4).refusal).toBeNull();
  });
});

test("a member's name is written without escapes", () => {
  expect(memberName(["placement", "points", 3, "lat"])).toBe("placement.points[3].lat");
  expect(memberName([])).toBe("");
});
