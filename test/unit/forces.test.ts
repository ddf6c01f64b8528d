/** Our forces in a bare room: conflicts that end, carried sensors, unknown heights, candidates that expire. */
import { expect, test } from "vitest";
import type { Placement } from "../../src/domain/asset.ts";
import type { SliceMembers } from "../../src/domain/events.ts";
import type { PlatformReport } from "../../src/domain/platformReport.ts";
import { SENSOR_PROFILES } from "../../src/features/catalogue/sensorProfiles.ts";
import { observe } from "../../src/features/signals/observe.ts";
import { toWire } from "../../src/room/tracks/trackWire.ts";
import { claimOf, type ForcesRoom, openForcesRoom, ownWord } from "../support/forcesRoom.ts";

const RADAR = SENSOR_PROFILES.find(({ id }) => id === "radar-3d-short")!;

function hear(forces: ForcesRoom, address: string, more: Partial<PlatformReport> = {}): void {
  const source = { protocol: "mavlink2", address, systemId: "7", linkId: "lnk_1" };
  forces.room.commit({ op: "platform_reported", report: { source, atMs: forces.now(), ...more } }, forces.now());
}

/** `integration_slice` as it is now. */
function slicesOf({ room, now }: ForcesRoom): SliceMembers<"integration_slice"> {
  return JSON.parse(room.parts.find(({ slice }) => slice === "integration_slice")!.json(now()));
}

const A = "192.0.2.1:14550";
const B = "192.0.2.2:14550";
const both = (forces: ForcesRoom) => {
  hear(forces, A, { conflicts: [B] });
  hear(forces, B, { conflicts: [A] });
};
const keyAt = ({ room }: ForcesRoom, address: string) => room.forces.fleet.discoveredAt(address)[0]!.key;
const alerted = ({ room }: ForcesRoom) => room.alerts.active().map(({ subject }) => subject.id);

test("[AS-18] an identity conflict ends for both vehicles, the one that was told and the one that fell silent", async () => {
  const forces = await openForcesRoom();
  both(forces);
  expect(alerted(forces)).toEqual([keyAt(forces, A), keyAt(forces, B)]);
  hear(forces, A, { conflicts: [] });
  expect(alerted(forces)).toEqual([keyAt(forces, B)]);
  forces.pass(8, () => hear(forces, A));
  expect(alerted(forces)).toEqual([]);
  const conflicts = forces.room.forces.discoveries(forces.now()).map((one) => one.conflicts);
  expect(conflicts).toEqual([[], []]);
  // It reports again, without a report that the conflict is over.
  hear(forces, B);
  forces.pass(2, () => hear(forces, B));
  expect(alerted(forces)).toEqual([keyAt(forces, B)]);
});

test("[AS-80] observations under an adopted name belong to the asset, also of modalities that its model does not measure", async () => {
  const forces = await openForcesRoom();
  const { room } = forces;
  const at = () => ({ source_id: "mast", measured_at: forces.now() });
  const seen = () => forces.push({ ...at(), modality: "human", lat: 50.01, lon: 8 });
  const plotted = () => forces.push({ ...at(), modality: "radar", az_deg: 10, el_deg: 5, range_m: 1500 });
  expect(seen()).toMatchObject({ accepted: 1 });
  expect(plotted()).toMatchObject({ rejected: 1 });
  const placement = { lat: 50, lon: 8, alt_hae_m: 100, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
  const connection = { address: "mast", protocol: null, port: null, system_id: null, link_id: null, secret_ref: null };
  forces.commit({ id: "ast_radar", kind: "sensor", domain: "sensor", placement, connection }, undefined, RADAR);
  forces.pass(5, () => expect([plotted().accepted, seen().accepted]).toEqual([1, 1]));
  const views = room.forces.sensorViews(forces.now());
  expect(views.map(({ id, sensor }) => [id, sensor?.detections_per_min])).toEqual([["ast_radar", 11]]);
  const tellers = forces.tracks().flatMap((track) => toWire(track, room.wireContext(forces.now())).sensors);
  expect(new Set(tellers.map(({ sensor_id }) => sensor_id))).toEqual(new Set(["ast_radar"]));
  expect([...room.sensors.all()].length).toBe(1);
  // Edited, and placed from the registry once more: still one sensor under one name.
  forces.commit({ id: "ast_radar", kind: "sensor", domain: "sensor", placement, connection }, undefined, {
    ...RADAR,
    max_range_m: 3000,
  });
  expect([plotted().accepted, seen().accepted, [...room.sensors.all()].length]).toEqual([1, 1, 1]);
});

test("[AS-18] the conflict follows the platform when it is adopted and when its asset is deleted", async () => {
  const forces = await openForcesRoom();
  both(forces);
  const stay = () => {
    hear(forces, A);
    hear(forces, B);
  };
  const key = keyAt(forces, A);
  forces.commit({ id: "ast_1", remote_id_serial: key });
  forces.pass(2, stay);
  expect(new Set(alerted(forces))).toEqual(new Set(["ast_1", keyAt(forces, B)]));
  forces.room.commit({ op: "asset_removed", assetId: "ast_1" }, forces.now());
  forces.pass(2, stay);
  expect(new Set(alerted(forces))).toEqual(new Set([key, keyAt(forces, B)]));
  forces.pass(8);
  expect(alerted(forces)).toEqual([]);
});

test("[AS-18] the conflict ends when its link is deleted, and when the link has forgotten the vehicle", async () => {
  const forces = await openForcesRoom();
  both(forces);
  forces.room.commit({ op: "link_closed", linkId: "lnk_1" }, forces.now());
  expect(alerted(forces)).toEqual([]);
  // Another link hears A at the same address and reports no conflict.
  forces.pass(2, () => hear(forces, A));
  expect(alerted(forces)).toEqual([]);
  hear(forces, A, { conflicts: [B] });
  forces.commit({ id: "ast_1", remote_id_serial: keyAt(forces, A) });
  forces.pass(601);
  expect(alerted(forces)).toEqual([]);
  forces.pass(2, () => hear(forces, A));
  expect(alerted(forces)).toEqual([]);
});

/** The asset of a vehicle that was adopted at A. */
const AT_A = {
  id: "ast_1",
  connection: { address: A, protocol: "mavlink2", port: null, system_id: "7", link_id: null, secret_ref: null },
};
const NEXT_PORT = "192.0.2.1:14551";
const addressOf = ({ room }: ForcesRoom) => room.forces.fleet.get("ast_1")!.platform?.source.address;

test("[MV-5] a vehicle that changes its port without a pause is the same asset as soon as its old address is lost", async () => {
  const forces = await openForcesRoom();
  forces.commit(AT_A);
  hear(forces, A);
  forces.pass(1, () => hear(forces, NEXT_PORT));
  expect(addressOf(forces)).toBe(A);
  // A change of the registry meanwhile must not make the match earlier.
  forces.commit({ id: "ast_2" });
  expect(addressOf(forces)).toBe(A);
  forces.pass(6, () => hear(forces, NEXT_PORT));
  expect(addressOf(forces)).toBe(NEXT_PORT);
  expect(forces.room.forces.fleet.find(keyAt(forces, NEXT_PORT))).toMatchObject({ origin: "registry" });
});

test("[MV-5] at once where its link was deleted; of two unknown vehicles it is the one heard last; a silent one is none", async () => {
  const forces = await openForcesRoom();
  forces.commit(AT_A);
  hear(forces, A);
  const source = (port: number) => ({
    protocol: "mavlink2",
    address: `192.0.2.1:${port}`,
    systemId: "7",
    linkId: "lnk_2",
  });
  forces.room.commit({ op: "platform_reported", report: { source: source(1), atMs: forces.now() } }, forces.now());
  forces.room.commit({ op: "platform_reported", report: { source: source(2), atMs: forces.now() + 10 } }, forces.now());
  forces.room.commit({ op: "link_closed", linkId: "lnk_1" }, forces.now());
  expect(addressOf(forces)).toBe("192.0.2.1:2");
  forces.room.commit({ op: "link_closed", linkId: "lnk_2" }, forces.now());
  expect(addressOf(forces)).toBe("192.0.2.1:2");
});

test("[AS-27] a platform that signed off is closed until its next status report", async () => {
  const forces = await openForcesRoom();
  const state = () => forces.room.forces.fleet.platform(keyAt(forces, A))!.state;
  hear(forces, A, { healthLevel: "ok" });
  expect(state()).toBe("up");
  hear(forces, A, { healthLevel: "ok", goodbye: true });
  hear(forces, A, { motion: { lat: 50, lon: 8 } });
  expect(state()).toBe("closed");
  hear(forces, A, { healthLevel: "ok" });
  expect(state()).toBe("up");
});

test("[AS-26] an asset without telemetry has the position of its fused track", async () => {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_1", remote_id_serial: "RO1" });
  const motion = () => {
    const { forces: ours } = forces.room;
    return ours.view(ours.fleet.find("ast_1")!, forces.now()).motion;
  };
  const listed = () => JSON.parse(forces.room.encoded.forces.vehiclesJson(forces.now()))[0].motion;
  expect(motion()).toBeNull();
  expect(listed()).toBeNull();
  forces.pass(5, (s) => forces.push(claimOf("RO1", 50.01 + s * 1e-4, 8, forces.now())));
  const first = motion()!;
  expect(first).toMatchObject({ source: "track", heading_deg: null });
  expect(Math.abs(first.lat - 50.0104)).toBeLessThan(1e-3);
  expect(listed()).toMatchObject({ source: "track" });
  forces.pass(5, (s) => forces.push(claimOf("RO1", 50.0105 + s * 1e-4, 8, forces.now())));
  expect(motion()!.lat).toBeGreaterThan(first.lat);
  expect(listed().lat).toBe(motion()!.lat);
  // Its own report overrides its track, as long as it reports.
  forces.push(ownWord("ast_1", 50.2, 8, forces.now()));
  expect(motion()).toMatchObject({ lat: 50.2, source: "rest_push" });
});

test("[AS-60] when the catalogue changes, platforms and friends are looked up once for the whole fleet", async () => {
  const forces = await openForcesRoom();
  const { forces: ours } = forces.room;
  for (let i = 0; i < 50; i++) {
    const address = `192.0.2.${i}:14550`;
    forces.commit({ id: `ast_${i}`, spec: { model: "m" }, connection: { ...AT_A.connection, address } });
    hear(forces, address);
  }
  const before = ours.fleet.version;
  const rows = [...ours.fleet.assets()].map(({ row }) => ({ row, model: null, profile: RADAR }));
  forces.room.commit({ op: "assets_saved", rows }, forces.now());
  expect([...ours.fleet.assets()].map(({ platform, profile }) => [platform !== null, profile])).toEqual(
    Array.from({ length: 50 }, () => [true, RADAR]),
  );
  // One for the rows and one for each asset whose platform was found again, not all of them once per row.
  expect(ours.fleet.version - before).toBe(51);
});

async function withCarried(): Promise<ForcesRoom> {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_host" });
  const placement = { lat: 0, lon: 0, host_asset_id: "ast_host" };
  forces.commit({ id: "ast_eye", kind: "sensor", placement }, undefined, RADAR);
  return forces;
}
const look = (forces: ForcesRoom, source: string, rangeM = 500) =>
  forces.push({
    source_id: source,
    modality: "radar",
    measured_at: forces.now(),
    az_deg: 90,
    el_deg: 5,
    range_m: rangeM,
  }).accepted;
const viewed = ({ room, now }: ForcesRoom, id: string) =>
  room.forces.sensorViews(now()).find((view) => view.id === id)!;

test("[AS-28] the motion of a placed sensor is its placement, dated by its row; a heading that was not given is null", async () => {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_r", kind: "sensor", placement: { lat: 50, lon: 8, alt_hae_m: 100 } }, undefined, RADAR);
  const first = viewed(forces, "ast_r").motion;
  expect(first).toMatchObject({ lat: 50, heading_deg: null, source: "placement" });
  forces.pass(2);
  expect(viewed(forces, "ast_r").motion).toEqual(first);
  look(forces, "ast_r");
  forces.pass(1);
  expect(viewed(forces, "ast_r").motion).toEqual(first);
});

test("[AS-29] a source that only pushes observations is shown with its adoption key", async () => {
  const forces = await openForcesRoom();
  const pose = { lat: 50, lon: 8, alt_hae_m: 100 };
  const plot = { source_id: "rad-A", modality: "radar", measured_at: forces.now(), az_deg: 1, range_m: 500 };
  forces.push({ ...plot, sensor_pose: pose });
  const heard = forces.room.forces.discoveries(forces.now());
  expect(viewed(forces, "rad-A")).toMatchObject({ key: heard[0]!.key, link: { address: "rad-A" } });
});

test("[FU-66] a placed sensor covers its sector without the blind sectors", async () => {
  const forces = await openForcesRoom();
  const place = (blind_sectors: NonNullable<Placement["blind_sectors"]>) => {
    const placement = { lat: 50, lon: 8, alt_hae_m: 100, yaw_deg: 0, blind_sectors };
    forces.commit({ id: "ast_radar", kind: "sensor", placement }, undefined, RADAR);
    return viewed(forces, "ast_radar").sensor!.coverage;
  };
  const wide = place([])!;
  const narrow = place([{ az_from_deg: 350, az_to_deg: 10, kind: "blind" }])!;
  expect(narrow).not.toEqual(wide);
  expect(place([{ az_from_deg: 350, az_to_deg: 10, el_max_deg: -60, kind: "blanked" }])).toEqual(wide);
  expect(place([{ az_from_deg: 0, az_to_deg: 360, kind: "blanked" }])).toBeNull();
  expect(look(forces, "ast_radar")).toBe(1);
});

test("[AS-14] a carried sensor has its host's position, and none while the host is silent or gone", async () => {
  const forces = await withCarried();
  expect(look(forces, "ast_eye")).toBe(0);
  expect(viewed(forces, "ast_eye").motion).toBeNull();
  forces.pass(3, () => forces.push(ownWord("ast_host", 50.5, 8.5, forces.now())));
  expect(look(forces, "ast_eye")).toBe(1);
  expect(viewed(forces, "ast_eye")).toMatchObject({ motion: { lat: 50.5, lon: 8.5 } });
  forces.pass(14);
  expect(look(forces, "ast_eye")).toBe(0);
  expect(viewed(forces, "ast_eye")).toMatchObject({ motion: null, sensor: { coverage: null } });
  forces.pass(2, () => forces.push(ownWord("ast_host", 50.6, 8.5, forces.now())));
  expect(look(forces, "ast_eye")).toBe(1);
  expect(viewed(forces, "ast_eye")).toMatchObject({ motion: { lat: 50.6 } });
  forces.room.commit({ op: "asset_removed", assetId: "ast_host" }, forces.now());
  expect(look(forces, "ast_eye")).toBe(0);
  expect(viewed(forces, "ast_eye").motion).toBeNull();
});

test("[AS-14] given its host is heard without a position, a carried sensor has no pose", async () => {
  const forces = await openForcesRoom();
  hear(forces, A, { motion: { lat: 50.1, lon: 8.1, alt_hae_m: 200 } });
  forces.commit({ id: "ast_host", remote_id_serial: keyAt(forces, A) });
  const placement = { lat: 0, lon: 0, host_asset_id: "ast_host" };
  forces.commit({ id: "ast_eye", kind: "sensor", placement }, undefined, RADAR);
  expect(look(forces, "ast_eye")).toBe(1);
  forces.pass(12, () => hear(forces, A));
  expect(look(forces, "ast_eye")).toBe(0);
  // With a placement of its own, it is no longer carried.
  const fixed = { lat: 50.2, lon: 8.2, alt_hae_m: 100 };
  forces.commit({ id: "ast_eye", kind: "sensor", placement: fixed }, undefined, RADAR);
  hear(forces, A, { motion: { lat: 50.3, lon: 8.3, alt_hae_m: 200 } });
  expect(viewed(forces, "ast_eye")).toMatchObject({ motion: { lat: 50.2 } });
});

test("[AS-15] given a sensor without a height above the ellipsoid, tracks that only it sees have no height", async () => {
  const heightSeenBy = async (placed: { alt_hae_m?: number; height_agl_m?: number }) => {
    const forces = await openForcesRoom();
    const placement = { lat: 50, lon: 8, ...placed };
    forces.commit({ id: "ast_mast", kind: "sensor", placement }, undefined, RADAR);
    forces.pass(6, () => look(forces, "ast_mast", 1000));
    const { alt_hae_m, alt_source, lat, lon } = toWire(forces.tracks()[0]!, forces.room.wireContext(forces.now()));
    expect([lat, lon]).toEqual([expect.closeTo(50, 4), expect.closeTo(8.0139, 3)]);
    return { alt_hae_m, alt_source, mast: viewed(forces, "ast_mast").motion?.alt_hae_m };
  };
  expect(await heightSeenBy({ height_agl_m: 10 })).toEqual({ alt_hae_m: null, alt_source: "none", mast: null });
  expect(await heightSeenBy({})).toEqual({ alt_hae_m: null, alt_source: "none", mast: null });
  const known = await heightSeenBy({ alt_hae_m: 110, height_agl_m: 10 });
  expect(known).toMatchObject({ alt_source: "radar_3d", mast: 110 });
  expect(known.alt_hae_m).toBeGreaterThan(150);
  expect(known.alt_hae_m).toBeLessThan(250);
});

test("[AS-16] a sensor that reports its own position makes no contact, adopted or not", async () => {
  const forces = await openForcesRoom();
  const mast = { identity: { kindGuess: "sensor" as const }, motion: { lat: 50.1, lon: 8.1, alt_hae_m: 120 } };
  forces.pass(5, () => {
    hear(forces, A, mast);
    hear(forces, B, { motion: { lat: 50.2, lon: 8.2, alt_hae_m: 120 } });
  });
  expect(forces.tracks().map(({ lat }) => lat.toFixed(1))).toEqual(["50.2"]);
});

test("[AS-19] integration_slice is sent when candidates expire: forgotten platforms, and sources that pushed", async () => {
  const forces = await openForcesRoom();
  hear(forces, A, { goodbye: true });
  forces.pass(2);
  const candidates = () => slicesOf(forces).candidates.length;
  expect(candidates()).toBe(1);
  const versionOf = () => forces.room.parts.find(({ slice }) => slice === "integration_slice")!.version;
  const changedBy = (ageMs: number) => {
    const before = versionOf();
    forces.clock.advance(ageMs);
    forces.room.refresh(forces.now());
    return versionOf() > before;
  };
  expect(changedBy(590_000)).toBe(false);
  expect(changedBy(20_000)).toBe(true);
  expect(candidates()).toBe(0);
  const pose = { lat: 50, lon: 8, alt_hae_m: 100 };
  const plot = { source_id: "new", modality: "radar", az_deg: 1, range_m: 500, sensor_pose: pose };
  expect(forces.push({ ...plot, measured_at: forces.now() }).accepted).toBe(1);
  forces.room.refresh(forces.now());
  expect(candidates()).toBe(1);
  // After the pushes stop, the integration is `listening`.
  expect(changedBy(60_000)).toBe(true);
  expect(changedBy(530_000)).toBe(false);
  expect(changedBy(20_000)).toBe(true);
  expect(candidates()).toBe(0);
});

test("[LK-70] a source shows the protocol family that feeds it; rest_push counts pushed observations, and is active with them", async () => {
  const forces = await openForcesRoom();
  const { room } = forces;
  const placement = { lat: 50, lon: 8, alt_hae_m: 100, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
  forces.commit({ id: "ast_silent", kind: "sensor", domain: "sensor", placement }, undefined, RADAR);
  const pushed = () => slicesOf(forces).integrations[0];
  expect(pushed()).toMatchObject({ status: "listening", sources: 0, last_at: null });
  const aircraft = { source_id: "adsb:lnk_1", modality: "adsb", icao: "4ca1d3", lat: 50, lon: 8 };
  observe(room, [{ ...aircraft, measured_at: forces.now() }], forces.now(), "adsb_sbs");
  expect(pushed()).toMatchObject({ status: "listening", sources: 0, last_at: null });
  forces.push({ ...aircraft, source_id: "own feed", icao: "4ca1d4", measured_at: forces.now() });
  expect(pushed()).toMatchObject({ status: "active", sources: 1 });
  const found = room.forces.discoveries(forces.now());
  const byAddress = (rows: { protocol: string | null; address: string | null }[]) =>
    rows.map(({ protocol, address }) => [address, protocol]);
  const fed = [
    ["adsb:lnk_1", "adsb_sbs"],
    ["own feed", "rest_push"],
  ];
  expect(byAddress(found)).toEqual(fed);
  const views = room.forces.sensorViews(forces.now()).filter(({ origin }) => origin === "discovered");
  expect(byAddress(views.map(({ link }) => link))).toEqual(fed);
  forces.clock.advance(60_000);
  expect(pushed()).toMatchObject({ status: "listening", sources: 1, last_at: expect.any(String) });
});

test("[AS-17] the state of a battery that reports none is null", async () => {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_1" });
  forces.push({ ...ownWord("ast_1", 50, 8, forces.now()), battery_pct: 50 });
  const asset = forces.room.forces.fleet.get("ast_1")!;
  expect(forces.room.forces.viewOfAsset(asset, forces.now()).power).toMatchObject({ percent: 50, state: null });
});
