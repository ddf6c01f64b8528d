/**
 * Who made which measurement: marginal probabilities over all joint explanations of a scan, by loopy belief propagation
 * on the graph of pairs. Knows weights, not states.
 * Sources: Williams & Lau, "Approximate evaluation of marginal association probabilities with belief propagation",
 * IEEE TAES 50(4), 2014; Williams, "Marginal multi-Bernoulli filters", IEEE TAES 51(3), 2015.
 */
import * as L from "./layout";
import { at, get, intAt, put, set } from "./arena";
import { candCount, pairCount } from "./gate";

/**
 * Weights from likelihoods: psi = r pd l / kappa for a pair, 1 - r pd for "not detected".
 * In PAIR_W likelihood densities, MEAS_KAPPA densities of everything that is no known track. Out PAIR_W, CAND_W0.
 */
function weigh(): void {
  for (let c = 0; c < candCount; c++) {
    const detected = at(L.TRACK_EXISTENCE, intAt(L.CAND_ROW, c)) * at(L.CAND_PD, c);
    put(L.CAND_W0, c, 1.0 - detected);
    const end = intAt(L.CAND_PAIR, c + 1);
    for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
      put(L.PAIR_W, p, (detected * at(L.PAIR_W, p)) / at(L.MEAS_KAPPA, intAt(L.PAIR_MEAS, p)));
      put(L.PAIR_TO_TRACK, p, 1.0);
    }
  }
}

/** Larger messages say no more, and their sums would lose the small ones. */
const MESSAGE_MAX: f64 = 1e12;

/** Weight of the candidate's other explanations: by subtraction, or anew where that would cancel to nothing. */
function othersOf(c: i32, pair: i32, sum: f64): f64 {
  const rest = sum - at(L.PAIR_W, pair) * at(L.PAIR_TO_TRACK, pair);
  if (rest > 1e-6 * sum) return rest;
  let others = at(L.CAND_W0, c);
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
    if (p != pair) others += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
  }
  return others;
}

/** One sweep of messages; returns the largest change. */
function passMessages(measurements: i32): f64 {
  for (let m = 0; m < measurements; m++) put(L.MEAS_SUM, m, 1.0);
  for (let c = 0; c < candCount; c++) {
    const begin = intAt(L.CAND_PAIR, c);
    const end = intAt(L.CAND_PAIR, c + 1);
    let sum = at(L.CAND_W0, c);
    for (let p = begin; p < end; p++) sum += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
    for (let p = begin; p < end; p++) {
      const w = at(L.PAIR_W, p);
      const message = Math.min(w / othersOf(c, p, sum), MESSAGE_MAX);
      put(L.PAIR_TO_MEAS, p, message);
      const m = intAt(L.PAIR_MEAS, p);
      put(L.MEAS_SUM, m, at(L.MEAS_SUM, m) + message);
    }
  }
  let change = 0.0;
  for (let p = 0; p < pairCount; p++) {
    const next = 1.0 / Math.max(at(L.MEAS_SUM, intAt(L.PAIR_MEAS, p)) - at(L.PAIR_TO_MEAS, p), 1.0);
    change = Math.max(change, Math.abs(next - at(L.PAIR_TO_TRACK, p)));
    put(L.PAIR_TO_TRACK, p, next);
  }
  return change;
}

/**
 * Marginals: PAIR_B for each pair, CAND_B0 for "not detected", MEAS_EXPLAINED for "made by some track".
 * Sharpened by MARGINAL_SHARPNESS: a mixture of close explanations would draw close targets together (coalescence), so
 * the likelier one counts for more than its share; 1 is the plain marginal.
 */
export function associate(measurements: i32): void {
  weigh();
  for (let sweep = 0; sweep < L.BELIEF_SWEEPS_MAX; sweep++) if (passMessages(measurements) < L.BELIEF_CHANGE_MIN) break;
  for (let m = 0; m < measurements; m++) put(L.MEAS_EXPLAINED, m, 1.0 - 1.0 / at(L.MEAS_SUM, m));
  for (let c = 0; c < candCount; c++) {
    const begin = intAt(L.CAND_PAIR, c);
    const end = intAt(L.CAND_PAIR, c + 1);
    let sum = at(L.CAND_W0, c);
    for (let p = begin; p < end; p++) sum += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
    put(L.CAND_B0, c, at(L.CAND_W0, c) / sum);
    for (let p = begin; p < end; p++) put(L.PAIR_B, p, (at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p)) / sum);
    if (end - begin > 1) sharpen(c, begin, end);
  }
}

/** Moves weight between the detections of one track towards the likeliest; their sum stays. */
function sharpen(c: i32, begin: i32, end: i32): void {
  const detected = 1.0 - at(L.CAND_B0, c);
  if (detected < 1e-9) return;
  let sum = 0.0;
  for (let p = begin; p < end; p++) sum += Math.pow(at(L.PAIR_B, p) / detected, L.MARGINAL_SHARPNESS);
  for (let p = begin; p < end; p++) put(L.PAIR_B, p, (detected * Math.pow(at(L.PAIR_B, p) / detected, L.MARGINAL_SHARPNESS)) / sum);
}

/** Largest marginal of a candidate: the pair, or -1 when it has none. */
export function bestPair(c: i32): i32 {
  let best = -1;
  let weight = 0.0;
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
    if (at(L.PAIR_B, p) > weight) {
      weight = at(L.PAIR_B, p);
      best = p;
    }
  }
  return best;
}

/** Probability that the candidate was detected at all. */
export function detectedOf(c: i32): f64 {
  let sum = 0.0;
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) sum += at(L.PAIR_B, p);
  return sum;
}
