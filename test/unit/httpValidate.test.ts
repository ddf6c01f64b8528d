/** The sentence of a broken schema names the member and the rule; unknown members are refused unless a schema says otherwise. */
import { Type as T } from "typebox";
import { describe, expect, test } from "vitest";
import { compileParams, compileQuery } from "../../src/http/query.ts";
import { lowerSchema } from "../../src/http/schema30.ts";
import { compileCheck } from "../../src/http/validate.ts";

const nullable = <S extends Parameters<typeof T.Union>[0][number]>(schema: S) => T.Union([schema, T.Null()]);
const Point = T.Object({ kind: T.Literal("point"), lat: T.Number({ minimum: -90, maximum: 90 }) });
const Path = T.Object({ kind: T.Literal("path"), points: T.Array(T.Number(), { minItems: 2, maxItems: 3 }) });
const Body = T.Object({
  name: T.String({ minLength: 1, maxLength: 5 }),
  lat: T.Optional(nullable(T.Number({ exclusiveMaximum: 90 }))),
  role: T.Optional(T.Enum(["owner", "viewer"] as const)),
  mode: T.Optional(T.Union([T.Literal("on"), T.Literal("off")])),
  either: T.Optional(T.Union([T.Number(), T.String()])),
  placement: T.Optional(nullable(T.Object({ lat: T.Number() }))),
  shape: T.Optional(T.Union([Point, Path])),
  at: T.Optional(T.String({ format: "date-time" })),
  word: T.Optional(nullable(T.String({ pattern: "^a+$", "x-rule": "the letter a, often" }))),
  spec: T.Optional(T.Record(T.String(), T.Unknown())),
  open: T.Optional(T.Object({}, { additionalProperties: true })),
});
const check = compileCheck(Body, "the body");

describe("[ED-13] the sentence of a refusal", () => {
  test.each<[object | null, string]>([
    [{}, "name is required"],
    [null, "the body must be an object, not null"],
    [{ name: "" }, "name must not be empty"],
    [{ name: "sixsix" }, "name must have at most 5 characters"],
    [{ name: 5 }, "name must be a string, not 5"],
    [{ name: "x", lat: 90 }, "lat must be < 90, not 90"],
    [{ name: "x", role: "king" }, "role must be one of owner, viewer"],
    [{ name: "x", mode: "dim" }, "mode must be one of on, off"],
    [{ name: "x", either: true }, "either must be a number or a string"],
    [{ name: "x", placement: { lat: "1" } }, "placement.lat must be a number, not a string"],
    [{ name: "x", placement: { lat: 1, lon: 2 } }, "unknown member placement.lon"],
    [{ name: "x", shape: { kind: "point", lat: 91 } }, "shape.lat must be <= 90, not 91"],
    [{ name: "x", shape: { kind: "path", points: [1] } }, "shape.points must have at least 2 items"],
    [{ name: "x", at: "yesterday" }, "at must be a valid date-time"],
    [{ name: "x", word: "b" }, "word must be the letter a, often"],
    [{ name: "x", spec: [] }, "spec must be an object, not an array"],
    [{ name: "x", nmae: "y" }, "unknown member nmae"],
  ])("%j: %s", (value, sentence) => {
    expect(check.check(value)).toBe(false);
    expect(check.explain(value)).toBe(sentence);
  });

  test("free objects stay free", () => {
    expect(check.check({ name: "x", spec: { any: [1] }, open: { any: 1 }, placement: null })).toBe(true);
  });
});

test("[ED-21] lists, defaults and booleans of a query", () => {
  const query = compileQuery(
    T.Object({ id: T.Optional(T.Array(T.String())), limit: T.Integer({ default: 200 }), on: T.Optional(T.Boolean()) }),
    false,
  );
  expect(query.read("").refusal).toBeNull();
  expect(query.read("id=a&id=b+c&on=false")).toEqual({
    refusal: null,
    value: { id: ["a", "b c"], limit: 200, on: false },
  });
  expect(query.read("__proto__=1").refusal?.sentence).toContain('unknown parameter "__proto__"');
  expect(query.read("limit=1e999").refusal?.code).toBe("invalid_input");
});

test("[ED-4] path parameters are decoded once", () => {
  const params = compileParams(T.Object({ id: T.String({ maxLength: 8 }) }), ["id"]);
  expect(params.read(["a%2525"])).toEqual({ refusal: null, value: { id: "a%25" } });
  expect(params.read(["a%0ab"]).refusal?.sentence).toContain("control characters");
  expect(params.read(["123456789"]).refusal?.sentence).toContain("at most 8 characters");
});

test("[ED-32] schemas are lowered to the words of 3.0.3", () => {
  expect(lowerSchema(nullable(T.Enum(["a", "b"] as const)))).toEqual({
    type: "string",
    enum: ["a", "b", null],
    nullable: true,
  });
  expect(lowerSchema(T.Union([T.Literal("a"), T.Literal("b"), T.Null()]))).toEqual({
    type: "string",
    enum: ["a", "b", null],
    nullable: true,
  });
  expect(lowerSchema(T.Literal(5))).toEqual({ type: "number", enum: [5] });
  expect(lowerSchema(T.Number({ exclusiveMinimum: 0 }))).toEqual({
    type: "number",
    minimum: 0,
    exclusiveMinimum: true,
  });
  expect(lowerSchema(T.Tuple([T.Number(), T.Number()]))).toEqual({
    type: "array",
    items: { type: "number" },
    minItems: 2,
    maxItems: 2,
  });
  expect(lowerSchema(T.Record(T.String(), T.Integer()))).toEqual({
    type: "object",
    additionalProperties: { type: "integer" },
  });
  expect(lowerSchema(nullable(T.Union([T.Number(), T.String()])))).toEqual({
    anyOf: [
      { type: "number", nullable: true },
      { type: "string", nullable: true },
    ],
  });
});
