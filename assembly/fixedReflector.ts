/**
 * Fixed reflectors: masts and buildings give a radar plots of a target that never moves. Each track has a second
 * hypothesis, "it stands still", from its first plot on. Once the track has moved that is settled for good, so a drone
 * that hovers later stays a drone.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, put, set } from "./arena";
import { averageLikelihood } from "./gate";
import { choleskyDeterminant, LN_2PI, P_EE, P_EN, P_EU, P_NN, P_NU, P_UU, V_EE, V_NN, V_UU, whiten } from "./linalg";
import { EL, innovationSystem, isPresent, PAIR_INNOVATION, PAIR_SYSTEM, project, scanKind } from "./measure";
import { updateGaussian } from "./update";

const X: usize = L.WORK_REFLECTOR; // 6
const P: usize = L.WORK_REFLECTOR + 8 * 8; // 21
const Z: usize = L.WORK_REFLECTOR + 32 * 8; // 6
const S: usize = L.WORK_REFLECTOR + 40 * 8; // 21

/** Keeps a logarithm finite. */
const LIKELIHOOD_MIN: f64 = 1e-300;

/** The state of the hypothesis: its position, no velocity, and a velocity variance near 0. */
function loadReflector(row: i32): void {
  memory.fill(P, 0, L.COV_BYTES);
  for (let k = 0; k < 3; k++) {
    set(X, k, at(L.TRACK_REFLECTOR_MEAN, row * 3 + k));
    set(X, k + 3, 0);
  }
  const c = row * 6;
  set(P, P_EE, at(L.TRACK_REFLECTOR_COV, c));
  set(P, P_EN, at(L.TRACK_REFLECTOR_COV, c + 1));
  set(P, P_EU, at(L.TRACK_REFLECTOR_COV, c + 2));
  set(P, P_NN, at(L.TRACK_REFLECTOR_COV, c + 3));
  set(P, P_NU, at(L.TRACK_REFLECTOR_COV, c + 4));
  set(P, P_UU, at(L.TRACK_REFLECTOR_COV, c + 5));
  set(P, V_EE, PHYSICS.REFLECTOR_SPEED_VARIANCE);
  set(P, V_NN, PHYSICS.REFLECTOR_SPEED_VARIANCE);
  set(P, V_UU, PHYSICS.REFLECTOR_SPEED_VARIANCE);
}

function storeReflector(row: i32): void {
  for (let k = 0; k < 3; k++) put(L.TRACK_REFLECTOR_MEAN, row * 3 + k, get(X, k));
  const c = row * 6;
  put(L.TRACK_REFLECTOR_COV, c, get(P, P_EE));
  put(L.TRACK_REFLECTOR_COV, c + 1, get(P, P_EN));
  put(L.TRACK_REFLECTOR_COV, c + 2, get(P, P_EU));
  put(L.TRACK_REFLECTOR_COV, c + 3, get(P, P_NN));
  put(L.TRACK_REFLECTOR_COV, c + 4, get(P, P_NU));
  put(L.TRACK_REFLECTOR_COV, c + 5, get(P, P_UU));
}

/** The hypothesis starts with the position of the track's first plot. */
export function startReflector(row: i32, x: usize, p: usize): void {
  memory.copy(X, x, L.STATE_BYTES);
  memory.copy(P, p, L.COV_BYTES);
  storeReflector(row);
}

/**
 * Adds the log-likelihood ratio of a measurement to the log-odds of the hypothesis,
 *   step = ln p(z | stands still) - ln p(z | track),  ln p = -(d^2 + n ln(2 pi) + ln |S|) / 2
 * bounded, so that a single odd plot decides nothing.
 */
export function weighReflector(row: i32, meas: i32, pair: i32): void {
  const logit = at(L.TRACK_REFLECTOR_LOGIT, row);
  if (logit <= PHYSICS.REFLECTOR_SETTLED || scanKind != L.MEAS_KIND_SPHERICAL || !isPresent(meas, EL)) return;
  loadReflector(row);
  project(X, P, Z, S);
  const dof = innovationSystem(meas, Z, S);
  const d2 = whiten(dof, PAIR_SYSTEM, PAIR_INNOVATION);
  // Where rounding leaves S without an inverse, the measurement says nothing about the hypothesis.
  if (d2 == Infinity) return;
  const standing = -0.5 * (d2 + <f64>dof * LN_2PI + Math.log(choleskyDeterminant));
  const moving = averageLikelihood(row, pair);
  const step = standing - Math.log(Math.max(moving, LIKELIHOOD_MIN));
  const next = logit + Math.min(Math.max(step, -PHYSICS.REFLECTOR_STEP_MAX), PHYSICS.REFLECTOR_STEP_MAX);
  put(L.TRACK_REFLECTOR_LOGIT, row, Math.min(next, PHYSICS.REFLECTOR_LOGIT_MAX));
  if (next <= PHYSICS.REFLECTOR_SETTLED) return;
  updateGaussian(X, P, meas);
  storeReflector(row);
}
