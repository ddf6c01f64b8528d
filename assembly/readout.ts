/** The track table as the host reads it: models combined and predicted to a time, into OUT. The state does not change. */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, meanOf, modelOf, set, trackCount } from "./arena";
import { combine, P_EE, P_EN, P_EU, P_NN, P_NU, P_UU, V_EE, V_EN, V_EU, V_NN, V_NU, V_UU } from "./linalg";
import { moveConstantVelocity, RAY_PSD } from "./predict";

const X: usize = L.WORK_READOUT; // 2 x 6, of both models
const P: usize = L.WORK_READOUT + 16 * 8; // 2 x 21
const X_BOTH: usize = L.WORK_READOUT + 58 * 8; // 6, combined
const P_BOTH: usize = L.WORK_READOUT + 64 * 8; // 21

/** The row's models in X, P, moved by dtS; back in time where it is negative. */
function copyMoved(row: i32, dtS: f64): void {
  memory.copy(X, meanOf(row, 0), L.MODEL_COUNT * L.STATE_BYTES);
  memory.copy(P, covOf(row, 0), L.MODEL_COUNT * L.COV_BYTES);
  if (dtS == 0) return;
  const ray = at(L.TRACK_RAY, row) != 0;
  moveConstantVelocity(X, P, dtS, ray ? RAY_PSD : PHYSICS.QUIET_PSD_H, ray ? RAY_PSD : PHYSICS.QUIET_PSD_V);
  if (!ray) moveConstantVelocity(X + L.STATE_BYTES, P + L.COV_BYTES, dtS, PHYSICS.MANOEUVRE_PSD_H, PHYSICS.MANOEUVRE_PSD_V);
}

function putCovariances(out: usize): void {
  set(out, L.OUT_COV_POS, get(P_BOTH, P_EE));
  set(out, L.OUT_COV_POS + 1, get(P_BOTH, P_EN));
  set(out, L.OUT_COV_POS + 2, get(P_BOTH, P_EU));
  set(out, L.OUT_COV_POS + 3, get(P_BOTH, P_NN));
  set(out, L.OUT_COV_POS + 4, get(P_BOTH, P_NU));
  set(out, L.OUT_COV_POS + 5, get(P_BOTH, P_UU));
  set(out, L.OUT_COV_VEL, get(P_BOTH, V_EE));
  set(out, L.OUT_COV_VEL + 1, get(P_BOTH, V_EN));
  set(out, L.OUT_COV_VEL + 2, get(P_BOTH, V_EU));
  set(out, L.OUT_COV_VEL + 3, get(P_BOTH, V_NN));
  set(out, L.OUT_COV_VEL + 4, get(P_BOTH, V_NU));
  set(out, L.OUT_COV_VEL + 5, get(P_BOTH, V_UU));
}

function readRow(row: i32, atUs: f64): void {
  const out = <usize>L.OUT + <usize>(row * L.OUT_STRIDE * 8);
  copyMoved(row, (atUs - at(L.TRACK_TIME_US, row)) * 1e-6);
  const ray = at(L.TRACK_RAY, row) != 0;
  const w = ray ? 0.0 : get(modelOf(row), 1);
  combine(w, X, P, X + L.STATE_BYTES, P + L.COV_BYTES, X_BOTH, P_BOTH);
  memory.copy(out + L.OUT_MEAN * 8, X_BOTH, L.STATE_BYTES);
  putCovariances(out);
  set(out, L.OUT_EXISTENCE, at(L.TRACK_EXISTENCE, row));
  set(out, L.OUT_MANOEUVRE, w);
  set(out, L.OUT_RAY_AZ, ray ? get(X, 0) : 0.0);
  set(out, L.OUT_RAY_EL, ray ? get(X, 1) : 0.0);
  set(out, L.OUT_RAY_SIGMA, ray ? Math.sqrt(Math.max(get(P, P_EE), 0)) : 0.0);
}

/** Fills OUT with the tracks at `atUs` and returns their number. Cost: about 0.2 us a row. */
export function readTracks(atUs: f64): i32 {
  assert(Math.abs(atUs) < Infinity, "a reading has a time");
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) readRow(row, atUs);
  return tracks;
}
