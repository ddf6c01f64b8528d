/**
 * Detection reports -> observations of the node's modality. Pure. Directions must be from true north, positions in latitude and
 * longitude; another frame is refused with the reason, not guessed.
 */

import { EnuFrame } from "../../domain/geodesy.ts";
import { ALT_MAX_M, ALT_MIN_M, isOnEarth } from "../../domain/members.ts";
import type { Modality } from "../../domain/modality.ts";
import { DEG_PER_RAD } from "../../lib/angles.ts";
import { finite } from "../../lib/numbers.ts";
import type { Fields } from "./messages.ts";

interface NodePlace {
  readonly lat: number;
  readonly lon: number;
  readonly alt_hae_m: number;
}

/** A node's own position as it reported it: the height may be unknown, or above the sea. */
export interface NodeMotion {
  readonly lat: number;
  readonly lon: number;
  readonly alt_hae_m: number | null;
  readonly alt_is_msl: boolean;
}

interface CannotRead {
  readonly cannot: string;
}

const DEGREES_M = 1;
const RADIANS_M = 2;
const DEGREES_KM = 3;
const RADIANS_KM = 4;
const TRUE_NORTH = 1;
const LAT_LNG_DEG = 1;
const LAT_LNG_RAD = 2;
const ELLIPSOID = 1;
const DEFAULT_PLACE_SIGMA_M = 50;

/** NodeType of the registration to modality; null: it reports positions only. */
const MODALITIES: Readonly<Record<number, Modality>> = {
  2: "radar",
  3: "lidar",
  4: "eo",
  6: "acoustic",
  8: "rf",
  9: "human",
  15: "rf",
  19: "eo",
};

export function modalityOf(nodeType: number): Modality | null {
  return MODALITIES[nodeType] ?? null;
}

const word = (value: unknown, lengthMax: number): string | null =>
  typeof value === "string" && value !== "" ? value.replaceAll(/\p{Cc}/gu, " ").slice(0, lengthMax) : null;

/** An impossible height is unknown; the position may still be right. */
const heightOf = (z: unknown): number | null => {
  const heightM = finite(z);
  return heightM === null || heightM < ALT_MIN_M || heightM > ALT_MAX_M ? null : heightM;
};

/** A location as a position of an observation. A height above the geoid is not one above the ellipsoid and is left out. */
function readLocation(location: Fields): { lat: number; lon: number; altHaeM: number | null } | CannotRead {
  const system = finite(location.coordinateSystem);
  if (system !== LAT_LNG_DEG && system !== LAT_LNG_RAD) return { cannot: "locations must be latitude and longitude" };
  const scale = system === LAT_LNG_RAD ? DEG_PER_RAD : 1;
  const lat = finite(location.y);
  const lon = finite(location.x);
  if (lat === null || lon === null) return { cannot: "a location must have x (longitude) and y (latitude)" };
  if (!isOnEarth(lat * scale, lon * scale)) return { cannot: "the location is not on the earth" };
  const altHaeM = finite(location.datum) === ELLIPSOID ? heightOf(location.z) : null;
  return { lat: lat * scale, lon: lon * scale, altHaeM };
}

/** A node's position as a platform's motion; null: it cannot be read. Heights above the sea are marked as such. */
export function readNodeMotion(location: Fields): NodeMotion | null {
  const place = readLocation(location);
  if ("cannot" in place) return null;
  const z = heightOf(location.z);
  return {
    lat: place.lat,
    lon: place.lon,
    alt_hae_m: z,
    alt_is_msl: z !== null && finite(location.datum) !== ELLIPSOID,
  };
}

interface Direction {
  readonly azDeg: number;
  readonly elDeg: number | null;
  readonly rangeM: number | null;
  readonly sigmaAzDeg: number | null;
  readonly sigmaElDeg: number | null;
  readonly sigmaRangeM: number | null;
}

function readRangeBearing(rb: Fields): Direction | CannotRead {
  const system = finite(rb.coordinateSystem);
  if (system === null || system < DEGREES_M || system > RADIANS_KM)
    return { cannot: "range and bearing need a coordinate system" };
  if (finite(rb.datum) !== TRUE_NORTH) return { cannot: "bearings must be from true north" };
  const angle = system === RADIANS_M || system === RADIANS_KM ? DEG_PER_RAD : 1;
  const length = system === DEGREES_KM || system === RADIANS_KM ? 1000 : 1;
  const scaled = (value: unknown, scale: number) => {
    const number = finite(value);
    return number === null ? null : number * scale;
  };
  const az = scaled(rb.azimuth, angle);
  if (az === null) return { cannot: "a bearing must have an azimuth" };
  return {
    azDeg: ((az % 360) + 360) % 360,
    elDeg: scaled(rb.elevation, angle),
    rangeM: scaled(rb.range, length),
    sigmaAzDeg: scaled(rb.azimuthError, angle),
    sigmaElDeg: scaled(rb.elevationError, angle),
    sigmaRangeM: scaled(rb.rangeError, length),
  };
}

/** Turns the position that a ranging sensor reports back into the direction and range that it measured. */
function directionTo(node: NodePlace, location: Fields): Direction | CannotRead {
  const place = readLocation(location);
  if ("cannot" in place) return place;
  const frame = new EnuFrame(node);
  const [east, north, up] = frame.toEnu(place.lat, place.lon, place.altHaeM ?? node.alt_hae_m);
  const flat = Math.hypot(east, north);
  const errorM = Math.max(finite(location.xError) ?? 0, finite(location.yError) ?? 0);
  const rangeM = Math.hypot(flat, up);
  return {
    azDeg: (((Math.atan2(east, north) * DEG_PER_RAD) % 360) + 360) % 360,
    elDeg: place.altHaeM === null ? null : Math.atan2(up, flat) * DEG_PER_RAD,
    rangeM,
    sigmaAzDeg: errorM > 0 && rangeM > 0 ? Math.min(45, (errorM / rangeM) * DEG_PER_RAD) : null,
    sigmaElDeg: null,
    sigmaRangeM: errorM > 0 ? errorM : null,
  };
}

function aspects(report: Fields): object {
  const classes = (report.classification as Fields[] | undefined) ?? [];
  const behaviours = (report.behaviour as Fields[] | undefined) ?? [];
  const confidence = (value: unknown) => Math.min(1, Math.max(0, finite(value) ?? 1));
  const signal = (report.signal as Fields[] | undefined)?.[0];
  const reported = finite(report.detectionConfidence);
  return {
    ...(word(report.reportId, 128) === null ? {} : { source_obs_id: word(report.reportId, 128) }),
    ...(word(report.objectId, 128) === null ? {} : { source_track_id: word(report.objectId, 128) }),
    ...(reported === null ? {} : { detection_confidence: confidence(reported) }),
    classification: classes.slice(0, 16).flatMap((one) => {
      const type = word(one.type, 128);
      const subs = ((one.subClass as Fields[] | undefined) ?? []).map(({ type: sub }) => word(sub, 64));
      return type === null
        ? []
        : [{ type, confidence: confidence(one.confidence), sub_class: subs.filter((sub) => sub !== null).slice(0, 8) }];
    }),
    behaviour: behaviours.slice(0, 16).flatMap((one) => {
      const type = word(one.type, 64);
      return type === null ? [] : [{ type, confidence: confidence(one.confidence) }];
    }),
    ...(signal === undefined ? {} : { center_hz: finite(signal.centreFrequency), rssi_dbm: finite(signal.amplitude) }),
  };
}

/** The node has lost the object: the position is its prediction, not a measurement. */
export function isLost(report: Fields): boolean {
  return typeof report.state === "string" && /\blost\b/i.test(report.state);
}

export interface DetectingNode {
  readonly sourceId: string;
  readonly modality: Modality | null;
  /** From its last status report; null: it has sent none. */
  readonly place: NodePlace | null;
}

export function toObservation(node: DetectingNode, report: Fields, atMs: number): object | CannotRead {
  const where = report.locationOneof as { case?: string; value?: Fields } | undefined;
  if (where?.value === undefined) return { cannot: "a detection must have a location or a range and bearing" };
  const { modality, place } = node;
  const common = { source_id: node.sourceId, measured_at: Math.round(atMs), ...aspects(report) };
  if (where.case === "location" && (modality === null || modality === "human" || modality === "rf"))
    return placeObservation(modality, where.value, common);
  // As a position it would be of another modality, and the node another sensor from then on.
  if (place === null) return { cannot: "a status report with the node's location must come first" };
  const direction = where.case === "location" ? directionTo(place, where.value) : readRangeBearing(where.value);
  if ("cannot" in direction) return direction;
  return directionObservation(modality, direction, {
    ...common,
    sensor_pose: { ...place, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 },
  });
}

function placeObservation(modality: Modality | null, location: Fields, common: object): object | CannotRead {
  const place = readLocation(location);
  if ("cannot" in place) return place;
  const errorM = Math.max(finite(location.xError) ?? 0, finite(location.yError) ?? 0);
  const sigmaM = errorM > 0 ? errorM : DEFAULT_PLACE_SIGMA_M;
  const at = { lat: place.lat, lon: place.lon, alt_hae_m: place.altHaeM };
  if (modality === "rf") return { ...common, ...at, modality: "rf_fix", sigma_major_m: sigmaM };
  // Fusion nodes and others that report positions: one object with its accuracy.
  return { ...common, ...at, modality: "human", sigma_m: sigmaM };
}

function directionObservation(modality: Modality | null, d: Direction, common: object): object | CannotRead {
  const angles = {
    az_deg: d.azDeg,
    ...(d.elDeg === null ? {} : { el_deg: d.elDeg }),
    ...(d.sigmaAzDeg === null ? {} : { sigma_az_deg: d.sigmaAzDeg }),
    ...(d.sigmaElDeg === null ? {} : { sigma_el_deg: d.sigmaElDeg }),
  };
  const range =
    d.rangeM === null ? {} : { range_m: d.rangeM, ...(d.sigmaRangeM === null ? {} : { sigma_range_m: d.sigmaRangeM }) };
  switch (modality) {
    case "radar":
    case "lidar":
      if (d.rangeM === null) return { cannot: `a ${modality} detection must have a range` };
      if (modality === "lidar" && d.elDeg === null) return { cannot: "a lidar detection must have an elevation" };
      return { ...common, modality, ...angles, ...range };
    case "eo":
    case "ir":
      if (d.elDeg === null) return { cannot: "a camera's detection must have an elevation" };
      return { ...common, modality, ...angles, ...range };
    case "rf":
    case "acoustic":
      return { ...common, modality, ...angles };
    case "human":
      return { ...common, modality, ...angles };
    default:
      return { cannot: "nodes of this type must report locations" };
  }
}
