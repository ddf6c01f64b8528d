/** The table as the host reads it: the models combined and moved to a time, in OUT; the state itself stays. */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, meanOf, modelOf, set, trackCount } from "./arena";
import { moveConstantVelocity, RAY_PSD } from "./predict";

const X: usize = L.WORK_READOUT; // 12
const P: usize = L.WORK_READOUT + 16 * 8; // 42

// @ts-ignore: decorator
@inline
function covIndex(i: i32, j: i32): i32 {
  return i * 6 - ((i * (i - 1)) >> 1) + (j - i);
}

function copyMoved(row: i32, dtS: f64): void {
  memory.copy(X, meanOf(row, 0), 96);
  memory.copy(P, covOf(row, 0), 2 * L.COV_SIZE * 8);
  if (dtS == 0) return;
  const ray = at(L.TRACK_RAY, row) != 0;
  moveConstantVelocity(X, P, dtS, ray ? RAY_PSD : PHYSICS.QUIET_PSD_H, ray ? RAY_PSD : PHYSICS.QUIET_PSD_V);
  if (!ray) moveConstantVelocity(X + 48, P + L.COV_SIZE * 8, dtS, PHYSICS.MANOEUVRE_PSD_H, PHYSICS.MANOEUVRE_PSD_V);
}

function putBlock(out: usize, offset: i32, from: i32, weight: f64): void {
  let k = 0;
  for (let i = from; i < from + 3; i++) {
    for (let j = i; j < from + 3; j++, k++) {
      const index = covIndex(i, j);
      const a = get(P, index);
      const b = get(P + L.COV_SIZE * 8, index);
      const spread = weight * (1.0 - weight) * (get(X + 48, i) - get(X, i)) * (get(X + 48, j) - get(X, j));
      set(out, offset + k, a + weight * (b - a) + spread);
    }
  }
}

function readRow(row: i32, atUs: f64): void {
  const out = <usize>L.OUT + <usize>(row * L.OUT_STRIDE * 8);
  copyMoved(row, (atUs - at(L.TRACK_TIME_US, row)) * 1e-6);
  const ray = at(L.TRACK_RAY, row) != 0;
  const w = ray ? 0.0 : get(modelOf(row), 1);
  for (let k = 0; k < 6; k++) set(out, L.OUT_MEAN + k, get(X, k) + w * (get(X + 48, k) - get(X, k)));
  putBlock(out, L.OUT_COV_POS, 0, w);
  putBlock(out, L.OUT_COV_VEL, 3, w);
  set(out, L.OUT_EXISTENCE, at(L.TRACK_EXISTENCE, row));
  set(out, L.OUT_MANOEUVRE, w);
  set(out, L.OUT_RAY_AZ, ray ? get(X, 0) : 0.0);
  set(out, L.OUT_RAY_EL, ray ? get(X, 1) : 0.0);
  set(out, L.OUT_RAY_SIGMA, ray ? Math.sqrt(Math.max(get(P, 0), 0)) : 0.0);
}

/** Returns the number of rows. Cost: about 0.2 us a row. */
export function readTracks(atUs: f64): i32 {
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) readRow(row, atUs);
  return tracks;
}
