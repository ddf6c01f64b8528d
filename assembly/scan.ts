/**
 * One look of one sensor, in the textbook's order: predict, gate, associate, update, initiate. Each step is in the file of
 * its name; this file calls them.
 * Source of the filter: Williams, "Marginal multi-Bernoulli filters", IEEE TAES 51(3), 2015.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { moveAnchors } from "./anchors";
import { associate, bestPair, detectedOf } from "./associate";
import { at, covOf, get, intAt, meanOf, measAt, put, sensorAt, trackCount } from "./arena";
import { rememberBearings } from "./bearings";
import { claimTrack, indexClaims } from "./claim";
import { openView } from "./detection";
import { explainAfter, explainBefore, explainOn } from "./explain";
import { weighReflector } from "./fixedReflector";
import { candCount, gateTrack, resetCandidates } from "./gate";
import { isMissEvidence, updateTrack } from "./hypotheses";
import { initiateAll } from "./initiate";
import { P_EE, P_NN } from "./linalg";
import { inferManoeuvres } from "./manoeuvre";
import { aim, componentCount, isPresent, scanKind, sigmaOf } from "./measure";
import { indexMeasurements } from "./measurementIndex";
import { predictTrack } from "./predict";
import { learnRegistration, takeOffBias } from "./registration";
import { noteHit, noteMeasurement, noteMiss, noteOutcome, touch } from "./rows";
import { fillKappa, learnNis, learnSurplus } from "./sensorStatistics";
import { refreshStatus } from "./status";

/** 2^53: whole numbers below it are exact. */
const WHOLE_MAX: f64 = 9007199254740992;

/** Bit k is set when any measurement of the scan has component k. */
function componentsOf(count: i32): i32 {
  let bits = 0;
  for (let m = 0; m < count; m++) for (let k = 0; k < L.STATE_SIZE; k++) if (isPresent(m, k)) bits |= 1 << k;
  return bits;
}

/** Precondition of a scan: measurements of one kind, a sigma with each component that is present. */
function checkMeasurements(count: i32): void {
  const components = componentCount();
  for (let m = 0; m < count; m++) {
    assert(<i32>measAt(m, L.MEAS_KIND) == scanKind, "a scan is of one kind");
    for (let k = 0; k < components; k++) if (isPresent(m, k)) assert(sigmaOf(m, k) > 0, "a measured value has a sigma");
  }
}

/** Points the measurement model at the scan and takes the sensor's learnt errors off its measurements. */
function openScan(slot: i32, count: i32): void {
  // A camera reports ranges in one scan and bearings in another, so its measurements come before its row.
  const kind = <i32>(count > 0 ? measAt(0, L.MEAS_KIND) : sensorAt(slot, L.SENSOR_KIND));
  aim(slot, kind, componentsOf(count));
  openView(slot);
  checkMeasurements(count);
  takeOffBias(slot, count);
  for (let m = 0; m < count; m++) noteOutcome(m, L.OUTCOME_CLUTTER, 0);
}

/**
 * Whether the track may be near the only measurement of the scan. Rough and wide: it spares a report the prediction of all
 * tracks that are far from it; the gate decides.
 */
function isNear(row: i32, timeUs: f64): bool {
  if (at(L.TRACK_CLAIM, row) > 0 && at(L.TRACK_CLAIM, row) == measAt(0, L.MEAS_CLAIM)) return true;
  const x = meanOf(row, 0);
  const p = covOf(row, 0);
  const dtS = Math.abs(timeUs - at(L.TRACK_TIME_US, row)) * 1e-6;
  const sigmasM = Math.sqrt(Math.max(get(p, P_EE), get(p, P_NN))) + measAt(0, L.MEAS_S0);
  const reach = PHYSICS.NEAR_SPEED_MPS * dtS + PHYSICS.NEAR_SIGMAS * sigmasM + PHYSICS.NEAR_MARGIN_M;
  const de = get(x, 0) - measAt(0, L.MEAS_Z0);
  const dn = get(x, 1) - measAt(0, L.MEAS_Z1);
  return de * de + dn * dn <= reach * reach;
}

/** Moves the tracks that the scan may concern to its time and finds their candidate measurements. */
function predictAndGate(slot: i32, timeUs: f64, count: i32, complete: bool): void {
  const claims = scanKind == L.MEAS_KIND_POSITION && indexClaims(count);
  if (claims) inferManoeuvres(timeUs, count);
  indexMeasurements(count);
  resetCandidates(count, claims);
  // An empty scan that is no complete look says nothing about any track.
  if (count == 0 && !complete) return;
  const single = scanKind == L.MEAS_KIND_POSITION && count == 1;
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) {
    if (at(L.TRACK_RAY, row) != 0 || (single && !isNear(row, timeUs))) continue;
    predictTrack(row, timeUs);
    gateTrack(row, count, slot);
  }
}

/** State and existence of one candidate, and what its likeliest measurement says besides its position. */
function updateCandidate(c: i32, slot: i32, timeUs: f64, scanIsComplete: bool): void {
  const row = intAt(L.CAND_ROW, c);
  const complete = scanIsComplete && isMissEvidence(row, slot);
  const detected = detectedOf(c);
  assert(detected >= 0 && detected < 1.000001, "a candidate is detected with a probability");
  const pair = bestPair(c);
  if (explainOn) explainBefore(c, row);
  if (pair >= 0 && at(L.PAIR_B, pair) > PHYSICS.HIT_PROBABILITY) {
    const meas = intAt(L.PAIR_MEAS, pair);
    weighReflector(row, meas, pair);
    if (at(L.PAIR_B, pair) > PHYSICS.BIAS_PROBABILITY_MIN) learnRegistration(row, slot, meas);
    claimTrack(row, meas, at(L.PAIR_B, pair));
    learnNis(slot, pair, meas);
  }
  updateTrack(c, detected, complete);
  if (detected > PHYSICS.HIT_PROBABILITY) {
    noteHit(row, slot, timeUs, sensorAt(slot, L.SENSOR_COOPERATIVE) != 0);
    if (pair >= 0) noteMeasurement(row, intAt(L.PAIR_MEAS, pair));
  } else if (complete && at(L.CAND_PD, c) > PHYSICS.MISS_PD_MIN) noteMiss(row);
  if (detected > PHYSICS.TOUCH_PROBABILITY_MIN) touch(row);
  refreshStatus(row, timeUs);
  if (explainOn) explainAfter(row, pair, detected);
}

/**
 * Fuses the scan in MEAS and POSE. `timeUs`: when it was measured; `scanKey`: hash of source and time, from which the keys
 * of new tracks follow; `complete`: a target that is not in it was not detected. The host calls in the order of `timeUs`.
 * Cost: about 3 us for each track that the sensor may see, plus its near pairs.
 */
export function scan(slot: i32, timeUs: f64, scanKey: f64, count: i32, complete: bool): void {
  assert(<u32>slot < <u32>L.SENSOR_CAPACITY, "the slot is inside the sensor table");
  assert(<u32>count <= <u32>L.SCAN_MEASUREMENTS_MAX, "the scan fits the measurement table");
  assert(Math.abs(timeUs) < WHOLE_MAX, "the scan has a time in whole microseconds");
  assert(scanKey >= 0 && scanKey < WHOLE_MAX, "a scan key is a whole number under 2^53");
  openScan(slot, count);
  predictAndGate(slot, timeUs, count, complete);
  fillKappa(slot, count);
  associate(count);
  for (let c = 0; c < candCount; c++) updateCandidate(c, slot, timeUs, complete);
  if (complete) learnSurplus(slot, count);
  if (scanKind == L.MEAS_KIND_BEARING) rememberBearings(slot, timeUs, scanKey, count);
  else initiateAll(slot, timeUs, scanKey, count);
  if (scanKind == L.MEAS_KIND_POSITION) moveAnchors(timeUs, count);
}
