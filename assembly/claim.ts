/**
 * Which claimed identity a track has earned: a score of agreement over time (log-odds), never an overwrite. A claim that
 * keeps agreeing in position stays; another one has to beat it.
 */
import * as L from "./layout";
import { at, measAt, put } from "./arena";

export function claimTrack(row: i32, meas: i32, probability: f64): void {
  const claim = measAt(meas, L.MEAS_CLAIM);
  if (!(claim > 0)) return;
  const own = at(L.TRACK_CLAIM, row);
  const score = at(L.TRACK_CLAIM_SCORE, row);
  if (own == claim) {
    put(L.TRACK_CLAIM_SCORE, row, Math.min(score + probability, L.CLAIM_SCORE_MAX));
  } else if (score - probability <= 0) {
    put(L.TRACK_CLAIM, row, claim);
    put(L.TRACK_CLAIM_SCORE, row, probability);
  } else {
    put(L.TRACK_CLAIM_SCORE, row, score - probability);
  }
}
