/**
 * The update of one track by all that may have become of it in a scan: missed, or detected as one of its measurements.
 * The hypotheses of each motion model are moment-matched into one Gaussian. Writes the track's row.
 * Sources: Williams, IEEE TAES 51(3), 2015 (existence); Bar-Shalom, Li, Kirubarajan, Wiley 2001, ch. 11 (IMM).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, intAt, isRow, likelihoodOf, meanOf, modelOf, put, sensorAt, set } from "./arena";
import { averageLikelihood } from "./gate";
import { addMoment, closeMoments, updateGaussian } from "./update";

const ORIGIN: usize = L.WORK_HYPOTHESES; // 6
const X: usize = L.WORK_HYPOTHESES + 8 * 8; // 6
const P: usize = L.WORK_HYPOTHESES + 16 * 8; // 21
const SUM_X: usize = L.WORK_HYPOTHESES + 40 * 8; // 6
const SUM_P: usize = L.WORK_HYPOTHESES + 48 * 8; // 21
/** No motion model is ever excluded: a target can manoeuvre at any time. */
const MODEL_PROBABILITY_MIN: f64 = 0.001;

/**
 * Whether not being detected speaks against the track. A sensor that hears emissions cannot detect what is silent, so its
 * silence counts only for tracks that it heard before, and for those that nothing but such sensors detected.
 */
export function isMissEvidence(row: i32, slot: i32): bool {
  if (sensorAt(slot, L.SENSOR_HEARS_EMISSIONS) == 0) return true;
  let onlyEmissions = true;
  for (let k = row * L.CONTRIBUTORS_MAX; k < (row + 1) * L.CONTRIBUTORS_MAX; k++) {
    const contributor = <i32>at(L.TRACK_CONTRIBUTOR_SLOT, k);
    // A single bearing may be of another emitter in the same direction.
    if (contributor == slot) return at(L.TRACK_CONTRIBUTOR_HITS, k) >= PHYSICS.HEARD_HITS_MIN;
    if (contributor >= 0 && sensorAt(contributor, L.SENSOR_HEARS_EMISSIONS) == 0) onlyEmissions = false;
  }
  return onlyEmissions;
}

/**
 * Existence after the scan: with b0 the probability of "not detected" and D that of "detected",
 *   r' = b0 r (1 - pd) / (1 - r pd) + D
 * Where a miss is no evidence (`complete` is false) the first factor is b0 r.
 */
function existenceAfter(c: i32, row: i32, detected: f64, complete: bool): f64 {
  const r = at(L.TRACK_EXISTENCE, row);
  const pd = at(L.CAND_PD, c);
  const missed = complete ? (r * (1.0 - pd)) / (1.0 - r * pd) : r;
  return Math.min(at(L.CAND_B0, c) * missed + detected, PHYSICS.EXISTENCE_MAX);
}

/**
 * Update of one model, in place: the moment match of "missed", with the weight `missWeight`, and of each pair p, with
 *   w_p = (b_p / r') l_p(model) / l_p,  l_p the likelihood averaged over the models
 * Returns the sum of the weights, by which the model's probability grows.
 */
function updateModel(c: i32, row: i32, model: i32, missWeight: f64, existence: f64): f64 {
  const x = meanOf(row, model);
  const p = covOf(row, model);
  memory.copy(ORIGIN, x, L.STATE_BYTES);
  memory.fill(SUM_X, 0, L.STATE_BYTES);
  memory.fill(SUM_P, 0, L.COV_BYTES);
  let total = missWeight;
  if (missWeight > 0) addMoment(ORIGIN, x, p, missWeight, SUM_X, SUM_P);
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let pair = intAt(L.CAND_PAIR, c); pair < end; pair++) {
    const ratio = likelihoodOf(pair, model) / averageLikelihood(row, pair);
    const w = (at(L.PAIR_B, pair) / existence) * ratio;
    if (w < PHYSICS.HYPOTHESIS_WEIGHT_MIN) continue;
    memory.copy(X, ORIGIN, L.STATE_BYTES);
    memory.copy(P, p, L.COV_BYTES);
    updateGaussian(X, P, intAt(L.PAIR_MEAS, pair));
    addMoment(ORIGIN, X, P, w, SUM_X, SUM_P);
    total += w;
  }
  if (total > 0) closeMoments(ORIGIN, total, SUM_X, SUM_P, x, p);
  return total;
}

/** Updates the candidate's row: existence, both models, their probabilities. Cost: about 400 multiplications a pair. */
export function updateTrack(c: i32, detected: f64, complete: bool): void {
  const row = intAt(L.CAND_ROW, c);
  assert(isRow(row), "a candidate is a row");
  const existence = existenceAfter(c, row, detected, complete);
  assert(existence >= 0 && existence <= 1, "existence is a probability");
  put(L.TRACK_EXISTENCE, row, existence);
  if (detected < PHYSICS.HYPOTHESIS_WEIGHT_MIN || existence <= 0) return;
  const missWeight = Math.max(0.0, 1.0 - detected / existence);
  const models = modelOf(row);
  // averageLikelihood reads the probabilities from before the scan, so they change only after both models were updated.
  const quiet = get(models, 0) * updateModel(c, row, 0, missWeight, existence);
  const manoeuvre = get(models, 1) * updateModel(c, row, 1, missWeight, existence);
  const sum = quiet + manoeuvre;
  if (sum <= 0) return;
  set(models, 0, Math.min(Math.max(quiet / sum, MODEL_PROBABILITY_MIN), 1.0 - MODEL_PROBABILITY_MIN));
  set(models, 1, Math.min(Math.max(manoeuvre / sum, MODEL_PROBABILITY_MIN), 1.0 - MODEL_PROBABILITY_MIN));
}
