/**
 * Association: the marginal probability that track i made measurement j, over all joint explanations of the scan in which
 * each track makes at most one measurement and each measurement is of at most one track. With r the existence of a track,
 * pd its probability of detection, l_ij the likelihood, kappa_j the density of clutter and births:
 *
 *   w_i0 = 1 - r_i pd_i              weight of "not detected"
 *   w_ij = r_i pd_i l_ij / kappa_j   weight of a pair
 *
 * The gating graph falls into clusters without a common measurement, which are solved one by one: a track alone in closed
 * form, several by loopy belief propagation. Knows weights, not states.
 * Sources: Williams & Lau, "Approximate evaluation of marginal association probabilities with belief propagation",
 * IEEE TAES 50(4), 2014; Williams, "Marginal multi-Bernoulli filters", IEEE TAES 51(3), 2015.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, intAt, put, putInt } from "./arena";
import { candCount } from "./gate";

let clusterCount: i32 = 0;

/** Union-find with path halving. */
function rootOf(node: i32): i32 {
  while (intAt(L.CLUSTER_PARENT, node) != node) {
    const above = intAt(L.CLUSTER_PARENT, intAt(L.CLUSTER_PARENT, node));
    putInt(L.CLUSTER_PARENT, node, above);
    node = above;
  }
  return node;
}

/** In: likelihoods in PAIR_W, densities in MEAS_KAPPA. Out: the weights w_ij in PAIR_W and w_i0 in CAND_W0. */
function weigh(): void {
  for (let c = 0; c < candCount; c++) {
    const detected = at(L.TRACK_EXISTENCE, intAt(L.CAND_ROW, c)) * at(L.CAND_PD, c);
    assert(detected >= 0 && detected < 1, "a target can be missed");
    put(L.CAND_W0, c, 1.0 - detected);
    const end = intAt(L.CAND_PAIR, c + 1);
    for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
      put(L.PAIR_W, p, (detected * at(L.PAIR_W, p)) / at(L.MEAS_KAPPA, intAt(L.PAIR_MEAS, p)));
      put(L.PAIR_TO_TRACK, p, 1.0);
    }
  }
}

/**
 * Sorts the candidates by cluster into CLUSTER_START and CLUSTER_MEMBER; members keep their order. Nodes of the graph are
 * the candidates and, behind them, the measurements.
 */
function findClusters(measCount: i32): void {
  const nodes = candCount + measCount;
  for (let i = 0; i < nodes; i++) {
    putInt(L.CLUSTER_PARENT, i, i);
    putInt(L.CLUSTER_NUMBER, i, -1);
  }
  for (let c = 0; c < candCount; c++) {
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) {
      const a = rootOf(c);
      const b = rootOf(candCount + intAt(L.PAIR_MEAS, p));
      if (a < b) putInt(L.CLUSTER_PARENT, b, a);
      else putInt(L.CLUSTER_PARENT, a, b);
    }
  }
  clusterCount = 0;
  for (let c = 0; c < candCount; c++) {
    const root = rootOf(c);
    let number = intAt(L.CLUSTER_NUMBER, root);
    if (number < 0) {
      number = clusterCount++;
      putInt(L.CLUSTER_NUMBER, root, number);
      putInt(L.CLUSTER_START, number, 0);
    }
    putInt(L.CLUSTER_START, number, intAt(L.CLUSTER_START, number) + 1);
  }
  let sum = 0;
  for (let k = 0; k < clusterCount; k++) {
    sum += intAt(L.CLUSTER_START, k);
    putInt(L.CLUSTER_START, k, sum);
  }
  putInt(L.CLUSTER_START, clusterCount, sum);
  for (let c = candCount - 1; c >= 0; c--) {
    const number = intAt(L.CLUSTER_NUMBER, rootOf(c));
    const slot = intAt(L.CLUSTER_START, number) - 1;
    putInt(L.CLUSTER_START, number, slot);
    putInt(L.CLUSTER_MEMBER, slot, c);
  }
}

/** A track alone with its measurements: b_ij = w_ij / (w_i0 + sum over j of w_ij). */
function soloMarginals(c: i32): void {
  const from = intAt(L.CAND_PAIR, c);
  const to = intAt(L.CAND_PAIR, c + 1);
  let total = at(L.CAND_W0, c);
  for (let p = from; p < to; p++) total += at(L.PAIR_W, p);
  assert(total > 0, "some explanation has a weight");
  put(L.CAND_B0, c, at(L.CAND_W0, c) / total);
  for (let p = from; p < to; p++) {
    const b = at(L.PAIR_W, p) / total;
    put(L.PAIR_B, p, b);
    const meas = intAt(L.PAIR_MEAS, p);
    put(L.MEAS_EXPLAINED, meas, at(L.MEAS_EXPLAINED, meas) + b);
  }
}

/** Cap on a message: above it the marginal no longer changes, and sums would lose small terms to rounding. */
const MESSAGE_MAX: f64 = 1e12;

/**
 * w_i0 + sum over j' other than j of w_ij' nu_j'i: what the candidate has besides the pair. By subtraction from `total`;
 * where that would lose all digits the sum is made again.
 */
function othersOf(c: i32, pair: i32, total: f64): f64 {
  const rest = total - at(L.PAIR_W, pair) * at(L.PAIR_TO_TRACK, pair);
  if (rest > 1e-6 * total) return rest;
  let others = at(L.CAND_W0, c);
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) {
    if (p != pair) others += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
  }
  return others;
}

/**
 * One sweep of belief propagation over the members first..last - 1 of a cluster:
 *
 *   mu_ij (PAIR_TO_MEAS)  = w_ij / (w_i0 + sum over j' other than j of w_ij' nu_j'i)
 *   nu_ji (PAIR_TO_TRACK) = 1 / (1 + sum over i' other than i of mu_i'j)
 *
 * mu weighs the pair against the other explanations of the track, nu against the other tracks of the measurement. Returns
 * the largest relative change of a nu. Williams & Lau 2014 prove that the sweeps converge.
 */
function exchangeMessages(first: i32, last: i32): f64 {
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    const end = intAt(L.CAND_PAIR, c + 1);
    for (let p = intAt(L.CAND_PAIR, c); p < end; p++) put(L.MEAS_SUM, intAt(L.PAIR_MEAS, p), 0);
  }
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    let total = at(L.CAND_W0, c);
    const from = intAt(L.CAND_PAIR, c);
    const to = intAt(L.CAND_PAIR, c + 1);
    for (let p = from; p < to; p++) total += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
    for (let p = from; p < to; p++) {
      const message = Math.min(at(L.PAIR_W, p) / othersOf(c, p, total), MESSAGE_MAX);
      put(L.PAIR_TO_MEAS, p, message);
      const meas = intAt(L.PAIR_MEAS, p);
      put(L.MEAS_SUM, meas, at(L.MEAS_SUM, meas) + message);
    }
  }
  let change = 0.0;
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) {
      const meas = intAt(L.PAIR_MEAS, p);
      const others = Math.max(at(L.MEAS_SUM, meas) - at(L.PAIR_TO_MEAS, p), 0);
      const message = 1.0 / (1.0 + others);
      change = Math.max(change, Math.abs(message - at(L.PAIR_TO_TRACK, p)) / message);
      put(L.PAIR_TO_TRACK, p, message);
    }
  }
  return change;
}

/** Marginals of a cluster from converged messages: b_ij = w_ij nu_ji / (w_i0 + sum over j' of w_ij' nu_j'i). */
function beliefMarginals(first: i32, last: i32): void {
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) {
      put(L.PAIR_TO_TRACK, p, 1.0);
    }
  }
  for (let sweep = 0; sweep < PHYSICS.BELIEF_SWEEPS_MAX; sweep++) {
    if (exchangeMessages(first, last) < PHYSICS.BELIEF_CHANGE_MIN) break;
  }
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    const from = intAt(L.CAND_PAIR, c);
    const to = intAt(L.CAND_PAIR, c + 1);
    let total = at(L.CAND_W0, c);
    for (let p = from; p < to; p++) total += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
    assert(total > 0, "some explanation has a weight");
    put(L.CAND_B0, c, at(L.CAND_W0, c) / total);
    for (let p = from; p < to; p++) {
      const b = (at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p)) / total;
      put(L.PAIR_B, p, b);
      const meas = intAt(L.PAIR_MEAS, p);
      put(L.MEAS_EXPLAINED, meas, at(L.MEAS_EXPLAINED, meas) + b);
    }
  }
}

/**
 * Moves weight between the detections of one track towards the likeliest, and keeps their sum D = 1 - b_i0:
 *
 *   b_ij' = D (b_ij / D)^s / sum over j' of (b_ij' / D)^s,  s = MARGINAL_SHARPNESS
 *
 * Not textbook: plain marginals (s = 1) draw tracks that fly close together into their middle, because each is updated by
 * the measurements of both. See docs/adr/0010; with the present kernel s = 1 has a mean GOSPA ratio of 0.846 on the
 * evaluation's scenarios (d1 16.66 m), s = 12 has 0.844 (d1 16.36 m).
 */
function sharpen(c: i32, begin: i32, end: i32): void {
  const detected = 1.0 - at(L.CAND_B0, c);
  if (detected < 1e-9) return;
  const s = PHYSICS.MARGINAL_SHARPNESS;
  let sum = 0.0;
  for (let p = begin; p < end; p++) sum += Math.pow(at(L.PAIR_B, p) / detected, s);
  for (let p = begin; p < end; p++) put(L.PAIR_B, p, (detected * Math.pow(at(L.PAIR_B, p) / detected, s)) / sum);
}

/**
 * Fills PAIR_B and CAND_B0 with the marginals, and MEAS_EXPLAINED with the sum over tracks of each measurement, from the
 * likelihoods in PAIR_W and the densities in MEAS_KAPPA. MEAS_EXPLAINED is of the marginals before they are sharpened.
 */
export function associate(measCount: i32): void {
  weigh();
  for (let m = 0; m < measCount; m++) put(L.MEAS_EXPLAINED, m, 0);
  findClusters(measCount);
  for (let k = 0; k < clusterCount; k++) {
    const first = intAt(L.CLUSTER_START, k);
    const last = intAt(L.CLUSTER_START, k + 1);
    if (last - first == 1) soloMarginals(intAt(L.CLUSTER_MEMBER, first));
    else beliefMarginals(first, last);
  }
  for (let c = 0; c < candCount; c++) {
    const begin = intAt(L.CAND_PAIR, c);
    const end = intAt(L.CAND_PAIR, c + 1);
    if (end - begin > 1) sharpen(c, begin, end);
  }
}

/** The candidate's pair with the largest marginal, or -1 when it has none. */
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

/** Probability that the candidate was detected: the sum of its marginals. */
export function detectedOf(c: i32): f64 {
  let sum = 0.0;
  const end = intAt(L.CAND_PAIR, c + 1);
  for (let p = intAt(L.CAND_PAIR, c); p < end; p++) sum += at(L.PAIR_B, p);
  return sum;
}
