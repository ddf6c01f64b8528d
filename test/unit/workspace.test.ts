/** Small parts of the room, each by itself. */
import { expect, test } from "vitest";
import { Inbox } from "../../src/room/intake/inbox.ts";
import { SeenIds } from "../../src/room/intake/seenIds.ts";
import { Sensors } from "../../src/room/sensors/sensors.ts";
import { classify } from "../../src/room/tracks/classify.ts";
import { LiveTrack, trackIdOf } from "../../src/room/tracks/liveTrack.ts";
import { TrackNumbers } from "../../src/room/tracks/trackNumbers.ts";
import { errorEllipse } from "../../src/room/tracks/trackWire.ts";
import { radarScan } from "../support/kernel.ts";

const HOUR_MS = 3_600_000;

test("[TH-31] an id counts as new once within the window, and again after it", () => {
  const seen = new SeenIds(100, 1000);
  expect(seen.first("a", 10_000)).toBe(true);
  expect(seen.first("a", 10_500)).toBe(false);
  expect(seen.first("b", 11_200)).toBe(true);
  expect(seen.first("a", 11_300)).toBe(false);
  expect(seen.first("c", 12_400)).toBe(true);
  expect(seen.first("a", 12_500)).toBe(true);
});

test("[TH-31] a flood of ids stays bounded, and the shortened window is counted", () => {
  const seen = new SeenIds(100, 1_000_000);
  seen.first("start", 1_000_001);
  for (let i = 0; i < 200; i++) seen.first(`id ${i}`, 1_000_002);
  expect(seen.turnedEarly).toBeGreaterThan(0);
});

test("[TH-31] a track's number rests 24 hours before another track gets it", () => {
  const numbers = new TrackNumbers();
  expect([numbers.take(0), numbers.take(0)]).toEqual([1, 2]);
  numbers.release(1, 1000);
  expect(numbers.take(23 * HOUR_MS)).toBe(3);
  expect(numbers.take(25 * HOUR_MS)).toBe(1);
});

test("a full inbox has no room for a call that does not fit, and to ask it changes nothing", () => {
  const inbox = new Inbox(3);
  const scan = radarScan(0, [
    [0, 0, 100, 0],
    [1, 0, 100, 0],
  ]);
  inbox.push({ scan, wire: [] });
  expect(inbox.hasRoomFor(1)).toBe(true);
  expect(inbox.hasRoomFor(2)).toBe(false);
  expect(inbox.refused).toBe(0);
  expect(inbox.take(10)).toHaveLength(1);
  expect(inbox.isEmpty).toBe(true);
  expect(inbox.hasRoomFor(3)).toBe(true);
});

test("an empty scan counts as one observation, so that a flood of them is bounded, too", () => {
  const inbox = new Inbox(2);
  for (let i = 0; i < 2; i++) inbox.push({ scan: radarScan(i, []), wire: [] });
  expect(inbox.hasRoomFor(1)).toBe(false);
});

test("a source is up while it reports, then degraded, then lost; its table is bounded", () => {
  const sensors = new Sensors(1);
  const channel = sensors.resolve("radar-1", "radar");
  if ("refused" in channel) throw new Error("the first sensor is accepted");
  const { sensor } = channel;
  sensor.noteScan(5, 10_000);
  sensors.refresh(10_100);
  expect(sensor.state).toBe("up");
  sensors.refresh(14_000);
  expect(sensor.state).toBe("degraded");
  sensors.refresh(16_000);
  expect(sensor.state).toBe("lost");
  expect(sensor.detectionsPerMinute(30_000)).toBe(5);
  expect(sensor.detectionsPerMinute(80_000)).toBe(0);
  expect(sensors.resolve("radar-1", "rf")).toMatchObject({ refused: true });
  expect(sensors.resolve("radar-2", "radar")).toMatchObject({ refused: true });
  expect(sensors.refusedFull).toBe(1);
});

test("the error ellipse has its axes along the covariance's, clockwise from north", () => {
  const east = errorEllipse(Float64Array.of(100, 0, 0, 1, 0, 1));
  expect(east).toMatchObject({ semi_major_m: 21.46, semi_minor_m: 2.15, orientation_deg: 90 });
  expect(errorEllipse(Float64Array.of(1, 0, 0, 100, 0, 1)).orientation_deg).toBe(0);
  expect(errorEllipse(Float64Array.of(50, 49, 0, 50, 0, 1)).orientation_deg).toBe(45);
});

test("a track's id follows from its key alone", () => {
  expect(trackIdOf(1)).toBe("trk_00000000001");
  expect(trackIdOf(2 ** 53 - 1)).toBe("trk_7zzzzzzzzzz");
});

test("a class comes from the track's own claim, or from a speed that no drone has; otherwise there is none", () => {
  const track = new LiveTrack(1, 1);
  track.status = "confirmed";
  expect(classify(track)).toEqual([]);
  track.velEastMps = 120;
  expect(classify(track)).toMatchObject([{ type: "air_vehicle.crewed" }]);
  track.remoteId = { uas_id: "X", ua_type: "helicopter_or_multirotor" };
  expect(classify(track)).toMatchObject([{ type: "air_vehicle.uas.rotary" }]);
  track.hasTransponder = true;
  track.adsb = {
    icao: "43c6e1",
    callsign: null,
    category: "A7",
    squawk: null,
    nic: null,
    nac_p: null,
    sil: null,
    emergency: null,
  };
  expect(classify(track)).toMatchObject([{ type: "air_vehicle.crewed.rotary" }]);
});
