/** The positions of own platforms that the room gives to the tracker, once a second. */
import { expect, test } from "vitest";
import type { PlatformReport } from "../../src/domain/platformReport.ts";
import { Fleet } from "../../src/room/forces/fleet.ts";
import { ownPositionsOf } from "../../src/room/forces/telemetry.ts";

const NOW_MS = 1_800_000_000_000;

function heard(protocol: string, ageMs: number): PlatformReport {
  const source = { protocol, address: "127.0.0.1:1", systemId: "1", linkId: protocol };
  const motion = { lat: 50, lon: 8, alt_hae_m: 100, vel_enu_mps: [0, 10, 1] as [number, number, number] };
  return { source, atMs: NOW_MS - ageMs, motion };
}

test("[FU-25] telemetry of a link joins the room's scan, extrapolated to now; a pushed position does not", () => {
  const fleet = new Fleet(8, []);
  const linked = fleet.takeReport(heard("mavlink2", 500));
  fleet.takeReport(heard("rest_push", 500));
  const told = ownPositionsOf(fleet, NOW_MS);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ asset_key: linked!.key, measured_at: NOW_MS, lon: 8, alt_hae_m: 100.5 });
  expect((told[0] as { lat: number }).lat).toBeCloseTo(50 + 5 / 111_320, 9);
});
