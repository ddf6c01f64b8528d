/**
 * The sweep, housekeeping at fixed times: tracks without evidence end, duplicates merge, the table returns to its capacity.
 * Knows tracks, not scans.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, trackCount, tuneAt } from "./arena";
import { forgetBearings } from "./bearings";
import { keepWithinCapacity } from "./capacity";
import { mergeDuplicates } from "./merge";
import { P_EE, P_NN } from "./linalg";
import { predictTrack } from "./predict";
import { removeRow } from "./rows";
import { refreshStatus } from "./status";

function isOver(row: i32, timeUs: f64): bool {
  if (at(L.TRACK_EXISTENCE, row) < PHYSICS.EXISTENCE_FLOOR) return true;
  const cooperative = at(L.TRACK_OWN_HITS, row) == 0;
  const limitS = tuneAt(cooperative ? L.TUNE_END_AFTER_COOPERATIVE_S : L.TUNE_END_AFTER_S);
  if (timeUs - at(L.TRACK_LAST_US, row) > limitS * 1e6) return true;
  if (at(L.TRACK_RAY, row) != 0) return false;
  const p = covOf(row, 0);
  const limit = PHYSICS.POSITION_SIGMA_MAX_M * PHYSICS.POSITION_SIGMA_MAX_M;
  return get(p, P_EE) > limit || get(p, P_NN) > limit;
}

/** The host calls at fixed times, in the order of time with the scans. Moves every row to `timeUs`. */
export function sweep(timeUs: f64): void {
  assert(Math.abs(timeUs) < Infinity, "a sweep has a time");
  for (let row = trackCount() - 1; row >= 0; row--) {
    predictTrack(row, timeUs);
    if (isOver(row, timeUs)) removeRow(row, L.ENDED_STALE, 0);
    else refreshStatus(row, timeUs);
  }
  mergeDuplicates(timeUs);
  keepWithinCapacity();
  forgetBearings(timeUs);
}
