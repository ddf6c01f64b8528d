/** What a sensor can reach, as a closed ring of [lon, lat] (GeoJSON order) for maps: its sector at its largest range. Pure. */
import { EnuFrame } from "../domain/geodesy.ts";
import type { SensorPose, SensorProfile } from "../domain/sensorProfile.ts";

const STEPS = 36;
const DEG = Math.PI / 180;
const round = (value: number) => Math.round(value * 1e6) / 1e6;

export function coverageOf(profile: SensorProfile, pose: SensorPose): number[][] {
  const frame = new EnuFrame(pose);
  const whole = profile.fov_deg >= 360;
  const ring: number[][] = [];
  const at = (bearingDeg: number, rangeM: number) => {
    const bearing = bearingDeg * DEG;
    const [lat, lon] = frame.toGeodetic(rangeM * Math.sin(bearing), rangeM * Math.cos(bearing), 0);
    ring.push([round(lon), round(lat)]);
  };
  if (!whole) at(0, 0);
  const from = whole ? 0 : pose.yaw_deg - profile.fov_deg / 2;
  const steps = Math.max(4, Math.ceil((STEPS * Math.min(360, profile.fov_deg)) / 360));
  for (let i = 0; i <= steps; i++) at(from + (Math.min(360, profile.fov_deg) * i) / steps, profile.max_range_m);
  if (whole) ring[ring.length - 1] = [...ring[0]!];
  else ring.push([...ring[0]!]);
  return ring;
}
