/**
 * Sensor times as whole microseconds since the Unix epoch: from RFC 3339, read digit by digit because this runs once per
 * observation, or from epoch milliseconds as a number. Pure.
 */
import { TIME_MAX_MS, TIME_MIN_MS } from "../domain/members.ts";

const ZERO = 48;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FRACTION_DIGITS_MAX = 12;
const MINUTE_S = 60;
const DAY_MINUTES = 1440;

/** The two digits at `at`, or NaN. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Days from 1970-01-01. Source: H. Hinnant, "chrono-compatible low-level date algorithms", days_from_civil, y > 0. */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

/** The UTC offset that starts at `at` and ends the text, minutes east, or NaN. */
function offsetMinutes(text: string, at: number): number {
  const sign = text[at];
  if (sign === "Z" || sign === "z") return text.length === at + 1 ? 0 : Number.NaN;
  if ((sign !== "+" && sign !== "-") || text.length !== at + 6 || text[at + 3] !== ":") return Number.NaN;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** Microseconds, or NaN when the text is no time of the years 2000 to 2199. */
export function parseRfc3339Us(text: string): number {
  if (
    text.charCodeAt(4) !== 45 ||
    text.charCodeAt(7) !== 45 ||
    text.charCodeAt(13) !== 58 ||
    text.charCodeAt(16) !== 58
  )
    return Number.NaN;
  const between = text.charCodeAt(10);
  if (between !== 84 && between !== 116) return Number.NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(year >= 2000 && year <= 2199 && month >= 1 && day >= 1 && day <= daysIn(year, month))) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return Number.NaN;
  let at = 19;
  let fractionUs = 0;
  if (text.charCodeAt(at) === 46) {
    let scale = 100_000;
    const start = ++at;
    for (; at < text.length; at++, scale = Math.floor(scale / 10)) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      fractionUs += digit * scale;
    }
    if (at === start || at - start > FRACTION_DIGITS_MAX) return Number.NaN;
  }
  const offset = offsetMinutes(text, at);
  if (Number.isNaN(offset)) return Number.NaN;
  const utcMinute = hour * 60 + minute - offset;
  // A leap second is the last second of a UTC day; it counts as the first of the next day.
  if (second === 60 && (utcMinute + DAY_MINUTES) % DAY_MINUTES !== DAY_MINUTES - 1) return Number.NaN;
  const seconds = (daysFromCivil(year, month, day) * DAY_MINUTES + utcMinute) * MINUTE_S + second;
  return seconds * 1e6 + fractionUs;
}

/** A `Time` of the wire in whole microseconds, or NaN. */
export function parseTimeUs(value: unknown): number {
  if (typeof value === "number")
    return value >= TIME_MIN_MS && value <= TIME_MAX_MS ? Math.round(value * 1000) : Number.NaN;
  return typeof value === "string" ? parseRfc3339Us(value) : Number.NaN;
}
