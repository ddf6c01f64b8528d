/** The table that `Kernel.read` fills: made once, filled again and again. */
import * as L from "../../../assembly/layout.ts";
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
