/**
 * The track as clients see it (docs/interface.md#tracks): snapshot, picture, GET /api/tracks and, in part,
 * `track_update`. The schema type is the domain type; there is no second set of transfer objects.
 */
import { type Static, Type } from "typebox";
import { ENVIRONMENTS, MODALITIES } from "./modality.ts";
import { RemoteIdClaim } from "./remoteId.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

const oneOf = <const T extends readonly string[]>(values: T) => Type.Enum(values);

export const TRACK_STATUSES = ["tentative", "confirmed", "coasting", "ended"] as const;
export const IDENTITIES = ["pending", "unknown", "assumed_friend", "friend", "neutral", "suspect", "hostile"] as const;
const IDENTITY_BASES = ["none", "registry", "remote_id", "transponder", "rule", "operator"] as const;
export const TRACK_REMOVED_REASONS = [
  "stale",
  "merged",
  "split",
  "operator",
  "became_asset",
  "asset_removed",
  "sim_end",
  "duplicate",
] as const;
export type TrackStatus = (typeof TRACK_STATUSES)[number];
export type Identity = (typeof IDENTITIES)[number];
export type IdentityBasis = (typeof IDENTITY_BASES)[number];
export type TrackRemovedReason = (typeof TRACK_REMOVED_REASONS)[number];

export const Classification = Shape("Classification", {
  type: Type.String({ description: "taxonomy path, e.g. air_vehicle.uas.rotary" }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  sub_class: Type.Array(Type.String()),
});
export type Classification = Static<typeof Classification>;

export const Behaviour = Type.Object({ type: Type.String(), confidence: Type.Number({ minimum: 0, maximum: 1 }) });
export type Behaviour = Static<typeof Behaviour>;

export const AdsbClaim = Shape("AdsbClaim", {
  icao: Type.String(),
  callsign: nullable(Type.String()),
  category: nullable(Type.String()),
  squawk: nullable(Type.String()),
  nic: nullable(Type.Number()),
  nac_p: nullable(Type.Number()),
  sil: nullable(Type.Number()),
  emergency: nullable(Type.String()),
});
export type AdsbClaim = Static<typeof AdsbClaim>;

export const ClaimFlag = Type.Object({
  code: Type.String(),
  value: nullable(Type.Number()),
  limit: nullable(Type.Number()),
  unit: Type.String(),
});
export type ClaimFlag = Static<typeof ClaimFlag>;

export const BearingOnly = Shape("BearingOnly", {
  sensor_id: Type.String(),
  az_deg: Type.Number(),
  el_deg: nullable(Type.Number()),
  sigma_az_deg: Type.Number(),
  max_range_m: Type.Number(),
});
export type BearingOnly = Static<typeof BearingOnly>;

export const TrackSensor = Shape("TrackSensor", {
  sensor_id: Type.String(),
  modality: oneOf(MODALITIES),
  last_at: UtcTime,
  age_s: Type.Number(),
  hits: Type.Integer(),
});
export type TrackSensor = Static<typeof TrackSensor>;

export const ErrorEllipse = Shape("ErrorEllipse", {
  semi_major_m: Type.Number(),
  semi_minor_m: Type.Number(),
  orientation_deg: Type.Number({ minimum: 0, maximum: 180 }),
  probability: Type.Number(),
});
export type ErrorEllipse = Static<typeof ErrorEllipse>;

const UpperTriangle = Type.Array(Type.Number(), { minItems: 6, maxItems: 6, description: "ee en eu nn nu uu" });
const Vector = Type.Array(Type.Number(), { minItems: 3, maxItems: 3, description: "east, north, up" });

export const Track = Shape("Track", {
  id: Type.String(),
  number: Type.Integer(),
  status: oneOf(TRACK_STATUSES),
  domain: oneOf(["air", "ground", "surface", "subsurface", "unknown"]),
  identity: oneOf(IDENTITIES),
  identity_basis: oneOf(IDENTITY_BASES),
  classification: Type.Array(Classification),
  behaviour: Type.Array(Behaviour),
  lat: nullable(Type.Number()),
  lon: nullable(Type.Number()),
  alt_hae_m: nullable(Type.Number()),
  alt_agl_m: nullable(Type.Number()),
  alt_msl_m: nullable(Type.Number()),
  alt_pressure_m: nullable(Type.Number()),
  alt_source: oneOf(["gnss", "radar_3d", "triangulation", "default", "barometric", "remote_id", "none"]),
  vel_enu_mps: nullable(Vector),
  speed_mps: nullable(Type.Number()),
  course_deg: nullable(Type.Number()),
  climb_mps: nullable(Type.Number()),
  accel_enu_mps2: nullable(Vector),
  cov_pos_enu_m2: nullable(UpperTriangle),
  cov_vel_enu_m2ps2: nullable(UpperTriangle),
  error_ellipse: nullable(ErrorEllipse),
  ce90_m: nullable(Type.Number()),
  le90_m: nullable(Type.Number()),
  quality: Type.Integer({ minimum: 0, maximum: 15 }),
  existence: Type.Number({ minimum: 0, maximum: 1 }),
  bearing_only: nullable(BearingOnly),
  sensors: Type.Array(TrackSensor),
  hits: Type.Integer(),
  misses: Type.Integer(),
  first_at: UtcTime,
  measured_at: UtcTime,
  valid_at: UtcTime,
  updated_at: UtcTime,
  stale_at: UtcTime,
  update_period_s: nullable(Type.Number()),
  rcs_dbsm: nullable(Type.Number()),
  size_m: nullable(Type.Object({ length: Type.Number(), width: Type.Number(), height: Type.Number() })),
  count: Type.Object({ min: Type.Integer(), max: Type.Integer() }),
  remote_id: nullable(RemoteIdClaim),
  adsb: nullable(AdsbClaim),
  asset_id: nullable(Type.String()),
  claim_flags: Type.Array(ClaimFlag),
  merged_from: Type.Array(Type.String()),
  split_from: nullable(Type.String()),
  label: nullable(Type.String({ description: "what an operator calls it" })),
  note: nullable(Type.String({ description: "what an operator noted about it" })),
  env: oneOf(ENVIRONMENTS),
  priority: Type.Number({ minimum: 0, maximum: 1 }),
});
export type Track = Static<typeof Track>;

const { id, number, status, identity, lat, lon, alt_hae_m, vel_enu_mps, speed_mps, course_deg, ce90_m, existence } =
  Track.properties;
const { classification, measured_at, valid_at, stale_at } = Track.properties;

/** A change of a track: the members that every update has, and the others that changed. */
export const TrackDelta = Shape("TrackDelta", {
  ...Type.Partial(Track).properties,
  ...{ id, number, status, identity, lat, lon, alt_hae_m, vel_enu_mps, speed_mps, course_deg, ce90_m, existence },
  ...{ classification, measured_at, valid_at, stale_at },
});
export type TrackDelta = Static<typeof TrackDelta>;
