/**
 * A sensor, registered or not, as the picture shows it (docs/interface.md#asset-views, kind sensor). Pure.
 */
import type { AssetView } from "../../domain/asset.ts";
import type { Environment } from "../../domain/modality.ts";
import { isSamePose, type SensorPose, type SensorProfile } from "../../domain/sensorProfile.ts";
import { timeOrNull, toRfc3339 } from "../../lib/clock.ts";
import { coverageOf } from "../sensors/coverage.ts";
import type { Sensor } from "../sensors/sensor.ts";
import { sourceKey } from "./discoveries.ts";
import type { FleetAsset } from "./fleet.ts";

const LINK_OF = { never_heard: "never_heard", up: "up", degraded: "degraded", lost: "lost" } as const;
const HEALTH_OF = { never_heard: "unknown", up: "ok", degraded: "warn", lost: "unknown" } as const;
const OPERATIONAL_OF = {
  never_heard: "off",
  up: "operational",
  degraded: "degraded",
  lost: "non_operational",
} as const;

/** Its placement, or the pose that its observations carried. */
function motionOf(sensor: Sensor, nowMs: number): AssetView["motion"] {
  const pose = sensor.lastPose;
  if (pose === null) return null;
  return {
    lat: pose.lat,
    lon: pose.lon,
    alt_hae_m: sensor.siting?.heightSigmaM === undefined ? pose.alt_hae_m : null,
    alt_rel_m: null,
    vel_enu_mps: null,
    speed_mps: null,
    course_deg: null,
    heading_deg: pose.yaw_deg,
    climb_mps: null,
    at: toRfc3339(sensor.lastHeardAtMs > 0 ? sensor.lastHeardAtMs : nowMs),
    source: sensor.registered ? "placement" : "sensor_pose",
  };
}

export function sensorViewOf(
  sensor: Sensor,
  environment: Environment,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView {
  return {
    id: sensor.id,
    key: sensor.registered ? null : sourceKey(sensor.id),
    name: sensor.id,
    kind: "sensor",
    domain: "sensor",
    model: sensor.registered ? sensor.profile.id : null,
    class_type: null,
    origin: sensor.registered ? "registry" : "discovered",
    remote_id_serial: null,
    link: {
      state: LINK_OF[sensor.state],
      since_at: timeOrNull(sensor.stateSinceMs),
      last_heard_at: timeOrNull(sensor.lastHeardAtMs),
      protocol: sensor.protocol,
      // The address of its discovery, which registration accepts.
      address: sensor.id,
      rssi_dbm: null,
      loss_pct: null,
      rtt_ms: null,
      rate_hz: null,
    },
    health: {
      level: HEALTH_OF[sensor.state],
      components: [],
      messages: sensor.rejected > 0 ? [`${sensor.rejected} observations were rejected`] : [],
      armable: null,
      updated_at: timeOrNull(sensor.lastHeardAtMs),
    },
    motion: motionOf(sensor, nowMs),
    power: null,
    nav: null,
    track_id: null,
    verbs: [],
    commitment: null,
    payloads: [],
    payload_source: "none",
    performance: null,
    sensor: sensorOf(sensor, sensor.profile, sensor.lastPose, nowMs, timeOffsetMs),
    env: environment,
    version: 1,
  };
}

function sensorOf(
  sensor: Sensor | undefined,
  profile: SensorProfile,
  pose: SensorPose | null,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView["sensor"] {
  return {
    profile_id: profile.id,
    operational: sensor === undefined ? "off" : OPERATIONAL_OF[sensor.state],
    mode: null,
    coverage: pose === null ? null : coverageOf(profile, pose),
    last_detection_at: timeOrNull(sensor?.lastDetectionAtMs ?? 0),
    detections_per_min: sensor?.detectionsPerMinute(nowMs) ?? 0,
    time_offset_ms: timeOffsetMs,
  };
}

/** A sensor of the registry: the asset's view, completed from its observations where it has no link of its own. */
export function registeredSensorView(
  view: AssetView,
  asset: FleetAsset,
  observed: Sensor | undefined,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView {
  // A sensor without observations (a tripwire, a chemical detector) has no profile.
  const profile = asset.profile ?? observed?.profile ?? null;
  const sensor = profile && sensorOf(observed, profile, observed?.lastPose ?? null, nowMs, timeOffsetMs);
  if (asset.platform !== null || observed === undefined) return { ...view, sensor };
  const isCarried = asset.row.placement?.host_asset_id != null;
  const reported = motionOf(observed, nowMs);
  // A sensor at its placement shows the row's position and time; otherwise the pose of its reports, or of its host.
  const isWherePlaced = !isCarried && isSamePose(observed.lastPose, observed.pose);
  const seen = isCarried ? reported && { ...reported, source: "host" } : (reported ?? view.motion);
  const motion = isWherePlaced ? view.motion : seen;
  if (observed.firstHeardAtMs === 0) return { ...view, motion, sensor };
  const heard = sensorViewOf(observed, view.env, nowMs, timeOffsetMs);
  return {
    ...view,
    link: { ...heard.link, address: view.link.address },
    health: heard.health,
    motion,
    sensor,
  };
}
