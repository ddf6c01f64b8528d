/**
 * One track of the picture: its last row in the kernel's table, and members that the kernel does not have (number, identity,
 * claims). The wire form is built only when it is read.
 */
import type { EnuFrame } from "../../domain/geodesy.ts";
import type { MovesIn } from "../../domain/platformReport.ts";
import type { RemoteIdClaim } from "../../domain/remoteId.ts";
import type {
  AdsbClaim,
  ClaimFlag,
  Classification,
  Identity,
  IdentityBasis,
  Track,
  TrackStatus,
} from "../../domain/track.ts";
import { TRACK_STATUS, type TrackTable } from "../../tracker/types.ts";
import type { Platform } from "../forces/platform.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const KEY_CHARACTERS = 11;

/** The kernel's 53-bit key as an id, so that a track has the same id in whatever order its data arrived. */
export function trackIdOf(key: number): string {
  let id = "";
  for (let i = 0, rest = key; i < KEY_CHARACTERS; i++, rest = Math.floor(rest / 32)) id = CROCKFORD[rest % 32]! + id;
  return `trk_${id}`;
}

interface Contributor {
  sensorSlot: number;
  lastAtUs: number;
  hits: number;
}

export class LiveTrack {
  readonly key: number;
  readonly id: string;
  readonly number: number;
  status: TrackStatus = "tentative";
  identity: Identity = "pending";
  identityBasis: IdentityBasis = "none";
  classification: Classification[] = [];
  remoteId: RemoteIdClaim | null = null;
  adsb: AdsbClaim | null = null;
  /** `adsb` was sent by the aircraft itself, not by a ground radar. */
  hasTransponder = false;
  claimFlags: ClaimFlag[] = [];
  /** Whether the last claim has a height above the ellipsoid and a vertical rate, and its pressure altitude. */
  claimsHeight = false;
  claimsClimb = false;
  altPressureM: number | null = null;
  assetId: string | null = null;
  /** The platform, registered or not, whose own reports update it. */
  platform: Platform | null = null;
  /** The medium that it moves in, by the registry or by its own reports; null: it has neither. */
  movesIn: MovesIn | null = null;
  mergedFrom: string[] = [];
  splitFrom: string | null = null;
  /** Set by an operator. */
  label: string | null = null;
  note: string | null = null;

  lat = 0;
  lon = 0;
  altHaeM = 0;
  east = 0;
  north = 0;
  up = 0;
  velEastMps = 0;
  velNorthMps = 0;
  velUpMps = 0;
  readonly covPosM2 = new Float64Array(6);
  readonly covVelM2ps2 = new Float64Array(6);
  existence = 0;
  hits = 0;
  misses = 0;
  firstAtUs = 0;
  measuredAtUs = 0;
  validAtUs = 0;
  rcsDbsm = Number.NaN;
  manoeuvre = 0;
  claimNumber = 0;
  bearingOnly = false;
  rayAzRad = 0;
  rayElRad = 0;
  raySigmaRad = 0;
  raySensorSlot = -1;
  contributors: Contributor[] = [];

  /** Milliseconds since the epoch. */
  updatedAtMs = 0;
  /** When its last updating scan arrived; for lat_ms. */
  receivedAtMs = 0;
  /** Smoothed time between updates, seconds; NaN before the second. */
  updatePeriodS = Number.NaN;
  /** `stream_gen` of its last event. */
  sentGeneration = 0;
  sentAtMs = 0;
  /** When the slow members (covariances, counters, sensors) were last sent. */
  sentWholeAtMs = 0;
  /** JSON of the members in `kindsOf` (trackWire.ts) as last sent. */
  sentKinds = "";
  lastSeenTick = 0;
  /** Slow members (identity basis, claims, class, ...) that changed since they were last sent. */
  readonly changedMembers = new Set<keyof Track>();

  constructor(key: number, number: number) {
    this.key = key;
    this.id = trackIdOf(key);
    this.number = number;
  }

  /** Copies the kernel's row. Returns true when the status changed. */
  readRow(table: TrackTable, row: number, frame: EnuFrame, nowMs: number): boolean {
    this.#readState(table, row, frame);
    const measuredAtUs = table.lastAtUs[row]!;
    if (this.measuredAtUs > 0 && measuredAtUs > this.measuredAtUs)
      this.#learnPeriod((measuredAtUs - this.measuredAtUs) / 1e6);
    this.measuredAtUs = measuredAtUs;
    const firstAtUs = table.firstAtUs[row]!;
    // It moves back when the track takes over an older one.
    if (firstAtUs !== this.firstAtUs) this.changedMembers.add("first_at");
    this.firstAtUs = firstAtUs;
    this.validAtUs = table.atUs;
    this.updatedAtMs = nowMs;
    this.existence = table.existence[row]!;
    this.hits = table.hits[row]!;
    this.misses = table.misses[row]!;
    this.manoeuvre = table.manoeuvre[row]!;
    this.rcsDbsm = table.rcsDbsm[row]!;
    this.claimNumber = table.claim[row]!;
    this.#readContributors(table, row);
    const status = TRACK_STATUS[table.status[row]!]!;
    const changed = status !== this.status;
    this.status = status;
    return changed;
  }

  #readState(table: TrackTable, row: number, frame: EnuFrame): void {
    this.east = table.eastM[row]!;
    this.north = table.northM[row]!;
    this.up = table.upM[row]!;
    const [lat, lon, alt] = frame.toGeodetic(this.east, this.north, this.up);
    this.lat = lat;
    this.lon = lon;
    this.altHaeM = alt;
    this.velEastMps = table.velEastMps[row]!;
    this.velNorthMps = table.velNorthMps[row]!;
    this.velUpMps = table.velUpMps[row]!;
    for (let i = 0; i < 6; i++) {
      this.covPosM2[i] = table.covPosM2[row * 6 + i]!;
      this.covVelM2ps2[i] = table.covVelM2ps2[row * 6 + i]!;
    }
    this.bearingOnly = table.bearingOnly[row] === 1;
    this.rayAzRad = table.rayAzRad[row]!;
    this.rayElRad = table.rayElRad[row]!;
    this.raySigmaRad = table.raySigmaRad[row]!;
    this.raySensorSlot = table.raySensor[row]!;
  }

  forgetSensors(): void {
    this.contributors = [];
    this.raySensorSlot = -1;
  }

  #readContributors(table: TrackTable, row: number): void {
    const width = table.contributorSensor.length / table.existence.length;
    let used = 0;
    for (let i = row * width; i < (row + 1) * width; i++) {
      const sensorSlot = table.contributorSensor[i]!;
      if (sensorSlot < 0) continue;
      const slot = (this.contributors[used] ??= { sensorSlot, lastAtUs: 0, hits: 0 });
      slot.sensorSlot = sensorSlot;
      slot.lastAtUs = table.contributorLastAtUs[i]!;
      slot.hits = table.contributorHits[i]!;
      used++;
    }
    this.contributors.length = used;
  }

  #learnPeriod(seconds: number): void {
    this.updatePeriodS = Number.isNaN(this.updatePeriodS) ? seconds : this.updatePeriodS * 0.8 + seconds * 0.2;
  }
}
