/**
 * Observations as sensors push them (docs/interface.md#observations, #signals, #answer-of-a-push): the schema of each
 * modality, of scans and of the three body forms. The same rules are run by `features/signals/validate.ts`, which is
 * derived from these schemas; a property test keeps the two equal (ADR 0050). Pure; knows no HTTP and no room.
 */
import { type TProperties, type TSchema, Type } from "typebox";
import {
  ALT_MAX_M,
  ALT_MIN_M,
  LAT_MAX,
  LON_MAX,
  maybe,
  maybeInteger,
  maybeNumber,
  number,
  oneOf,
  prose,
  Time,
  text,
  UNKNOWN_ERROR_BOUNDS,
} from "./members.ts";
import { ENVIRONMENTS, MODALITIES, type Modality } from "./modality.ts";
import { ODID_NO_TRACK_DEG, REMOTE_ID_MEMBERS } from "./remoteId.ts";

const RANGE_MAX_M = 1_000_000;
const RANGE_RATE_MAX_MPS = 5000;
const SPEED_MAX_MPS = 5000;
const SIGMA_MAX_M = 1_000_000;
const HZ_MAX = 1e12;
/** CoT and OpenDroneID write these where a bearing or an altitude is not known. */
const NO_BEARING_DEG = [ODID_NO_TRACK_DEG];
const NO_ALTITUDE_M = [-1000, ...UNKNOWN_ERROR_BOUNDS];

const bearing = () => number(0, 360);
const elevation = () => number(-90, 90);
const range = () => number(0, RANGE_MAX_M);
const latitude = () => number(-LAT_MAX, LAT_MAX);
const longitude = () => number(-LON_MAX, LON_MAX);
const maybeBearing = () => maybeNumber(0, 360, NO_BEARING_DEG);
const maybeElevation = () => maybeNumber(-90, 90);
const maybeAltitude = () => maybeNumber(ALT_MIN_M, ALT_MAX_M, NO_ALTITUDE_M);
const sigmaDeg = () =>
  maybeNumber(0, 360, UNKNOWN_ERROR_BOUNDS, "one sigma; may only enlarge that of the sensor profile");
const sigmaM = () =>
  maybeNumber(0, SIGMA_MAX_M - 2, UNKNOWN_ERROR_BOUNDS, "one sigma; may only enlarge that of the sensor profile");
const decibels = () => maybeNumber(-300, 300);
const hertz = () => maybeNumber(0, HZ_MAX);
const label = () => maybe(text(64));
const list = <T extends TSchema>(item: T, itemsMax: number) => maybe(Type.Array(item, { maxItems: itemsMax }));

const SensorPoseWire = Type.Object({
  lat: latitude(),
  lon: longitude(),
  alt_hae_m: number(ALT_MIN_M, ALT_MAX_M),
  yaw_deg: maybeNumber(-360, 360),
  pitch_deg: maybeNumber(-90, 90),
  roll_deg: maybeNumber(-180, 180),
});

const Probability = number(0, 1);

/** Members that an observation and a detection of a scan may have beside their geometry. */
const ATTRIBUTES = {
  source_obs_id: maybe(text(128, "the source's own id: a repeated one is counted as a duplicate and not fused")),
  source_track_id: maybe(text(128)),
  detection_confidence: maybeNumber(0, 1),
  snr_db: decibels(),
  amplitude_db: decibels(),
  classification: list(Type.Object({ type: text(128), confidence: Probability, sub_class: list(text(64), 8) }), 16),
  behaviour: list(Type.Object({ type: text(64), confidence: Probability }), 16),
  media: list(Type.Object({ type: text(64), url: text(2000), at: maybe(Time) }), 16),
  raw: maybe(
    Type.Object(
      {},
      { description: "the source's own words; checked (at most 4 KB as JSON, 16 levels deep), not kept yet" },
    ),
  ),
};

/** Once in a scan, and in every single observation. */
const COMMON = {
  source_id: text(128, "sensor asset id, or the name of an integration"),
  measured_at: Time,
  sent_at: maybe(Time),
  seq: maybeInteger(0, Number.MAX_SAFE_INTEGER),
  tracking: maybe(oneOf(["none", "tracklet", "track", "track_reid"])),
  sensor_pose: maybe(SensorPoseWire),
  env: maybe(oneOf(ENVIRONMENTS)),
};

const SIGNAL = {
  rssi_dbm: decibels(),
  center_hz: hertz(),
  bandwidth_hz: hertz(),
  start_hz: hertz(),
  stop_hz: hertz(),
  pulse_s: maybeNumber(0, 3600),
  protocol: label(),
  emitter_role: maybe(oneOf(["uplink", "downlink", "video", "telemetry", "unknown"])),
  device_id: label(),
};

const IMAGE = {
  az_deg: bearing(),
  el_deg: elevation(),
  range_m: maybeNumber(0, RANGE_MAX_M),
  sigma_az_deg: sigmaDeg(),
  sigma_el_deg: sigmaDeg(),
  sigma_range_m: sigmaM(),
  bbox_px: maybe(
    Type.Array(number(-100_000, 100_000), { minItems: 4, maxItems: 4, description: "x, y, width, height" }),
  ),
  frame_at: maybe(Time),
  hfov_deg: maybeNumber(0, 360),
  vfov_deg: maybeNumber(0, 180),
  polarity: maybe(oneOf(["white_hot", "black_hot"])),
};

/** The members that give the object its position: a wrong or missing one is `bad_geometry`. */
export const GEOMETRY_MEMBERS: ReadonlySet<string> = new Set([
  "az_deg",
  "el_deg",
  "range_m",
  "lat",
  "lon",
  "alt_hae_m",
]);

const GEOMETRY = {
  radar: {
    az_deg: bearing(),
    el_deg: maybeElevation(),
    range_m: range(),
    range_rate_mps: maybeNumber(-RANGE_RATE_MAX_MPS, RANGE_RATE_MAX_MPS, [], "positive away"),
    doppler_mps: maybeNumber(-RANGE_RATE_MAX_MPS, RANGE_RATE_MAX_MPS, [], "as reported, possibly folded; not fused"),
    rcs_dbsm: maybeNumber(-100, 100),
    sigma_az_deg: sigmaDeg(),
    sigma_el_deg: sigmaDeg(),
    sigma_range_m: sigmaM(),
    sigma_range_rate_mps: maybeNumber(0, 1000, UNKNOWN_ERROR_BOUNDS),
    plot_kind: maybe(oneOf(["plot", "track"])),
  },
  rf: { az_deg: bearing(), el_deg: maybeElevation(), sigma_az_deg: sigmaDeg(), sigma_el_deg: sigmaDeg(), ...SIGNAL },
  rf_fix: {
    lat: latitude(),
    lon: longitude(),
    alt_hae_m: maybeAltitude(),
    sigma_major_m: sigmaM(),
    sigma_minor_m: sigmaM(),
    orientation_deg: maybeNumber(0, 360, [], "of the major axis, clockwise from true north"),
    ...SIGNAL,
  },
  eo: IMAGE,
  ir: IMAGE,
  acoustic: {
    az_deg: bearing(),
    el_deg: maybeElevation(),
    sigma_az_deg: sigmaDeg(),
    sigma_el_deg: sigmaDeg(),
    spl_db: decibels(),
    band_hz: maybe(Type.Array(number(0, HZ_MAX), { minItems: 2, maxItems: 2 })),
    propagation_delay_s: maybeNumber(
      0,
      30,
      [],
      "the sound left this long before measured_at; the bearing is fused at that time",
    ),
  },
  lidar: {
    az_deg: bearing(),
    el_deg: elevation(),
    range_m: range(),
    sigma_az_deg: sigmaDeg(),
    sigma_el_deg: sigmaDeg(),
    sigma_range_m: sigmaM(),
    points: maybeInteger(0, 1_000_000_000),
  },
  remote_id: {
    ...REMOTE_ID_MEMBERS,
    lat: latitude(),
    lon: longitude(),
    odid: maybe(text(1100, "instead of the members of the claim: the OpenDroneID payload as received, hex or base64")),
  },
  adsb: {
    icao: Type.String({
      pattern: "^~?[0-9a-fA-F]{6}$",
      minLength: 6,
      maxLength: 7,
      description: "24-bit address; ~ marks a non-ICAO one",
    }),
    address_kind: label(),
    lat: latitude(),
    lon: longitude(),
    alt_baro_m: maybeAltitude(),
    alt_hae_m: maybeAltitude(),
    gs_mps: maybeNumber(0, SPEED_MAX_MPS),
    track_deg: maybeBearing(),
    vrate_mps: maybeNumber(-1000, 1000),
    callsign: maybe(text(16)),
    category: maybe(text(8)),
    squawk: maybe(text(4)),
    emergency: label(),
    nic: maybeInteger(0, 15),
    nac_p: maybeInteger(0, 15),
    nac_v: maybeInteger(0, 7),
    sil: maybeInteger(0, 3),
    gva: maybeInteger(0, 3),
    position_age_s: maybeNumber(0, 86_400),
    source_kind: label(),
    rssi_dbfs: decibels(),
  },
  blue_force: {
    asset_key: text(128),
    lat: latitude(),
    lon: longitude(),
    alt_hae_m: maybeAltitude(),
    vel_enu_mps: maybe(Type.Array(number(-SPEED_MAX_MPS, SPEED_MAX_MPS), { minItems: 3, maxItems: 3 })),
    yaw_deg: maybeNumber(-360, 360),
    gps_fix: maybe(oneOf(["no_gps", "no_fix", "2d", "3d", "dgps", "rtk_float", "rtk_fixed", "static", "ppp"])),
    sats: maybeInteger(0, 255),
    hdop: maybeNumber(0, 1000),
    battery_pct: maybeNumber(0, 100, [-1]),
    mode: label(),
    armed: maybe(Type.Boolean()),
    landed: maybe(oneOf(["undefined", "on_ground", "in_air", "takeoff", "landing"])),
    link_rssi_dbm: decibels(),
  },
  human: {
    lat: maybeNumber(-LAT_MAX, LAT_MAX),
    lon: maybeNumber(-LON_MAX, LON_MAX),
    alt_hae_m: maybeAltitude(),
    az_deg: maybeBearing(),
    el_deg: maybeElevation(),
    sigma_az_deg: sigmaDeg(),
    text: maybe(prose(2000, "what was seen, in the observer's words")),
    count: maybeInteger(0, 100_000),
    sigma_m: sigmaM(),
  },
} as const satisfies Record<Modality, TProperties>;

const DESCRIBE: Record<Modality, string> = {
  radar: "radar plot",
  rf: "radio bearing",
  rf_fix: "radio position fix",
  eo: "day camera",
  ir: "thermal camera",
  acoustic: "sound bearing",
  lidar: "lidar plot",
  remote_id: "Remote ID broadcast: the claim's members stand flat",
  adsb: "ADS-B report, converted to SI",
  blue_force: "own platform's report",
  human: "a person's report: a place or a bearing",
};

/** Unknown members are accepted, ignored and counted. */
const open = { additionalProperties: true } as const;

/** One entry of a scan's `detections`. */
export const DETECTION_SCHEMAS: Readonly<Record<Modality, ReturnType<typeof Type.Object>>> = mapModalities((m) =>
  Type.Object({ ...ATTRIBUTES, ...GEOMETRY[m] }, { ...open, title: `Detection, ${m}` }),
);

/** A single observation: everything flat. */
export const OBSERVATION_SCHEMAS: Readonly<Record<Modality, ReturnType<typeof Type.Object>>> = mapModalities((m) =>
  Type.Object(
    { ...COMMON, modality: Type.Literal(m), ...ATTRIBUTES, ...GEOMETRY[m] },
    { ...open, title: `Observation, ${m}`, description: DESCRIBE[m] },
  ),
);

/** A scan without its detections. */
const SCAN_MEMBERS = {
  ...COMMON,
  modality: oneOf(MODALITIES),
  scan_id: maybe(text(128, "a repeated scan is counted and not fused again")),
};

export const SCAN_SCHEMAS: Readonly<Record<Modality, ReturnType<typeof Type.Object>>> = mapModalities((m) =>
  Type.Object(
    {
      ...SCAN_MEMBERS,
      modality: Type.Literal(m),
      detections: Type.Array(DETECTION_SCHEMAS[m], {
        description: "all that the sensor saw; empty: it looked and saw nothing",
      }),
    },
    { ...open, title: `Scan, ${m}` },
  ),
);

const Observation = Type.Union(
  MODALITIES.map((m) => OBSERVATION_SCHEMAS[m]),
  { title: "Observation" },
);
const Scan = Type.Union(
  MODALITIES.map((m) => SCAN_SCHEMAS[m]),
  { title: "Scan" },
);

/** The three forms of a body (docs/interface.md#signals). */
export const SignalsBody = Type.Union(
  [
    Observation,
    Type.Object({ signals: Type.Array(Observation) }, { ...open, title: "Observations" }),
    Type.Object({ scans: Type.Array(Scan) }, { ...open, title: "Scans" }),
  ],
  { title: "SignalsBody" },
);

function mapModalities<T>(make: (modality: Modality) => T): Record<Modality, T> {
  return Object.fromEntries(MODALITIES.map((m) => [m, make(m)])) as Record<Modality, T>;
}
