/**
 * Typed access to the memory of layout.ts by column and row, and the checks of the memory map at compile time. Addresses
 * are not checked: the callers assert rows and counts.
 */
import * as L from "./layout";

/** f64 of a column. */
// @ts-ignore: decorator
@inline
export function at(column: usize, row: i32): f64 {
  return load<f64>(column + ((<usize>row) << 3));
}

// @ts-ignore: decorator
@inline
export function put(column: usize, row: i32, value: f64): void {
  store<f64>(column + ((<usize>row) << 3), value);
}

/** i32 of a column. */
// @ts-ignore: decorator
@inline
export function intAt(column: usize, row: i32): i32 {
  return load<i32>(column + ((<usize>row) << 2));
}

// @ts-ignore: decorator
@inline
export function putInt(column: usize, row: i32, value: i32): void {
  store<i32>(column + ((<usize>row) << 2), value);
}

/** f64 of a vector or packed matrix. */
// @ts-ignore: decorator
@inline
export function get(address: usize, index: i32): f64 {
  return load<f64>(address + ((<usize>index) << 3));
}

// @ts-ignore: decorator
@inline
export function set(address: usize, index: i32, value: f64): void {
  store<f64>(address + ((<usize>index) << 3), value);
}

// @ts-ignore: decorator
@inline
export function sensorAt(slot: i32, field: i32): f64 {
  return load<f64>(<usize>L.SENSOR + ((<usize>(slot * L.SENSOR_STRIDE + field)) << 3));
}

// @ts-ignore: decorator
@inline
export function putSensor(slot: i32, field: i32, value: f64): void {
  store<f64>(<usize>L.SENSOR + ((<usize>(slot * L.SENSOR_STRIDE + field)) << 3), value);
}

// @ts-ignore: decorator
@inline
export function measAt(row: i32, field: i32): f64 {
  return load<f64>(<usize>L.MEAS + ((<usize>(row * L.MEAS_STRIDE + field)) << 3));
}

// @ts-ignore: decorator
@inline
export function headAt(field: i32): f64 {
  return load<f64>(<usize>L.HEAD + ((<usize>field) << 3));
}

// @ts-ignore: decorator
@inline
export function putHead(field: i32, value: f64): void {
  store<f64>(<usize>L.HEAD + ((<usize>field) << 3), value);
}

// @ts-ignore: decorator
@inline
export function tuneAt(field: i32): f64 {
  return load<f64>(<usize>L.TUNING + ((<usize>field) << 3));
}

/** Address of a model's mean, STATE_SIZE values. */
// @ts-ignore: decorator
@inline
export function meanOf(row: i32, model: i32): usize {
  return <usize>L.TRACK_MEAN + <usize>((row * L.MODEL_COUNT + model) * L.STATE_BYTES);
}

/** Address of a model's packed covariance, COV_SIZE values. */
// @ts-ignore: decorator
@inline
export function covOf(row: i32, model: i32): usize {
  return <usize>L.TRACK_COV + <usize>((row * L.MODEL_COUNT + model) * L.COV_BYTES);
}

/** Address of the track's model probabilities, MODEL_COUNT values. */
// @ts-ignore: decorator
@inline
export function modelOf(row: i32): usize {
  return <usize>L.TRACK_MODEL + <usize>(row * (L.MODEL_COUNT * 8));
}

/** Likelihood density of a pair under a model. */
// @ts-ignore: decorator
@inline
export function likelihoodOf(pair: i32, model: i32): f64 {
  return at(L.PAIR_L, pair * L.MODEL_COUNT + model);
}

// @ts-ignore: decorator
@inline
export function putLikelihood(pair: i32, model: i32, value: f64): void {
  put(L.PAIR_L, pair * L.MODEL_COUNT + model, value);
}

// @ts-ignore: decorator
@inline
export function trackCount(): i32 {
  return <i32>headAt(L.HEAD_TRACK_COUNT);
}

/** Whether the track table has such a row; for assertions. */
// @ts-ignore: decorator
@inline
export function isRow(row: i32): bool {
  return <u32>row < <u32>trackCount();
}

/** Relations between constants. Each ERROR fails the build; called at load, so that the compiler reaches them. */
export function checkArena(): void {
  if (L.ARENA_END > L.MEMORY_PAGES * 65536) ERROR("the arena does not fit the memory");
  if (L.PAIRS_MAX < L.TRACK_CAPACITY * 4) ERROR("pairs must hold several measurements a track");
  if (L.INDEX_BUCKETS & (L.INDEX_BUCKETS - 1)) ERROR("index buckets must be a power of two");
  if (L.MODEL_COUNT != 2) ERROR("the mixing step is written for two models");
  if (L.ANCHOR_COV + L.COV_SIZE > L.ANCHOR_STRIDE) ERROR("an anchor does not fit its row");
  if (L.SENSOR_SCANS >= L.SENSOR_STRIDE) ERROR("a sensor does not fit its row");
  if ((L.MEAS_TRACK_KEY | L.ENDED | L.OUT | L.EXPLAIN_PAIR | L.EXPLAIN_TRACK) & 7)
    ERROR("the host reads f64 at multiples of 8");
  checkScratch();
  assert(__heap_base <= <usize>L.ARENA_START);
}

/** The SCRATCH section of layout.ts: each overlay ends inside the table that it is laid over. */
function checkScratch(): void {
  const rows = L.TRACK_CAPACITY, measurements = L.SCAN_MEASUREMENTS_MAX;
  if (L.GATE_CLAIM_HEAD + L.INDEX_BUCKETS * 4 > L.CLUSTER_MEMBER) ERROR("GATE_CLAIM_HEAD does not fit CLUSTER_PARENT");
  if (L.GATE_CLAIM_NEXT + measurements * 4 > L.PAIR_MEAS) ERROR("GATE_CLAIM_NEXT does not fit CLUSTER_NUMBER");
  if (L.GATE_CLAIM_SHARE + measurements * 8 > L.MEAS_CELL_X) ERROR("GATE_CLAIM_SHARE does not fit MEAS_SUM");
  if (L.RAYS_ROW + rows * 4 > L.CLUSTER_START) ERROR("RAYS_ROW does not fit CLUSTER_MEMBER");
  if (L.SWEEP_MERGE_HEAD + L.INDEX_BUCKETS * 4 > L.WORK) ERROR("SWEEP_MERGE_HEAD does not fit INDEX_HEAD");
  if (L.SWEEP_MERGE_NEXT + rows * 4 > L.CLUSTER_MEMBER) ERROR("SWEEP_MERGE_NEXT does not fit CLUSTER_PARENT");
  if (L.SWEEP_SURVIVOR + rows * 8 > L.CLUSTER_PARENT) ERROR("SWEEP_SURVIVOR does not fit CAND_B0");
  if (L.SWEEP_SURVIVOR_KEY + rows * 8 > L.CAND_B0) ERROR("SWEEP_SURVIVOR_KEY does not fit CAND_W0");
  if (L.SWEEP_HEAP + rows * 4 > L.CLUSTER_START) ERROR("SWEEP_HEAP does not fit CLUSTER_MEMBER");
  if (L.SWEEP_PLACE + rows * 4 > L.PAIR_MEAS) ERROR("SWEEP_PLACE does not fit CLUSTER_NUMBER");
}
