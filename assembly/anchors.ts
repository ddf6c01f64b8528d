/**
 * Anchors: cooperative emitters that are tracked on their own reports alone, so that a sensor with constant errors is
 * never judged against a track that it moved itself. One Gaussian each. Knows no tracks.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { get, headAt, measAt, putHead, set } from "./arena";
import { P_EE, P_NN, P_UU, variancePlace } from "./linalg";
import { isPresent } from "./measure";
import { moveConstantVelocity } from "./predict";
import { updateGaussian } from "./update";

// @ts-ignore: decorator
@inline
function anchorAt(index: i32): usize {
  return <usize>L.ANCHOR + <usize>(index * L.ANCHOR_STRIDE * 8);
}

function findAnchor(claim: f64): i32 {
  const count = <i32>headAt(L.HEAD_ANCHOR_COUNT);
  for (let i = 0; i < count; i++) if (get(anchorAt(i), L.ANCHOR_CLAIM) == claim) return i;
  return -1;
}

/** A free row, or that of the anchor that reported longest ago. */
function placeForAnchor(): i32 {
  const count = <i32>headAt(L.HEAD_ANCHOR_COUNT);
  assert(<u32>count <= <u32>L.ANCHOR_CAPACITY, "the anchors fit their table");
  if (count < L.ANCHOR_CAPACITY) {
    putHead(L.HEAD_ANCHOR_COUNT, count + 1);
    return count;
  }
  let oldest = 0;
  for (let i = 1; i < count; i++) {
    if (get(anchorAt(i), L.ANCHOR_TIME_US) < get(anchorAt(oldest), L.ANCHOR_TIME_US)) oldest = i;
  }
  return oldest;
}

function startAnchor(a: usize, claim: f64, timeUs: f64, meas: i32): void {
  memory.fill(a, 0, L.ANCHOR_STRIDE * 8);
  set(a, L.ANCHOR_CLAIM, claim);
  set(a, L.ANCHOR_TIME_US, timeUs);
  set(a, L.ANCHOR_REPORTS, 1);
  const x = a + L.ANCHOR_MEAN * 8;
  const p = a + L.ANCHOR_COV * 8;
  for (let k = 0; k < 3; k++) set(x, k, measAt(meas, L.MEAS_Z0 + k));
  set(p, P_EE, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, P_NN, measAt(meas, L.MEAS_S0) * measAt(meas, L.MEAS_S0));
  set(p, P_UU, measAt(meas, L.MEAS_S2) * measAt(meas, L.MEAS_S2));
  for (let k = 3; k < L.STATE_SIZE; k++) {
    const known = isPresent(meas, k);
    set(x, k, known ? measAt(meas, L.MEAS_Z0 + k) : 0.0);
    set(p, variancePlace(k), known ? measAt(meas, L.MEAS_S3) * measAt(meas, L.MEAS_S3) : PHYSICS.ANCHOR_SPEED_VARIANCE);
  }
}

/** Updates the anchors by the position reports of the scan. A report without a height or a claim makes none. */
export function moveAnchors(timeUs: f64, count: i32): void {
  for (let meas = 0; meas < count; meas++) {
    const claim = measAt(meas, L.MEAS_CLAIM);
    if (!(claim > 0) || !isPresent(meas, 2)) continue;
    let index = findAnchor(claim);
    if (index >= 0 && Math.abs(timeUs - get(anchorAt(index), L.ANCHOR_TIME_US)) < PHYSICS.ANCHOR_GAP_S * 1e6) {
      const a = anchorAt(index);
      const dtS = (timeUs - get(a, L.ANCHOR_TIME_US)) * 1e-6;
      const x = a + L.ANCHOR_MEAN * 8;
      const p = a + L.ANCHOR_COV * 8;
      moveConstantVelocity(x, p, Math.max(dtS, 0), PHYSICS.ANCHOR_PSD, PHYSICS.ANCHOR_PSD);
      updateGaussian(x, p, meas);
      set(a, L.ANCHOR_TIME_US, timeUs);
      set(a, L.ANCHOR_REPORTS, get(a, L.ANCHOR_REPORTS) + 1);
      continue;
    }
    if (index < 0) index = placeForAnchor();
    startAnchor(anchorAt(index), claim, timeUs, meas);
  }
}

/**
 * State of the claim's anchor at `timeUs` into x (6), P (21). False when there is none, or when it has too few or too old
 * reports to judge a sensor by.
 */
export function anchorStateAt(claim: f64, timeUs: f64, x: usize, p: usize): bool {
  const index = findAnchor(claim);
  if (index < 0 || get(anchorAt(index), L.ANCHOR_REPORTS) < PHYSICS.ANCHOR_REPORTS_MIN) return false;
  const a = anchorAt(index);
  const dtS = (timeUs - get(a, L.ANCHOR_TIME_US)) * 1e-6;
  if (dtS < 0 || dtS > PHYSICS.ANCHOR_AGE_MAX_S) return false;
  memory.copy(x, a + L.ANCHOR_MEAN * 8, L.STATE_BYTES);
  memory.copy(p, a + L.ANCHOR_COV * 8, L.COV_BYTES);
  moveConstantVelocity(x, p, dtS, PHYSICS.ANCHOR_PSD, PHYSICS.ANCHOR_PSD);
  return true;
}
