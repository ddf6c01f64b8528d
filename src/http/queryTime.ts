/**
 * Times in queries of lists that read the database: only those that both `Date` and Postgres can represent. RFC 3339 also
 * allows the year 0, leap seconds and offsets that lead out of the calendar; they are refused, not answered with 500. Pure.
 */
import { Type } from "typebox";
import { type Refusal, refusal } from "../domain/errors.ts";

export const QueryTime = Type.Optional(
  Type.String({ format: "date-time", maxLength: 64, description: "RFC 3339, years 1 to 9999, no leap second" }),
);

/** null: the query has no such time. */
export function readQueryTime(name: string, text: string | undefined): Date | null | Refusal<"invalid_input"> {
  if (text === undefined) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (year >= 1 && year <= 9999) return time;
  return refusal("invalid_input", `${name} must be a time of the years 1 to 9999 that is no leap second`);
}
