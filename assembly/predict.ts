/**
 * Moves one track to a time: IMM mixing, constant-velocity motion, survival. Knows tracks, not sensors.
 * Sources: Blom & Bar-Shalom, "The interacting multiple model algorithm for systems with Markovian switching
 * coefficients", IEEE TAC 33(8), 1988; Bar-Shalom, Li, Kirubarajan, Wiley 2001, ch. 6 (white-noise acceleration).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, meanOf, modelOf, put, set } from "./arena";

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
  const c0 = get(p, 15), c1 = get(p, 16), c2 = get(p, 17), c3 = get(p, 18), c4 = get(p, 19), c5 = get(p, 20);
  const b00 = get(p, 3), b01 = get(p, 4), b02 = get(p, 5);
  const b10 = get(p, 8), b11 = get(p, 9), b12 = get(p, 10);
  const b20 = get(p, 12), b21 = get(p, 13), b22 = get(p, 14);
  const at3 = Math.abs(t) * t2 / 3.0;
  set(p, 0, get(p, 0) + t * (b00 + b00) + t2 * c0 + qH * at3);
  set(p, 1, get(p, 1) + t * (b01 + b10) + t2 * c1);
  set(p, 2, get(p, 2) + t * (b02 + b20) + t2 * c2);
  set(p, 6, get(p, 6) + t * (b11 + b11) + t2 * c3 + qH * at3);
  set(p, 7, get(p, 7) + t * (b12 + b21) + t2 * c4);
  set(p, 11, get(p, 11) + t * (b22 + b22) + t2 * c5 + qV * at3);
  const half = t2 * 0.5;
  set(p, 3, b00 + t * c0 + qH * half);
  set(p, 4, b01 + t * c1);
  set(p, 5, b02 + t * c2);
  set(p, 8, b10 + t * c1);
  set(p, 9, b11 + t * c3 + qH * half);
  set(p, 10, b12 + t * c4);
  set(p, 12, b20 + t * c2);
  set(p, 13, b21 + t * c4);
  set(p, 14, b22 + t * c5 + qV * half);
  const step = Math.abs(t);
  set(p, 15, c0 + qH * step);
  set(p, 18, c3 + qH * step);
  set(p, 20, c5 + qV * step);
}

/** A ray turns steadily: noise of the angles' rates, rad^2/s^3. */
export const RAY_PSD: f64 = 1e-4;

/** Moves row to timeUs; never back. Cost: about 250 multiplications. */
export function predictTrack(row: i32, timeUs: f64): void {
  const dtS = (timeUs - at(L.TRACK_TIME_US, row)) * 1e-6;
  if (dtS <= 0) return;
  put(L.TRACK_TIME_US, row, timeUs);
  put(L.TRACK_EXISTENCE, row, at(L.TRACK_EXISTENCE, row) * Math.exp(-dtS / PHYSICS.SURVIVAL_S));
  if (at(L.TRACK_RAY, row) != 0) {
    moveConstantVelocity(meanOf(row, 0), covOf(row, 0), dtS, RAY_PSD, RAY_PSD);
    return;
  }
  mixModels(row, dtS);
  moveConstantVelocity(meanOf(row, 0), covOf(row, 0), dtS, PHYSICS.QUIET_PSD_H, PHYSICS.QUIET_PSD_V);
  moveConstantVelocity(meanOf(row, 1), covOf(row, 1), dtS, PHYSICS.MANOEUVRE_PSD_H, PHYSICS.MANOEUVRE_PSD_V);
}
