/**
 * Manoeuvres known from claims (docs/adr/0012). A report that repeats a track's claim from outside its gate is of the same
 * aircraft if that can have flown there; then it manoeuvres harder than the motion models expect, and its manoeuvring
 * model gets the noise that makes the report likely. A report it cannot have flown to is another sender's, and may start a
 * track of its own.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, covOf, get, intAt, meanOf, measAt, put, putInt, set, trackCount } from "./arena";
import { believedClaim, firstClaiming, flownWithin, lastSeen, nextClaiming } from "./claim";
import { beginSearch, MANOEUVRE_LOOKS, GATE_LOOKS_EACH, openBudget, spend } from "./searchBudget";
import { gateLimit } from "./gate";
import { P_EE, P_NN, P_UU, packed, variancePlace, whiten } from "./linalg";
import { innovationSystem, isPresent, PAIR_INNOVATION, PAIR_SYSTEM, project } from "./measure";
import { predictTrack } from "./predict";

const Z: usize = L.WORK_MANOEUVRE; // 6
const S: usize = L.WORK_MANOEUVRE + 8 * 8; // 21
/** MEAS_MANOEUVRED_ROW of a report that no track has reached, and of one inside the gate of a track with its claim. */
const UNREACHED: i32 = -1;
const GATED: i32 = -2;

function isInGate(row: i32, meas: i32): bool {
  // The manoeuvring model first: it is the wider one, so it mostly decides.
  for (let m = L.MODEL_COUNT - 1; m >= 0; m--) {
    project(meanOf(row, m), covOf(row, m), Z, S);
    const dof = innovationSystem(meas, Z, S);
    if (whiten(dof, PAIR_SYSTEM, PAIR_INNOVATION) <= gateLimit(dof)) return true;
  }
  return false;
}

/** Time since the track was last updated, s. */
// @ts-ignore: decorator
@inline
function silenceOf(row: i32): f64 {
  return Math.max(0.0, (at(L.TRACK_TIME_US, row) - at(L.TRACK_LAST_US, row)) * 1e-6);
}

/**
 * The distance to the report, less the sigmas of both positions, as a share of what can be flown; over 1 it is out of reach.
 */
function shareOfReach(row: i32, meas: i32): f64 {
  const p = covOf(row, 0);
  const reach = flownWithin(row, silenceOf(row) + PHYSICS.CLAIM_SLACK_S);
  const de = measAt(meas, L.MEAS_Z0) - lastSeen(row, 0);
  const dn = measAt(meas, L.MEAS_Z1) - lastSeen(row, 1);
  const sigma = measAt(meas, L.MEAS_S0);
  const spread = PHYSICS.SEARCH_SIGMAS * Math.sqrt(Math.max(get(p, P_EE), get(p, P_NN)) + sigma * sigma);
  const across = Math.max(0.0, Math.sqrt(de * de + dn * dn) - spread) / reach;
  if (!isPresent(meas, 2)) return across;
  const sigmaUp = measAt(meas, L.MEAS_S2);
  const du = Math.abs(measAt(meas, L.MEAS_Z2) - lastSeen(row, 2));
  return Math.max(across, (du - PHYSICS.SEARCH_SIGMAS * Math.sqrt(get(p, P_UU) + sigmaUp * sigmaUp)) / reach);
}

/**
 * Noise density q that makes the report's deviation d from the manoeuvring model along one axis one sigma. Over a time t
 * it gives a position the variance q t^3 / 3 and a velocity q t, so
 *   q = 3 d^2 / t^3 of the position, or d^2 / t of the velocity where the report has one and that is larger
 */
function densityFor(row: i32, meas: i32, axis: i32, t: f64): f64 {
  let density = 0.0;
  if (isPresent(meas, axis)) {
    const d = measAt(meas, L.MEAS_Z0 + axis) - get(meanOf(row, 1), axis);
    density = (3.0 * d * d) / (t * t * t);
  }
  if (!isPresent(meas, axis + 3)) return density;
  const d = measAt(meas, L.MEAS_Z0 + axis + 3) - get(meanOf(row, 1), axis + 3);
  return Math.max(density, (d * d) / t);
}

/** P += Q(q, t) along one axis, as in moveConstantVelocity. */
function addNoise(p: usize, axis: i32, density: f64, t: f64): void {
  const pp = variancePlace(axis);
  const pv = packed(L.STATE_SIZE, axis, axis + 3);
  const vv = variancePlace(axis + 3);
  set(p, pp, get(p, pp) + (density * t * t * t) / 3.0);
  set(p, pv, get(p, pv) + density * t * t * 0.5);
  set(p, vv, get(p, vv) + density * t);
}

/**
 * Widens the manoeuvring model by white acceleration noise over the time t since the track was last updated, at least the
 * shortest manoeuvre: P += Q(q, t), with one q for east and north and one for up, each as large as the report needs.
 */
function widen(row: i32, meas: i32): void {
  const t = Math.max(silenceOf(row), PHYSICS.CLAIM_MANOEUVRE_S);
  const across = Math.max(densityFor(row, meas, 0, t), densityFor(row, meas, 1, t));
  const upward = densityFor(row, meas, 2, t);
  assert(across >= 0 && upward >= 0, "noise is added, never taken");
  addNoise(covOf(row, 1), 0, across, t);
  addNoise(covOf(row, 1), 1, across, t);
  addNoise(covOf(row, 1), 2, upward, t);
}

/** Reports that repeat the row's claim: marks those inside its gate, takes those that no other row reaches more easily. */
function matchReports(row: i32, claim: f64, timeUs: f64): void {
  for (let m = firstClaiming(claim); m >= 0; m = nextClaiming(m)) {
    if (!spend(1)) return;
    if (measAt(m, L.MEAS_CLAIM) != claim || intAt(L.MEAS_MANOEUVRED_ROW, m) == GATED) continue;
    if (!spend(MANOEUVRE_LOOKS)) return;
    predictTrack(row, timeUs);
    if (isInGate(row, m)) {
      putInt(L.MEAS_MANOEUVRED_ROW, m, GATED);
      continue;
    }
    const share = shareOfReach(row, m);
    if (share > 1.0 || (intAt(L.MEAS_MANOEUVRED_ROW, m) != UNREACHED && share >= at(L.GATE_CLAIM_SHARE, m))) continue;
    putInt(L.MEAS_MANOEUVRED_ROW, m, row);
    put(L.GATE_CLAIM_SHARE, m, share);
  }
}

/**
 * Before position reports are gated: for each report that no track with its claim gates, widens the one that can reach it
 * most easily. Cost: one comparison for each track, and one gate for each report that repeats a believed claim.
 */
export function inferManoeuvres(timeUs: f64, count: i32): void {
  const tracks = trackCount();
  const only = count == 1 ? measAt(0, L.MEAS_CLAIM) : 0.0;
  for (let m = 0; m < count; m++) putInt(L.MEAS_MANOEUVRED_ROW, m, UNREACHED);
  openBudget(tracks, count, GATE_LOOKS_EACH);
  for (let row = 0; row < tracks; row++) {
    // Most scans are one report among many tracks, and this comparison is all they cost.
    if (only > 0 && at(L.TRACK_CLAIM, row) != only) continue;
    const claim = believedClaim(row);
    if (!(claim > 0)) continue;
    beginSearch(tracks - 1 - row);
    matchReports(row, claim, timeUs);
  }
  for (let m = 0; m < count; m++) if (intAt(L.MEAS_MANOEUVRED_ROW, m) >= 0) widen(intAt(L.MEAS_MANOEUVRED_ROW, m), m);
}
