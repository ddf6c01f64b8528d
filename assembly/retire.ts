/**
 * Housekeeping at fixed times: tracks that nothing speaks for end, doubles become one, the table stays within its bound.
 * Knows tracks, not scans.
 */
import * as L from "./layout";
import { at, covOf, get, meanOf, put, putHead, trackCount, tuneAt } from "./arena";
import { forgetBearings } from "./bearings";
import { predictTrack } from "./predict";
import { dropForCapacity, removeRow } from "./rows";
import { refreshStatus } from "./status";

/** Grid of the search for doubles, m. */
const CELL_M: f64 = 64.0;

function isOver(row: i32, timeUs: f64): bool {
  if (at(L.TRACK_EXISTENCE, row) < L.EXISTENCE_FLOOR) return true;
  const cooperative = at(L.TRACK_OWN_HITS, row) == 0;
  const limitS = tuneAt(cooperative ? L.TUNE_END_AFTER_COOPERATIVE_S : L.TUNE_END_AFTER_S);
  if (timeUs - at(L.TRACK_LAST_US, row) > limitS * 1e6) return true;
  if (at(L.TRACK_RAY, row) != 0) return false;
  const p = covOf(row, 0);
  const limit = L.POSITION_SIGMA_MAX_M * L.POSITION_SIGMA_MAX_M;
  return get(p, 0) > limit || get(p, 6) > limit;
}

// @ts-ignore: decorator
@inline
function bucketOf(cx: i32, cy: i32): i32 {
  return ((cx * 73856093) ^ (cy * 19349663)) & (L.INDEX_BUCKETS - 1);
}

// @ts-ignore: decorator
@inline
function cellOf(metres: f64): i32 {
  return <i32>Math.floor(metres / CELL_M);
}

/** Chi-square of the difference of two positions, axis by axis: an upper measure of agreement, cheap. */
function distance2(a: i32, b: i32): f64 {
  const xa = meanOf(a, 0), xb = meanOf(b, 0), pa = covOf(a, 0), pb = covOf(b, 0);
  let d2 = 0.0;
  let metres2 = 0.0;
  for (let k = 0; k < 3; k++) {
    const index = k == 0 ? 0 : k == 1 ? 6 : 11;
    const d = get(xa, k) - get(xb, k);
    d2 += (d * d) / (get(pa, index) + get(pb, index));
    metres2 += d * d;
  }
  for (let k = 0; k < 3; k++) {
    const index = k == 0 ? 15 : k == 1 ? 18 : 20;
    const d = get(xa, k + 3) - get(xb, k + 3);
    d2 += (d * d) / (get(pa, index) + get(pb, index));
  }
  return metres2 > L.MERGE_DISTANCE_M * L.MERGE_DISTANCE_M ? Infinity : d2;
}

/**
 * Two rows for one target: near in position and velocity, and at most one of them sure of itself. Two that are both sure
 * have each been detected in the same scans, so they are two targets that fly together.
 */
function isDouble(a: i32, b: i32): bool {
  if (at(L.TRACK_RAY, a) != 0 || at(L.TRACK_RAY, b) != 0) return false;
  const claimA = at(L.TRACK_CLAIM, a);
  const claimB = at(L.TRACK_CLAIM, b);
  if (claimA > 0 && claimB > 0 && claimA != claimB) return false;
  if (Math.min(at(L.TRACK_EXISTENCE, a), at(L.TRACK_EXISTENCE, b)) > L.MERGE_EXISTENCE_MAX) return false;
  return distance2(a, b) < L.MERGE_CHI2;
}

/** Which of two goes: the weaker, then the younger, then the one with the larger key. */
function isWeaker(a: i32, b: i32): bool {
  const hitsA = at(L.TRACK_HITS, a);
  const hitsB = at(L.TRACK_HITS, b);
  if (hitsA != hitsB) return hitsA < hitsB;
  return at(L.TRACK_KEY, a) > at(L.TRACK_KEY, b);
}

/** Marks doubles with existence 0 and the survivor's key in CAND_B0; the caller removes them. */
function markDoubles(): void {
  const tracks = trackCount();
  for (let b = 0; b < L.INDEX_BUCKETS; b++) store<i32>(<usize>L.INDEX_HEAD + <usize>(b * 4), -1);
  for (let row = 0; row < tracks; row++) {
    put(L.CAND_B0, row, 0);
    const cx = cellOf(get(meanOf(row, 0), 0));
    const cy = cellOf(get(meanOf(row, 0), 1));
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        let other = load<i32>(<usize>L.INDEX_HEAD + <usize>(bucketOf(cx + dx, cy + dy) * 4));
        for (; other >= 0; other = load<i32>(<usize>L.CLUSTER_PARENT + <usize>(other * 4))) {
          if (at(L.CAND_B0, other) != 0 || at(L.CAND_B0, row) != 0 || !isDouble(row, other)) continue;
          const goes = isWeaker(row, other) ? row : other;
          const stays = goes == row ? other : row;
          put(L.CAND_B0, goes, at(L.TRACK_KEY, stays));
        }
      }
    }
    const b = bucketOf(cx, cy);
    store<i32>(<usize>L.CLUSTER_PARENT + <usize>(row * 4), load<i32>(<usize>L.INDEX_HEAD + <usize>(b * 4)));
    store<i32>(<usize>L.INDEX_HEAD + <usize>(b * 4), row);
  }
}

function removeDoubles(): void {
  markDoubles();
  for (let row = trackCount() - 1; row >= 0; row--) {
    const survivor = at(L.CAND_B0, row);
    if (survivor != 0) removeRow(row, L.ENDED_MERGED, survivor);
  }
}

/** Over the bound the weakest tentative row goes, then the next. */
function keepBound(): void {
  const limit = <i32>tuneAt(L.TUNE_TRACKS_MAX);
  while (trackCount() > limit) {
    let weakest = 0;
    for (let row = 1; row < trackCount(); row++) {
      const sa = at(L.TRACK_STATUS_CODE, row);
      const sb = at(L.TRACK_STATUS_CODE, weakest);
      if (sa < sb || (sa == sb && at(L.TRACK_EXISTENCE, row) < at(L.TRACK_EXISTENCE, weakest))) weakest = row;
    }
    removeRow(weakest, L.ENDED_CAPACITY_REASON, 0);
    dropForCapacity();
  }
}

export function sweep(timeUs: f64): void {
  for (let row = trackCount() - 1; row >= 0; row--) {
    predictTrack(row, timeUs);
    if (isOver(row, timeUs)) removeRow(row, L.ENDED_STALE, 0);
    else refreshStatus(row, timeUs);
  }
  removeDoubles();
  keepBound();
  forgetBearings(timeUs);
  putHead(L.HEAD_LAST_SWEEP_US, timeUs);
}
