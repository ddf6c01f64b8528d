/** Records of one scan for whoever watches: gates, likelihoods, and each touched track before and after. Off by default. */
import * as L from "./layout";
import { at, covOf, get, intAt, meanOf, modelOf, set } from "./arena";
import { averageLikelihood, gateLimit } from "./gate";
import { combine } from "./linalg";
import { isPresent } from "./measure";

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

export function explainBefore(c: i32, row: i32): void {
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end && explainPairs < L.EXPLAIN_PAIRS_MAX; p++, explainPairs++) {
    const meas = intAt(L.PAIR_MEAS, p);
    let dof = 0;
    for (let k = 0; k < 6; k++) if (isPresent(meas, k)) dof++;
    const address = <usize>L.EXPLAIN_PAIR + <usize>(explainPairs * L.EXPLAIN_PAIR_STRIDE * 8);
    set(address, L.EXPLAIN_PAIR_MEAS, meas);
    set(address, L.EXPLAIN_PAIR_TRACK_KEY, at(L.TRACK_KEY, row));
    set(address, L.EXPLAIN_PAIR_D2, at(L.PAIR_D2, p));
    set(address, L.EXPLAIN_PAIR_LIMIT, gateLimit(dof));
    set(address, L.EXPLAIN_PAIR_LOG_L, Math.log(Math.max(averageLikelihood(row, p), 1e-300)));
    set(address, L.EXPLAIN_PAIR_PD, at(L.CAND_PD, c));
  }
  if (explainTracks >= L.EXPLAIN_TRACKS_MAX) return;
  const r = record(explainTracks);
  set(r, L.EXPLAIN_KEY, at(L.TRACK_KEY, row));
  set(r, L.EXPLAIN_EXISTENCE_BEFORE, at(L.TRACK_EXISTENCE, row));
  set(r, L.EXPLAIN_STATUS_BEFORE, at(L.TRACK_STATUS_CODE, row));
  for (let m = 0; m < L.MODEL_COUNT; m++) set(r, L.EXPLAIN_MODELS_BEFORE + m, get(modelOf(row), m));
  putCombined(row, r + L.EXPLAIN_MEAN_BEFORE * 8, r + L.EXPLAIN_COV_BEFORE * 8);
}

export function explainAfter(c: i32, row: i32, pair: i32, detected: f64): void {
  if (explainTracks >= L.EXPLAIN_TRACKS_MAX) return;
  const r = record(explainTracks);
  set(r, L.EXPLAIN_NIS, pair >= 0 ? at(L.PAIR_D2, pair) : 0.0);
  set(r, L.EXPLAIN_EXISTENCE_AFTER, at(L.TRACK_EXISTENCE, row));
  set(r, L.EXPLAIN_STATUS_AFTER, at(L.TRACK_STATUS_CODE, row));
  set(r, L.EXPLAIN_MISSED, detected > 0.5 ? 0.0 : 1.0);
  set(r, L.EXPLAIN_RAY, at(L.TRACK_RAY, row));
  for (let m = 0; m < L.MODEL_COUNT; m++) set(r, L.EXPLAIN_MODELS_AFTER + m, get(modelOf(row), m));
  putCombined(row, r + L.EXPLAIN_MEAN_AFTER * 8, r + L.EXPLAIN_COV_AFTER * 8);
  explainTracks++;
}
