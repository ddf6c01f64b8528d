/** The coverage ring of a sensor, by bearings. */
import { expect, test } from "vitest";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { BlindSector } from "../../src/domain/sensorProfile.ts";
import { coverageOf } from "../../src/room/sensors/coverage.ts";
import { profile } from "../support/kernel.ts";

const PLACE = { lat: 50, lon: 8, alt_hae_m: 0 };
const RANGE_M = 1000;
const FRAME = new EnuFrame(PLACE);

/** Whether the ring holds the point at half the range on this bearing (even-odd rule). */
function holds(ring: readonly number[][], bearingDeg: number): boolean {
  const bearing = (bearingDeg * Math.PI) / 180;
  const [east, north] = [(Math.sin(bearing) * RANGE_M) / 2, (Math.cos(bearing) * RANGE_M) / 2];
  const corners = ring.map(([lon, lat]) => FRAME.toEnu(lat!, lon!, 0));
  let isInside = false;
  for (const [i, [e1, n1]] of corners.entries()) {
    const [e2, n2] = corners[(i + 1) % corners.length]!;
    if (n1 > north !== n2 > north && east < e1 + ((north - n1) * (e2 - e1)) / (n2 - n1)) isInside = !isInside;
  }
  return isInside;
}

const blind = (azFromDeg: number, azToDeg: number, elMaxDeg = 90): BlindSector => ({ azFromDeg, azToDeg, elMaxDeg });

function covered(fovDeg: number, yawDeg: number, blindSectors: BlindSector[], elMaxDeg = 45): string {
  const model = profile("radar", { fov_deg: fovDeg, max_range_m: RANGE_M, el_max_deg: elMaxDeg });
  const ring = coverageOf(model, { ...PLACE, yaw_deg: yawDeg, pitch_deg: 0, roll_deg: 0, blindSectors });
  if (ring === null) return "none";
  expect(ring[0]).toEqual(ring.at(-1));
  return [5, 65, 125, 185, 245, 305].filter((bearing) => holds(ring, bearing)).join(" ");
}

test.each([
  [360, 0, [], "5 65 125 185 245 305"],
  [140, 90, [], "65 125"],
  [140, 0, [], "5 65 305"],
  [360, 0, [blind(60, 130)], "5 185 245 305"],
  [360, 0, [blind(300, 70)], "125 185 245"],
  [360, 0, [blind(300, 70), blind(180, 190)], "125 245"],
  [140, 0, [blind(350, 10)], "65 305"],
  [140, -360, [blind(350, 10)], "65 305"],
  [360, 0, [blind(60, 130, 20)], "5 65 125 185 245 305"],
  [360, 0, [blind(0, 360)], "none"],
  [90, 0, [blind(300, 60)], "none"],
])("[FU-66] %i degrees about %i, blind sectors %j: covers %s", (fovDeg, yawDeg, sectors, bearings) => {
  expect(covered(fovDeg, yawDeg, sectors)).toBe(bearings);
});
