/**
 * The record of one scan for explaining it: each pair inside a gate with its likelihood, and each candidate and each ray
 * before and after. Off unless the host asks for it.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, intAt, meanOf, modelOf, set } from "./arena";
import { averageLikelihood, gateLimit } from "./gate";
import { combine, LN_2PI } from "./linalg";
import { componentsIn } from "./measure";

/** Keeps a logarithm finite. */
const LIKELIHOOD_MIN: f64 = 1e-300;

export let explainOn: bool = false;
export let explainPairs: i32 = 0;
export let explainTracks: i32 = 0;

export function setExplain(on: bool): void {
  explainOn = on;
}

export function clearExplain(): void {
  explainPairs = 0;
  explainTracks = 0;
}

function putCombined(row: i32, x: usize, p: usize): void {
  combine(get(modelOf(row), 1), meanOf(row, 0), covOf(row, 0), meanOf(row, 1), covOf(row, 1), x, p);
}

// @ts-ignore: decorator
@inline
function record(index: i32): usize {
  return <usize>L.EXPLAIN_TRACK + <usize>(index * L.EXPLAIN_TRACK_STRIDE * 8);
}

/** A pair inside a gate: squared distance and its limit, log-likelihood, the track's probability of detection. */
function putPair(meas: i32, row: i32, d2: f64, limit: f64, logL: f64, pd: f64): void {
  if (explainPairs >= L.EXPLAIN_PAIRS_MAX) return;
  const address = <usize>L.EXPLAIN_PAIR + <usize>(explainPairs++ * L.EXPLAIN_PAIR_STRIDE * 8);
  set(address, L.EXPLAIN_PAIR_MEAS, meas);
  set(address, L.EXPLAIN_PAIR_TRACK_KEY, at(L.TRACK_KEY, row));
  set(address, L.EXPLAIN_PAIR_D2, d2);
  set(address, L.EXPLAIN_PAIR_LIMIT, limit);
  set(address, L.EXPLAIN_PAIR_LOG_L, logL);
  set(address, L.EXPLAIN_PAIR_PD, pd);
}

function putBefore(r: usize, row: i32): void {
  set(r, L.EXPLAIN_KEY, at(L.TRACK_KEY, row));
  set(r, L.EXPLAIN_NIS, 0);
  set(r, L.EXPLAIN_EXISTENCE_BEFORE, at(L.TRACK_EXISTENCE, row));
  set(r, L.EXPLAIN_STATUS_BEFORE, at(L.TRACK_STATUS_CODE, row));
  for (let m = 0; m < L.MODEL_COUNT; m++) set(r, L.EXPLAIN_MODELS_BEFORE + m, get(modelOf(row), m));
  putCombined(row, r + L.EXPLAIN_MEAN_BEFORE * 8, r + L.EXPLAIN_COV_BEFORE * 8);
}

function putAfter(r: usize, row: i32, missed: bool): void {
  set(r, L.EXPLAIN_EXISTENCE_AFTER, at(L.TRACK_EXISTENCE, row));
  set(r, L.EXPLAIN_STATUS_AFTER, at(L.TRACK_STATUS_CODE, row));
  set(r, L.EXPLAIN_MISSED, missed ? 1.0 : 0.0);
  set(r, L.EXPLAIN_RAY, at(L.TRACK_RAY, row));
  for (let m = 0; m < L.MODEL_COUNT; m++) set(r, L.EXPLAIN_MODELS_AFTER + m, get(modelOf(row), m));
  putCombined(row, r + L.EXPLAIN_MEAN_AFTER * 8, r + L.EXPLAIN_COV_AFTER * 8);
}

/** The i-th ray of the scan before its bearings. The rays stand behind the candidates, which are complete by then. */
export function explainRayBefore(i: i32, row: i32): void {
  if (explainTracks + i < L.EXPLAIN_TRACKS_MAX) putBefore(record(explainTracks + i), row);
}

/** A bearing updates the i-th ray: squared distance and its limit, variance of the difference, rad^2. */
export function explainRayFed(i: i32, row: i32, meas: i32, d2: f64, limit: f64, variance: f64): void {
  if (explainTracks + i < L.EXPLAIN_TRACKS_MAX) set(record(explainTracks + i), L.EXPLAIN_NIS, d2);
  putPair(meas, row, d2, limit, -0.5 * (d2 + LN_2PI + Math.log(variance)), NaN);
}

/** The i-th ray, after the scan. */
export function explainRayAfter(i: i32, row: i32, missed: bool): void {
  if (explainTracks + i < L.EXPLAIN_TRACKS_MAX) putAfter(record(explainTracks + i), row, missed);
}

/** All `count` rays of the scan are complete. */
export function explainRaysEnd(count: i32): void {
  explainTracks = min(explainTracks + count, L.EXPLAIN_TRACKS_MAX);
}

/** The candidate's pairs, and its row before the update. */
export function explainBefore(c: i32, row: i32): void {
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
    const meas = intAt(L.PAIR_MEAS, p);
    const logL = Math.log(Math.max(averageLikelihood(row, p), LIKELIHOOD_MIN));
    putPair(meas, row, at(L.PAIR_D2, p), gateLimit(componentsIn(meas)), logL, at(L.CAND_PD, c));
  }
  if (explainTracks < L.EXPLAIN_TRACKS_MAX) putBefore(record(explainTracks), row);
}

/** Completes the record of the same candidate after the update; `pair` is its likeliest one, or -1. */
export function explainAfter(row: i32, pair: i32, detected: f64): void {
  if (explainTracks >= L.EXPLAIN_TRACKS_MAX) return;
  const r = record(explainTracks++);
  if (pair >= 0) set(r, L.EXPLAIN_NIS, at(L.PAIR_D2, pair));
  putAfter(r, row, detected <= PHYSICS.HIT_PROBABILITY);
}
