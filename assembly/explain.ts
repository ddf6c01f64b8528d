/** Records of one scan for whoever watches: gates, likelihoods, and each touched track before and after. Off by default. */
import * as L from "./layout";
import { at, covOf, get, intAt, meanOf, modelOf, set } from "./arena";
import { gateLimit } from "./gate";
import { isPresent } from "./measure";

export let explainOn: bool = false;
export let explainPairs: i32 = 0;
export let explainTracks: i32 = 0;

/** Places in a track's record. */
const MODELS_BEFORE = 8, MODELS_AFTER = 10, MEAN_BEFORE = 12, COV_BEFORE = 18, MEAN_AFTER = 39, COV_AFTER = 45;

export function setExplain(on: bool): void {
  explainOn = on;
}

export function clearExplain(): void {
  explainPairs = 0;
  explainTracks = 0;
}

/** Mean and covariance over the models. */
function putCombined(row: i32, mean: usize, cov: usize): void {
  const w = get(modelOf(row), 1);
  const x0 = meanOf(row, 0), x1 = meanOf(row, 1), p0 = covOf(row, 0), p1 = covOf(row, 1);
  for (let i = 0; i < 6; i++) set(mean, i, get(x0, i) + w * (get(x1, i) - get(x0, i)));
  let k = 0;
  for (let i = 0; i < 6; i++) {
    for (let j = i; j < 6; j++, k++) {
      const spread = w * (1.0 - w) * (get(x1, i) - get(x0, i)) * (get(x1, j) - get(x0, j));
      set(cov, k, get(p0, k) + w * (get(p1, k) - get(p0, k)) + spread);
    }
  }
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
    set(address, 0, meas);
    set(address, 1, at(L.TRACK_KEY, row));
    set(address, 2, at(L.PAIR_D2, p));
    set(address, 3, gateLimit(dof));
    const l = <usize>L.PAIR_L + <usize>(p * L.MODEL_COUNT * 8);
    set(address, 4, Math.log(Math.max(get(modelOf(row), 0) * get(l, 0) + get(modelOf(row), 1) * get(l, 1), 1e-300)));
    set(address, 5, at(L.CAND_PD, c));
  }
  if (explainTracks >= L.EXPLAIN_TRACKS_MAX) return;
  const r = record(explainTracks);
  set(r, 0, at(L.TRACK_KEY, row));
  set(r, 2, at(L.TRACK_EXISTENCE, row));
  set(r, 4, at(L.TRACK_STATUS_CODE, row));
  for (let m = 0; m < 2; m++) set(r, MODELS_BEFORE + m, get(modelOf(row), m));
  putCombined(row, r + MEAN_BEFORE * 8, r + COV_BEFORE * 8);
}

export function explainAfter(c: i32, row: i32, pair: i32, detected: f64): void {
  if (explainTracks >= L.EXPLAIN_TRACKS_MAX) return;
  const r = record(explainTracks);
  set(r, 1, pair >= 0 ? at(L.PAIR_D2, pair) : 0.0);
  set(r, 3, at(L.TRACK_EXISTENCE, row));
  set(r, 5, at(L.TRACK_STATUS_CODE, row));
  set(r, 6, detected > 0.5 ? 0.0 : 1.0);
  set(r, 7, at(L.TRACK_RAY, row));
  for (let m = 0; m < 2; m++) set(r, MODELS_AFTER + m, get(modelOf(row), m));
  putCombined(row, r + MEAN_AFTER * 8, r + COV_AFTER * 8);
  explainTracks++;
}
