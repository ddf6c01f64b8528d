/** Airliners as ADS-B receivers report them, through the intake and a bare room. */
import { describe, expect, test } from "vitest";
import { observe } from "../../src/features/signals/observe.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { AircraftFile } from "../../src/links/adsb/aircraftJson.ts";
import { SbsDecoder } from "../../src/links/adsb/sbs.ts";
import type { Room } from "../../src/room/room.ts";
import type { LiveTrack } from "../../src/room/tracks/liveTrack.ts";
import { openRoom, START_MS } from "../support/room.ts";

const METRES_PER_DEGREE = 111_195;
const LAT = 51.45;
const LON = -1.95;

/** Observes each report at its time, and checks every step. */
async function fly(
  seconds: number,
  reportsAt: (atMs: number) => object[],
  watch: (tracks: LiveTrack[], second: number, room: Room) => void,
) {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  for (let nowMs = START_MS; nowMs <= START_MS + seconds * 1000; nowMs += 50) {
    clock.set(nowMs);
    const reports = reportsAt(nowMs).map((one) => ({ source_id: "rx", modality: "adsb", ...one }));
    if (reports.length > 0) observe(room, reports, nowMs);
    room.step(nowMs);
    watch([...room.tracks.all()], (nowMs - START_MS) / 1000, room);
  }
}

describe("[SG-24] an airliner is one track", () => {
  test.each([{ nac_v: 0 }, { nac_v: 2 }, {}])("at 446 knots with %j", async (quality) => {
    const file = new AircraftFile();
    const ids = new Set<string>();
    let most = 0;
    let missed = 0;
    await fly(
      30,
      (atMs) => {
        if (atMs % 1000 !== 0) return [];
        const t = (atMs - START_MS) / 1000;
        const lat = LAT + (229.4 * t) / METRES_PER_DEGREE;
        const entry = { hex: "3c66b0", lat, lon: LON, alt_geom: 25_875, gs: 446, track: 0, geom_rate: 0, seen_pos: 0 };
        return [...file.read({ now: atMs / 1000, aircraft: [{ ...entry, nac_p: 8, ...quality }] }, atMs)!.observations];
      },
      (tracks, second) => {
        most = Math.max(most, tracks.length);
        for (const { id } of tracks) ids.add(id);
        if (second > 5 && tracks.length === 0) missed++;
      },
    );
    expect({ most, ids: ids.size, missed }).toEqual({ most: 1, ids: 1, missed: 0 });
  });
});

describe("[AD-9] several SBS-1 positions in one packet", () => {
  test.each([
    [2, 1000],
    [6, 3000],
  ])("%i in a piece every %i ms are one track", async (count, everyMs) => {
    const decoder = new SbsDecoder();
    const ids = new Set<string>();
    let most = 0;
    let reports = 0;
    await fly(
      30,
      (atMs) => {
        if (atMs % everyMs !== 0) return [];
        decoder.decode("MSG,4,1,1,4CA2B1,1,,,,,,,233,0,,,0,,,,,", atMs);
        return Array.from({ length: count }, () => {
          const lat = LAT + (((reports++ * everyMs) / count / 1000) * 120) / METRES_PER_DEGREE;
          return decoder.decode(`MSG,3,1,1,4CA2B1,1,,,,,,10000,,,${lat.toFixed(5)},${LON},,,0,0,0,0`, atMs) as object;
        });
      },
      (tracks) => {
        most = Math.max(most, tracks.length);
        for (const { id } of tracks) ids.add(id);
      },
    );
    expect({ most, ids: ids.size }).toEqual({ most: 1, ids: 1 });
  });
});
