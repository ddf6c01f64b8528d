/** The height of a track: given when it was measured or claimed, null when the tracker has only its initial one. */
import { describe, expect, test } from "vitest";
import { observe } from "../../src/features/signals/observe.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { toWire } from "../../src/room/tracks/trackWire.ts";
import { openRoom, START_MS } from "../support/room.ts";

/** Metres east, north and above the room's origin. */
type Place = readonly [number, number, number];
const ORIGIN = { lat: 51.4325, lon: -1.9875, alt_hae_m: 150 };
const RAD = 180 / Math.PI;
const metresToDegrees = ([east, north]: Place) => ({
  lat: ORIGIN.lat + north / 111_258,
  lon: ORIGIN.lon + east / (111_412 * Math.cos(ORIGIN.lat / RAD)),
});
const at = (place: Place) => ({ ...metresToDegrees(place), alt_hae_m: ORIGIN.alt_hae_m + place[2] });
const seenFrom = (place: Place, [east, north]: Place = [0, 0, 0]) => {
  const flat = Math.hypot(place[0] - east, place[1] - north);
  return {
    sensor_pose: at([east, north, 0]),
    az_deg: (Math.atan2(place[0] - east, place[1] - north) * RAD + 360) % 360,
    range_m: Math.hypot(flat, place[2]),
    el_deg: Math.atan2(place[2], flat) * RAD,
  };
};

/** The tracks after some seconds of reports about an aircraft that flies north at 50 m/s, 300 m above the origin. */
async function roomOf(reportsOf: (place: Place) => object[], seconds = 12) {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  for (let nowMs = START_MS; nowMs <= START_MS + seconds * 1000; nowMs += 50) {
    clock.set(nowMs);
    const place: Place = [3000, 50 * ((nowMs - START_MS) / 1000), 300];
    if (nowMs % 1000 === 0) {
      const reports = reportsOf(place).map((one) => ({ source_id: "s", ...one, measured_at: nowMs }));
      expect(observe(room, reports, nowMs).rejected).toBe(0);
    }
    room.step(nowMs);
  }
  return room;
}

async function tracksOf(reportsOf: (place: Place) => object[], seconds = 12) {
  const room = await roomOf(reportsOf, seconds);
  return [...room.tracks.all()].map((track) => toWire(track, room.wireContext(START_MS + seconds * 1000)));
}

/** The points of all track histories. */
async function pointsOf(reportsOf: (place: Place) => object[]) {
  const { tracks, histories } = await roomOf(reportsOf);
  return [...tracks.all()].flatMap(({ id }) => histories.points(id, 0));
}

const north = { gs_mps: 50, track_deg: 0 };
const airliner = (place: Place) => ({ modality: "adsb", icao: "4ca2b1", ...metresToDegrees(place), ...north });
const drone = (place: Place) => ({
  modality: "remote_id",
  uas_id: "1581F",
  ...metresToDegrees(place),
  speed_mps: 50,
  track_deg: 0,
});
const own = (place: Place) => ({
  modality: "blue_force",
  asset_key: "A",
  ...metresToDegrees(place),
  vel_enu_mps: [0, 50, 0],
});
const radar = (place: Place) => ({ source_id: "radar", modality: "radar", ...seenFrom(place) });
const finder = (id: string, place: Place, from: Place) => {
  const { range_m: _, ...direction } = seenFrom(place, from);
  return { source_id: id, modality: "rf", ...direction };
};
const without = <T extends object>(observation: T, member: string) => ({ ...observation, [member]: undefined });
const flat = <T extends object>(observation: T) => JSON.parse(JSON.stringify(without(observation, "el_deg")));

describe("[FU-40] a height that was neither measured nor reported is null", () => {
  const unknown: [string, (place: Place) => object[], number | null][] = [
    ["an airliner of pressure altitude only", (p) => [{ ...airliner(p), alt_baro_m: 11_582.4 }], 11_582.4],
    ["a drone of pressure altitude only", (p) => [{ ...drone(p), alt_pressure_m: 900, height_m: 60 }], 900],
    ["an own platform without height", (p) => [{ ...own(p), vel_enu_mps: null, alt_hae_m: null }], null],
    ["a radar without elevation", (p) => [flat(radar(p))], null],
    [
      "crossing bearings without elevation",
      (p) => [flat(finder("a", p, [0, 0, 0])), flat(finder("b", p, [0, 3000, 0]))],
      null,
    ],
  ];
  test.each(unknown)("%s: its past positions, too", async (_, reportsOf) => {
    const points = await pointsOf(reportsOf);
    expect(points.length).toBeGreaterThan(5);
    for (const { altHaeM } of points) expect(altHaeM).toBeNull();
  });
  test.each(unknown)("%s", async (_, reportsOf, pressureM) => {
    const tracks = await tracksOf(reportsOf);
    expect(tracks.length).toBeGreaterThan(0);
    for (const track of tracks)
      expect(track).toMatchObject({
        alt_hae_m: null,
        climb_mps: null,
        le90_m: null,
        alt_source: "none",
        alt_pressure_m: pressureM,
      });
  });
});

describe("[FU-43] a rate of climb is shown where the height is known, or where the aircraft reports it", () => {
  const climbing: [string, (place: Place) => object[]][] = [
    ["an airliner of pressure altitude", (p) => [{ ...airliner(p), alt_baro_m: 11_582.4, vrate_mps: 8 }]],
    ["a drone without altitude", (p) => [{ ...drone(p), vspeed_mps: 8 }]],
    ["an own platform without height", (p) => [{ ...own(p), vel_enu_mps: [0, 50, 8] }]],
  ];
  test.each(climbing)("%s", async (_, reportsOf) => {
    const [track] = await tracksOf(reportsOf);
    expect(track!.alt_hae_m).toBeNull();
    expect(track!.vel_enu_mps).toHaveLength(3);
    expect(Math.abs(track!.climb_mps! - 8)).toBeLessThan(1.5);
  });
  test("given only the height is known", async () => {
    const [track] = await tracksOf((p) => [{ ...airliner(p), alt_hae_m: 450 }]);
    expect(Math.abs(track!.climb_mps!)).toBeLessThan(1);
  });
});

describe("[FU-41] a height that was measured or reported is shown with its source", () => {
  const known: [string, (place: Place) => object[], string][] = [
    ["an airliner of geometric altitude", (p) => [{ ...airliner(p), alt_hae_m: 450, alt_baro_m: 400 }], "gnss"],
    ["one whose altitude is of low quality", (p) => [{ ...airliner(p), alt_hae_m: 450, gva: 0 }], "gnss"],
    ["a drone of geodetic altitude", (p) => [{ ...drone(p), alt_hae_m: 450 }], "remote_id"],
    ["an own platform", (p) => [{ ...own(p), alt_hae_m: 450 }], "gnss"],
    ["a radar with elevation", (p) => [radar(p)], "radar_3d"],
    [
      "crossing bearings with elevation",
      (p) => [finder("a", p, [0, 0, 0]), finder("b", p, [0, 3000, 0])],
      "triangulation",
    ],
  ];
  test.each(known)("%s", async (_, reportsOf, source) => {
    const [track] = await tracksOf(reportsOf);
    expect(track).toMatchObject({ alt_source: source });
    expect(Math.abs(track!.alt_hae_m! - 450)).toBeLessThan(Math.max(5, track!.le90_m!));
  });
  test("a past position has the height that was known then", async () => {
    const points = await pointsOf((p) => [
      p[1] < 300 ? { ...airliner(p), alt_hae_m: 450 } : { ...airliner(p), alt_baro_m: 400 },
    ]);
    expect(points[3]!.altHaeM).toBeCloseTo(450, -1);
  });
  test("each aircraft of a receiver has its own", async () => {
    const tracks = await tracksOf((p) => [
      { ...airliner(p), alt_hae_m: 450 },
      { ...airliner([p[0] + 4000, p[1], 0]), icao: "4ca2b2", alt_baro_m: 2000 },
    ]);
    const heights = Object.fromEntries(tracks.map((track) => [track.adsb?.icao, track.alt_hae_m]));
    expect(heights["4ca2b2"]).toBeNull();
    expect(heights["4ca2b1"]).toBeCloseTo(450, -1);
  });
});

test("[FU-42] an ADS-B emergency or service vehicle has the domain ground", async () => {
  const [vehicle] = await tracksOf((p) => [{ ...airliner(p), category: "C2" }]);
  expect(vehicle).toMatchObject({ domain: "ground", classification: [{ type: "ground_vehicle.service" }] });
  const [aircraft] = await tracksOf((p) => [{ ...airliner(p), category: "A3" }]);
  expect(aircraft).toMatchObject({ domain: "air" });
});
