/**
 * Schema builders for members that sensors fill in: bounded and nullable. Unknown is null in our interface; the magic numbers
 * of the sources (OpenDroneID 361, 255, 63, -1000; CoT 999999) are accepted and become null. Pure; knows no modality.
 */
import { type TNull, type TNumber, type TOptional, type TSchema, type TUnion, Type } from "typebox";

/** Sensors write one of these where they do not know an error bound. */
export const UNKNOWN_ERROR_BOUNDS = [999_999, 9_999_999] as const;

type Nullable<T extends TSchema> = TOptional<TUnion<[T, TNull]>>;

/** Absent and null both mean unknown. */
export function maybe<T extends TSchema>(schema: T): Nullable<T> {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Magic numbers that mean "unknown". */
  readonly unknown?: readonly number[];
  readonly description?: string;
}

function bounded({ min, max, description }: Bounds): TNumber {
  return Type.Number({ minimum: min, maximum: max, ...(description === undefined ? {} : { description }) });
}

/** A required number. */
export function number(min: number, max: number): TNumber {
  return bounded({ min, max });
}

/** A number, null, or a magic number that becomes null. */
export function maybeNumber(
  min: number,
  max: number,
  unknown: readonly number[] = [],
  description?: string,
): Nullable<TNumber> {
  const value = bounded({ min, max, ...(description === undefined ? {} : { description }) });
  const magic = unknown.map((value) => Type.Literal(value));
  // The static type is a number all the same: a literal is one.
  return Type.Optional(Type.Union([value, ...magic, Type.Null()])) as unknown as Nullable<TNumber>;
}

export function maybeInteger(min: number, max: number) {
  return maybe(Type.Integer({ minimum: min, maximum: max }));
}

/** One line of text: no control characters, no half surrogates, 1 to `lengthMax` code points. */
export function text(lengthMax: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: `^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]{1,${lengthMax}}$`,
    "x-rule": `one line of text of 1 to ${lengthMax} characters, without control characters`,
    ...(description === undefined ? {} : { description }),
  });
}

/** Several lines of text, possibly empty. */
export function prose(lengthMax: number, description: string) {
  return Type.String({ maxLength: lengthMax, pattern: `^[^\\u0000\\ud800-\\udfff]{0,${lengthMax}}$`, description });
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return Type.Enum(values);
}

/** The times that a room can hold: whole microseconds must stay exact in a double, and a typo must not be a date. */
export const TIME_MIN_MS = Date.UTC(2000, 0, 1);
export const TIME_MAX_MS = Date.UTC(2200, 0, 1);

const Rfc3339 = Type.String({
  format: "date-time",
  pattern: "^2[01]\\d\\d-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,12})?([Zz]|[+-]\\d\\d:\\d\\d)$",
});

/** RFC 3339, or Unix epoch milliseconds. */
export const Time = Type.Union([Rfc3339, Type.Number({ minimum: TIME_MIN_MS, maximum: TIME_MAX_MS })], {
  description: "RFC 3339, or Unix epoch milliseconds as a number",
});

export const LAT_MAX = 90;
export const LON_MAX = 180;

/** Degrees; false for what is no number. */
export function isOnEarth(lat: number, lon: number): boolean {
  return Math.abs(lat) <= LAT_MAX && Math.abs(lon) <= LON_MAX;
}
export const ALT_MIN_M = -500;
export const ALT_MAX_M = 100_000;
