/**
 * Why an observation, a detection or a scan is refused: first its members against their schemas, then its position. Pure,
 * except that it writes an ICAO address in lower case; knows no room and no request.
 */
import { MODALITIES, type Modality } from "../../domain/modality.ts";
import { DETECTION_SCHEMAS, GEOMETRY_MEMBERS, OBSERVATION_SCHEMAS, SCAN_SCHEMAS } from "../../domain/observation.ts";
import { OWN_POSITIONS_SOURCE } from "../../domain/platformReport.ts";
import {
  type Fault,
  findFault,
  isObject,
  type Rules,
  rulesOf,
  type UnknownTally,
  type Wire,
  withOptional,
} from "../../measurement/observationRules.ts";

export type RejectCode =
  | "unknown_source"
  | "bad_geometry"
  | "modality_mismatch"
  | "environment_mismatch"
  | "invalid_input";

const KNOWN = new Set<unknown>(MODALITIES);
const tables = (schemas: Record<Modality, Parameters<typeof rulesOf>[0]>, opaque: readonly string[] = []) =>
  Object.fromEntries(MODALITIES.map((m) => [m, rulesOf(schemas[m], opaque)])) as Record<Modality, Rules>;
const OBSERVATION_RULES = tables(OBSERVATION_SCHEMAS);
export const DETECTION_RULES = tables(DETECTION_SCHEMAS);
/** Detections are checked one by one, each with its own index in the answer. */
const SCAN_RULES = tables(SCAN_SCHEMAS, ["detections"]);
/** Members that an `odid` payload may supply. */
const IN_PAYLOAD = ["uas_id", "lat", "lon"];
const PAYLOAD_RULES = withOptional(OBSERVATION_RULES.remote_id, IN_PAYLOAD);
const PAYLOAD_DETECTION_RULES = withOptional(DETECTION_RULES.remote_id, IN_PAYLOAD);

export interface Reason {
  readonly code: RejectCode;
  readonly error: string;
}

const invalid = (error: string): Reason => ({ code: "invalid_input", error });
export const NO_DETECTION = invalid("a detection must be an object");
const NO_MODALITY = invalid(`modality must be one of ${MODALITIES.join(", ")}`);

function ofFault(fault: Fault): Reason {
  return { code: GEOMETRY_MEMBERS.has(fault.member) ? "bad_geometry" : "invalid_input", error: fault.sentence };
}

export function sourceIdOf(value: unknown): string | null {
  return isObject(value) && typeof value.source_id === "string" ? value.source_id : null;
}

export function whyNotObservation(value: unknown, tally: UnknownTally): Reason | null {
  if (!isObject(value)) return invalid("an observation must be an object");
  const modality = value.modality as Modality;
  return KNOWN.has(modality) ? whyNotObserved(modality, value, OBSERVATION_RULES[modality], tally) : NO_MODALITY;
}

/** Checks an observation or detection with `odid`, except the payload itself, before the payload is expanded. */
export function whyNotPayload(wire: Wire, isDetection: boolean): Reason | null {
  // Its unknown members are counted by the check after the expansion.
  const fault = findFault(wire, isDetection ? PAYLOAD_DETECTION_RULES : PAYLOAD_RULES, { unknown: 0 });
  return fault === null ? null : ofFault(fault);
}

/** Names of the service's own sources; a client that used one could replace their reports. */
const RESERVED_SOURCES: ReadonlySet<string> = new Set([OWN_POSITIONS_SOURCE]);

export function whyReserved(sourceId: unknown): Reason | null {
  return RESERVED_SOURCES.has(sourceId as string) ? invalid(`source_id ${sourceId} is the service's own`) : null;
}

/** Checks a scan without its detections. */
export function whyNotScan(value: unknown, tally: UnknownTally): Reason | null {
  if (!isObject(value)) return invalid("a scan must be an object");
  if (!KNOWN.has(value.modality)) return NO_MODALITY;
  const fault = findFault(value, SCAN_RULES[value.modality as Modality], tally);
  if (fault !== null) return ofFault(fault);
  return Array.isArray(value.detections) ? null : invalid("detections must be an array");
}

/** Checks an observation, or a detection of a scan: every member by itself, then its position. */
export function whyNotObserved(modality: Modality, wire: Wire, rules: Rules, tally: UnknownTally): Reason | null {
  const fault = findFault(wire, rules, tally);
  if (fault !== null) return ofFault(fault);
  const why = whyNoPosition(modality, wire);
  return why === null ? null : { code: "bad_geometry", error: why };
}

/** The rules about a position that concern several members at once. */
function whyNoPosition(modality: Modality, wire: Wire): string | null {
  if (modality === "human") {
    const placed = typeof wire.lat === "number" && typeof wire.lon === "number";
    return placed || typeof wire.az_deg === "number" ? null : "a human report needs lat and lon, or az_deg";
  }
  // OpenDroneID sends 0, 0 for an unknown position.
  if (modality === "remote_id" && wire.lat === 0 && wire.lon === 0)
    return "lat and lon are both 0, which Remote ID sends for an unknown position";
  // One spelling, so that one aircraft is one identity.
  if (modality === "adsb") wire.icao = (wire.icao as string).toLowerCase();
  return null;
}
