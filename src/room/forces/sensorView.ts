/**
 * A sensor as the picture shows it (docs/interface.md#asset-views, kind sensor): one view per registered sensor or
 * unregistered source. Pure.
 */
import type { AssetView } from "../../domain/asset.ts";
import type { Environment } from "../../domain/modality.ts";
import { isSamePose, type SensorPose, type SensorProfile } from "../../domain/sensorProfile.ts";
import { timeOrNull, toRfc3339 } from "../../lib/clock.ts";
import { coverageOf } from "../sensors/coverage.ts";
import type { Source } from "../sensors/sensors.ts";
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
function motionOf(source: Source, nowMs: number): AssetView["motion"] {
  const pose = source.lastPose;
  if (pose === null) return null;
  return {
    lat: pose.lat,
    lon: pose.lon,
    alt_hae_m: source.siting?.heightSigmaM === undefined ? pose.alt_hae_m : null,
    alt_rel_m: null,
    vel_enu_mps: null,
    speed_mps: null,
    course_deg: null,
    heading_deg: pose.yaw_deg,
    climb_mps: null,
    at: toRfc3339(source.lastHeardAtMs > 0 ? source.lastHeardAtMs : nowMs),
    source: source.registered ? "placement" : "sensor_pose",
  };
}

export function sensorViewOf(
  source: Source,
  environment: Environment,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView {
  return {
    id: source.id,
    key: source.registered ? null : sourceKey(source.id),
    name: source.id,
    kind: "sensor",
    domain: "sensor",
    model: source.registered ? source.profile.id : null,
    class_type: null,
    origin: source.registered ? "registry" : "discovered",
    remote_id_serial: null,
    link: {
      state: LINK_OF[source.state],
      since_at: timeOrNull(source.stateSinceMs),
      last_heard_at: timeOrNull(source.lastHeardAtMs),
      protocol: source.protocol,
      // The address of its discovery, which registration accepts.
      address: source.id,
      rssi_dbm: null,
      loss_pct: null,
      rtt_ms: null,
      rate_hz: null,
    },
    health: {
      level: HEALTH_OF[source.state],
      components: [],
      messages: source.rejected > 0 ? [`${source.rejected} observations were rejected`] : [],
      armable: null,
      updated_at: timeOrNull(source.lastHeardAtMs),
    },
    motion: motionOf(source, nowMs),
    power: null,
    nav: null,
    track_id: null,
    verbs: [],
    commitment: null,
    payloads: [],
    payload_source: "none",
    performance: null,
    sensor: sensorOf(source, source.profile, source.lastPose, nowMs, timeOffsetMs),
    env: environment,
    version: 1,
  };
}

function sensorOf(
  source: Source | undefined,
  profile: SensorProfile,
  pose: SensorPose | null,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView["sensor"] {
  return {
    profile_id: profile.id,
    operational: source === undefined ? "off" : OPERATIONAL_OF[source.state],
    mode: null,
    coverage: pose === null ? null : coverageOf(profile, pose),
    last_detection_at: timeOrNull(source?.lastDetectionAtMs ?? 0),
    detections_per_min: source?.detectionsPerMinute(nowMs) ?? 0,
    time_offset_ms: timeOffsetMs,
  };
}

/** A sensor of the registry: the asset's view, completed from its observations where it has no link of its own. */
export function registeredSensorView(
  view: AssetView,
  asset: FleetAsset,
  source: Source | undefined,
  nowMs: number,
  timeOffsetMs: number | null,
): AssetView {
  // A sensor without observations (a tripwire, a chemical detector) has no profile.
  const profile = asset.profile ?? source?.profile ?? null;
  const sensor = profile && sensorOf(source, profile, source?.lastPose ?? null, nowMs, timeOffsetMs);
  if (asset.platform !== null || source === undefined) return { ...view, sensor };
  const isCarried = asset.row.placement?.host_asset_id != null;
  const reported = motionOf(source, nowMs);
  // A sensor at its placement shows the row's position and time; otherwise the pose of its reports, or of its host.
  const isWherePlaced = !isCarried && isSamePose(source.lastPose, source.pose);
  const observed = isCarried ? reported && { ...reported, source: "host" } : (reported ?? view.motion);
  const motion = isWherePlaced ? view.motion : observed;
  if (source.firstHeardAtMs === 0) return { ...view, motion, sensor };
  const heard = sensorViewOf(source, view.env, nowMs, timeOffsetMs);
  return {
    ...view,
    link: { ...heard.link, address: view.link.address },
    health: heard.health,
    motion,
    sensor,
  };
}
