/** A request with many claims at one place, through the room that serves requests: fused, with cut searches counted. */
import { expect, test } from "vitest";
import { ManualClock } from "../../src/lib/clock.ts";
import { openRoom, push, START_MS } from "../support/room.ts";

const CLAIMS = 2000;

/** New serials within a few metres. */
const claimsAt = (ms: number) => ({
  source_id: "rid",
  modality: "remote_id",
  measured_at: ms,
  scan_id: `${ms}`,
  detections: Array.from({ length: CLAIMS }, (_, i) => ({
    uas_id: `1596F${ms - START_MS}-${i}`,
    id_type: "serial",
    lat: 51.4325 + ((i * 0.618) % 5) * 1e-5,
    lon: -1.9875 + ((i * 0.317) % 5) * 1e-5,
    alt_hae_m: 250,
  })),
});

test("[FU-26] fusion_health counts the searches that a crowd cut short", async () => {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  const cut: number[] = [];
  for (let ms = START_MS; ms <= START_MS + 2000; ms += 1000) {
    clock.set(ms);
    expect(push(room, [claimsAt(ms)], ms).accepted).toBe(CLAIMS);
    room.step(ms);
    cut.push(room.fusionHealth().dropped.searches_cut);
  }
  expect(cut[0]).toBe(0);
  expect(cut[1]).toBeGreaterThan(0);
  expect(cut[2]).toBeGreaterThan(cut[1]!);
  expect(room.fusionHealth().dropped.kernel_restarts).toBe(0);
});
