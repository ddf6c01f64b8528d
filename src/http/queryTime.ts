/**
 * Times in queries, for the lists that ask the database: what both `Date` and Postgres can hold, so that no spelling that
 * RFC 3339 allows (the year 0, a leap second, a zone that leads out of the calendar) becomes a fault of ours. Pure.
 */
import { Type } from "typebox";
import { type Refusal, refusal } from "../domain/errors.ts";

export const QueryTime = Type.Optional(
  Type.String({ format: "date-time", maxLength: 64, description: "RFC 3339, years 1 to 9999, no leap second" }),
);

/** null: it was not given. */
export function readQueryTime(name: string, text: string | undefined): Date | null | Refusal {
  if (text === undefined) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (year >= 1 && year <= 9999) return time;
  return refusal("invalid_input", `${name} must be a time of the years 1 to 9999 that is no leap second`);
}
