/**
 * A live track as clients see it (docs/interface.md#tracks): whole, and as the delta of `track_update`
 * (docs/interface.md#track-updates). Derives the labelled views (speed, ellipse, ce90) from the estimate; a delta also marks
 * its members as sent.
 */
import { CE90_PER_SIGMA, ce90M } from "../../domain/geodesy.ts";
import { COOPERATIVE_MODALITIES, type Environment, type Modality } from "../../domain/modality.ts";
import type { BearingOnly, Behaviour, ErrorEllipse, Track, TrackDelta, TrackSensor } from "../../domain/track.ts";
import { DEG_PER_RAD } from "../../lib/angles.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { round } from "../../lib/numbers.ts";
import { UNMEASURED_HEIGHT_SIGMA_M } from "../../tracker/types.ts";
import type { Channel } from "../sensors/sensor.ts";
import { domainOf } from "./classify.ts";
import type { LiveTrack } from "./liveTrack.ts";

/** A channel that contributes to a track. */
interface ContributingChannel extends Pick<Channel, "modality" | "profile" | "reportsHeight"> {
  readonly sensor: Pick<Channel["sensor"], "id" | "siting">;
}

/** The room as a track's wire form needs it. */
export interface WireContext {
  readonly environment: Environment;
  readonly nowMs: number;
  readonly endAfterMs: number;
  channelOfSlot(slot: number): ContributingChannel | undefined;
}

const LE90_PER_SIGMA = 1.644854;
/** An altitude with a larger sigma is not reported. */
const ALTITUDE_SIGMA_MAX_M = 150;
/**
 * Without a measured height the filter starts at a typical one with a typical spread, which a near sensor sees at a slant
 * (sine up to 0.7). A smaller sigma means that the height was measured.
 */
const MEASURED_SIGMA_M = 0.7 * UNMEASURED_HEIGHT_SIGMA_M;
const HOVER_SPEED_MPS = 1.5;
const BEARING_MODALITIES: readonly Modality[] = ["rf", "eo", "ir", "acoustic"];

const numberOrNull = (value: number, digits: number): number | null =>
  Number.isFinite(value) ? round(value, digits) : null;

export function errorEllipse(cov: Float64Array): ErrorEllipse {
  const ee = cov[0]!;
  const en = cov[1]!;
  const nn = cov[3]!;
  const mean = (ee + nn) / 2;
  const spread = Math.hypot((ee - nn) / 2, en);
  // Angle of the major axis from north, clockwise.
  const orientation = 0.5 * Math.atan2(2 * en, nn - ee) * DEG_PER_RAD;
  return {
    semi_major_m: round(Math.sqrt(Math.max(0, mean + spread)) * CE90_PER_SIGMA, 2),
    semi_minor_m: round(Math.sqrt(Math.max(0, mean - spread)) * CE90_PER_SIGMA, 2),
    orientation_deg: round((orientation + 180) % 180, 1),
    probability: 0.9,
  };
}

/** 15 means a CE90 of at most 5 m; each step down allows 1.5 times as much. 0 for a ray. */
function qualityOf(track: LiveTrack): number {
  if (track.bearingOnly) return 0;
  return Math.max(0, Math.min(15, Math.round(15 - Math.log(Math.max(ce90M(track.covPosM2), 5) / 5) / Math.log(1.5))));
}

const RANGING: ReadonlySet<Modality> = new Set<Modality>(["radar", "lidar"]);

/**
 * True when the height of this track was measured or claimed. The filter has a height for every track, but without either
 * it is the typical one that the track started with.
 */
function isHeightKnown(track: LiveTrack, context: WireContext): boolean {
  const sigmaM = Math.sqrt(track.covPosM2[5]!);
  if (track.bearingOnly || sigmaM > ALTITUDE_SIGMA_MAX_M) return false;
  if (track.claimsHeight) return true;
  for (const { sensorSlot } of track.contributors) {
    const channel = context.channelOfSlot(sensorSlot);
    // A sensor of unknown height measures heights above an unknown level.
    if (channel === undefined || channel.sensor.siting?.heightSigmaM !== undefined) continue;
    // Cooperative sources give a height for some aircraft and not for others: there this track's own claim counts (above).
    if (sigmaM < MEASURED_SIGMA_M || (channel.reportsHeight && !COOPERATIVE_MODALITIES.has(channel.modality)))
      return true;
  }
  return false;
}

/** null where it is unknown. Every reader of a track's height goes through here. */
export function knownHeightM(track: LiveTrack, context: WireContext): number | null {
  return isHeightKnown(track, context) ? track.altHaeM : null;
}

/** null unless the vertical rate was claimed or the height is known: otherwise it is the filter's prior alone. */
function knownClimbMps(track: LiveTrack, hasHeight: boolean): number | null {
  if (track.bearingOnly) return null;
  return track.claimsClimb || hasHeight ? track.velUpMps : null;
}

function altitudeSource(track: LiveTrack, context: WireContext, hasHeight: boolean): Track["alt_source"] {
  if (!hasHeight) return "none";
  const channels = track.contributors.flatMap(({ sensorSlot }) => context.channelOfSlot(sensorSlot) ?? []);
  const has = (...modalities: Modality[]) => channels.some(({ modality }) => modalities.includes(modality));
  const isCooperative = has("blue_force", "adsb");
  if (isCooperative && track.claimsHeight) return "gnss";
  if (channels.some(({ reportsHeight, modality }) => reportsHeight && RANGING.has(modality))) return "radar_3d";
  if (has("remote_id") && track.claimsHeight) return "remote_id";
  // From elevations, or from the change of slant ranges.
  if (has(...BEARING_MODALITIES, "radar", "lidar")) return "triangulation";
  // Claimed earlier, but not in the last report.
  return isCooperative ? "gnss" : has("remote_id") ? "remote_id" : "default";
}

function bearingOnlyOf(track: LiveTrack, context: WireContext): BearingOnly | null {
  if (!track.bearingOnly) return null;
  const channel = context.channelOfSlot(track.raySensorSlot);
  return {
    sensor_id: channel?.sensor.id ?? "",
    az_deg: round((track.rayAzRad * DEG_PER_RAD + 360) % 360, 3),
    el_deg: numberOrNull(track.rayElRad * DEG_PER_RAD, 3),
    sigma_az_deg: round(track.raySigmaRad * DEG_PER_RAD, 3),
    max_range_m: channel?.profile.max_range_m ?? 0,
  };
}

function sensorsOf(track: LiveTrack, context: WireContext): TrackSensor[] {
  const out: TrackSensor[] = [];
  for (const c of track.contributors) {
    const channel = context.channelOfSlot(c.sensorSlot);
    if (channel === undefined) continue;
    const ageS = Math.max(0, context.nowMs - c.lastAtUs / 1000) / 1000;
    out.push({
      sensor_id: channel.sensor.id,
      modality: channel.modality,
      last_at: toRfc3339(c.lastAtUs / 1000),
      age_s: round(ageS, 3),
      hits: c.hits,
    });
  }
  return out;
}

function behaviourOf(track: LiveTrack, climbMps: number | null): Behaviour[] {
  if (track.bearingOnly || track.status === "tentative") return [];
  const speedMps = Math.hypot(track.velEastMps, track.velNorthMps);
  const type = speedMps < HOVER_SPEED_MPS ? "loiter" : (climbMps ?? 0) < -2 ? "descending" : "transit";
  return [{ type, confidence: round(track.existence * 0.8, 2) }];
}

/** The members that every delta carries. */
function coreOf(track: LiveTrack, context: WireContext, hasHeight: boolean) {
  const ray = track.bearingOnly;
  const speed = Math.hypot(track.velEastMps, track.velNorthMps);
  return {
    id: track.id,
    number: track.number,
    status: track.status,
    identity: track.identity,
    lat: ray ? null : round(track.lat, 7),
    lon: ray ? null : round(track.lon, 7),
    alt_hae_m: hasHeight ? round(track.altHaeM, 2) : null,
    vel_enu_mps: ray ? null : [round(track.velEastMps, 2), round(track.velNorthMps, 2), round(track.velUpMps, 2)],
    speed_mps: ray ? null : round(speed, 2),
    course_deg: ray ? null : round((Math.atan2(track.velEastMps, track.velNorthMps) * DEG_PER_RAD + 360) % 360, 1),
    ce90_m: ray ? null : round(ce90M(track.covPosM2), 2),
    existence: round(track.existence, 4),
    classification: track.classification.slice(0, 1),
    measured_at: toRfc3339(track.measuredAtUs / 1000),
    valid_at: toRfc3339(track.validAtUs / 1000),
    stale_at: toRfc3339(track.measuredAtUs / 1000 + context.endAfterMs),
  };
}

/** Members that change with every update: sent once a second, not in every delta. */
function continuousOf(track: LiveTrack, context: WireContext, hasHeight: boolean) {
  const ray = track.bearingOnly;
  const climbMps = knownClimbMps(track, hasHeight);
  return {
    bearing_only: bearingOnlyOf(track, context),
    climb_mps: climbMps === null ? null : round(climbMps, 2),
    cov_pos_enu_m2: ray ? null : Array.from(track.covPosM2, (v) => round(v, 3)),
    cov_vel_enu_m2ps2: ray ? null : Array.from(track.covVelM2ps2, (v) => round(v, 4)),
    error_ellipse: ray ? null : errorEllipse(track.covPosM2),
    le90_m: hasHeight ? round(LE90_PER_SIGMA * Math.sqrt(track.covPosM2[5]!), 2) : null,
    quality: qualityOf(track),
    sensors: sensorsOf(track, context),
    behaviour: behaviourOf(track, climbMps),
    hits: track.hits,
    misses: track.misses,
    rcs_dbsm: numberOrNull(track.rcsDbsm, 1),
    update_period_s: numberOrNull(track.updatePeriodS, 2),
    updated_at: toRfc3339(track.updatedAtMs),
  };
}

/** Members that change rarely: sent when they changed, compared once a second. */
function kindsOf(track: LiveTrack, context: WireContext, hasHeight: boolean) {
  return {
    domain: domainOf(track),
    alt_pressure_m: track.altPressureM,
    alt_source: altitudeSource(track, context, hasHeight),
  };
}

function changedKinds(track: LiveTrack, context: WireContext, hasHeight: boolean): Partial<Track> {
  const kinds = kindsOf(track, context, hasHeight);
  const json = JSON.stringify(kinds);
  if (json === track.sentKinds) return {};
  track.sentKinds = json;
  return kinds;
}

export function toWire(track: LiveTrack, context: WireContext): Track {
  const hasHeight = isHeightKnown(track, context);
  return {
    ...coreOf(track, context, hasHeight),
    ...continuousOf(track, context, hasHeight),
    ...kindsOf(track, context, hasHeight),
    identity_basis: track.identityBasis,
    classification: track.classification,
    alt_agl_m: null,
    alt_msl_m: null,
    accel_enu_mps2: null,
    first_at: toRfc3339(track.firstAtUs / 1000),
    size_m: null,
    count: { min: 1, max: 1 },
    remote_id: track.remoteId,
    adsb: track.adsb,
    asset_id: track.assetId,
    claim_flags: track.claimFlags,
    merged_from: track.mergedFrom,
    split_from: track.splitFrom,
    label: track.label,
    note: track.note,
    env: context.environment,
    priority: 0,
  };
}

/**
 * Whether the update of now carries all members; notes that it does. Independent of whether a session wants it, so that the
 * updates and their numbers are the same with and without readers.
 */
export function takesAllMembers(track: LiveTrack, nowMs: number, periodMs: number): boolean {
  const isDue = track.sentGeneration === 0 || track.bearingOnly || nowMs - track.sentWholeAtMs >= periodMs;
  if (isDue) track.sentWholeAtMs = nowMs;
  return isDue;
}

/** The delta since the last one, `hasAllMembers` or only the core and what changed; marks its members as sent. */
export function toDelta(track: LiveTrack, context: WireContext, hasAllMembers: boolean): TrackDelta {
  if (track.sentGeneration === 0) {
    track.changedMembers.clear();
    return toWire(track, context);
  }
  const hasHeight = isHeightKnown(track, context);
  const delta: TrackDelta = coreOf(track, context, hasHeight);
  if (hasAllMembers)
    Object.assign(delta, continuousOf(track, context, hasHeight), changedKinds(track, context, hasHeight));
  if (track.changedMembers.size > 0) {
    const whole = toWire(track, context);
    for (const member of track.changedMembers) Object.assign(delta, { [member]: whole[member] });
    track.changedMembers.clear();
  }
  return delta;
}
