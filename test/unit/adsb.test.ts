/** aircraft.json and SBS-1: exact units, fresh positions only, and far ends that talk nonsense. */
import { describe, expect, test } from "vitest";
import { decodeAircraft } from "../../src/features/links/adsb/aircraftJson.ts";
import { LineSplitter, SbsDecoder } from "../../src/features/links/adsb/sbs.ts";

const NOW_MS = 1_763_719_200_000;
const ENTRY = {
  hex: "4CA2B1",
  type: "adsb_icao",
  flight: "RYR12AB ",
  alt_baro: 3000,
  alt_geom: 3200,
  gs: 140,
  track: 87.5,
  geom_rate: -640,
  squawk: "4321",
  category: "A3",
  lat: 50.1,
  lon: 8.6,
  nic: 8,
  nac_p: 10,
  nac_v: 2,
  sil: 3,
  gva: 2,
  seen_pos: 0.4,
  rssi: -19.5,
  emergency: "none",
};
const file = (aircraft: unknown[], now: number | null = NOW_MS / 1000) => ({
  ...(now === null ? {} : { now }),
  aircraft,
});

test("[AD-1] an aircraft.json entry becomes an adsb observation in SI units at the time of its position", () => {
  const decoded = decodeAircraft(file([ENTRY]), NOW_MS + 120, new Map())!;
  expect(decoded).toMatchObject({ bad: 0, offsetMs: -120 });
  expect(decoded.observations).toEqual([
    {
      icao: "4ca2b1",
      address_kind: "icao",
      measured_at: NOW_MS - 400,
      lat: 50.1,
      lon: 8.6,
      alt_baro_m: 914.4,
      alt_hae_m: 975.36,
      gs_mps: 72.022,
      track_deg: 87.5,
      vrate_mps: -3.251,
      callsign: "RYR12AB",
      category: "A3",
      squawk: "4321",
      emergency: "none",
      nic: 8,
      nac_p: 10,
      nac_v: 2,
      sil: 3,
      gva: 2,
      position_age_s: 0.4,
      source_kind: "adsb_icao",
      rssi_dbfs: -19.5,
    },
  ]);
});

describe("[AD-2] what is no news or no sense is left out", () => {
  test("the same position is told once, an old one not at all", () => {
    const seen = new Map<string, number>();
    expect(decodeAircraft(file([ENTRY]), NOW_MS, seen)!.observations).toHaveLength(1);
    const later = { ...ENTRY, seen_pos: 1.4 };
    expect(decodeAircraft(file([later], NOW_MS / 1000 + 1), NOW_MS + 1000, seen)!.observations).toHaveLength(0);
    expect(decodeAircraft(file([{ ...ENTRY, seen_pos: 16 }]), NOW_MS, new Map())!.observations).toHaveLength(0);
  });
  test("without a position there is nothing to tell; nonsense is counted", () => {
    const odd = [
      { hex: "4ca2b1" },
      { hex: "nothex", lat: 1, lon: 1 },
      null,
      7,
      { ...ENTRY, lat: 91 },
      { ...ENTRY, seen_pos: -1 },
    ];
    expect(decodeAircraft(file(odd), NOW_MS, new Map())).toMatchObject({ observations: [], bad: 5 });
  });
  test("`ground` is no height, a dump1090 spelling is understood, a non-ICAO address is marked", () => {
    const old = { hex: "~aabbcc", lat: 1, lon: 2, altitude: 1000, speed: 100, vert_rate: 64, seen_pos: 0 };
    const [observation] = decodeAircraft(file([old]), NOW_MS, new Map())!.observations;
    expect(observation).toMatchObject({
      address_kind: "non_icao",
      alt_baro_m: 304.8,
      gs_mps: 51.444,
      vrate_mps: 0.325,
    });
    const ground = decodeAircraft(file([{ ...ENTRY, alt_baro: "ground" }]), NOW_MS, new Map())!.observations[0];
    expect(ground!.alt_baro_m).toBeNull();
  });
  test("a far clock that is an hour off is not believed", () => {
    const decoded = decodeAircraft(file([ENTRY], NOW_MS / 1000 - 3600), NOW_MS, new Map())!;
    expect(decoded.observations[0]).toMatchObject({ measured_at: NOW_MS - 400 });
    expect(decoded.offsetMs).toBe(-3_600_000);
  });
  test.each([null, 7, "x", {}, { aircraft: 3 }, []])("%j is no aircraft.json", (json) =>
    expect(decodeAircraft(json, NOW_MS, new Map())).toBeNull(),
  );
});

const msg = (kind: number, fields: Record<number, string>) => {
  const f = new Array<string>(22).fill("");
  Object.assign(f, ["MSG", String(kind), "1", "1", "4CA2B1", "1", "2026/11/21", "10:00:00.000"], fields);
  return f.join(",");
};

describe("[AD-3] SBS-1 lines of one aircraft are put together", () => {
  test("a position carries what the other lines said in the last minute", () => {
    const decoder = new SbsDecoder();
    expect(decoder.decode(msg(1, { 10: "RYR12AB " }), 0)).toBeNull();
    expect(decoder.decode(msg(4, { 12: "140", 13: "87.5", 16: "-640" }), 1000)).toBeNull();
    expect(decoder.decode(msg(6, { 17: "4321", 19: "0" }), 2000)).toBeNull();
    const position = msg(3, { 11: "3000", 14: "50.1", 15: "8.6" });
    expect(decoder.decode(position, 3000)).toEqual({
      icao: "4ca2b1",
      address_kind: "icao",
      measured_at: 3000,
      lat: 50.1,
      lon: 8.6,
      source_kind: "adsb_icao",
      callsign: "RYR12AB",
      gs_mps: 72.022,
      track_deg: 87.5,
      vrate_mps: -3.251,
      squawk: "4321",
      alt_baro_m: 914.4,
    });
    expect(decoder.decode(position, 70_000)).not.toHaveProperty("squawk");
  });
  test("other kinds of lines are silence, nonsense is bad, and the table is bounded", () => {
    const decoder = new SbsDecoder();
    expect(decoder.decode("STA,,5,179,400AE7,10103,2008/11/28,14:58:51.153", 0)).toBeNull();
    for (const line of ["", "hello", "MSG,9,1,1,4CA2B1", "MSG,3,1,1,XYZ123", msg(3, { 14: "95", 15: "8" })])
      expect(decoder.decode(line, 0)).toBe("bad");
    for (let i = 0; i < 6000; i++) decoder.decode(msg(3, { 4: i.toString(16).padStart(6, "0"), 14: "1", 15: "1" }), i);
    expect(decoder.aircraft).toBeLessThanOrEqual(5000);
  });
  test("lines over packet borders are whole, endless ones are thrown away", () => {
    const splitter = new LineSplitter();
    expect(splitter.push("MSG,3,")).toEqual([]);
    expect(splitter.push("1,1\r\nMSG,4\n")).toEqual(["MSG,3,1,1", "MSG,4"]);
    for (let i = 0; i < 10; i++) expect(splitter.push("x".repeat(600))).toEqual([]);
    expect(splitter.push("tail\nMSG,5\n")).toEqual(["MSG,5"]);
    expect(splitter.bad).toBe(1);
  });
});
