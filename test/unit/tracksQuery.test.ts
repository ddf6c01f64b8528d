/** The filters of a track query, and tracks as GeoJSON. */
import { describe, expect, test } from "vitest";
import type { Track } from "../../src/domain/track.ts";
import { isWanted, readTrackFilter, type TracksQueryValues, toGeoJson } from "../../src/features/tracks/query.ts";

const track = (more: Partial<Track>) =>
  ({
    id: "trk_1",
    identity: "unknown",
    status: "confirmed",
    quality: 9,
    lat: 0,
    lon: 0,
    alt_hae_m: 10,
    ...more,
  }) as Track;

function wanted(query: TracksQueryValues, more: Partial<Track>): boolean {
  const filter = readTrackFilter(query);
  if (filter.refused) throw new Error(filter.sentence);
  return isWanted(filter, track(more));
}

describe("filters", () => {
  test.each([
    ["170,-10,-170,10", 0, 179.9, true],
    ["170,-10,-170,10", 0, -180, true],
    ["170,-10,-170,10", 0, 0, false],
    ["-10,-10,10,10", 0, 10, true],
    ["-10,-10,10,10", 10.1, 0, false],
    ["-180,80,180,90", 90, 45, true],
  ])("[SG-30] bbox %s has %d, %d: %s", (bbox, lat, lon, inside) => {
    expect(wanted({ bbox }, { lat, lon })).toBe(inside);
  });

  test("[SG-30] a ray is in no box", () => {
    expect(wanted({ bbox: "-180,-90,180,90" }, { lat: null, lon: null })).toBe(false);
    expect(wanted({}, { lat: null, lon: null })).toBe(true);
  });

  test("[SG-32] a track is answered when every given filter holds", () => {
    expect(wanted({ identity: "hostile,unknown", status: "confirmed", min_quality: 9 }, {})).toBe(true);
    expect(wanted({ identity: "hostile" }, {})).toBe(false);
    expect(wanted({ status: "tentative, coasting" }, {})).toBe(false);
    expect(wanted({ min_quality: 10 }, {})).toBe(false);
  });

  test.each([
    { bbox: "1,2,3" },
    { bbox: "1,2,3,x" },
    { bbox: "1,2,3,1e999" },
    { bbox: "0,10,0,-10" },
    { bbox: "0,-91,0,0" },
    { bbox: "-181,0,0,0" },
    { identity: "enemy" },
    { status: "" },
  ])("[SG-32] %o is refused with its rule", (query) => {
    expect(readTrackFilter(query)).toMatchObject({
      refused: true,
      code: "invalid_input",
      sentence: expect.stringMatching(/must/),
    });
  });
});

test("[SG-31] GeoJSON has longitude first, height when it is known, and no geometry for a ray", () => {
  const places = [
    track({ lat: 51, lon: -1 }),
    track({ lat: 51, lon: -1, alt_hae_m: null }),
    track({ lat: null, lon: null }),
  ];
  expect(toGeoJson(places)).toMatchObject({
    type: "FeatureCollection",
    features: [
      {
        type: "Feature",
        id: "trk_1",
        geometry: { type: "Point", coordinates: [-1, 51, 10] },
        properties: { status: "confirmed", alt_hae_m: 10 },
      },
      { geometry: { type: "Point", coordinates: [-1, 51] } },
      { geometry: null },
    ],
  });
});
