/**
 * Rows of the track table: made, copied, removed (the last row takes the place), and the counters of what updated them.
 * Knows nothing of how a sensor measures.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, headAt, isRow, meanOf, measAt, modelOf, put, putHead, putInt, set, trackCount } from "./arena";

/** Number of scalar columns: they lie one behind the other from TRACK_KEY to TRACK_APART_UNTIL_US. */
const SCALARS: i32 = (L.TRACK_MODEL - L.TRACK_KEY) / (L.TRACK_CAPACITY * 8);

export let endedCount: i32 = 0;

/** The host has read ENDED. */
export function clearEnded(): void {
  endedCount = 0;
}

/** A new row with one hit at `timeUs`, or -1 when the table is full. What is not set here is 0, existence and state too. */
export function newRow(key: f64, timeUs: f64, slot: i32): i32 {
  const row = trackCount();
  assert(row >= 0 && row <= L.TRACK_CAPACITY, "the track table is not over full");
  assert(key != 0, "a track has a key");
  if (row >= L.TRACK_CAPACITY) return -1;
  putHead(L.HEAD_TRACK_COUNT, row + 1);
  for (let k = 0; k < SCALARS; k++) put(<usize>L.TRACK_KEY + <usize>(k * L.TRACK_CAPACITY * 8), row, 0);
  put(L.TRACK_KEY, row, key);
  put(L.TRACK_TIME_US, row, timeUs);
  put(L.TRACK_FIRST_US, row, timeUs);
  put(L.TRACK_LAST_US, row, timeUs);
  put(L.TRACK_HITS, row, 1);
  put(L.TRACK_SLOT, row, slot);
  put(L.TRACK_RCS_DBSM, row, NaN);
  set(modelOf(row), 0, 1.0 - PHYSICS.MANOEUVRE_AT_BIRTH);
  set(modelOf(row), 1, PHYSICS.MANOEUVRE_AT_BIRTH);
  memory.fill(meanOf(row, 0), 0, L.MODEL_COUNT * L.STATE_BYTES);
  memory.fill(covOf(row, 0), 0, L.MODEL_COUNT * L.COV_BYTES);
  memory.fill(L.TRACK_REFLECTOR_MEAN + row * 3 * 8, 0, 3 * 8);
  memory.fill(L.TRACK_REFLECTOR_COV + row * 6 * 8, 0, 6 * 8);
  for (let k = 0; k < L.CONTRIBUTORS_MAX; k++) {
    put(L.TRACK_CONTRIBUTOR_SLOT, row * L.CONTRIBUTORS_MAX + k, -1);
    put(L.TRACK_CONTRIBUTOR_LAST_US, row * L.CONTRIBUTORS_MAX + k, 0);
    put(L.TRACK_CONTRIBUTOR_HITS, row * L.CONTRIBUTORS_MAX + k, 0);
  }
  touch(row);
  return row;
}

/** The host finds the row changed at its next reading. */
// @ts-ignore: decorator
@inline
export function touch(row: i32): void {
  assert(isRow(row), "a row is inside the track table");
  store<u8>(<usize>L.TRACK_TOUCHED + <usize>row, 1);
}

function moveVector(column: usize, width: i32, from: i32, to: i32): void {
  memory.copy(column + <usize>(to * width * 8), column + <usize>(from * width * 8), <usize>(width * 8));
}

/** Every column of one row into another, the key included. */
export function copyRow(from: i32, to: i32): void {
  assert(isRow(from) && isRow(to), "a row is inside the track table");
  for (let k = 0; k < SCALARS; k++) {
    const column = <usize>L.TRACK_KEY + <usize>(k * L.TRACK_CAPACITY * 8);
    put(column, to, at(column, from));
  }
  moveVector(L.TRACK_MODEL, L.MODEL_COUNT, from, to);
  moveVector(L.TRACK_MEAN, L.MODEL_COUNT * L.STATE_SIZE, from, to);
  moveVector(L.TRACK_COV, L.MODEL_COUNT * L.COV_SIZE, from, to);
  moveVector(L.TRACK_REFLECTOR_MEAN, 3, from, to);
  moveVector(L.TRACK_REFLECTOR_COV, 6, from, to);
  moveVector(L.TRACK_CONTRIBUTOR_SLOT, L.CONTRIBUTORS_MAX, from, to);
  moveVector(L.TRACK_CONTRIBUTOR_LAST_US, L.CONTRIBUTORS_MAX, from, to);
  moveVector(L.TRACK_CONTRIBUTOR_HITS, L.CONTRIBUTORS_MAX, from, to);
}

/**
 * Ends the row's track, with ENDED_* as the reason; the last row takes its place. `survivorKey` is the key of the track that
 * it merged into, else 0.
 */
export function removeRow(row: i32, reason: i32, survivorKey: f64): void {
  assert(isRow(row), "a row is inside the track table");
  assert((reason == L.ENDED_MERGED) == (survivorKey != 0), "a track that merges, and no other, names the one that stays");
  if (endedCount < L.ENDED_CAPACITY) {
    const address = <usize>L.ENDED + <usize>(endedCount * L.ENDED_STRIDE * 8);
    set(address, L.ENDED_KEY, at(L.TRACK_KEY, row));
    set(address, L.ENDED_REASON, reason);
    set(address, L.ENDED_SURVIVOR_KEY, survivorKey);
    endedCount++;
  }
  const last = trackCount() - 1;
  if (row != last) {
    copyRow(last, row);
    store<u8>(<usize>L.TRACK_TOUCHED + <usize>row, load<u8>(<usize>L.TRACK_TOUCHED + <usize>last));
  }
  store<u8>(<usize>L.TRACK_TOUCHED + <usize>last, 0);
  putHead(L.HEAD_TRACK_COUNT, last);
}

/** Notes that a sensor's measurement updated the track: counters, period, the list of contributors. */
export function noteHit(row: i32, slot: i32, timeUs: f64, cooperative: bool): void {
  assert(isRow(row), "a row is inside the track table");
  put(L.TRACK_HITS, row, at(L.TRACK_HITS, row) + 1);
  if (!cooperative) put(L.TRACK_OWN_HITS, row, at(L.TRACK_OWN_HITS, row) + 1);
  const sinceS = (timeUs - at(L.TRACK_LAST_US, row)) * 1e-6;
  if (sinceS > 0) {
    const period = at(L.TRACK_PERIOD_S, row);
    put(L.TRACK_PERIOD_S, row, period == 0 ? sinceS : (1.0 - PHYSICS.PERIOD_GAIN) * period + PHYSICS.PERIOD_GAIN * sinceS);
    put(L.TRACK_LAST_US, row, timeUs);
  }
  contribute(row, slot, timeUs);
}

/** The sensor looked and did not detect the track. */
export function noteMiss(row: i32): void {
  put(L.TRACK_MISSES, row, at(L.TRACK_MISSES, row) + 1);
}

/** What became of a measurement of the scan: OUTCOME_*, and the key of the track that took it or that it started. */
export function noteOutcome(meas: i32, outcome: i32, key: f64): void {
  putInt(L.MEAS_OUTCOME, meas, outcome);
  put(L.MEAS_TRACK_KEY, meas, key);
}

/** The measurement updated the track: its outcome, and the track's smoothed radar cross-section, dBsm. */
export function noteMeasurement(row: i32, meas: i32): void {
  noteOutcome(meas, L.OUTCOME_UPDATED, at(L.TRACK_KEY, row));
  const rcs = measAt(meas, L.MEAS_RCS_DBSM);
  if (rcs != rcs) return;
  const known = at(L.TRACK_RCS_DBSM, row);
  put(L.TRACK_RCS_DBSM, row, known == known ? known + PHYSICS.RCS_GAIN * (rcs - known) : rcs);
}

/** Index of a sensor in the contributor columns: its own place, an empty one, or that of the one silent for longest. */
export function contributorPlace(row: i32, slot: i32): i32 {
  assert(<u32>slot < <u32>L.SENSOR_CAPACITY, "the slot is inside the sensor table");
  const base = row * L.CONTRIBUTORS_MAX;
  let place = base;
  let oldest = Infinity;
  for (let k = base; k < base + L.CONTRIBUTORS_MAX; k++) {
    const owner = <i32>at(L.TRACK_CONTRIBUTOR_SLOT, k);
    if (owner == slot) return k;
    const last = owner < 0 ? -1.0 : at(L.TRACK_CONTRIBUTOR_LAST_US, k);
    if (last < oldest) {
      oldest = last;
      place = k;
    }
  }
  return place;
}

function contribute(row: i32, slot: i32, timeUs: f64): void {
  const place = contributorPlace(row, slot);
  const isKnown = <i32>at(L.TRACK_CONTRIBUTOR_SLOT, place) == slot;
  put(L.TRACK_CONTRIBUTOR_SLOT, place, slot);
  put(L.TRACK_CONTRIBUTOR_LAST_US, place, timeUs);
  put(L.TRACK_CONTRIBUTOR_HITS, place, isKnown ? at(L.TRACK_CONTRIBUTOR_HITS, place) + 1 : 1);
}

/** Counts a track that was given up, or not started, for want of room. */
export function dropForCapacity(): void {
  putHead(L.HEAD_DROPPED_FOR_CAPACITY, headAt(L.HEAD_DROPPED_FOR_CAPACITY) + 1);
}
