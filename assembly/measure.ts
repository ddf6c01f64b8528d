/**
 * The measurement models: what the scan's sensor would measure of a state, and how far a measurement is from that. Holds
 * the sensor of the scan that `aim` was last given. Knows states and sensors, not tracks.
 *
 * With d the target's position from the sensor in the sensor's own axes (e, n, u) and g = |(e, n)|:
 *   spherical   az = atan2(e, n), el = atan2(u, g), range = |d|, range rate = d . v / |d|
 *   bearing     az, el
 *   position    e n u, ve vn vu in the room's axes
 * A clock offset tau of the sensor enters as h(p - tau v): exact for constant velocity, and time never runs back.
 */
import * as L from "./layout";
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
const PRODUCT: usize = L.WORK_MEASURE + 40 * 8; // 6, P h'
/** The innovation y and its covariance S of the last `innovationSystem`. */
export const PAIR_SYSTEM: usize = L.WORK_MEASURE + 56 * 8; // up to 21
export const PAIR_INNOVATION: usize = L.WORK_MEASURE + 80 * 8; // up to 6

/** Gradient of component k over the state (6 values), of the last `linearise`. */
// @ts-ignore: decorator
@inline
export function jacobianRow(k: i32): usize {
  return JACOBIAN + <usize>(k * L.STATE_BYTES);
}

export let scanKind: i32 = 0;
/** Components that any measurement of the scan has: bit k for component k. */
let scanComponents: i32 = 0;
let clockOffsetS: f64 = 0;
let sensorE: f64 = 0, sensorN: f64 = 0, sensorU: f64 = 0;
let r00: f64 = 1, r01: f64 = 0, r02: f64 = 0;
let r10: f64 = 0, r11: f64 = 1, r12: f64 = 0;
let r20: f64 = 0, r21: f64 = 0, r22: f64 = 1;

/** Where the last linearised state is from the sensor: rad, rad, m. */
export let lastAz: f64 = 0;
export let lastEl: f64 = 0;
export let lastRange: f64 = 0;

/** Takes the scan's sensor, its kind and its pose; everything below is about them until the next call. */
export function aim(slot: i32, kind: i32, components: i32): void {
  assert(kind >= L.MEAS_KIND_SPHERICAL && kind <= L.MEAS_KIND_POSITION, "the kind is one of MEAS_KIND_*");
  scanKind = kind;
  scanComponents = components;
  clockOffsetS = sensorAt(slot, L.SENSOR_BIAS_CORRECTED) != 0 ? sensorAt(slot, L.SENSOR_BIAS + L.BIAS_CLOCK) : 0;
  sensorE = get(L.POSE, L.POSE_EAST_M);
  sensorN = get(L.POSE, L.POSE_NORTH_M);
  sensorU = get(L.POSE, L.POSE_UP_M);
  assert(Math.abs(sensorE) + Math.abs(sensorN) + Math.abs(sensorU) < Infinity, "a sensor stands somewhere");
  const rotation: usize = L.POSE + L.POSE_ROTATION * 8;
  r00 = get(rotation, 0); r01 = get(rotation, 1); r02 = get(rotation, 2);
  r10 = get(rotation, 3); r11 = get(rotation, 4); r12 = get(rotation, 5);
  r20 = get(rotation, 6); r21 = get(rotation, 7); r22 = get(rotation, 8);
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

/** A vector in the sensor's axes turned into the room's: roomE, roomN, roomU. */
export let roomE: f64 = 0, roomN: f64 = 0, roomU: f64 = 0;
export function toRoom(e: f64, n: f64, u: f64): void {
  roomE = r00 * e + r01 * n + r02 * u;
  roomN = r10 * e + r11 * n + r12 * u;
  roomU = r20 * e + r21 * n + r22 * u;
}

/** Writes a gradient over position, given in sensor axes, as a row over the state; over velocity it is -tau times that. */
function putRow(row: usize, e: f64, n: f64, u: f64): void {
  toRoom(e, n, u);
  set(row, 0, roomE);
  set(row, 1, roomN);
  set(row, 2, roomU);
  set(row, 3, -clockOffsetS * roomE);
  set(row, 4, -clockOffsetS * roomN);
  set(row, 5, -clockOffsetS * roomU);
}

function linearisePosition(x: usize, z: usize): void {
  for (let k = 0; k < 6; k++) {
    const row = jacobianRow(k);
    for (let i = 0; i < 6; i++) set(row, i, i == k ? 1.0 : 0.0);
    set(z, k, get(x, k));
  }
  for (let k = 0; k < 3; k++) {
    set(jacobianRow(k), k + 3, -clockOffsetS);
    set(z, k, get(x, k) - clockOffsetS * get(x, k + 3));
  }
}

/**
 * The predicted measurement z^ = h(x), and H = dh/dx in the Jacobian rows:
 *   az   ( n,   -e,   0 ) / g^2                     range  d / |d|
 *   el   (-e u, -n u, g^2) / (|d|^2 g)              rate   over v: d / |d|,  over p: (v - rate d / |d|) / |d|
 * Nearer than a metre to the vertical of the sensor, g is held at a metre, so that no gradient is endless.
 */
export function linearise(x: usize, z: usize): void {
  if (scanKind == L.MEAS_KIND_POSITION) return linearisePosition(x, z);
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

/** Components that a predicted measurement of this scan has. */
export function componentCount(): i32 {
  if (scanKind == L.MEAS_KIND_POSITION) return (scanComponents & HAS_VELOCITY) != 0 ? 6 : 3;
  if (scanKind == L.MEAS_KIND_BEARING) return 2;
  return (scanComponents & HAS_RATE) != 0 ? 4 : 3;
}

/** z = h(x) and s = H P H' (packed, of order componentCount) of a state. */
export function project(x: usize, p: usize, z: usize, s: usize): void {
  linearise(x, z);
  const n = componentCount();
  let at = 0;
  for (let k = 0; k < n; k++) {
    multiply6(p, jacobianRow(k), PRODUCT);
    for (let j = k; j < n; j++, at++) set(s, at, dot6(jacobianRow(j), PRODUCT));
  }
}

/** z - z^ of a component, wrapped where it is an azimuth. `takeOffBias` has taken the learnt bias off z. */
export function innovationOf(meas: i32, component: i32, predicted: f64): f64 {
  const d = measAt(meas, L.MEAS_Z0 + component) - predicted;
  return component == AZ && scanKind != L.MEAS_KIND_POSITION ? wrapAngle(d) : d;
}

/** Sigma of a component. The velocity components of a position share one. */
export function sigmaOf(meas: i32, component: i32): f64 {
  if (scanKind != L.MEAS_KIND_POSITION) return measAt(meas, L.MEAS_S0 + component);
  if (component < 3) return measAt(meas, L.MEAS_S0 + component);
  return measAt(meas, L.MEAS_S3);
}

/** Absent components are NaN. */
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

/**
 * Innovation and its covariance, for the components that the measurement has:
 *   y = z - z^,  S = H P H' + R
 * R is the diagonal of the squared sigmas. A position's horizontal error is an ellipse whose major axis a lies at an angle
 * t clockwise from north, the minor one b across it, and there
 *   R_ee = a^2 sin^2 t + b^2 cos^2 t,  R_en = (a^2 - b^2) sin t cos t,  R_nn = a^2 cos^2 t + b^2 sin^2 t
 * In: z^ and s = H P H' of order componentCount. Out: PAIR_INNOVATION, PAIR_SYSTEM. Returns the number of components.
 */
export function innovationSystem(meas: i32, z: usize, s: usize): i32 {
  const n = componentCount();
  let used = 0;
  let out = 0;
  for (let i = 0; i < n; i++) {
    if (!isPresent(meas, i)) continue;
    set(PAIR_INNOVATION, used, innovationOf(meas, i, get(z, i)));
    used++;
    const sigma = sigmaOf(meas, i);
    const ii = packed(n, i, i);
    set(PAIR_SYSTEM, out++, get(s, ii) + sigma * sigma);
    for (let j = i + 1; j < n; j++) if (isPresent(meas, j)) set(PAIR_SYSTEM, out++, get(s, ii + (j - i)));
  }
  if (scanKind == L.MEAS_KIND_POSITION) {
    const major = measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0);
    const minor = measAt(meas, L.MEAS_S1) * measAt(meas, L.MEAS_S1);
    const sin = Math.sin(measAt(meas, L.MEAS_ORIENTATION));
    const cos = Math.cos(measAt(meas, L.MEAS_ORIENTATION));
    set(PAIR_SYSTEM, packed(used, 0, 0), get(s, packed(n, 0, 0)) + major * sin * sin + minor * cos * cos);
    set(PAIR_SYSTEM, packed(used, 0, 1), get(s, packed(n, 0, 1)) + (major - minor) * sin * cos);
    set(PAIR_SYSTEM, packed(used, 1, 1), get(s, packed(n, 1, 1)) + major * cos * cos + minor * sin * sin);
  }
  assert(used >= 1 && used <= L.STATE_SIZE, "a measurement has 1..6 components");
  return used;
}
