/** A track and an asset in their wire forms, for tests of protocols that publish them. */
import type { AssetView } from "../../src/domain/asset.ts";
import type { Track } from "../../src/domain/track.ts";

export function track(members: Partial<Track>): Track {
  return {
    id: "trk_1",
    number: 7,
    status: "confirmed",
    domain: "air",
    identity: "hostile",
    lat: 50.03,
    lon: 8.56,
    alt_hae_m: 172,
    vel_enu_mps: [12, 0, 0],
    speed_mps: 12,
    course_deg: 90,
    ce90_m: 8.5,
    le90_m: 12,
    classification: [{ type: "air_vehicle.uas.rotary", confidence: 0.9, sub_class: [] }],
    sensors: [],
    remote_id: null,
    asset_id: null,
    valid_at: "2026-11-21T10:00:00.000Z",
    updated_at: "2026-11-21T10:00:00.000Z",
    stale_at: "2026-11-21T10:00:14.000Z",
    ...members,
  } as unknown as Track;
}

export function asset(members: Partial<AssetView>): AssetView {
  return {
    id: "ast_1",
    name: "Falcon & Co",
    kind: "vehicle",
    domain: "air",
    class_type: "quadrotor",
    link: { state: "up", last_heard_at: "2026-11-21T10:00:00.000Z" },
    motion: {
      lat: 50,
      lon: 8,
      alt_hae_m: 120,
      speed_mps: 3,
      course_deg: 10,
      at: "2026-11-21T10:00:00.000Z",
      source: "mavlink2",
    },
    power: { percent: 66.4 },
    performance: null,
    version: 1,
    ...members,
  } as unknown as AssetView;
}
