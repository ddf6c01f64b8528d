/**
 * Bearings that no track explains. They are kept for a while: where another sensor's bearing crosses one there may be a
 * target (crossings.ts), and each feeds or starts a ray of its sensor (rays.ts). This file is the store of them.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, headAt, measAt, putHead, sensorAt, set, trackCount } from "./arena";
import { crossBearing } from "./crossings";
import { keyOf } from "./initiate";
import { EL, isPresent, roomE, roomN, roomU, sensorEast, sensorNorth, sensorUp, toRoom } from "./measure";
import { feedRay, listRays, missRays } from "./rays";
import { beginSearch, CROSSING_LOOKS_EACH, openBudget } from "./searchBudget";

function removeBearing(index: i32): void {
  const last = <i32>headAt(L.HEAD_BEARING_COUNT) - 1;
  assert(index >= 0 && index <= last, "a bearing is inside its store");
  const size = <usize>(L.BEARING_STRIDE * 8);
  if (index != last) memory.copy(<usize>L.BEARING + <usize>index * size, <usize>L.BEARING + <usize>last * size, size);
  putHead(L.HEAD_BEARING_COUNT, last);
}

// @ts-ignore: decorator
@inline
function timeOf(index: i32): f64 {
  return get(<usize>L.BEARING + <usize>(index * L.BEARING_STRIDE * 8), L.BEARING_TIME_US);
}

/** Drops bearings that are too old to cross another. */
export function forgetBearings(timeUs: f64): void {
  for (let b = <i32>headAt(L.HEAD_BEARING_COUNT) - 1; b >= 0; b--) {
    if (timeUs - timeOf(b) > PHYSICS.BEARING_KEEP_S * 1e6) removeBearing(b);
  }
}

/** A free place; in a full store that of the oldest bearing. */
function placeForBearing(): i32 {
  const count = <i32>headAt(L.HEAD_BEARING_COUNT);
  assert(<u32>count <= <u32>L.BEARING_CAPACITY, "the bearings fit their store");
  if (count < L.BEARING_CAPACITY) {
    putHead(L.HEAD_BEARING_COUNT, count + 1);
    return count;
  }
  let oldest = 0;
  for (let b = 1; b < count; b++) if (timeOf(b) < timeOf(oldest)) oldest = b;
  return oldest;
}

function storeBearing(meas: i32, slot: i32, timeUs: f64, key: f64): void {
  const address = <usize>L.BEARING + <usize>(placeForBearing() * L.BEARING_STRIDE * 8);
  const el = isPresent(meas, EL) ? measAt(meas, L.MEAS_Z1) : 0.0;
  toRoom(Math.sin(measAt(meas, L.MEAS_Z0)) * Math.cos(el), Math.cos(measAt(meas, L.MEAS_Z0)) * Math.cos(el), Math.sin(el));
  set(address, L.BEARING_TIME_US, timeUs);
  set(address, L.BEARING_SLOT, slot);
  set(address, L.BEARING_EAST_M, sensorEast());
  set(address, L.BEARING_NORTH_M, sensorNorth());
  set(address, L.BEARING_UP_M, sensorUp());
  set(address, L.BEARING_DIR_E, roomE);
  set(address, L.BEARING_DIR_N, roomN);
  set(address, L.BEARING_DIR_U, roomU);
  set(address, L.BEARING_HAS_EL, isPresent(meas, EL) ? 1 : 0);
  set(address, L.BEARING_SIGMA_AZ_RAD, measAt(meas, L.MEAS_S0));
  set(address, L.BEARING_SIGMA_EL_RAD, isPresent(meas, EL) ? measAt(meas, L.MEAS_S1) : 0.0);
  set(address, L.BEARING_RANGE_MAX_M, sensorAt(slot, L.SENSOR_RANGE_MAX_M));
  set(address, L.BEARING_KEY, key);
}

/** Takes the bearings of a scan that no track explains: crosses each with the stored ones, stores it, feeds its ray. */
export function rememberBearings(slot: i32, timeUs: f64, scanKey: f64, count: i32): void {
  listRays(slot, timeUs);
  openBudget(count, trackCount(), CROSSING_LOOKS_EACH);
  for (let meas = 0; meas < count; meas++) {
    const unexplained = 1.0 - at(L.MEAS_EXPLAINED, meas);
    if (unexplained < PHYSICS.INITIATE_UNEXPLAINED_MIN) continue;
    const key = keyOf(scanKey, meas);
    beginSearch(count - 1 - meas);
    crossBearing(meas, slot, timeUs, key);
    storeBearing(meas, slot, timeUs, key);
    feedRay(meas, slot, timeUs, key);
  }
  missRays(timeUs);
}
