/**
 * Moves one track to a time: IMM mixing, constant-velocity motion, survival. Knows tracks, not sensors.
 * Sources: Blom & Bar-Shalom, "The interacting multiple model algorithm for systems with Markovian switching
 * coefficients", IEEE TAC 33(8), 1988; Bar-Shalom, Li, Kirubarajan, Wiley 2001, ch. 6 (white-noise acceleration).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, isRow, meanOf, modelOf, put, set } from "./arena";
import {
  C_EE, C_EN, C_EU, C_NE, C_NN, C_NU, C_UE, C_UN, C_UU, P_EE, P_EN, P_EU, P_NN, P_NU, P_UU, V_EE, V_EN, V_EU, V_NN, V_NU, V_UU,
} from "./linalg";

const DIFFERENCE: usize = L.WORK_PREDICT; // 6

/** Markov switching over dt in continuous time, so that two short steps equal one long one. */
function mixModels(row: i32, dtS: f64): void {
  const total = 1.0 / PHYSICS.QUIET_SOJOURN_S + 1.0 / PHYSICS.MANOEUVRE_SOJOURN_S;
  const settled = 1.0 - Math.exp(-dtS * total);
  const leaveQuiet = settled * (1.0 / PHYSICS.QUIET_SOJOURN_S / total);
  const leaveManoeuvre = settled * (1.0 / PHYSICS.MANOEUVRE_SOJOURN_S / total);
  const models = modelOf(row);
  const quiet = get(models, 0);
  const manoeuvre = get(models, 1);
  const newQuiet = quiet * (1.0 - leaveQuiet) + manoeuvre * leaveManoeuvre;
  const newManoeuvre = quiet * leaveQuiet + manoeuvre * (1.0 - leaveManoeuvre);
  // Share of the other model in each mixed one.
  const intoQuiet = (manoeuvre * leaveManoeuvre) / newQuiet;
  const intoManoeuvre = (quiet * leaveQuiet) / newManoeuvre;
  const x0 = meanOf(row, 0);
  const x1 = meanOf(row, 1);
  const p0 = covOf(row, 0);
  const p1 = covOf(row, 1);
  for (let i = 0; i < 6; i++) {
    const a = get(x0, i);
    const d = get(x1, i) - a;
    set(DIFFERENCE, i, d);
    set(x0, i, a + intoQuiet * d);
    set(x1, i, a + (1.0 - intoManoeuvre) * d);
  }
  const spread0 = intoQuiet * (1.0 - intoQuiet);
  const spread1 = intoManoeuvre * (1.0 - intoManoeuvre);
  let k = 0;
  for (let i = 0; i < 6; i++) {
    const di = get(DIFFERENCE, i);
    for (let j = i; j < 6; j++, k++) {
      const a = get(p0, k);
      const b = get(p1, k);
      const dd = di * get(DIFFERENCE, j);
      set(p0, k, a + intoQuiet * (b - a) + spread0 * dd);
      set(p1, k, b + intoManoeuvre * (a - b) + spread1 * dd);
    }
  }
  set(models, 0, newQuiet);
  set(models, 1, newManoeuvre);
}

/** x, P over dt under constant velocity with acceleration noise densities qH, qV. */
export function moveConstantVelocity(x: usize, p: usize, t: f64, qH: f64, qV: f64): void {
  set(x, 0, get(x, 0) + t * get(x, 3));
  set(x, 1, get(x, 1) + t * get(x, 4));
  set(x, 2, get(x, 2) + t * get(x, 5));
  const t2 = t * t;
  const c0 = get(p, V_EE), c1 = get(p, V_EN), c2 = get(p, V_EU), c3 = get(p, V_NN), c4 = get(p, V_NU), c5 = get(p, V_UU);
  const b00 = get(p, C_EE), b01 = get(p, C_EN), b02 = get(p, C_EU);
  const b10 = get(p, C_NE), b11 = get(p, C_NN), b12 = get(p, C_NU);
  const b20 = get(p, C_UE), b21 = get(p, C_UN), b22 = get(p, C_UU);
  const at3 = Math.abs(t) * t2 / 3.0;
  set(p, P_EE, get(p, P_EE) + t * (b00 + b00) + t2 * c0 + qH * at3);
  set(p, P_EN, get(p, P_EN) + t * (b01 + b10) + t2 * c1);
  set(p, P_EU, get(p, P_EU) + t * (b02 + b20) + t2 * c2);
  set(p, P_NN, get(p, P_NN) + t * (b11 + b11) + t2 * c3 + qH * at3);
  set(p, P_NU, get(p, P_NU) + t * (b12 + b21) + t2 * c4);
  set(p, P_UU, get(p, P_UU) + t * (b22 + b22) + t2 * c5 + qV * at3);
  const half = t2 * 0.5;
  set(p, C_EE, b00 + t * c0 + qH * half);
  set(p, C_EN, b01 + t * c1);
  set(p, C_EU, b02 + t * c2);
  set(p, C_NE, b10 + t * c1);
  set(p, C_NN, b11 + t * c3 + qH * half);
  set(p, C_NU, b12 + t * c4);
  set(p, C_UE, b20 + t * c2);
  set(p, C_UN, b21 + t * c4);
  set(p, C_UU, b22 + t * c5 + qV * half);
  const step = Math.abs(t);
  set(p, V_EE, c0 + qH * step);
  set(p, V_NN, c3 + qH * step);
  set(p, V_UU, c5 + qV * step);
}

/** A ray turns steadily: noise of the angles' rates, rad^2/s^3. */
export const RAY_PSD: f64 = 1e-4;

/** Moves row to timeUs; never back. Cost: about 250 multiplications. */
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
