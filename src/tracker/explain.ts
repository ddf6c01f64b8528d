/**
 * Turns the kernel's record of a scan into the `fusion-explain.v1` object of docs/interface.md#explain: names, units and
 * ids are added, and what is not finite becomes null.
 */

import {
  MEAS_KIND,
  MEAS_KIND_POSITION,
  MEAS_KIND_SPHERICAL,
  MEAS_S0,
  MEAS_S1,
  MEAS_S2,
  MEAS_S3,
  MEAS_STRIDE,
  MEAS_Z0,
} from "../../assembly/layout.ts";
import type { ExplainedMeasurement, ExplainedTrack, FusionExplain } from "../domain/fusionExplain.ts";
import type { EnuFrame } from "../domain/geodesy.ts";
import type { Scan } from "../domain/scan.ts";
import { finite } from "../lib/numbers.ts";
import type { FusedScan } from "./entries.ts";
import { TRACK_STATUS } from "./types.ts";

export type Outcome = ExplainedMeasurement["outcome"];

/** The kernel's record, decoded by kernel/explainRecord.ts. */
export interface RawExplain {
  readonly measurements: readonly { readonly row: number; readonly outcome: Outcome; readonly trackKey: number }[];
  readonly pairs: readonly {
    readonly measurement: number;
    readonly trackKey: number;
    readonly d2: number;
    readonly limit: number;
    readonly logL: number;
    /** Probability that the sensor detects the track at its predicted place; NaN for a ray. */
    readonly pd: number;
  }[];
  readonly tracks: readonly {
    readonly key: number;
    readonly ray: boolean;
    readonly nis: number;
    readonly missed: boolean;
    readonly modelBefore: readonly number[];
    readonly modelAfter: readonly number[];
    readonly meanBefore: readonly number[];
    readonly meanAfter: readonly number[];
    readonly covBefore: readonly number[];
    readonly covAfter: readonly number[];
    readonly existenceBefore: number;
    readonly existenceAfter: number;
    readonly statusBefore: number;
    readonly statusAfter: number;
  }[];
}

export interface ExplainContext {
  readonly frame: EnuFrame;
  readonly trackIdOf: (key: number) => string;
  readonly stateHash: string;
}

const SPHERICAL_UNITS = ["rad", "rad", "m", "m/s"];
const POSITION_UNITS = ["m", "m", "m", "m/s", "m/s", "m/s"];
const REASON: Readonly<Record<Outcome, string>> = {
  updated: "most likely of this track",
  initiated: "no track explains it: a new tentative track",
  clutter: "likelier a false alarm than any track or a new one",
};

export function describeScan(
  { scan, tick, step }: Pick<FusedScan, "scan" | "tick" | "step">,
  raw: RawExplain,
  context: ExplainContext,
): FusionExplain {
  const pairsOf = new Map<number, RawExplain["pairs"][number][]>(raw.measurements.map(({ row }) => [row, []]));
  for (const pair of raw.pairs) pairsOf.get(pair.measurement)?.push(pair);
  return {
    schema: "fusion-explain.v1",
    tick: step.tick,
    scan_id: scan.scanId,
    sensor_id: scan.sourceId,
    modality: scan.modality,
    scan_at: toTime(scan.measuredAtUs),
    fused_at: toTime(step.atUs),
    coalesced: step.scans > 1,
    replayed: step.tick !== tick,
    rewinds: [...step.rewinds],
    frame: { origin: context.frame.origin, axes: "enu" },
    measurements: raw.measurements.map((m) => describeMeasurement(scan, m, pairsOf.get(m.row)!, context)),
    tracks: raw.tracks.map((track) => describeTrack(track, context)),
    state_hash: context.stateHash,
  };
}

function describeMeasurement(
  scan: Scan,
  { row, outcome, trackKey }: RawExplain["measurements"][number],
  pairs: RawExplain["pairs"],
  { trackIdOf }: ExplainContext,
): ExplainedMeasurement {
  return {
    obs_id: scan.observationIds[row] ?? null,
    measured_at: toTime(scan.measuredAtUs),
    ...geometryOf(scan.measurements.subarray(row * MEAS_STRIDE, (row + 1) * MEAS_STRIDE)),
    // Of the track that took it: a measurement that no track took has no expected place.
    pd: finite(pairs.find((pair) => pair.trackKey === trackKey)?.pd ?? Number.NaN),
    gates: pairs.map((pair) => ({
      track_id: trackIdOf(pair.trackKey),
      d2: finite(pair.d2),
      limit: finite(pair.limit),
    })),
    likelihoods: pairs.map((pair) => ({ track_id: trackIdOf(pair.trackKey), log_l: finite(pair.logL) })),
    outcome,
    track_id: trackKey === 0 ? null : trackIdOf(trackKey),
    reason: REASON[outcome],
  };
}

/** The measured components with their units, and their covariance: diagonal, packed as an upper triangle. */
function geometryOf(m: Float64Array): {
  kind: ExplainedMeasurement["kind"];
  z: number[];
  z_units: string[];
  r: number[];
} {
  const kind = m[MEAS_KIND]!;
  const position = kind === MEAS_KIND_POSITION;
  const sigmas = position
    ? [m[MEAS_S0]!, m[MEAS_S1]!, m[MEAS_S2]!, m[MEAS_S3]!, m[MEAS_S3]!, m[MEAS_S3]!]
    : [m[MEAS_S0]!, m[MEAS_S1]!, m[MEAS_S2]!, m[MEAS_S3]!];
  const units = position ? POSITION_UNITS : SPHERICAL_UNITS;
  const present = sigmas
    .map((_, i) => i)
    .filter((i) => Number.isFinite(m[MEAS_Z0 + i]!) && Number.isFinite(sigmas[i]!));
  const r: number[] = [];
  present.forEach((i, a) => {
    present.forEach((_, b) => {
      if (b >= a) r.push(a === b ? sigmas[i]! ** 2 : 0);
    });
  });
  const name = position ? "position" : kind === MEAS_KIND_SPHERICAL ? "spherical" : "bearing";
  return { kind: name, z: present.map((i) => m[MEAS_Z0 + i]!), z_units: present.map((i) => units[i]!), r };
}

function describeTrack(track: RawExplain["tracks"][number], { trackIdOf }: ExplainContext): ExplainedTrack {
  return {
    track_id: trackIdOf(track.key),
    model: track.ray ? "ray" : "imm_cv2",
    p_model: track.modelAfter.map(finite),
    x_before: track.meanBefore.map(finite),
    p_before: track.covBefore.map(finite),
    x_after: track.meanAfter.map(finite),
    p_after: track.covAfter.map(finite),
    nis: finite(track.nis),
    existence_before: finite(track.existenceBefore),
    existence_after: finite(track.existenceAfter),
    status_before: TRACK_STATUS[track.statusBefore] ?? null,
    status_after: TRACK_STATUS[track.statusAfter] ?? null,
    missed: track.missed,
  };
}

function toTime(us: number): string {
  return new Date(us / 1000).toISOString();
}
