/**
 * The claims of one step's scans, to find all claims of an aircraft that makes several (a transponder and Remote ID). The
 * tracker associates at most one identity with a track, and none where two are equally likely; but it records which scans
 * updated the track, and the claim nearest to the track in each of them is its own. Knows no identities and no registry.
 */
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import { COOPERATIVE_MODALITIES, type Modality } from "../../domain/modality.ts";
import { claimNumberAt } from "../../domain/scan.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";

/** Largest distance of a claimed position from its track: the error of the report and of the track. */
const BESIDE_M = 150;
/** More than that distance in degrees of latitude, so that most rows of a scan cost one comparison. */
const FAR_LAT_DEG = 0.05;

export type ChannelOfSlot = (slot: number) => { readonly id: string; readonly modality: Modality } | undefined;

export class ScanClaims {
  readonly #channelOfSlot: ChannelOfSlot;
  /** The scans of this step, by source and time of measurement. */
  readonly #scans = new Map<string, Map<number, ScanInput[]>>();

  constructor(channelOfSlot: ChannelOfSlot) {
    this.#channelOfSlot = channelOfSlot;
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

  /** True when sensors of several cooperative modalities updated the track, so that it may make more than one claim. */
  isClaimedTwice(track: LiveTrack): boolean {
    let first: Modality | null = null;
    for (const { sensorSlot } of track.contributors) {
      const modality = this.#channelOfSlot(sensorSlot)?.modality;
      if (modality === undefined || !COOPERATIVE_MODALITIES.has(modality) || modality === first) continue;
      if (first !== null) return true;
      first = modality;
    }
    return false;
  }

  /** By modality: the claim number nearest to the track in the scans that updated it last. */
  *of(track: LiveTrack, mayBe: (number: number) => boolean): Iterable<[Modality, number]> {
    if (track.bearingOnly) return;
    for (const { sensorSlot, lastAtUs } of track.contributors) {
      const sensor = this.#channelOfSlot(sensorSlot);
      const inputs = sensor === undefined ? undefined : this.#scans.get(sensor.id)?.get(lastAtUs);
      if (inputs === undefined) continue;
      const number = nearestIn(inputs, track, mayBe);
      if (number !== 0) yield [sensor!.modality, number];
    }
  }
}

/** The number of the nearest possible claim in scans of one time, 0 for none. */
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
