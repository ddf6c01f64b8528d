/** The table that `Kernel.read` fills, made once, and the records of an explained track. Knows the memory map, not the kernel. */
import * as L from "../../../assembly/layout.ts";
import type { RawExplain } from "../explain.ts";
import type { TrackTable } from "../types.ts";

export type MutableTable = { -readonly [K in keyof TrackTable]: TrackTable[K] };

export function makeTable(capacity: number): MutableTable {
  const f64 = (width = 1) => new Float64Array(capacity * width);
  return {
    count: 0,
    atUs: 0,
    key: f64(),
    status: new Uint8Array(capacity),
    touched: new Uint8Array(capacity),
    existence: f64(),
    eastM: f64(),
    northM: f64(),
    upM: f64(),
    velEastMps: f64(),
    velNorthMps: f64(),
    velUpMps: f64(),
    covPosM2: f64(6),
    covVelM2ps2: f64(6),
    firstAtUs: f64(),
    lastAtUs: f64(),
    hits: new Uint32Array(capacity),
    misses: new Uint32Array(capacity),
    bearingOnly: new Uint8Array(capacity),
    rayAzRad: f64(),
    rayElRad: f64(),
    raySigmaRad: f64(),
    raySensor: new Int32Array(capacity),
    claim: f64(),
    contributorSensor: new Int32Array(capacity * L.CONTRIBUTORS_MAX),
    contributorLastAtUs: f64(L.CONTRIBUTORS_MAX),
    contributorHits: new Uint32Array(capacity * L.CONTRIBUTORS_MAX),
    manoeuvre: f64(),
    rcsDbsm: f64(),
  };
}

export function explainedTrack(f64: Float64Array, at: number): RawExplain["tracks"][number] {
  const value = (field: number) => f64[at + field]!;
  const values = (from: number, length: number) => Array.from(f64.subarray(at + from, at + from + length));
  return {
    key: value(L.EXPLAIN_KEY),
    nis: value(L.EXPLAIN_NIS),
    existenceBefore: value(L.EXPLAIN_EXISTENCE_BEFORE),
    existenceAfter: value(L.EXPLAIN_EXISTENCE_AFTER),
    statusBefore: value(L.EXPLAIN_STATUS_BEFORE),
    statusAfter: value(L.EXPLAIN_STATUS_AFTER),
    missed: value(L.EXPLAIN_MISSED) === 1,
    ray: value(L.EXPLAIN_RAY) === 1,
    modelBefore: values(L.EXPLAIN_MODELS_BEFORE, L.MODEL_COUNT),
    modelAfter: values(L.EXPLAIN_MODELS_AFTER, L.MODEL_COUNT),
    meanBefore: values(L.EXPLAIN_MEAN_BEFORE, L.STATE_SIZE),
    covBefore: values(L.EXPLAIN_COV_BEFORE, L.COV_SIZE),
    meanAfter: values(L.EXPLAIN_MEAN_AFTER, L.STATE_SIZE),
    covAfter: values(L.EXPLAIN_COV_AFTER, L.COV_SIZE),
  };
}

export function explainedPair(f64: Float64Array, at: number): RawExplain["pairs"][number] {
  return {
    measurement: f64[at + L.EXPLAIN_PAIR_MEAS]!,
    trackKey: f64[at + L.EXPLAIN_PAIR_TRACK_KEY]!,
    d2: f64[at + L.EXPLAIN_PAIR_D2]!,
    limit: f64[at + L.EXPLAIN_PAIR_LIMIT]!,
    logL: f64[at + L.EXPLAIN_PAIR_LOG_L]!,
    pd: f64[at + L.EXPLAIN_PAIR_PD]!,
  };
}
