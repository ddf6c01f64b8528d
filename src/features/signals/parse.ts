/**
 * Parses a signals body into observations and scans, each with its index (docs/interface.md#signals): JSON, NDJSON or
 * MessagePack, in one of three forms. Pure; knows no room. The items themselves are checked in `intake.ts`.
 */
import { isUtf8 } from "node:buffer";
import { Unpackr } from "msgpackr";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { describePosition, findJsonFault, findTooDeep, hasMoreThan } from "../../http/json.ts";
import {
  NESTING_DEPTH_MAX,
  SIGNALS_CONTAINERS_MAX,
  SIGNALS_OBSERVATIONS_MAX,
  SIGNALS_VALUES_MAX,
} from "../../limits.ts";
import { isObject } from "../../measurement/observationRules.ts";
import type { Item } from "./intake.ts";
import { whyNotPlain } from "./messagePack.ts";

export const JSON_TYPE = "application/json";
export const NDJSON_TYPE = "application/x-ndjson";
export const MESSAGE_PACK_TYPE = "application/msgpack";

interface ParsedSignals {
  readonly refused?: never;
  readonly items: readonly Item[];
  /** Observations, as the inbox counts them: an empty scan counts as one. */
  readonly weight: number;
  /** Unknown members of the outermost object. */
  readonly unknownMembers: number;
}

// Only plain values get here (messagePack.ts), so records and extensions stay off; 64-bit integers become numbers.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "number" });

type NoSignals = Refusal<"invalid_input" | "payload_too_large">;

export function parseSignals(bytes: Uint8Array, contentType: string): ParsedSignals | NoSignals {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (type === MESSAGE_PACK_TYPE) {
    const why = whyNotPlain(bytes, NESTING_DEPTH_MAX, SIGNALS_VALUES_MAX);
    if (why !== null) return invalid(`the body is not plain MessagePack: ${why}`);
    return weighed(itemsOf(unpackr.unpack(bytes)));
  }
  if (hasMoreThan(bytes, SIGNALS_CONTAINERS_MAX, SIGNALS_VALUES_MAX)) return tooLarge(bytes);
  if (!isUtf8(bytes)) return invalid("the body is not valid UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (type === NDJSON_TYPE) return weighed(itemsOfLines(text));
  try {
    return weighed(itemsOf(JSON.parse(text)));
  } catch {
    return invalid(notJson(text, "the body"));
  }
}

interface Items {
  readonly refused?: never;
  readonly items: readonly Item[];
  readonly unknownMembers: number;
}

/** A body that is nested too deep gets the same refusal as on every other route, whatever its size. */
function tooLarge(bytes: Uint8Array): NoSignals {
  if (findTooDeep(bytes, NESTING_DEPTH_MAX) !== -1)
    return invalid(`the body is nested more than ${NESTING_DEPTH_MAX} levels deep`);
  return refusal(
    "payload_too_large",
    `a request may carry at most ${SIGNALS_CONTAINERS_MAX} objects and arrays and ${SIGNALS_VALUES_MAX} values`,
  );
}

const invalid = (sentence: string) => refusal("invalid_input", sentence);

function notJson(text: string, what: string): string {
  const fault = findJsonFault(text) ?? { offset: 0, expected: "JSON" };
  return `${what} is not valid JSON: expected ${fault.expected} at ${describePosition(text, fault.offset)}`;
}

function itemsOf(body: unknown): Items | NoSignals {
  if (!isObject(body)) return invalid('the body must be an observation, {"signals": [...]} or {"scans": [...]}');
  const forms = Number("signals" in body) + Number("scans" in body);
  if (forms === 2) return invalid("the body has both signals and scans; send one of them");
  if (forms === 1) {
    const name = "signals" in body ? "signals" : "scans";
    const list = body[name];
    if (!Array.isArray(list)) return invalid(`${name} must be an array`);
    if (list.length > SIGNALS_OBSERVATIONS_MAX) return tooMany(list.length);
    const scan = name === "scans";
    return {
      items: list.map((value, index) => ({ index, scan, value })),
      unknownMembers: Object.keys(body).length - 1,
    };
  }
  if ("detections" in body) return invalid('a scan goes inside {"scans": [...]}, or on a line of application/x-ndjson');
  if (!("source_id" in body || "modality" in body))
    return invalid('the body has none of the three forms: an observation, {"signals": [...]} or {"scans": [...]}');
  return { items: [{ index: 0, scan: false, value: body }], unknownMembers: 0 };
}

/** One observation or scan per line; an empty line is skipped, but counts for the line numbers. */
function itemsOfLines(text: string): Items | NoSignals {
  const items: Item[] = [];
  let index = 0;
  for (let start = 0; start < text.length; index++) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return invalid(`line ${index + 1}: ${notJson(line, "it")}`);
    }
    items.push({ index, scan: isObject(value) && "detections" in value, value });
    // The weight is checked later; this bounds the memory until then.
    if (items.length > SIGNALS_OBSERVATIONS_MAX) return tooMany(items.length);
  }
  return items.length === 0 ? invalid("the body has no lines") : { items, unknownMembers: 0 };
}

function tooMany(weight: number): NoSignals {
  return refusal(
    "payload_too_large",
    `a request may carry at most ${SIGNALS_OBSERVATIONS_MAX} observations, this one has ${weight} or more`,
  );
}

function weighed(parsed: Items | NoSignals): ParsedSignals | NoSignals {
  if (parsed.refused) return parsed;
  let weight = 0;
  for (const { scan, value } of parsed.items)
    weight += scan && isObject(value) && Array.isArray(value.detections) ? Math.max(1, value.detections.length) : 1;
  return weight > SIGNALS_OBSERVATIONS_MAX ? tooMany(weight) : { ...parsed, weight };
}
