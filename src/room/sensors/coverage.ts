/**
 * The coverage of a sensor as a closed ring of [lon, lat] (GeoJSON order) for maps: its field of view at maximum range,
 * less the blind sectors that hide all its elevations. Pure.
 */
import { EnuFrame } from "../../domain/geodesy.ts";
import { type SensorPose, type SensorProfile, sectorWidthDeg } from "../../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { round } from "../../lib/numbers.ts";

/** Points on a full circle. */
const STEPS = 36;

/** Bearings in degrees; `toDeg` is clockwise of `fromDeg` and may be beyond 360. */
interface Arc {
  readonly fromDeg: number;
  readonly toDeg: number;
}

function openArcs(profile: SensorProfile, pose: SensorPose): Arc[] {
  const fovDeg = Math.min(360, profile.fov_deg);
  const fromDeg = fovDeg === 360 ? 0 : pose.yaw_deg - fovDeg / 2;
  let open: Arc[] = [{ fromDeg, toDeg: fromDeg + fovDeg }];
  for (const { azFromDeg, azToDeg, elMaxDeg } of pose.blindSectors ?? []) {
    if (elMaxDeg < profile.el_max_deg) continue;
    const widthDeg = sectorWidthDeg(azFromDeg, azToDeg);
    // Also one and two turns off, because arcs may cross north.
    for (const turnDeg of [-720, -360, 0, 360]) {
      const hidden = { fromDeg: azFromDeg + turnDeg, toDeg: azFromDeg + turnDeg + widthDeg };
      open = open.flatMap((arc) => without(arc, hidden));
    }
  }
  return open;
}

function without(arc: Arc, hidden: Arc): Arc[] {
  const before = { fromDeg: arc.fromDeg, toDeg: Math.min(arc.toDeg, hidden.fromDeg) };
  const after = { fromDeg: Math.max(arc.fromDeg, hidden.toDeg), toDeg: arc.toDeg };
  return [before, after].filter(({ fromDeg, toDeg }) => toDeg > fromDeg);
}

/** null: the blind sectors hide all of it. */
export function coverageOf(profile: SensorProfile, pose: SensorPose): number[][] | null {
  const frame = new EnuFrame(pose);
  const arcs = openArcs(profile, pose);
  const pointAt = (bearingDeg: number, rangeM: number): number[] => {
    const [lat, lon] = frame.toGeodetic(
      rangeM * Math.sin(bearingDeg * RAD_PER_DEG),
      rangeM * Math.cos(bearingDeg * RAD_PER_DEG),
      0,
    );
    return [round(lon, 6), round(lat, 6)];
  };
  const arcPoints = ({ fromDeg, toDeg }: Arc): number[][] => {
    const steps = Math.max(4, Math.ceil((STEPS * (toDeg - fromDeg)) / 360));
    return Array.from({ length: steps + 1 }, (_, i) =>
      pointAt(fromDeg + ((toDeg - fromDeg) * i) / steps, profile.max_range_m),
    );
  };
  const [first] = arcs;
  if (first === undefined) return null;
  if (first.toDeg - first.fromDeg === 360) {
    const ring = arcPoints(first);
    return [...ring.slice(0, -1), [...ring[0]!]];
  }
  const apex = pointAt(0, 0);
  return [...arcs.flatMap((arc) => [[...apex], ...arcPoints(arc)]), apex];
}
