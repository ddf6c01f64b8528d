/**
 * How probable it is that the scan's sensor detects a target, and the volume over which its false alarms are spread.
 * Edges of the view are softened by the uncertainty of where the target is. Holds the view that `openView` was last given.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { get, sensorAt } from "./arena";
import { EL, isPresent, lastAz, lastEl, lastRange, RATE, scanKind, wrapAngle } from "./measure";

/** From this half-width on (rad) a sector is the whole circle. */
const HALF_CIRCLE: f64 = 3.14;

let viewSlot: i32 = 0;
let yaw: f64 = 0;
let isTilted: bool = false;
let cosPitch: f64 = 1, sinPitch: f64 = 0, cosRoll: f64 = 1, sinRoll: f64 = 0;

/** Takes the attitude of the scan's sensor from POSE. */
export function openView(slot: i32): void {
  assert(sensorAt(slot, L.SENSOR_RANGE_MAX_M) >= sensorAt(slot, L.SENSOR_RANGE_MIN_M), "a sensor's ranges are in order");
  assert(sensorAt(slot, L.SENSOR_EL_MAX_RAD) >= sensorAt(slot, L.SENSOR_EL_MIN_RAD), "a sensor's elevations are in order");
  viewSlot = slot;
  yaw = get(L.POSE, L.POSE_YAW);
  const pitch = get(L.POSE, L.POSE_PITCH);
  const roll = get(L.POSE, L.POSE_ROLL);
  isTilted = pitch != 0 || roll != 0;
  if (!isTilted) return;
  cosPitch = Math.cos(pitch);
  sinPitch = Math.sin(pitch);
  cosRoll = Math.cos(roll);
  sinRoll = Math.sin(roll);
}

/** 0 well outside an edge, 1 well inside, linear within two sigma of it. */
function inside(margin: f64, sigma: f64): f64 {
  const ramp = 0.5 + (0.25 * margin) / Math.max(sigma, 1e-9);
  return ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
}

/** The last linearised direction from the sensor's boresight: to the right, and above its own plane, rad. */
let bodyAz: f64 = 0;
let bodyEl: f64 = 0;

/** Yaw, then pitch (boresight up), then roll (right side down), as of an aircraft. */
function turnToBody(): void {
  bodyAz = wrapAngle(lastAz - yaw);
  bodyEl = lastEl;
  if (!isTilted) return;
  const ground = Math.cos(lastEl);
  const up = Math.sin(lastEl);
  const ahead = ground * Math.cos(bodyAz);
  const right = ground * Math.sin(bodyAz);
  const ahead1 = ahead * cosPitch + up * sinPitch;
  const up1 = up * cosPitch - ahead * sinPitch;
  const right2 = right * cosRoll - up1 * sinRoll;
  const up2 = right * sinRoll + up1 * cosRoll;
  bodyAz = Math.atan2(right2, ahead1);
  bodyEl = Math.atan2(up2, Math.sqrt(ahead1 * ahead1 + right2 * right2));
}

/** 0 well inside a blind sector of the sensor's placement, 1 well outside of all of them. */
function outsideBlindSectors(sigmaAz: f64, sigmaEl: f64): f64 {
  const count = <i32>get(L.POSE, L.POSE_BLIND_COUNT);
  assert(<u32>count <= <u32>L.BLIND_MAX, "the blind sectors fit the pose");
  let open = 1.0;
  for (let k = 0; k < count; k++) {
    const at = L.POSE_BLIND + k * L.BLIND_STRIDE;
    const half = get(L.POSE, at + 1) * 0.5;
    const off = Math.abs(wrapAngle(lastAz - get(L.POSE, at) - half));
    const across = half >= HALF_CIRCLE ? 1.0 : inside(half - off, sigmaAz) - inside(-half - off, sigmaAz);
    open *= 1.0 - across * inside(get(L.POSE, at + 2) - lastEl, sigmaEl);
  }
  return open;
}

/**
 * Probability that the sensor detects a target at the last linearised state, whose direction and range are known to the
 * given sigmas. It falls with the range R,
 *   pd = max(p0 / (1 + (R / r50)^slope), floor)
 * and with the edges of the field of view, the ranges, the elevations and the blind sectors.
 */
export function detectionProbability(sigmaAz: f64, sigmaEl: f64, sigmaRange: f64): f64 {
  const slot = viewSlot;
  const rolloff = 1.0 + Math.pow(lastRange / sensorAt(slot, L.SENSOR_PD_R50_M), sensorAt(slot, L.SENSOR_PD_SLOPE));
  let pd = Math.max(sensorAt(slot, L.SENSOR_PD_P0) / rolloff, sensorAt(slot, L.SENSOR_PD_FLOOR));
  const half = sensorAt(slot, L.SENSOR_FOV_RAD) * 0.5;
  turnToBody();
  if (half < HALF_CIRCLE) pd *= inside(half - Math.abs(bodyAz), sigmaAz);
  if (pd == 0) return 0;
  pd *= inside(sensorAt(slot, L.SENSOR_RANGE_MAX_M) - lastRange, sigmaRange);
  const minimum = sensorAt(slot, L.SENSOR_RANGE_MIN_M);
  if (minimum > 0) pd *= inside(lastRange - minimum, sigmaRange);
  pd *= inside(sensorAt(slot, L.SENSOR_EL_MAX_RAD) - bodyEl, sigmaEl);
  pd *= inside(bodyEl - sensorAt(slot, L.SENSOR_EL_MIN_RAD), sigmaEl);
  pd *= outsideBlindSectors(sigmaAz, sigmaEl);
  assert(pd >= 0, "a detection probability is a number");
  return Math.min(pd, PHYSICS.PD_MAX);
}

/** Volume of measurement space over which false alarms and new targets are uniform, for the components that are present. */
export function measurementVolume(meas: i32): f64 {
  const slot = viewSlot;
  if (scanKind == L.MEAS_KIND_POSITION) {
    const reach = sensorAt(slot, L.SENSOR_RANGE_MAX_M);
    let volume = Math.PI * reach * reach;
    if (isPresent(meas, 2)) volume *= PHYSICS.POSITION_VOLUME_HEIGHT_M;
    // False velocities are spread over twice the birth spread to either side.
    if (isPresent(meas, 3)) volume *= 4.0 * PHYSICS.BIRTH_SPEED_H_MPS * (4.0 * PHYSICS.BIRTH_SPEED_H_MPS);
    if (isPresent(meas, 5)) volume *= 4.0 * PHYSICS.BIRTH_SPEED_V_MPS;
    return volume;
  }
  let volume = sensorAt(slot, L.SENSOR_FOV_RAD);
  if (isPresent(meas, EL)) volume *= sensorAt(slot, L.SENSOR_EL_MAX_RAD) - sensorAt(slot, L.SENSOR_EL_MIN_RAD);
  if (scanKind == L.MEAS_KIND_BEARING) return volume;
  volume *= sensorAt(slot, L.SENSOR_RANGE_MAX_M) - sensorAt(slot, L.SENSOR_RANGE_MIN_M);
  if (isPresent(meas, RATE)) volume *= 2.0 * PHYSICS.CLUTTER_DOPPLER_MPS;
  return volume;
}
