/**
 * Converts observations of one source at one time into a scan of measurements: angles in radians, positions in the room's
 * frame, sigmas from the profile. Pure and total on validated input. This is the hot path: numbers go straight into the
 * columns of `assembly/layout.ts`.
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

/** The members of a scan besides its measurements. */
type ScanFacts = Omit<Scan, "count" | "measurements" | "observationIds">;

const NO_IDS: readonly string[] = [];
/** Beyond this distance the ENU axes at the target differ from the room's by more than 1/300 rad. */
const AXES_TURN_M = 20_000;
/** Sigma of a position without a satellite fix, which is dead reckoning. */
const NO_FIX_SIGMA_M = 50;

/** The number of a member; NaN when it is absent or null. */
function num(wire: Wire, name: string): number {
  const value = wire[name];
  return typeof value === "number" ? value : Number.NaN;
}

/** The larger of the profile's sigma and the claimed one, if any. */
function enlarge(sigma: number, supplied: unknown, unit: number): number {
  return typeof supplied === "number" && supplied * unit > sigma ? supplied * unit : sigma;
}

/** The kernel's kind of a valid observation. */
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

/**
 * The observations of one scan as rows of measurement columns. The caller must pass observations of one kind. `frame` is
 * used for positions only. Claim numbers are written later, when the room accepts the scan.
 */
export function toMeasurements(
  facts: ScanFacts,
  observations: readonly Wire[],
  profile: SensorProfile,
  frame: EnuFrame,
): Scan {
  const count = observations.length;
  const rows = new Float64Array(count * MEAS_STRIDE).fill(Number.NaN);
  const writer = new RowWriter(rows, frame, sigmasOf(profile));
  let ids: string[] | null = null;
  for (let i = 0; i < count; i++) {
    const wire = observations[i]!;
    const at = i * MEAS_STRIDE;
    rows[at + MEAS_CLAIM] = 0;
    rows[at + MEAS_CLASS] = 0;
    writer.write(at, facts.modality, wire);
    const confidence = wire.detection_confidence;
    if (typeof confidence === "number") rows[at + MEAS_CONFIDENCE] = confidence;
    const id = wire.source_obs_id;
    if (typeof id === "string") (ids ??= new Array<string>(count).fill(""))[i] = id;
  }
  return { ...facts, count, measurements: rows, observationIds: ids ?? NO_IDS };
}

/** True when every row has a height: the altitude of a position, or an elevation. */
export function reportsHeight({ count, measurements }: Scan): boolean {
  for (let at = 0; at < count * MEAS_STRIDE; at += MEAS_STRIDE) {
    const isPosition = measurements[at + MEAS_KIND] === MEAS_KIND_POSITION;
    if (Number.isNaN(measurements[at + (isPosition ? MEAS_Z2 : MEAS_Z1)]!)) return false;
  }
  return true;
}

/** Writes the rows of one scan: the columns and sigmas of each modality. */
class RowWriter {
  readonly #rows: Float64Array;
  readonly #frame: EnuFrame;
  readonly #sigmas: Sigmas;
  /** Offset of the current row. */
  #at = 0;

  constructor(rows: Float64Array, frame: EnuFrame, sigmas: Sigmas) {
    this.#rows = rows;
    this.#frame = frame;
    this.#sigmas = sigmas;
  }

  write(at: number, modality: Modality, wire: Wire): void {
    this.#at = at;
    switch (modality) {
      case "remote_id":
        this.#writeRemoteId(wire);
        break;
      case "adsb":
        this.#writeAdsb(wire);
        break;
      case "blue_force":
        this.#writeBlueForce(wire);
        break;
      case "rf_fix":
        this.#writeRadioFix(wire);
        break;
      default:
        if (kindOf(modality, wire) === MEAS_KIND_POSITION) this.#writeHuman(wire);
        else {
          this.#writeDirection(wire);
          if (typeof wire.range_m === "number") this.#writeRange(wire);
          if (modality === "radar") this.#rows[this.#at + MEAS_RCS_DBSM] = num(wire, "rcs_dbsm");
        }
    }
  }

  #writeDirection(wire: Wire): void {
    this.#rows[this.#at + MEAS_KIND] = MEAS_KIND_BEARING;
    this.#rows[this.#at + MEAS_Z0] = (wire.az_deg as number) * RAD_PER_DEG;
    this.#rows[this.#at + MEAS_S0] = enlarge(this.#sigmas.azRad, wire.sigma_az_deg, RAD_PER_DEG);
    const el = wire.el_deg;
    if (typeof el !== "number") return;
    this.#rows[this.#at + MEAS_Z1] = el * RAD_PER_DEG;
    this.#rows[this.#at + MEAS_S1] = enlarge(this.#sigmas.elRad, wire.sigma_el_deg, RAD_PER_DEG);
  }

  /** Adds the range to a direction. A reported Doppler frequency may be folded, so only a range rate is fused. */
  #writeRange(wire: Wire): void {
    const rangeM = wire.range_m as number;
    this.#rows[this.#at + MEAS_KIND] = MEAS_KIND_SPHERICAL;
    this.#rows[this.#at + MEAS_Z2] = rangeM;
    this.#rows[this.#at + MEAS_S2] = enlarge(
      this.#sigmas.rangeM + this.#sigmas.rangeFrac * rangeM,
      wire.sigma_range_m,
      1,
    );
    const rate = wire.range_rate_mps;
    if (typeof rate !== "number") return;
    this.#rows[this.#at + MEAS_Z3] = rate;
    this.#rows[this.#at + MEAS_S3] = enlarge(this.#sigmas.rangeRateMps, wire.sigma_range_rate_mps, 1);
  }

  /** Without an altitude the point is projected at the height of the frame's origin, and `up` is NaN. */
  #writePosition(wire: Wire, horizontalM: number, verticalM: number): void {
    const altM = num(wire, "alt_hae_m");
    const known = !Number.isNaN(altM);
    const [east, north, up] = this.#frame.toEnu(
      wire.lat as number,
      wire.lon as number,
      known ? altM : this.#frame.origin.alt_hae_m,
    );
    this.#rows[this.#at + MEAS_KIND] = MEAS_KIND_POSITION;
    this.#rows[this.#at + MEAS_Z0] = east;
    this.#rows[this.#at + MEAS_Z1] = north;
    this.#rows[this.#at + MEAS_S0] = horizontalM;
    this.#rows[this.#at + MEAS_S1] = horizontalM;
    this.#rows[this.#at + MEAS_ORIENTATION] = 0;
    if (!known) return;
    this.#rows[this.#at + MEAS_Z2] = up;
    this.#rows[this.#at + MEAS_S2] = verticalM;
  }

  /** Takes a velocity in the ENU axes at the target; far from the origin it is rotated into the room's axes. */
  #writeVelocity(wire: Wire, e: number, n: number, u: number, sigmaMps: number): void {
    if (Number.isNaN(e + n) || Number.isNaN(sigmaMps)) return;
    this.#rows[this.#at + MEAS_S3] = sigmaMps;
    if (Math.abs(this.#rows[this.#at + MEAS_Z0]!) + Math.abs(this.#rows[this.#at + MEAS_Z1]!) > AXES_TURN_M) {
      const turn = this.#frame.rotationFrom(
        new EnuFrame({ lat: wire.lat as number, lon: wire.lon as number, alt_hae_m: 0 }),
      );
      const climb = Number.isNaN(u) ? 0 : u;
      this.#rows[this.#at + MEAS_Z3] = turn[0]! * e + turn[1]! * n + turn[2]! * climb;
      this.#rows[this.#at + MEAS_Z4] = turn[3]! * e + turn[4]! * n + turn[5]! * climb;
      if (!Number.isNaN(u)) this.#rows[this.#at + MEAS_Z5] = turn[6]! * e + turn[7]! * n + turn[8]! * u;
      return;
    }
    this.#rows[this.#at + MEAS_Z3] = e;
    this.#rows[this.#at + MEAS_Z4] = n;
    this.#rows[this.#at + MEAS_Z5] = u;
  }

  /** Takes speed over ground and course; at rest the course may be unknown. */
  #writeCourse(wire: Wire, speedMps: number, courseDeg: number, climbMps: number, sigmaMps: number): void {
    const course = speedMps === 0 ? 0 : courseDeg * RAD_PER_DEG;
    this.#writeVelocity(wire, speedMps * Math.sin(course), speedMps * Math.cos(course), climbMps, sigmaMps);
  }

  #writeRemoteId(wire: Wire): void {
    const accuracy: Wire = isObject(wire.accuracy) ? wire.accuracy : {};
    const horizontalM = enlarge(this.#sigmas.horizontalM, accuracy.h_m, 1 / CIRCLE_95_PER_SIGMA);
    const verticalM = enlarge(this.#sigmas.verticalM, accuracy.v_m, 1 / LINE_95_PER_SIGMA);
    const speedSigmaMps = enlarge(this.#sigmas.speedMps, accuracy.speed_mps, 1 / CIRCLE_95_PER_SIGMA);
    this.#writePosition(wire, horizontalM, verticalM);
    this.#writeCourse(wire, num(wire, "speed_mps"), num(wire, "track_deg"), num(wire, "vspeed_mps"), speedSigmaMps);
  }

  /** Pressure altitude is not a height above the ellipsoid and is never mixed with one. */
  #writeAdsb(wire: Wire): void {
    const nacP = num(wire, "nac_p");
    const nacV = num(wire, "nac_v");
    const gva = num(wire, "gva");
    const horizontalM = Number.isNaN(nacP)
      ? this.#sigmas.horizontalM
      : Math.max(this.#sigmas.horizontalM, nacPSigmaM(nacP));
    const verticalM = Number.isNaN(gva) ? this.#sigmas.verticalM : Math.max(this.#sigmas.verticalM, gvaSigmaM(gva));
    const speedSigmaMps = Number.isNaN(nacV)
      ? this.#sigmas.speedMps
      : Math.max(this.#sigmas.speedMps, nacVSigmaMps(nacV));
    this.#writePosition(wire, horizontalM, verticalM);
    this.#writeCourse(wire, num(wire, "gs_mps"), num(wire, "track_deg"), num(wire, "vrate_mps"), speedSigmaMps);
  }

  #writeBlueForce(wire: Wire): void {
    const hdop = num(wire, "hdop");
    const fix = wire.gps_fix;
    let horizontalM = Number.isNaN(hdop)
      ? this.#sigmas.horizontalM
      : Math.max(this.#sigmas.horizontalM, hdopSigmaM(hdop));
    if (fix === "no_gps" || fix === "no_fix") horizontalM = Math.max(horizontalM, NO_FIX_SIGMA_M);
    this.#writePosition(wire, horizontalM, Math.max(this.#sigmas.verticalM, horizontalM));
    if (fix === "2d") this.#rows[this.#at + MEAS_Z2] = Number.NaN;
    const velocity = wire.vel_enu_mps;
    if (Array.isArray(velocity))
      this.#writeVelocity(wire, velocity[0], velocity[1], velocity[2], this.#sigmas.speedMps);
  }

  #writeRadioFix(wire: Wire): void {
    const majorM = enlarge(this.#sigmas.horizontalM, wire.sigma_major_m, 1);
    this.#writePosition(wire, majorM, this.#sigmas.verticalM);
    // A major axis alone is a circle. A minor axis longer than the major one is cut to it.
    if (typeof wire.sigma_minor_m !== "number") return;
    this.#rows[this.#at + MEAS_S1] = Math.min(majorM, enlarge(this.#sigmas.horizontalM, wire.sigma_minor_m, 1));
    const orientation = num(wire, "orientation_deg");
    if (Number.isNaN(orientation)) this.#rows[this.#at + MEAS_S1] = majorM;
    else this.#rows[this.#at + MEAS_ORIENTATION] = orientation * RAD_PER_DEG;
  }

  #writeHuman(wire: Wire): void {
    this.#writePosition(wire, enlarge(this.#sigmas.horizontalM, wire.sigma_m, 1), this.#sigmas.verticalM);
  }
}

/** From a validated pose of the wire; missing angles are 0, which is level and facing north. */
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
