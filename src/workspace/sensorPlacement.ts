/** A registered sensor among the sources of its room: with the facts of its model, where it was placed or is carried. */
import type { SensorPose, Siting } from "../domain/sensorProfile.ts";
import type { FleetAsset } from "./fleet.ts";
import type { Platform } from "./platform.ts";
import type { Sources } from "./sources.ts";

export function poseOfPlacement({ placement }: FleetAsset["row"]): SensorPose | null {
  if (placement === null) return null;
  return {
    lat: placement.lat,
    lon: placement.lon,
    alt_hae_m: placement.alt_hae_m ?? placement.height_agl_m ?? 0,
    yaw_deg: placement.yaw_deg ?? 0,
    pitch_deg: placement.pitch_deg ?? 0,
    roll_deg: placement.roll_deg ?? 0,
  };
}

function poseOfHost(host: Platform): SensorPose | null {
  const { motion } = host;
  if (motion === null) return null;
  return {
    lat: motion.lat,
    lon: motion.lon,
    alt_hae_m: motion.alt_hae_m ?? 0,
    yaw_deg: motion.heading_deg ?? 0,
    pitch_deg: 0,
    roll_deg: 0,
  };
}

function sitingOf({ placement }: FleetAsset["row"]): Siting | null {
  const { sigma_m: sigmaM = 0, north_sigma_deg: northSigmaDeg = 0 } = placement ?? {};
  return sigmaM === 0 && northSigmaDeg === 0 ? null : { sigmaM, northSigmaDeg };
}

/** From the next scan on, the tracker knows its profile and pose. A carried sensor whose host is silent has no pose. */
export function placeSensor(sources: Sources, asset: FleetAsset, host: Platform | null): void {
  const { row, profile } = asset;
  if (profile === null) return;
  const isCarried = row.placement?.host_asset_id != null;
  const pose = isCarried ? (host === null ? null : poseOfHost(host)) : poseOfPlacement(row);
  sources.place(row.id, profile, pose, sitingOf(row), row.connection?.address ?? null);
}
