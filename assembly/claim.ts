/**
 * Which claimed identity a track has earned: a score of agreement over time (log-odds), never an overwrite. A claim that
 * keeps agreeing in position stays; another one has to beat it. And how far off what repeats a claim may be.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, get, intAt, isRow, meanOf, measAt, modelOf, put } from "./arena";
import { claimBucket, clearBuckets, pushToBucket } from "./buckets";
import { mix } from "./linalg";

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

/** The claim that the track is believed to make, 0 for none. A ray makes none: nobody knows where it is. */
// @ts-ignore: decorator
@inline
export function believedClaim(row: i32): f64 {
  if (at(L.TRACK_RAY, row) != 0 || at(L.TRACK_CLAIM_SCORE, row) < PHYSICS.CLAIM_SCORE_SHOWN) return 0;
  return at(L.TRACK_CLAIM, row);
}

/** Lists the measurements that claim something, by bucket and in ascending order. False when there are none. */
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

/** First measurement in the claim's bucket, and the one after another; under 0 at the end. Buckets hold other claims, too. */
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

/** Value of the state over both models. */
// @ts-ignore: decorator
@inline
function stateOf(row: i32, index: i32): f64 {
  return mix(get(meanOf(row, 0), index), get(meanOf(row, 1), index), get(modelOf(row), 1));
}

/** Where the track was when a measurement last updated it: since then it only went straight on. */
export function lastSeen(row: i32, axis: i32): f64 {
  const ageS = (at(L.TRACK_TIME_US, row) - at(L.TRACK_LAST_US, row)) * 1e-6;
  return stateOf(row, axis) - ageS * stateOf(row, axis + 3);
}

/** How far the track's platform may have got in a time from where it was last seen, m: any turn, any stop, hard thrust. */
export function flownWithin(row: i32, seconds: f64): f64 {
  const ve = stateOf(row, 3), vn = stateOf(row, 4), vu = stateOf(row, 5);
  const speed = Math.sqrt(ve * ve + vn * vn + vu * vu);
  const fastest = Math.max(PHYSICS.CLAIM_SPEED_MPS, PHYSICS.CLAIM_SPEED_FACTOR * speed);
  return Math.min(speed + PHYSICS.CLAIM_ACCELERATION_MPS2 * seconds, fastest) * seconds;
}
