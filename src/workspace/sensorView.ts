/** A source as the picture shows it (contract §4, kind sensor): one view per placed or observed sensor. Pure. */

import type { AssetView } from "../domain/asset.ts";
import type { Environment } from "../domain/modality.ts";
import { toRfc3339 } from "../lib/clock.ts";
import type { Source } from "./sources.ts";

const LINK_OF = { never_heard: "never_heard", up: "up", degraded: "degraded", lost: "lost" } as const;
const HEALTH_OF = { never_heard: "unknown", up: "ok", degraded: "warn", lost: "unknown" } as const;
const OPERATIONAL_OF = {
  never_heard: "off",
  up: "operational",
  degraded: "degraded",
  lost: "non_operational",
} as const;

const timeOrNull = (ms: number): string | null => (ms > 0 ? toRfc3339(ms) : null);

/** Where it stands: its placement, or the pose that its observations carried. */
function motionOf(source: Source, nowMs: number): AssetView["motion"] {
  const pose = source.lastPose;
  if (pose === null) return null;
  return {
    lat: pose.lat,
    lon: pose.lon,
    alt_hae_m: pose.alt_hae_m,
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
    key: null,
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
      protocol: "rest_push",
      address: null,
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
    sensor: {
      profile_id: source.profile.id,
      operational: OPERATIONAL_OF[source.state],
      mode: null,
      coverage: null,
      last_detection_at: timeOrNull(source.lastDetectionAtMs),
      detections_per_min: source.detectionsPerMinute(nowMs),
      time_offset_ms: timeOffsetMs,
    },
    env: environment,
    version: 1,
  };
}
