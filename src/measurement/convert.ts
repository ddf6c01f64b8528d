/**
 * Observations of one source at one time -> a scan of measurements: angles to radians, positions to the room's frame,
 * sigmas from the profile. Pure, total on validated input, and the hot path: numbers go straight into the columns of
 * `assembly/layout.ts`. Knows no room; `intern` gives claimed identities their number.
 */

import {
  MEAS_CLAIM,
  MEAS_CLASS,
  MEAS_CONFIDENCE,
  MEAS_KIND,
  MEAS_KIND_BEARING,
  MEAS_KIND_POSITION,
  MEAS_KIND_SPHERICAL,
  MEAS_ORIENTATION,
  MEAS_RCS_DBSM,
  MEAS_S0,
  MEAS_S1,
  MEAS_S2,
  MEAS_S3,
  MEAS_STRIDE,
  MEAS_Z0,
  MEAS_Z1,
  MEAS_Z2,
  MEAS_Z3,
  MEAS_Z4,
  MEAS_Z5,
} from "../../assembly/layout.ts";
import { EnuFrame } from "../domain/geodesy.ts";
import type { Modality } from "../domain/modality.ts";
import type { Scan } from "../domain/scan.ts";
import type { SensorPose, SensorProfile } from "../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../lib/angles.ts";
import {
  CIRCLE_95_PER_SIGMA,
  gvaSigmaM,
  hdopSigmaM,
  LINE_95_PER_SIGMA,
  nacPSigmaM,
  nacVSigmaMps,
  type Sigmas,
  sigmasOf,
} from "./accuracy.ts";
import { isObject, type Wire } from "./observationRules.ts";

/** What a scan is besides its measurements. */
type ScanFacts = Omit<Scan, "count" | "measurements" | "observationIds">;
/** A number for a claimed identity; where it is claimed decides whether it is one of our own platforms. */
type Intern = (identity: string, observation: Wire) => number;

const NO_IDS: readonly string[] = [];
/** Beyond this distance the axes at the target are no longer the room's to a part in three hundred. */
const AXES_TURN_M = 20_000;
/** A position without a satellite fix is dead reckoning. */
const NO_FIX_SIGMA_M = 50;

/** The finite number of a member, or NaN: absent and null are one. */
function num(wire: Wire, name: string): number {
  const value = wire[name];
  return typeof value === "number" ? value : Number.NaN;
}

/** The larger of the model's sigma and a supplied one, if any. */
function enlarge(sigma: number, supplied: unknown, unit: number): number {
  return typeof supplied === "number" && supplied * unit > sigma ? supplied * unit : sigma;
}

/** Which of the kernel's three kinds an observation is. Valid observations have one. */
export function kindOf(modality: Modality, wire: Wire): number {
  switch (modality) {
    case "radar":
    case "lidar":
      return MEAS_KIND_SPHERICAL;
    case "eo":
    case "ir":
      return typeof wire.range_m === "number" ? MEAS_KIND_SPHERICAL : MEAS_KIND_BEARING;
    case "rf":
    case "acoustic":
      return MEAS_KIND_BEARING;
    case "human":
      return typeof wire.lat === "number" ? MEAS_KIND_POSITION : MEAS_KIND_BEARING;
    default:
      return MEAS_KIND_POSITION;
  }
}

/** All rows of a scan are of one kind; the caller has seen to it. `frame` is needed for positions only. */
export function toMeasurements(
  facts: ScanFacts,
  observations: readonly Wire[],
  profile: SensorProfile,
  frame: EnuFrame,
  intern: Intern,
): Scan {
  const count = observations.length;
  const rows = new Float64Array(count * MEAS_STRIDE).fill(Number.NaN);
  const sigmas = sigmasOf(profile);
  let ids: string[] | null = null;
  for (let i = 0; i < count; i++) {
    const wire = observations[i]!;
    const at = i * MEAS_STRIDE;
    rows[at + MEAS_CLAIM] = 0;
    rows[at + MEAS_CLASS] = 0;
    writeRow(rows, at, facts.modality, wire, sigmas, frame, intern);
    const confidence = wire.detection_confidence;
    if (typeof confidence === "number") rows[at + MEAS_CONFIDENCE] = confidence;
    const id = wire.source_obs_id;
    if (typeof id === "string") (ids ??= new Array<string>(count).fill(""))[i] = id;
  }
  return { ...facts, count, measurements: rows, observationIds: ids ?? NO_IDS };
}

/** True when each row says how high its object is: by a position's altitude, or by an elevation. */
export function tellsHeight({ count, measurements }: Scan): boolean {
  for (let at = 0; at < count * MEAS_STRIDE; at += MEAS_STRIDE) {
    const isPosition = measurements[at + MEAS_KIND] === MEAS_KIND_POSITION;
    if (Number.isNaN(measurements[at + (isPosition ? MEAS_Z2 : MEAS_Z1)]!)) return false;
  }
  return true;
}

function writeRow(
  rows: Float64Array,
  at: number,
  modality: Modality,
  wire: Wire,
  sigmas: Sigmas,
  frame: EnuFrame,
  intern: Intern,
): void {
  switch (modality) {
    case "remote_id":
      writeRemoteId(rows, at, wire, sigmas, frame, intern);
      break;
    case "adsb":
      writeAdsb(rows, at, wire, sigmas, frame, intern);
      break;
    case "blue_force":
      writeBlueForce(rows, at, wire, sigmas, frame, intern);
      break;
    case "rf_fix":
      writeRadioFix(rows, at, wire, sigmas, frame);
      break;
    default:
      if (kindOf(modality, wire) === MEAS_KIND_POSITION) writeHuman(rows, at, wire, sigmas, frame);
      else {
        writeDirection(rows, at, wire, sigmas);
        if (typeof wire.range_m === "number") writeRange(rows, at, wire, sigmas);
        if (modality === "radar") rows[at + MEAS_RCS_DBSM] = num(wire, "rcs_dbsm");
      }
  }
}

function writeDirection(rows: Float64Array, at: number, wire: Wire, sigmas: Sigmas): void {
  rows[at + MEAS_KIND] = MEAS_KIND_BEARING;
  rows[at + MEAS_Z0] = (wire.az_deg as number) * RAD_PER_DEG;
  rows[at + MEAS_S0] = enlarge(sigmas.azRad, wire.sigma_az_deg, RAD_PER_DEG);
  const el = wire.el_deg;
  if (typeof el !== "number") return;
  rows[at + MEAS_Z1] = el * RAD_PER_DEG;
  rows[at + MEAS_S1] = enlarge(sigmas.elRad, wire.sigma_el_deg, RAD_PER_DEG);
}

/** Turns a direction into a spherical measurement. Doppler as reported may be folded, so only a range rate is fused. */
function writeRange(rows: Float64Array, at: number, wire: Wire, sigmas: Sigmas): void {
  const rangeM = wire.range_m as number;
  rows[at + MEAS_KIND] = MEAS_KIND_SPHERICAL;
  rows[at + MEAS_Z2] = rangeM;
  rows[at + MEAS_S2] = enlarge(sigmas.rangeM + sigmas.rangeFrac * rangeM, wire.sigma_range_m, 1);
  const rate = wire.range_rate_mps;
  if (typeof rate !== "number") return;
  rows[at + MEAS_Z3] = rate;
  rows[at + MEAS_S3] = enlarge(sigmas.rangeRateMps, wire.sigma_range_rate_mps, 1);
}

/** An unknown altitude stays unknown: the point is projected at the frame's own height and `up` is NaN. */
function writePosition(
  rows: Float64Array,
  at: number,
  wire: Wire,
  frame: EnuFrame,
  horizontalM: number,
  verticalM: number,
): void {
  const altM = num(wire, "alt_hae_m");
  const known = !Number.isNaN(altM);
  const [east, north, up] = frame.toEnu(wire.lat as number, wire.lon as number, known ? altM : frame.origin.alt_hae_m);
  rows[at + MEAS_KIND] = MEAS_KIND_POSITION;
  rows[at + MEAS_Z0] = east;
  rows[at + MEAS_Z1] = north;
  rows[at + MEAS_S0] = horizontalM;
  rows[at + MEAS_S1] = horizontalM;
  rows[at + MEAS_ORIENTATION] = 0;
  if (!known) return;
  rows[at + MEAS_Z2] = up;
  rows[at + MEAS_S2] = verticalM;
}

/** Velocity in the axes at the target; far out they are turned into the room's. */
function writeVelocity(
  rows: Float64Array,
  at: number,
  wire: Wire,
  frame: EnuFrame,
  e: number,
  n: number,
  u: number,
  sigmaMps: number,
): void {
  if (Number.isNaN(e + n) || Number.isNaN(sigmaMps)) return;
  rows[at + MEAS_S3] = sigmaMps;
  if (Math.abs(rows[at + MEAS_Z0]!) + Math.abs(rows[at + MEAS_Z1]!) > AXES_TURN_M) {
    const turn = frame.rotationFrom(new EnuFrame({ lat: wire.lat as number, lon: wire.lon as number, alt_hae_m: 0 }));
    const climb = Number.isNaN(u) ? 0 : u;
    rows[at + MEAS_Z3] = turn[0]! * e + turn[1]! * n + turn[2]! * climb;
    rows[at + MEAS_Z4] = turn[3]! * e + turn[4]! * n + turn[5]! * climb;
    if (!Number.isNaN(u)) rows[at + MEAS_Z5] = turn[6]! * e + turn[7]! * n + turn[8]! * u;
    return;
  }
  rows[at + MEAS_Z3] = e;
  rows[at + MEAS_Z4] = n;
  rows[at + MEAS_Z5] = u;
}

/** Speed over ground and course as a vector; at rest the course does not matter. */
function writeCourse(
  rows: Float64Array,
  at: number,
  wire: Wire,
  frame: EnuFrame,
  speedMps: number,
  courseDeg: number,
  climbMps: number,
  sigmaMps: number,
): void {
  const course = speedMps === 0 ? 0 : courseDeg * RAD_PER_DEG;
  writeVelocity(rows, at, wire, frame, speedMps * Math.sin(course), speedMps * Math.cos(course), climbMps, sigmaMps);
}

function writeRemoteId(
  rows: Float64Array,
  at: number,
  wire: Wire,
  sigmas: Sigmas,
  frame: EnuFrame,
  intern: Intern,
): void {
  const accuracy: Wire = isObject(wire.accuracy) ? wire.accuracy : {};
  const horizontalM = enlarge(sigmas.horizontalM, accuracy.h_m, 1 / CIRCLE_95_PER_SIGMA);
  const verticalM = enlarge(sigmas.verticalM, accuracy.v_m, 1 / LINE_95_PER_SIGMA);
  const speedSigmaMps = enlarge(sigmas.speedMps, accuracy.speed_mps, 1 / CIRCLE_95_PER_SIGMA);
  writePosition(rows, at, wire, frame, horizontalM, verticalM);
  writeCourse(
    rows,
    at,
    wire,
    frame,
    num(wire, "speed_mps"),
    num(wire, "track_deg"),
    num(wire, "vspeed_mps"),
    speedSigmaMps,
  );
  rows[at + MEAS_CLAIM] = intern(`rid:${wire.uas_id as string}`, wire);
}

/** Pressure altitude is not a height above the ellipsoid and is never mixed with one. */
function writeAdsb(rows: Float64Array, at: number, wire: Wire, sigmas: Sigmas, frame: EnuFrame, intern: Intern): void {
  const nacP = num(wire, "nac_p");
  const nacV = num(wire, "nac_v");
  const gva = num(wire, "gva");
  const horizontalM = Number.isNaN(nacP) ? sigmas.horizontalM : Math.max(sigmas.horizontalM, nacPSigmaM(nacP));
  const verticalM = Number.isNaN(gva) ? sigmas.verticalM : Math.max(sigmas.verticalM, gvaSigmaM(gva));
  const speedSigmaMps = Number.isNaN(nacV) ? sigmas.speedMps : Math.max(sigmas.speedMps, nacVSigmaMps(nacV));
  writePosition(rows, at, wire, frame, horizontalM, verticalM);
  writeCourse(
    rows,
    at,
    wire,
    frame,
    num(wire, "gs_mps"),
    num(wire, "track_deg"),
    num(wire, "vrate_mps"),
    speedSigmaMps,
  );
  rows[at + MEAS_CLAIM] = intern(`icao:${wire.icao as string}`, wire);
}

function writeBlueForce(
  rows: Float64Array,
  at: number,
  wire: Wire,
  sigmas: Sigmas,
  frame: EnuFrame,
  intern: Intern,
): void {
  const hdop = num(wire, "hdop");
  const fix = wire.gps_fix;
  let horizontalM = Number.isNaN(hdop) ? sigmas.horizontalM : Math.max(sigmas.horizontalM, hdopSigmaM(hdop));
  if (fix === "no_gps" || fix === "no_fix") horizontalM = Math.max(horizontalM, NO_FIX_SIGMA_M);
  writePosition(rows, at, wire, frame, horizontalM, Math.max(sigmas.verticalM, horizontalM));
  if (fix === "2d") rows[at + MEAS_Z2] = Number.NaN;
  const velocity = wire.vel_enu_mps;
  if (Array.isArray(velocity))
    writeVelocity(rows, at, wire, frame, velocity[0], velocity[1], velocity[2], sigmas.speedMps);
  rows[at + MEAS_CLAIM] = intern(`asset:${wire.asset_key as string}`, wire);
}

function writeRadioFix(rows: Float64Array, at: number, wire: Wire, sigmas: Sigmas, frame: EnuFrame): void {
  const majorM = enlarge(sigmas.horizontalM, wire.sigma_major_m, 1);
  writePosition(rows, at, wire, frame, majorM, sigmas.verticalM);
  // Only a major axis: a circle of that size. The minor axis is no longer than the major one whatever was sent.
  if (typeof wire.sigma_minor_m !== "number") return;
  rows[at + MEAS_S1] = Math.min(majorM, enlarge(sigmas.horizontalM, wire.sigma_minor_m, 1));
  const orientation = num(wire, "orientation_deg");
  if (Number.isNaN(orientation)) rows[at + MEAS_S1] = majorM;
  else rows[at + MEAS_ORIENTATION] = orientation * RAD_PER_DEG;
}

function writeHuman(rows: Float64Array, at: number, wire: Wire, sigmas: Sigmas, frame: EnuFrame): void {
  writePosition(rows, at, wire, frame, enlarge(sigmas.horizontalM, wire.sigma_m, 1), sigmas.verticalM);
}

/** A validated pose of the wire; what is not said about its attitude is level and north. */
export function poseOf(wire: Wire): SensorPose {
  const or0 = (value: unknown) => (typeof value === "number" ? value : 0);
  return {
    lat: wire.lat as number,
    lon: wire.lon as number,
    alt_hae_m: wire.alt_hae_m as number,
    yaw_deg: or0(wire.yaw_deg),
    pitch_deg: or0(wire.pitch_deg),
    roll_deg: or0(wire.roll_deg),
  };
}
