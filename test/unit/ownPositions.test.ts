/** What the room tells the tracker of its own platforms, once a second. */
import { expect, test } from "vitest";
import { ownPositionsOf } from "../../src/workspace/ownPositions.ts";
import { Platform } from "../../src/workspace/platform.ts";

const NOW_MS = 1_800_000_000_000;

function heard(protocol: string, ageMs: number): Platform {
  const source = { protocol, address: "127.0.0.1:1", systemId: "1", linkId: protocol };
  const platform = new Platform(`${protocol} 1`, source, NOW_MS - ageMs);
  const motion = { lat: 50, lon: 8, alt_hae_m: 100, vel_enu_mps: [0, 10, 1] as [number, number, number] };
  platform.apply({ source, atMs: NOW_MS - ageMs, motion });
  return platform;
}

test("[FU-25] telemetry of a link is told, moved to now; a pushed position was fused as it came", () => {
  const told = ownPositionsOf([heard("mavlink2", 500), heard("rest_push", 500)], NOW_MS);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ asset_key: "mavlink2 1", measured_at: NOW_MS, lon: 8, alt_hae_m: 100.5 });
  expect((told[0] as { lat: number }).lat).toBeCloseTo(50 + 5 / 111_320, 9);
});
