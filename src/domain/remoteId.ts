/**
 * The Remote ID claim of an aircraft about itself (docs/interface.md#observations; ASTM F3411, OpenDroneID protocol 2). A
 * claim is an observation with its own wide sigma. It is kept beside the estimate and never overwrites it.
 */
import { type Static, Type } from "typebox";
import {
  LAT_MAX,
  LON_MAX,
  maybe,
  maybeInteger,
  maybeNumber,
  oneOf,
  Time,
  text,
  UNKNOWN_ERROR_BOUNDS,
} from "./members.ts";
import { Shape } from "./shape.ts";

export const REMOTE_ID_TYPES = ["serial", "registration", "utm_uuid", "session"] as const;
export const REMOTE_ID_STATUSES = ["undeclared", "ground", "airborne", "emergency", "rid_failure"] as const;
export const REMOTE_ID_UA_TYPES = [
  "none",
  "aeroplane",
  "helicopter_or_multirotor",
  "gyroplane",
  "hybrid_lift",
  "ornithopter",
  "glider",
  "kite",
  "free_balloon",
  "captive_balloon",
  "airship",
  "free_fall_parachute",
  "rocket",
  "tethered_powered_aircraft",
  "ground_obstacle",
  "other",
] as const;
const REMOTE_ID_TRANSPORTS = ["wifi_beacon", "wifi_nan", "ble4", "ble5", "network"] as const;

/** OpenDroneID's own encodings of "unknown". */
const ODID_ALTITUDE = { min: -999.5, max: 31_767.5, unknown: [-1000] } as const;
export const ODID_NO_TRACK_DEG = 361;
const ODID_NO_SPEED_MPS = 255;
const ODID_NO_VERTICAL_SPEED_MPS = 63;

/** `magic`: accept the magic numbers that senders use for "unknown". In the claims that we answer they are null. */
function claimMembers(magic: boolean) {
  const unknown = (...values: number[]) => (magic ? values : []);
  const altitude = () => maybeNumber(ODID_ALTITUDE.min, ODID_ALTITUDE.max, unknown(...ODID_ALTITUDE.unknown));
  const bound = (max: number) => maybeNumber(0, max, unknown(...UNKNOWN_ERROR_BOUNDS));
  const latitude = () => maybeNumber(-LAT_MAX, LAT_MAX);
  const longitude = () => maybeNumber(-LON_MAX, LON_MAX);
  return {
    uas_id: text(20),
    id_type: maybe(oneOf(REMOTE_ID_TYPES)),
    ua_type: maybe(oneOf(REMOTE_ID_UA_TYPES)),
    status: maybe(oneOf(REMOTE_ID_STATUSES)),
    lat: latitude(),
    lon: longitude(),
    alt_hae_m: altitude(),
    alt_pressure_m: altitude(),
    height_m: altitude(),
    height_ref: maybe(oneOf(["takeoff", "ground"])),
    speed_mps: maybeNumber(0, 254.25, unknown(ODID_NO_SPEED_MPS)),
    vspeed_mps: maybeNumber(-62, 62, unknown(ODID_NO_VERTICAL_SPEED_MPS)),
    track_deg: maybeNumber(0, 360, unknown(ODID_NO_TRACK_DEG)),
    /** Upper bounds of the claimed bins, 95 %. */
    accuracy: maybe(
      Type.Object({
        h_m: bound(20_000),
        v_m: bound(20_000),
        baro_m: bound(20_000),
        speed_mps: bound(1000),
        time_s: bound(60),
      }),
    ),
    claim_at: maybe(Time),
    operator: maybe(
      Type.Object({
        lat: latitude(),
        lon: longitude(),
        alt_hae_m: altitude(),
        kind: maybe(oneOf(["takeoff", "live", "fixed"])),
        operator_id: maybe(text(20)),
      }),
    ),
    self_id: maybe(Type.Object({ kind: maybe(text(20)), text: maybe(text(23)) })),
    area: maybe(
      Type.Object({
        count: maybeInteger(0, 65_535),
        radius_m: maybeNumber(0, 2550),
        floor_m: altitude(),
        ceiling_m: altitude(),
      }),
    ),
    eu: maybe(Type.Object({ category: maybe(text(20)), class: maybe(text(20)) })),
    auth: maybe(Type.Object({ kind: maybe(text(40)), verified: maybe(Type.Boolean()) })),
    transport: maybe(oneOf(REMOTE_ID_TRANSPORTS)),
    receiver: maybe(
      Type.Object({ mac: maybe(text(40)), rssi_dbm: maybeNumber(-200, 100), channel: maybeInteger(0, 65_535) }),
    ),
  };
}

/** As answered, in tracks and observation events. */
export const RemoteIdClaim = Shape("RemoteIdClaim", claimMembers(false));
export type RemoteIdClaim = Static<typeof RemoteIdClaim>;

/** As a source sends it: flat beside the common members. */
export const REMOTE_ID_MEMBERS = claimMembers(true);
