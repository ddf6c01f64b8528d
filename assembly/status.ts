/** Status of a track: tentative, confirmed or coasting, from its existence, hits and the time since its last update. */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, isRow, put, tuneAt } from "./arena";
import { touch } from "./rows";

/** Period between updates of a track that has had one, and the shortest that counts, s. */
const PERIOD_DEFAULT_S: f64 = 1.0;

export function refreshStatus(row: i32, timeUs: f64): void {
  assert(isRow(row), "a row is inside the track table");
  const r = at(L.TRACK_EXISTENCE, row);
  const before = <i32>at(L.TRACK_STATUS_CODE, row);
  let status = L.STATUS_TENTATIVE;
  const standing = at(L.TRACK_REFLECTOR_LOGIT, row) > PHYSICS.REFLECTOR_SHOWN_MAX;
  const isSure = r >= tuneAt(L.TUNE_SHOW) && at(L.TRACK_HITS, row) >= tuneAt(L.TUNE_HITS_MIN);
  if (isSure && !standing && at(L.TRACK_RAY, row) == 0) {
    const period = at(L.TRACK_PERIOD_S, row);
    const ageS = (timeUs - at(L.TRACK_LAST_US, row)) * 1e-6;
    const expectedS = period > 0 ? Math.max(period, PERIOD_DEFAULT_S) : PERIOD_DEFAULT_S;
    const coasts = ageS > tuneAt(L.TUNE_COAST_PERIODS) * expectedS;
    status = coasts ? L.STATUS_COASTING : L.STATUS_CONFIRMED;
  }
  if (status == before) return;
  put(L.TRACK_STATUS_CODE, row, status);
  touch(row);
}
