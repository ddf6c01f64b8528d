/**
 * Who made which measurement: marginal probabilities over all joint explanations of a scan. The gating graph falls into
 * clusters that do not concern each other: a track alone with its measurements has a closed form, the others exchange
 * messages until they agree, each cluster for itself. Knows weights, not states.
 * Sources: Williams & Lau, "Approximate evaluation of marginal association probabilities with belief propagation",
 * IEEE TAES 50(4), 2014; Williams, "Marginal multi-Bernoulli filters", IEEE TAES 51(3), 2015.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, intAt, put, putInt } from "./arena";
import { candCount } from "./gate";

let clusterCount: i32 = 0;

function rootOf(node: i32): i32 {
  while (intAt(L.CLUSTER_PARENT, node) != node) {
    const above = intAt(L.CLUSTER_PARENT, intAt(L.CLUSTER_PARENT, node));
    putInt(L.CLUSTER_PARENT, node, above);
    node = above;
  }
  return node;
}

/**
 * Weights from likelihoods: psi = r pd l / kappa for a pair, 1 - r pd for "not detected".
 * In PAIR_W likelihood densities, MEAS_KAPPA densities of everything that is no known track. Out PAIR_W, CAND_W0.
 */
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

/** Sorts the candidates by cluster: CLUSTER_START and CLUSTER_MEMBER. Members keep the order of the candidates. */
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

/** One track alone with its measurements: the marginals in closed form. */
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

/** Larger messages say no more, and their sums would lose the small ones. */
const MESSAGE_MAX: f64 = 1e12;

/** Weight of the candidate's other explanations: by subtraction, or anew where that would cancel to nothing. */
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

/** One sweep of messages over a cluster; returns the largest relative change of a message to a track. */
function exchangeMessages(first: i32, last: i32): f64 {
  for (let k = first; k < last; k++) {
    const c = intAt(L.CLUSTER_MEMBER, k);
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) put(L.MEAS_SUM, intAt(L.PAIR_MEAS, p), 0);
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
    let total = at(L.CAND_W0, c);
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) total += at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p);
    assert(total > 0, "some explanation has a weight");
    put(L.CAND_B0, c, at(L.CAND_W0, c) / total);
    for (let p = intAt(L.CAND_PAIR, c); p < intAt(L.CAND_PAIR, c + 1); p++) {
      const b = (at(L.PAIR_W, p) * at(L.PAIR_TO_TRACK, p)) / total;
      put(L.PAIR_B, p, b);
      const meas = intAt(L.PAIR_MEAS, p);
      put(L.MEAS_EXPLAINED, meas, at(L.MEAS_EXPLAINED, meas) + b);
    }
  }
}

/** Moves weight between the detections of one track towards the likeliest; their sum stays. */
function sharpen(c: i32, begin: i32, end: i32): void {
  const detected = 1.0 - at(L.CAND_B0, c);
  if (detected < 1e-9) return;
  let sum = 0.0;
  for (let p = begin; p < end; p++) sum += Math.pow(at(L.PAIR_B, p) / detected, PHYSICS.MARGINAL_SHARPNESS);
  for (let p = begin; p < end; p++) put(L.PAIR_B, p, (detected * Math.pow(at(L.PAIR_B, p) / detected, PHYSICS.MARGINAL_SHARPNESS)) / sum);
}

/** Fills PAIR_B, CAND_B0 and MEAS_EXPLAINED from PAIR_W, CAND_W0 and MEAS_KAPPA. */
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
