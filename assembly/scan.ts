/**
 * The loop: one look of one sensor, readable as the algorithm. Predict what the sensor may see, gate, associate, update,
 * initiate from what is left. Everything else is in the file of its step.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { associate, bestPair, detectedOf } from "./associate";
import { at, covOf, get, headAt, intAt, meanOf, measAt, put, putHead, putInt, putSensor, sensorAt, set, trackCount } from "./arena";
import { rememberBearings } from "./bearings";
import { claimTrack, indexClaims } from "./claim";
import { explainAfter, explainBefore, explainOn } from "./explain";
import { inferManoeuvres } from "./manoeuvre";
import { candCount, gateTrack, indexMeasurements, resetCandidates } from "./gate";
import { updateTrack } from "./hypotheses";
import { initiate } from "./initiate";
import { P_EE, P_NN } from "./linalg";
import { aim, componentCount, isPresent, measurementVolume, scanKind, sigmaOf } from "./measure";
import { predictTrack } from "./predict";
import { learnRegistration, moveAnchor, takeOffBias } from "./registration";
import { noteHit, touch } from "./rows";
import { weighReflector } from "./fixedReflector";
import { refreshStatus } from "./status";

/** The fastest thing that a plot is allowed to be of, m/s: bounds the search of scans that concern few tracks. */
const SPEED_MAX_MPS: f64 = 120.0;
const HIT_PROBABILITY: f64 = 0.5;
/** Bearings of one sensor after which a track counts as one that sends. */
const HEARD_HITS_MIN: f64 = 4.0;

/** 2^53: whole numbers below it are exact. */
const WHOLE_MAX: f64 = 9007199254740992;

/** Precondition of a scan: measurements of one kind, each present component with a sigma. */
function checkMeasurements(count: i32): void {
  const components = componentCount();
  for (let m = 0; m < count; m++) {
    assert(<i32>measAt(m, L.MEAS_KIND) == scanKind, "a scan is of one kind");
    for (let k = 0; k < components; k++) if (isPresent(m, k)) assert(sigmaOf(m, k) > 0, "a measured value has a sigma");
  }
}

/** Bit k is set when any measurement has component k. */
function componentsOf(count: i32): i32 {
  let bits = 0;
  for (let m = 0; m < count; m++) for (let k = 0; k < 6; k++) if (isPresent(m, k)) bits |= 1 << k;
  return bits;
}

/** Whether the track can be near the only measurement of a scan; cheap, so that a report costs its near tracks only. */
function isNear(row: i32, timeUs: f64): bool {
  if (at(L.TRACK_CLAIM, row) > 0 && at(L.TRACK_CLAIM, row) == measAt(0, L.MEAS_CLAIM)) return true;
  const x = meanOf(row, 0);
  const p = covOf(row, 0);
  const dtS = Math.abs(timeUs - at(L.TRACK_TIME_US, row)) * 1e-6;
  const reach = SPEED_MAX_MPS * dtS + 6.0 * (Math.sqrt(Math.max(get(p, P_EE), get(p, P_NN))) + measAt(0, L.MEAS_S0)) + 50.0;
  const de = get(x, 0) - measAt(0, L.MEAS_Z0);
  const dn = get(x, 1) - measAt(0, L.MEAS_Z1);
  return de * de + dn * dn <= reach * reach;
}

function gateTracks(slot: i32, timeUs: f64, count: i32, complete: bool): void {
  const claims = scanKind == L.MEAS_KIND_POSITION && indexClaims(count);
  if (claims) inferManoeuvres(timeUs, count);
  indexMeasurements(count);
  resetCandidates(count, claims);
  const single = scanKind == L.MEAS_KIND_POSITION && count == 1;
  const tracks = trackCount();
  for (let row = 0; row < tracks; row++) {
    if (at(L.TRACK_RAY, row) != 0 || (single && !isNear(row, timeUs))) continue;
    if (count == 0 && !complete) continue;
    predictTrack(row, timeUs);
    gateTrack(row, count, slot);
  }
}

function falseAlarmsOf(slot: i32): f64 {
  const cooperative = sensorAt(slot, L.SENSOR_COOPERATIVE) != 0;
  return cooperative ? PHYSICS.FALSE_ALARMS_MIN : Math.max(sensorAt(slot, L.SENSOR_FALSE_ALARMS), PHYSICS.FALSE_ALARMS_MIN);
}

/** New targets that the sensor may expect in this scan. */
function birthsOf(slot: i32): f64 {
  return Math.max(sensorAt(slot, L.SENSOR_SURPLUS), PHYSICS.BIRTHS_PER_SCAN);
}

/** Density of false alarms and of new targets where each measurement lies. */
function fillKappa(slot: i32, count: i32): void {
  const density = falseAlarmsOf(slot) + birthsOf(slot);
  for (let m = 0; m < count; m++) {
    const kappa = density / measurementVolume(m);
    assert(kappa > 0, "clutter and births have a density");
    put(L.MEAS_KAPPA, m, kappa);
  }
}

/** What no track explains, over the declared false alarms, is new: a first scan full of targets is believed at once. */
function learnSurplus(slot: i32, count: i32): void {
  let unexplained = 0.0;
  for (let m = 0; m < count; m++) unexplained += 1.0 - at(L.MEAS_EXPLAINED, m);
  const scans = sensorAt(slot, L.SENSOR_SCANS);
  const surplus = Math.max(unexplained - sensorAt(slot, L.SENSOR_FALSE_ALARMS), 0.0);
  const gain = scans == 0 ? 1.0 : PHYSICS.SURPLUS_GAIN;
  putSensor(slot, L.SENSOR_SCANS, scans + 1);
  putSensor(slot, L.SENSOR_SURPLUS, sensorAt(slot, L.SENSOR_SURPLUS) + gain * (surplus - sensorAt(slot, L.SENSOR_SURPLUS)));
}

/**
 * Whether not being detected speaks against the track. A direction finder hears only what sends: its silence counts for
 * tracks that it heard before, and for those that only such sensors made; a radar's quiet drone stays.
 */
function isMissEvidence(row: i32, slot: i32): bool {
  if (sensorAt(slot, L.SENSOR_HEARS_EMISSIONS) == 0) return true;
  let onlyEmissions = true;
  for (let k = row * L.CONTRIBUTORS_MAX; k < (row + 1) * L.CONTRIBUTORS_MAX; k++) {
    const contributor = <i32>at(L.TRACK_CONTRIBUTOR_SLOT, k);
    // One bearing may have been another emitter's that happened to lie in line.
    if (contributor == slot) return at(L.TRACK_CONTRIBUTOR_HITS, k) >= HEARD_HITS_MIN;
    if (contributor >= 0 && sensorAt(contributor, L.SENSOR_HEARS_EMISSIONS) == 0) onlyEmissions = false;
  }
  return onlyEmissions;
}

/** One candidate: state, existence, and what its likeliest measurement says besides. */
function updateCandidate(c: i32, slot: i32, timeUs: f64, whole: bool): void {
  const row = intAt(L.CAND_ROW, c);
  const complete = whole && isMissEvidence(row, slot);
  const detected = detectedOf(c);
  assert(detected >= 0 && detected < 1.000001, "a candidate is detected with a probability");
  const pair = bestPair(c);
  if (explainOn) explainBefore(c, row);
  if (pair >= 0 && at(L.PAIR_B, pair) > HIT_PROBABILITY) {
    const meas = intAt(L.PAIR_MEAS, pair);
    weighReflector(row, meas, pair);
    if (at(L.PAIR_B, pair) > 0.9) learnRegistration(row, slot, meas);
    claimTrack(row, meas, at(L.PAIR_B, pair));
    learnNis(slot, pair, meas);
  }
  updateTrack(c, detected, complete);
  if (detected > HIT_PROBABILITY) {
    noteHit(row, slot, timeUs, sensorAt(slot, L.SENSOR_COOPERATIVE) != 0);
    if (pair >= 0) noteMeasurement(row, intAt(L.PAIR_MEAS, pair));
  } else if (complete && at(L.CAND_PD, c) > 0.3) {
    put(L.TRACK_MISSES, row, at(L.TRACK_MISSES, row) + 1);
  }
  if (detected > 0.01) touch(row);
  refreshStatus(row, timeUs);
  if (explainOn) explainAfter(row, pair, detected);
}

/** Exponentially weighted mean of the normalised innovation squared over its degrees of freedom. */
function learnNis(slot: i32, pair: i32, meas: i32): void {
  let dof = 0;
  for (let k = 0; k < 6; k++) if (isPresent(meas, k)) dof++;
  const count = sensorAt(slot, L.SENSOR_NIS_COUNT) + 1;
  const gain = Math.max(1.0 / count, 0.01);
  const mean = sensorAt(slot, L.SENSOR_NIS_MEAN);
  putSensor(slot, L.SENSOR_NIS_COUNT, count);
  putSensor(slot, L.SENSOR_NIS_MEAN, mean + gain * (at(L.PAIR_D2, pair) / <f64>dof - mean));
}

function noteMeasurement(row: i32, meas: i32): void {
  putInt(L.MEAS_OUTCOME, meas, L.OUTCOME_UPDATED);
  put(L.MEAS_TRACK_KEY, meas, at(L.TRACK_KEY, row));
  const rcs = measAt(meas, L.MEAS_RCS_DBSM);
  if (rcs != rcs) return;
  const known = at(L.TRACK_RCS_DBSM, row);
  put(L.TRACK_RCS_DBSM, row, known == known ? known + 0.2 * (rcs - known) : rcs);
}

/** What no track explains may be a new target: existence is the share of births among unexplained measurements. */
function initiateAll(slot: i32, timeUs: f64, scanKey: f64, count: i32): void {
  const births = birthsOf(slot);
  const share = births / (births + falseAlarmsOf(slot));
  for (let m = 0; m < count; m++) {
    const unexplained = 1.0 - at(L.MEAS_EXPLAINED, m);
    if (unexplained < PHYSICS.INITIATE_UNEXPLAINED_MIN) continue;
    const row = initiate(m, slot, timeUs, scanKey, Math.min(unexplained * share, PHYSICS.INITIATE_EXISTENCE_MAX));
    if (row < 0) {
      putHead(L.HEAD_DROPPED_FOR_CAPACITY, headAt(L.HEAD_DROPPED_FOR_CAPACITY) + 1);
      continue;
    }
    putInt(L.MEAS_OUTCOME, m, L.OUTCOME_INITIATED);
    put(L.MEAS_TRACK_KEY, m, at(L.TRACK_KEY, row));
  }
}

/**
 * Fuses one scan. In MEAS, POSE. Time of validity in microseconds; scanKey is a hash of (source, time) under 2^53.
 * Cost: about 3 us for each track that the sensor may see, plus its near pairs.
 */
export function scan(slot: i32, timeUs: f64, scanKey: f64, count: i32, complete: bool): void {
  assert(<u32>slot < <u32>L.SENSOR_CAPACITY, "the slot is inside the sensor table");
  assert(<u32>count <= <u32>L.SCAN_MEASUREMENTS_MAX, "the scan fits the measurement table");
  assert(Math.abs(timeUs) < WHOLE_MAX, "the scan has a time in whole microseconds");
  assert(scanKey >= 0 && scanKey < WHOLE_MAX, "a scan key is a whole number under 2^53");
  // A camera may report ranges in one scan and bearings in another, so what was measured comes before what the sensor is.
  const kind = <i32>(count > 0 ? measAt(0, L.MEAS_KIND) : sensorAt(slot, L.SENSOR_KIND));
  aim(slot, kind, componentsOf(count));
  checkMeasurements(count);
  takeOffBias(slot, count);
  for (let m = 0; m < count; m++) {
    putInt(L.MEAS_OUTCOME, m, L.OUTCOME_CLUTTER);
    put(L.MEAS_TRACK_KEY, m, 0);
  }
  gateTracks(slot, timeUs, count, complete);
  fillKappa(slot, count);
  associate(count);
  const candidates = candCount;
  for (let c = 0; c < candidates; c++) updateCandidate(c, slot, timeUs, complete);
  if (complete) learnSurplus(slot, count);
  if (kind == L.MEAS_KIND_BEARING) rememberBearings(slot, timeUs, scanKey, count);
  else initiateAll(slot, timeUs, scanKey, count);
  if (kind == L.MEAS_KIND_POSITION) moveAnchor(timeUs, count);
}
