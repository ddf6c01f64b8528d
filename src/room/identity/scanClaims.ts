/**
 * Which claims an aircraft makes that is heard under several kinds at once (a transponder beside Remote ID). The tracker
 * believes one identity at most, and none where two have the same standing; but it tells which scans updated a track, and
 * there the claim at its place is its own. Knows no identities and no registry.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import { COOPERATIVE_MODALITIES, type Modality } from "../../domain/modality.ts";
import { claimNumberAt } from "../../domain/scan.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";

/** Of a report that updated a track, how far beside it is the place that it claims: its error and the track's. */
const BESIDE_M = 150;
/** Farther than any report that updated it, degrees; so that most rows of a scan cost one look. */
const FAR_LAT_DEG = 0.05;

export type SensorOfSlot = (slot: number) => { readonly id: string; readonly modality: Modality } | undefined;

export class HeardClaims {
  readonly #sensorOfSlot: SensorOfSlot;
  /** Of this step, by source and time. */
  readonly #scans = new Map<string, Map<number, ScanInput[]>>();

  constructor(sensorOfSlot: SensorOfSlot) {
    this.#sensorOfSlot = sensorOfSlot;
  }

  note(input: ScanInput): void {
    const { sourceId, measuredAtUs } = input.scan;
    let scans = this.#scans.get(sourceId);
    if (scans === undefined) this.#scans.set(sourceId, (scans = new Map()));
    const sameTime = scans.get(measuredAtUs);
    if (sameTime === undefined) scans.set(measuredAtUs, [input]);
    else sameTime.push(input);
  }

  /** The step is over. */
  forget(): void {
    this.#scans.clear();
  }

  /** True when several kinds say who it is: only there one belief is not all that is claimed. */
  isHeardTwice(track: LiveTrack): boolean {
    let first: Modality | null = null;
    for (const { sensorSlot } of track.contributors) {
      const modality = this.#sensorOfSlot(sensorSlot)?.modality;
      if (modality === undefined || !COOPERATIVE_MODALITIES.has(modality) || modality === first) continue;
      if (first !== null) return true;
      first = modality;
    }
    return false;
  }

  /** Numbers of what the scans that last updated it claim at its place, by kind. */
  *of(track: LiveTrack, mayBe: (number: number) => boolean): Iterable<[Modality, number]> {
    if (track.bearingOnly) return;
    for (const { sensorSlot, lastAtUs } of track.contributors) {
      const sensor = this.#sensorOfSlot(sensorSlot);
      const inputs = sensor === undefined ? undefined : this.#scans.get(sensor.id)?.get(lastAtUs);
      if (inputs === undefined) continue;
      const number = nearestIn(inputs, track, mayBe);
      if (number !== 0) yield [sensor!.modality, number];
    }
  }
}

/** The number of the nearest claim of scans of one time that may be the track's, 0 for none. */
function nearestIn(inputs: readonly ScanInput[], track: LiveTrack, mayBe: (number: number) => boolean): number {
  const speedMps = Math.hypot(track.velEastMps, track.velNorthMps);
  const agoUs = Math.abs(track.validAtUs - inputs[0]!.scan.measuredAtUs);
  let best = 0;
  let bestM = BESIDE_M + (speedMps * agoUs) / 1e6;
  for (const { scan, wire } of inputs) {
    for (let i = 0; i < wire.length; i++) {
      const { lat, lon } = wire[i] as { readonly lat?: unknown; readonly lon?: unknown };
      if (typeof lat !== "number" || typeof lon !== "number" || Math.abs(lat - track.lat) > FAR_LAT_DEG) continue;
      const distanceM = geodesicDistanceM({ lat, lon }, track);
      const number = claimNumberAt(scan, i);
      if (distanceM > bestM || number === 0 || !mayBe(number)) continue;
      best = number;
      bestM = distanceM;
    }
  }
  return best;
}
