/**
 * Claimed identities: which one a track has, by a score of agreement over time (log-odds), never by overwriting; the index
 * of the scan's claims; and how far an aircraft can have flown between two reports of its claim (docs/adr/0012).
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, intAt, isRow, meanOf, measAt, modelOf, put } from "./arena";
import { claimBucket, clearBuckets, pushToBucket } from "./buckets";
import { mix } from "./linalg";

/**
 * The measurement claims an identity, and is the track's with the given probability: the same claim adds it to the score,
 * another one takes it off, and replaces the track's claim when nothing is left.
 */
export function claimTrack(row: i32, meas: i32, probability: f64): void {
  assert(isRow(row), "a row is inside the track table");
  assert(probability > 0 && probability < 1.000001, "a pair is associated with a probability");
  const claim = measAt(meas, L.MEAS_CLAIM);
  if (!(claim > 0)) return;
  const own = at(L.TRACK_CLAIM, row);
  const score = at(L.TRACK_CLAIM_SCORE, row);
  if (own == claim) {
    put(L.TRACK_CLAIM_SCORE, row, Math.min(score + probability, PHYSICS.CLAIM_SCORE_MAX));
  } else if (score - probability <= 0) {
    put(L.TRACK_CLAIM, row, claim);
    put(L.TRACK_CLAIM_SCORE, row, probability);
  } else {
    put(L.TRACK_CLAIM_SCORE, row, score - probability);
  }
}

/** The track's claim once its score is high enough, 0 for none. A ray has none: it has no position to agree with. */
// @ts-ignore: decorator
@inline
export function believedClaim(row: i32): f64 {
  if (at(L.TRACK_RAY, row) != 0 || at(L.TRACK_CLAIM_SCORE, row) < PHYSICS.CLAIM_SCORE_SHOWN) return 0;
  return at(L.TRACK_CLAIM, row);
}

/** Indexes the measurements that claim an identity, each bucket in ascending order. False when there are none. */
export function indexClaims(count: i32): bool {
  let some = false;
  for (let m = 0; m < count && !some; m++) some = measAt(m, L.MEAS_CLAIM) > 0;
  if (!some) return false;
  clearBuckets(L.GATE_CLAIM_HEAD);
  for (let m = count - 1; m >= 0; m--) {
    const claim = measAt(m, L.MEAS_CLAIM);
    if (!(claim > 0)) continue;
    pushToBucket(L.GATE_CLAIM_HEAD, L.GATE_CLAIM_NEXT, claimBucket(claim), m);
  }
  return true;
}

/** First measurement in the claim's bucket, and the next one; negative at the end. A bucket may hold other claims, too. */
// @ts-ignore: decorator
@inline
export function firstClaiming(claim: f64): i32 {
  return intAt(L.GATE_CLAIM_HEAD, claimBucket(claim));
}

// @ts-ignore: decorator
@inline
export function nextClaiming(meas: i32): i32 {
  return intAt(L.GATE_CLAIM_NEXT, meas);
}

/** Component of the track's mean over both models. */
// @ts-ignore: decorator
@inline
function stateOf(row: i32, index: i32): f64 {
  return mix(get(meanOf(row, 0), index), get(meanOf(row, 1), index), get(modelOf(row), 1));
}

/** Position along an axis when the track was last updated: its prediction since then was a straight line. */
export function lastSeen(row: i32, axis: i32): f64 {
  const ageS = (at(L.TRACK_TIME_US, row) - at(L.TRACK_LAST_US, row)) * 1e-6;
  return stateOf(row, axis) - ageS * stateOf(row, axis + 3);
}

/**
 * How far the track's aircraft can have flown in a time t from where it was last seen, m: with its speed v, an acceleration
 * a in any direction, and the top speed m, it is min(v + a t, m) t.
 */
export function flownWithin(row: i32, seconds: f64): f64 {
  const ve = stateOf(row, 3), vn = stateOf(row, 4), vu = stateOf(row, 5);
  const speed = Math.sqrt(ve * ve + vn * vn + vu * vu);
  const fastest = Math.max(PHYSICS.CLAIM_SPEED_MPS, PHYSICS.CLAIM_SPEED_FACTOR * speed);
  return Math.min(speed + PHYSICS.CLAIM_ACCELERATION_MPS2 * seconds, fastest) * seconds;
}
