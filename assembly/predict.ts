/**
 * Moves one track to a time: mixing of its motion models, constant-velocity motion, survival. Knows tracks, not sensors.
 * Sources: Blom & Bar-Shalom, "The interacting multiple model algorithm for systems with Markovian switching
 * coefficients", IEEE TAC 33(8), 1988; Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and
 * Navigation", Wiley 2001, ch. 6 (white-noise acceleration) and ch. 11 (multiple models).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, isRow, meanOf, modelOf, put, set } from "./arena";
import {
  C_EE, C_EN, C_EU, C_NE, C_NN, C_NU, C_UE, C_UN, C_UU,
  P_EE, P_EN, P_EU, P_NN, P_NU, P_UU,
  V_EE, V_EN, V_EU, V_NN, V_NU, V_UU,
} from "./linalg";

const DIFFERENCE: usize = L.WORK_PREDICT; // 6

/**
 * Mixing step of the IMM. Models 0 (quiet) and 1 (manoeuvring) switch as a Markov chain in continuous time with the mean
 * sojourns T0 and T1, so that two short steps mix as much as one long one. Over a time t, with the rate c = 1/T0 + 1/T1:
 *
 *   p01 = (1 - exp(-c t)) / (c T0)            probability of switching from 0 to 1; p10 with T1
 *   mu_j' = sum over i of p_ij mu_i           model probabilities
 *   w_ij  = p_ij mu_i / mu_j'                 share of model i in the mixed model j
 *   x_j'  = sum over i of w_ij x_i
 *   P_j'  = sum over i of w_ij (P_i + (x_i - x_j')(x_i - x_j')')
 *
 * For two models the spread of the means is w (1 - w) d d' with d = x_1 - x_0 and w the share of the other model.
 */
function mixModels(row: i32, t: f64): void {
  const rate = 1.0 / PHYSICS.QUIET_SOJOURN_S + 1.0 / PHYSICS.MANOEUVRE_SOJOURN_S;
  const settled = 1.0 - Math.exp(-t * rate);
  const p01 = settled * (1.0 / PHYSICS.QUIET_SOJOURN_S / rate);
  const p10 = settled * (1.0 / PHYSICS.MANOEUVRE_SOJOURN_S / rate);
  const models = modelOf(row);
  const mu0 = get(models, 0);
  const mu1 = get(models, 1);
  const newMu0 = mu0 * (1.0 - p01) + mu1 * p10;
  const newMu1 = mu0 * p01 + mu1 * (1.0 - p10);
  const w10 = (mu1 * p10) / newMu0;
  const w01 = (mu0 * p01) / newMu1;
  const x0 = meanOf(row, 0);
  const x1 = meanOf(row, 1);
  const cov0 = covOf(row, 0);
  const cov1 = covOf(row, 1);
  for (let i = 0; i < L.STATE_SIZE; i++) {
    const a = get(x0, i);
    const d = get(x1, i) - a;
    set(DIFFERENCE, i, d);
    set(x0, i, a + w10 * d);
    set(x1, i, a + (1.0 - w01) * d);
  }
  const spread0 = w10 * (1.0 - w10);
  const spread1 = w01 * (1.0 - w01);
  let k = 0;
  for (let i = 0; i < L.STATE_SIZE; i++) {
    const di = get(DIFFERENCE, i);
    for (let j = i; j < L.STATE_SIZE; j++, k++) {
      const a = get(cov0, k);
      const b = get(cov1, k);
      const dd = di * get(DIFFERENCE, j);
      set(cov0, k, a + w10 * (b - a) + spread0 * dd);
      set(cov1, k, b + w01 * (a - b) + spread1 * dd);
    }
  }
  set(models, 0, newMu0);
  set(models, 1, newMu1);
}

/**
 * Constant velocity over a time t with white acceleration noise of density q (m^2/s^3; qH for e and n, qV for u):
 *
 *   x' = F x,  P' = F P F' + Q,  F = [I  t I]    Q of one axis = q [|t|^3/3  t^2/2]
 *                                    [0    I]                      [t^2/2     |t| ]
 *
 * A negative t looks back: the motion is undone, and the noise still grows with the distance in time.
 */
export function moveConstantVelocity(x: usize, p: usize, t: f64, qH: f64, qV: f64): void {
  set(x, 0, get(x, 0) + t * get(x, 3));
  set(x, 1, get(x, 1) + t * get(x, 4));
  set(x, 2, get(x, 2) + t * get(x, 5));
  const vee = get(p, V_EE), ven = get(p, V_EN), veu = get(p, V_EU);
  const vnn = get(p, V_NN), vnu = get(p, V_NU), vuu = get(p, V_UU);
  const cee = get(p, C_EE), cen = get(p, C_EN), ceu = get(p, C_EU);
  const cne = get(p, C_NE), cnn = get(p, C_NN), cnu = get(p, C_NU);
  const cue = get(p, C_UE), cun = get(p, C_UN), cuu = get(p, C_UU);
  const t2 = t * t;
  const third = Math.abs(t) * t2 / 3.0;
  set(p, P_EE, get(p, P_EE) + t * (cee + cee) + t2 * vee + qH * third);
  set(p, P_EN, get(p, P_EN) + t * (cen + cne) + t2 * ven);
  set(p, P_EU, get(p, P_EU) + t * (ceu + cue) + t2 * veu);
  set(p, P_NN, get(p, P_NN) + t * (cnn + cnn) + t2 * vnn + qH * third);
  set(p, P_NU, get(p, P_NU) + t * (cnu + cun) + t2 * vnu);
  set(p, P_UU, get(p, P_UU) + t * (cuu + cuu) + t2 * vuu + qV * third);
  const half = t2 * 0.5;
  set(p, C_EE, cee + t * vee + qH * half);
  set(p, C_EN, cen + t * ven);
  set(p, C_EU, ceu + t * veu);
  set(p, C_NE, cne + t * ven);
  set(p, C_NN, cnn + t * vnn + qH * half);
  set(p, C_NU, cnu + t * vnu);
  set(p, C_UE, cue + t * veu);
  set(p, C_UN, cun + t * vnu);
  set(p, C_UU, cuu + t * vuu + qV * half);
  const step = Math.abs(t);
  set(p, V_EE, vee + qH * step);
  set(p, V_NN, vnn + qH * step);
  set(p, V_UU, vuu + qV * step);
}

/** Noise density of a ray's angle rates, rad^2/s^3. */
export const RAY_PSD: f64 = 1e-4;

/**
 * Moves the row to `timeUs`; a row that is there or later stays as it is. Existence decays with the mean life T of a
 * target in the picture: r' = r exp(-t / T). Cost: about 250 multiplications.
 */
export function predictTrack(row: i32, timeUs: f64): void {
  assert(isRow(row), "a row is inside the track table");
  const dtS = (timeUs - at(L.TRACK_TIME_US, row)) * 1e-6;
  if (dtS <= 0) return;
  const existence = at(L.TRACK_EXISTENCE, row);
  assert(existence >= 0 && existence <= 1, "existence is a probability");
  put(L.TRACK_TIME_US, row, timeUs);
  put(L.TRACK_EXISTENCE, row, existence * Math.exp(-dtS / PHYSICS.SURVIVAL_S));
  if (at(L.TRACK_RAY, row) != 0) {
    moveConstantVelocity(meanOf(row, 0), covOf(row, 0), dtS, RAY_PSD, RAY_PSD);
    return;
  }
  mixModels(row, dtS);
  moveConstantVelocity(meanOf(row, 0), covOf(row, 0), dtS, PHYSICS.QUIET_PSD_H, PHYSICS.QUIET_PSD_V);
  moveConstantVelocity(meanOf(row, 1), covOf(row, 1), dtS, PHYSICS.MANOEUVRE_PSD_H, PHYSICS.MANOEUVRE_PSD_V);
}
