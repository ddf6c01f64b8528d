/**
 * Fixed reflectors (masts, buildings) look like targets that never move. Each track carries the rival hypothesis "it
 * stands still" from its first plot; once it has moved it is never asked again, so a drone that hovers later stays.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, measAt, modelOf, put, set } from "./arena";
import { choleskyDeterminant, whiten } from "./linalg";
import { innovationSystem, isPresent, PAIR_INNOVATION, PAIR_SYSTEM, project, scanKind } from "./measure";
import { updateGaussian } from "./update";

const X: usize = L.WORK_STATIC; // 6
const P: usize = L.WORK_STATIC + 8 * 8; // 21
const Z: usize = L.WORK_STATIC + 32 * 8; // 6
const S: usize = L.WORK_STATIC + 40 * 8; // 21
const LN_2PI: f64 = 1.8378770664093453;

/** Loads the standing state: no velocity, and next to none of its uncertainty. */
function loadStanding(row: i32): void {
  memory.fill(P, 0, L.COV_SIZE * 8);
  for (let k = 0; k < 3; k++) {
    set(X, k, at(L.TRACK_STATIC_MEAN, row * 3 + k));
    set(X, k + 3, 0);
  }
  const c = row * 6;
  set(P, 0, at(L.TRACK_STATIC_COV, c));
  set(P, 1, at(L.TRACK_STATIC_COV, c + 1));
  set(P, 2, at(L.TRACK_STATIC_COV, c + 2));
  set(P, 6, at(L.TRACK_STATIC_COV, c + 3));
  set(P, 7, at(L.TRACK_STATIC_COV, c + 4));
  set(P, 11, at(L.TRACK_STATIC_COV, c + 5));
  set(P, 15, PHYSICS.STATIC_SPEED_VARIANCE);
  set(P, 18, PHYSICS.STATIC_SPEED_VARIANCE);
  set(P, 20, PHYSICS.STATIC_SPEED_VARIANCE);
}

function storeStanding(row: i32): void {
  for (let k = 0; k < 3; k++) put(L.TRACK_STATIC_MEAN, row * 3 + k, get(X, k));
  const c = row * 6;
  put(L.TRACK_STATIC_COV, c, get(P, 0));
  put(L.TRACK_STATIC_COV, c + 1, get(P, 1));
  put(L.TRACK_STATIC_COV, c + 2, get(P, 2));
  put(L.TRACK_STATIC_COV, c + 3, get(P, 6));
  put(L.TRACK_STATIC_COV, c + 4, get(P, 7));
  put(L.TRACK_STATIC_COV, c + 5, get(P, 11));
}

/** The rival starts where the track starts: at the position of its first plot. */
export function startStanding(row: i32, x: usize, p: usize): void {
  memory.copy(X, x, 48);
  memory.copy(P, p, L.COV_SIZE * 8);
  storeStanding(row);
}

/** Weighs the measurement under "stands still" against the track's own prediction. */
export function judgeStatic(row: i32, meas: i32, pair: i32): void {
  const logit = at(L.TRACK_STATIC_LOGIT, row);
  if (logit <= PHYSICS.STATIC_SETTLED || scanKind != L.MEAS_KIND_SPHERICAL || !isPresent(meas, 1)) return;
  loadStanding(row);
  project(X, P, Z, S);
  const dof = innovationSystem(meas, Z, S);
  const d2 = whiten(dof, PAIR_SYSTEM, PAIR_INNOVATION);
  const standing = -0.5 * (d2 + <f64>dof * LN_2PI + Math.log(choleskyDeterminant));
  const l = <usize>L.PAIR_L + <usize>(pair * L.MODEL_COUNT * 8);
  const moving = get(modelOf(row), 0) * get(l, 0) + get(modelOf(row), 1) * get(l, 1);
  const step = standing - Math.log(Math.max(moving, 1e-300));
  const next = logit + Math.min(Math.max(step, -PHYSICS.STATIC_STEP_MAX), PHYSICS.STATIC_STEP_MAX);
  put(L.TRACK_STATIC_LOGIT, row, Math.min(next, PHYSICS.STATIC_LOGIT_MAX));
  if (next <= PHYSICS.STATIC_SETTLED) return;
  updateGaussian(X, P, meas);
  storeStanding(row);
}
