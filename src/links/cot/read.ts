/**
 * Reads Cursor on Target events. Custom entities are not expanded, document types are refused, the size of an event is
 * bounded. Total: invalid input is counted, nothing is thrown.
 */

import { XMLParser } from "fast-xml-parser";
import { ALT_MAX_M, ALT_MIN_M, isOnEarth } from "../../domain/members.ts";
import { within } from "../../lib/numbers.ts";

export const EVENT_BYTES_MAX = 64 << 10;
/** Values that older CoT software writes for "unknown". */
const UNKNOWN_FROM = 999_999;
const SPEED_MAX_MPS = 1000;

export interface CotReport {
  readonly uid: string;
  readonly type: string;
  readonly timeMs: number;
  readonly staleMs: number;
  readonly lat: number;
  readonly lon: number;
  readonly haeM: number | null;
  readonly ceM: number | null;
  readonly callsign: string | null;
  readonly speedMps: number | null;
  readonly courseDeg: number | null;
  readonly batteryPct: number | null;
  readonly remarks: string | null;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  isArray: () => false,
});

type Node = Readonly<Record<string, unknown>>;
const nodeOf = (value: unknown): Node => {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "object" && one !== null ? (one as Node) : {};
};
const number = (value: unknown): number | null => {
  if (typeof value !== "string" || value.trim() === "") return null;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : null;
};
const knownNumber = (value: unknown): number | null => {
  const parsed = number(value);
  return parsed === null || Math.abs(parsed) >= UNKNOWN_FROM ? null : parsed;
};
/** xs:dateTime. CoT times are UTC, so a time without a zone is UTC too, not local time. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/;
const timeMsOf = (value: unknown): number => {
  const [, time, zone = "Z"] = DATE_TIME.exec(String(value)) ?? [];
  return time === undefined ? Number.NaN : Date.parse(time + zone);
};
const line = (value: unknown, lengthMax: number): string | null => {
  const text = typeof value === "string" ? value : nodeOf(value)["#text"];
  if (typeof text !== "string") return null;
  const clean = text
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, lengthMax);
  return clean === "" ? null : clean;
};

/** One event; null: it is not a valid one. */
export function readEvent(xml: string): CotReport | null {
  if (xml.length > EVENT_BYTES_MAX || /<!(DOCTYPE|ENTITY)/i.test(xml)) return null;
  let event: Node;
  try {
    event = nodeOf((parser.parse(xml) as Node).event);
  } catch {
    return null;
  }
  const { uid, type } = event;
  const point = nodeOf(event.point);
  const lat = number(point.lat);
  const lon = number(point.lon);
  const timeMs = timeMsOf(event.time);
  const staleMs = timeMsOf(event.stale);
  if (typeof uid !== "string" || uid === "" || uid.length > 128 || typeof type !== "string") return null;
  if (lat === null || lon === null || !isOnEarth(lat, lon)) return null;
  if (Number.isNaN(timeMs) || Number.isNaN(staleMs)) return null;
  const detail = nodeOf(event.detail);
  const track = nodeOf(detail.track);
  const course = within(number(track.course), -360, 360);
  return {
    uid,
    type,
    timeMs,
    staleMs,
    lat,
    lon,
    haeM: within(knownNumber(point.hae), ALT_MIN_M, ALT_MAX_M),
    ceM: within(knownNumber(point.ce), 0, UNKNOWN_FROM),
    callsign: line(nodeOf(detail.contact).callsign, 64),
    speedMps: within(number(track.speed), 0, SPEED_MAX_MPS),
    courseDeg: course === null ? null : ((course % 360) + 360) % 360,
    batteryPct: within(number(nodeOf(detail.status).battery), 0, 100),
    remarks: line(detail.remarks, 500),
  };
}
