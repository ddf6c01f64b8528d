/** The table that `Kernel.read` fills, made once, and the records of an explained track. Knows the memory map, not the kernel. */
import * as L from "../../assembly/layout.ts";
import type { RawExplain } from "./explain.ts";
import type { TrackTable } from "./types.ts";

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
  const values = (from: number, length: number) => Array.from(f64.subarray(at + from, at + from + length));
  return {
    key: f64[at]!,
    nis: f64[at + 1]!,
    existenceBefore: f64[at + 2]!,
    existenceAfter: f64[at + 3]!,
    statusBefore: f64[at + 4]!,
    statusAfter: f64[at + 5]!,
    missed: f64[at + 6] === 1,
    ray: f64[at + 7] === 1,
    modelBefore: values(8, 2),
    modelAfter: values(10, 2),
    meanBefore: values(12, 6),
    covBefore: values(18, 21),
    meanAfter: values(39, 6),
    covAfter: values(45, 21),
  };
}
