/**
 * The measurement models: what a sensor would report of a state, its Jacobian, detection probability, clutter density.
 * Holds the sensor of the scan in hand. Knows states and sensors, not which track is which.
 *
 * Components: spherical az, el, range, range rate; bearing az, el; position e n u ve vn vu. Angles are in the sensor's
 * own frame. A clock offset tau enters as h(x, p - tau v): for constant velocity that is exact, and time never runs back.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { get, measAt, sensorAt, set } from "./arena";
import { dot6, multiply6, packed } from "./linalg";

/** Components of a spherical measurement; a bearing has the first two. Those of a position are 0..5: e n u ve vn vu. */
export const AZ: i32 = 0;
export const EL: i32 = 1;
export const RANGE: i32 = 2;
export const RATE: i32 = 3;
const HAS_RATE: i32 = 1 << RATE;
const HAS_VELOCITY: i32 = 0b111_000;

const JACOBIAN: usize = L.WORK_MEASURE; // 6 x 6, row by row
const PRODUCT: usize = L.WORK_MEASURE + 40 * 8; // 6, P h

/** Gradient of component k over the state (6 values), of the last `linearise`. */
// @ts-ignore: decorator
@inline
export function jacobianRow(k: i32): usize {
  return JACOBIAN + <usize>(k * L.STATE_BYTES);
}

let scanSlot: i32 = 0;
export let scanKind: i32 = 0;
/** Components that any measurement of the scan has: bit k for component k. */
let scanComponents: i32 = 0;
let clockOffsetS: f64 = 0;
let sensorE: f64 = 0, sensorN: f64 = 0, sensorU: f64 = 0, sensorYaw: f64 = 0;
let isTilted: bool = false;
let cosPitch: f64 = 1, sinPitch: f64 = 0, cosRoll: f64 = 1, sinRoll: f64 = 0;
let r00: f64 = 1, r01: f64 = 0, r02: f64 = 0, r10: f64 = 0, r11: f64 = 1, r12: f64 = 0, r20: f64 = 0, r21: f64 = 0, r22: f64 = 1;

/** Geometry of the last linearised state: azimuth, elevation and range from the sensor. */
let lastAz: f64 = 0;
let lastEl: f64 = 0;
export let lastRange: f64 = 0;

export function aim(slot: i32, kind: i32, components: i32): void {
  assert(kind >= L.MEAS_KIND_SPHERICAL && kind <= L.MEAS_KIND_POSITION, "the kind is one of MEAS_KIND_*");
  assert(sensorAt(slot, L.SENSOR_RANGE_MAX_M) >= sensorAt(slot, L.SENSOR_RANGE_MIN_M), "a sensor's ranges are in order");
  assert(sensorAt(slot, L.SENSOR_EL_MAX_RAD) >= sensorAt(slot, L.SENSOR_EL_MIN_RAD), "a sensor's elevations are in order");
  scanSlot = slot;
  scanKind = kind;
  scanComponents = components;
  clockOffsetS = sensorAt(slot, L.SENSOR_BIAS_CORRECTED) != 0 ? sensorAt(slot, L.SENSOR_BIAS + 2) : 0;
  sensorE = get(L.POSE, L.POSE_EAST_M);
  sensorN = get(L.POSE, L.POSE_NORTH_M);
  sensorU = get(L.POSE, L.POSE_UP_M);
  assert(Math.abs(sensorE) + Math.abs(sensorN) + Math.abs(sensorU) < Infinity, "a sensor stands somewhere");
  const rotation: usize = L.POSE + L.POSE_ROTATION * 8;
  r00 = get(rotation, 0); r01 = get(rotation, 1); r02 = get(rotation, 2);
  r10 = get(rotation, 3); r11 = get(rotation, 4); r12 = get(rotation, 5);
  r20 = get(rotation, 6); r21 = get(rotation, 7); r22 = get(rotation, 8);
  sensorYaw = get(L.POSE, L.POSE_YAW);
  const pitch = get(L.POSE, L.POSE_PITCH);
  const roll = get(L.POSE, L.POSE_ROLL);
  isTilted = pitch != 0 || roll != 0;
  if (!isTilted) return;
  cosPitch = Math.cos(pitch);
  sinPitch = Math.sin(pitch);
  cosRoll = Math.cos(roll);
  sinRoll = Math.sin(roll);
}

// @ts-ignore: decorator
@inline
export function sensorEast(): f64 { return sensorE; }
// @ts-ignore: decorator
@inline
export function sensorNorth(): f64 { return sensorN; }
// @ts-ignore: decorator
@inline
export function sensorUp(): f64 { return sensorU; }

/** To (-pi, pi]. */
export function wrapAngle(a: f64): f64 {
  if (a > Math.PI) return a - 2 * Math.PI * Math.ceil((a - Math.PI) / (2 * Math.PI));
  if (a <= -Math.PI) return a + 2 * Math.PI * Math.ceil((-Math.PI - a) / (2 * Math.PI));
  return a;
}

/** Sensor axes to room axes. Result in roomE, roomN, roomU. */
export let roomE: f64 = 0, roomN: f64 = 0, roomU: f64 = 0;
export function toRoom(e: f64, n: f64, u: f64): void {
  roomE = r00 * e + r01 * n + r02 * u;
  roomN = r10 * e + r11 * n + r12 * u;
  roomU = r20 * e + r21 * n + r22 * u;
}

/** Writes a gradient given in sensor axes as a Jacobian row over position, and over velocity through the clock offset. */
function putRow(row: usize, e: f64, n: f64, u: f64): void {
  toRoom(e, n, u);
  set(row, 0, roomE);
  set(row, 1, roomN);
  set(row, 2, roomU);
  set(row, 3, -clockOffsetS * roomE);
  set(row, 4, -clockOffsetS * roomN);
  set(row, 5, -clockOffsetS * roomU);
}

/** Predicted measurement z of state x and the JACOBIAN about it. */
export function linearise(x: usize, z: usize): void {
  if (scanKind == L.MEAS_KIND_POSITION) {
    for (let k = 0; k < 6; k++) {
      const row = jacobianRow(k);
      for (let i = 0; i < 6; i++) set(row, i, i == k ? 1.0 : 0.0);
      set(z, k, get(x, k));
    }
    for (let k = 0; k < 3; k++) {
      set(jacobianRow(k), k + 3, -clockOffsetS);
      set(z, k, get(x, k) - clockOffsetS * get(x, k + 3));
    }
    return;
  }
  const ve = get(x, 3), vn = get(x, 4), vu = get(x, 5);
  const de = get(x, 0) - clockOffsetS * ve - sensorE;
  const dn = get(x, 1) - clockOffsetS * vn - sensorN;
  const du = get(x, 2) - clockOffsetS * vu - sensorU;
  const e = r00 * de + r10 * dn + r20 * du;
  const n = r01 * de + r11 * dn + r21 * du;
  const u = r02 * de + r12 * dn + r22 * du;
  const ground2 = Math.max(e * e + n * n, 1.0);
  const ground = Math.sqrt(ground2);
  const range2 = ground2 + u * u;
  const range = Math.sqrt(range2);
  lastAz = Math.atan2(e, n);
  lastEl = Math.atan2(u, ground);
  lastRange = range;
  set(z, AZ, lastAz);
  set(z, EL, lastEl);
  putRow(jacobianRow(AZ), n / ground2, -e / ground2, 0);
  const c = u / (range2 * ground);
  putRow(jacobianRow(EL), -e * c, -n * c, ground / range2);
  if (scanKind == L.MEAS_KIND_BEARING) return;
  set(z, RANGE, range);
  const inverse = 1.0 / range;
  const lineOfSight = jacobianRow(RANGE);
  putRow(lineOfSight, e * inverse, n * inverse, u * inverse);
  if ((scanComponents & HAS_RATE) == 0) return;
  // Range rate: the velocity along the line of sight; its gradient over position turns with the line.
  const unitE = get(lineOfSight, 0), unitN = get(lineOfSight, 1), unitU = get(lineOfSight, 2);
  const rate = unitE * ve + unitN * vn + unitU * vu;
  const row = jacobianRow(RATE);
  set(z, RATE, rate);
  set(row, 0, (ve - rate * unitE) * inverse);
  set(row, 1, (vn - rate * unitN) * inverse);
  set(row, 2, (vu - rate * unitU) * inverse);
  set(row, 3, unitE);
  set(row, 4, unitN);
  set(row, 5, unitU);
}

/** Number of components of the kind in hand. */
export function componentCount(): i32 {
  if (scanKind == L.MEAS_KIND_POSITION) return (scanComponents & HAS_VELOCITY) != 0 ? 6 : 3;
  if (scanKind == L.MEAS_KIND_BEARING) return 2;
  return (scanComponents & HAS_RATE) != 0 ? 4 : 3;
}

/** z = h(x) and S = H P H' (packed, order componentCount) of a state. */
export function project(x: usize, p: usize, z: usize, s: usize): void {
  linearise(x, z);
  const n = componentCount();
  let at = 0;
  for (let k = 0; k < n; k++) {
    multiply6(p, jacobianRow(k), PRODUCT);
    for (let j = k; j < n; j++, at++) set(s, at, dot6(jacobianRow(j), PRODUCT));
  }
}

/** Difference z - zPredicted of component k, wrapped where it is an azimuth. The bias is off z already (takeOffBias). */
export function innovationOf(meas: i32, component: i32, predicted: f64): f64 {
  const d = measAt(meas, L.MEAS_Z0 + component) - predicted;
  return component == AZ && scanKind != L.MEAS_KIND_POSITION ? wrapAngle(d) : d;
}

/** Sigma of component k. */
export function sigmaOf(meas: i32, component: i32): f64 {
  if (scanKind != L.MEAS_KIND_POSITION) return measAt(meas, L.MEAS_S0 + component);
  if (component < 3) return measAt(meas, L.MEAS_S0 + component);
  return measAt(meas, L.MEAS_S3);
}

export function isPresent(meas: i32, component: i32): bool {
  const v = measAt(meas, L.MEAS_Z0 + component);
  return v == v;
}

/** Number of components that the measurement has: its degrees of freedom. */
export function componentsIn(meas: i32): i32 {
  let present = 0;
  for (let k = 0; k < L.STATE_SIZE; k++) if (isPresent(meas, k)) present++;
  return present;
}

/** Smooth step: 0 well outside an edge, 1 well inside, linear within two sigma of it. */
function inside(margin: f64, sigma: f64): f64 {
  const ramp = 0.5 + (0.25 * margin) / Math.max(sigma, 1e-9);
  return ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
}

/** The last linearised direction as the sensor's own body sees it: from its boresight, above its own plane. */
let bodyAz: f64 = 0;
let bodyEl: f64 = 0;

/** Yaw, then pitch (boresight up), then roll (right side down), as of an aircraft. */
function turnToBody(): void {
  bodyAz = wrapAngle(lastAz - sensorYaw);
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

/** What of the view is not hidden by what stands around the sensor: 0 well inside a blind sector, 1 well outside of all. */
function unhidden(sigmaAz: f64, sigmaEl: f64): f64 {
  const count = <i32>get(L.POSE, L.POSE_BLIND_COUNT);
  assert(<u32>count <= <u32>L.BLIND_MAX, "the blind sectors fit the pose");
  let open = 1.0;
  for (let k = 0; k < count; k++) {
    const at = L.POSE_BLIND + k * L.BLIND_STRIDE;
    const half = get(L.POSE, at + 1) * 0.5;
    const off = Math.abs(wrapAngle(lastAz - get(L.POSE, at) - half));
    const across = half >= 3.14 ? 1.0 : inside(half - off, sigmaAz) - inside(-half - off, sigmaAz);
    open *= 1.0 - across * inside(get(L.POSE, at + 2) - lastEl, sigmaEl);
  }
  return open;
}

/** Probability that the sensor reports a target at the last linearised state; sigmas of its angles and range soften edges. */
export function detectionProbability(sigmaAz: f64, sigmaEl: f64, sigmaRange: f64): f64 {
  const slot = scanSlot;
  const rolloff = 1.0 + Math.pow(lastRange / sensorAt(slot, L.SENSOR_PD_R50_M), sensorAt(slot, L.SENSOR_PD_SLOPE));
  let pd = Math.max(sensorAt(slot, L.SENSOR_PD_P0) / rolloff, sensorAt(slot, L.SENSOR_PD_FLOOR));
  const half = sensorAt(slot, L.SENSOR_FOV_RAD) * 0.5;
  turnToBody();
  if (half < 3.14) pd *= inside(half - Math.abs(bodyAz), sigmaAz);
  if (pd == 0) return 0;
  pd *= inside(sensorAt(slot, L.SENSOR_RANGE_MAX_M) - lastRange, sigmaRange);
  const minimum = sensorAt(slot, L.SENSOR_RANGE_MIN_M);
  if (minimum > 0) pd *= inside(lastRange - minimum, sigmaRange);
  pd *= inside(sensorAt(slot, L.SENSOR_EL_MAX_RAD) - bodyEl, sigmaEl);
  pd *= inside(bodyEl - sensorAt(slot, L.SENSOR_EL_MIN_RAD), sigmaEl);
  pd *= unhidden(sigmaAz, sigmaEl);
  assert(pd >= 0, "a detection probability is a number");
  return Math.min(pd, 0.995);
}

/** Volume of measurement space that false alarms and new targets are uniform over, for the components of one measurement. */
export function measurementVolume(meas: i32): f64 {
  const slot = scanSlot;
  if (scanKind == L.MEAS_KIND_POSITION) {
    const reach = sensorAt(slot, L.SENSOR_RANGE_MAX_M);
    let volume = Math.PI * reach * reach;
    if (isPresent(meas, 2)) volume *= PHYSICS.POSITION_VOLUME_HEIGHT_M;
    // A report with a velocity is as unlikely by chance as one velocity in a ball of twice the birth spread.
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

const PAIR_S: usize = L.WORK_MEASURE + 56 * 8; // up to 21
const PAIR_Y: usize = L.WORK_MEASURE + 80 * 8; // up to 6

/**
 * Builds S (with the measurement's noise) and the innovation for the components that the measurement has.
 * In: projected z and s of order componentCount. Out: PAIR_S, PAIR_Y. Returns the number of components.
 */
export function innovationSystem(meas: i32, z: usize, s: usize): i32 {
  const n = componentCount();
  let used = 0;
  let out = 0;
  for (let i = 0; i < n; i++) {
    if (!isPresent(meas, i)) continue;
    set(PAIR_Y, used, innovationOf(meas, i, get(z, i)));
    used++;
    const sigma = sigmaOf(meas, i);
    const ii = packed(n, i, i);
    set(PAIR_S, out++, get(s, ii) + sigma * sigma);
    for (let j = i + 1; j < n; j++) if (isPresent(meas, j)) set(PAIR_S, out++, get(s, ii + (j - i)));
  }
  if (scanKind == L.MEAS_KIND_POSITION) {
    // The ellipse: R_ee, R_en, R_nn instead of the diagonal that was added above.
    const major = measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0);
    const minor = measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1);
    const sin = Math.sin(measAt(meas, L.MEAS_ORIENTATION));
    const cos = Math.cos(measAt(meas, L.MEAS_ORIENTATION));
    set(PAIR_S, packed(used, 0, 0), get(s, packed(n, 0, 0)) + major * sin * sin + minor * cos * cos);
    set(PAIR_S, packed(used, 0, 1), get(s, packed(n, 0, 1)) + (major - minor) * sin * cos);
    set(PAIR_S, packed(used, 1, 1), get(s, packed(n, 1, 1)) + major * cos * cos + minor * sin * sin);
  }
  assert(used >= 1 && used <= L.STATE_SIZE, "a measurement has 1..6 components");
  return used;
}

export const PAIR_SYSTEM: usize = PAIR_S;
export const PAIR_INNOVATION: usize = PAIR_Y;
