/** aircraft.json and SBS-1: exact units, recent positions only, and far ends that send nonsense. */
import { describe, expect, test } from "vitest";
import { AircraftFile } from "../../src/links/adsb/aircraftJson.ts";
import { LineSplitter, SbsDecoder } from "../../src/links/adsb/sbs.ts";

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
  const first = new AircraftFile();
  const decoded = first.read(file([ENTRY]), NOW_MS + 120)!;
  expect(decoded).toMatchObject({ bad: 0 });
  expect(first.offsetMs).toBe(-120);
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

describe("[AD-2] a position that is old or impossible is not taken", () => {
  test("the same position is taken once, an old one not at all", () => {
    const poll = new AircraftFile();
    expect(poll.read(file([ENTRY]), NOW_MS)!.observations).toHaveLength(1);
    const later = { ...ENTRY, seen_pos: 1.4 };
    expect(poll.read(file([later], NOW_MS / 1000 + 1), NOW_MS + 1000)!.observations).toHaveLength(0);
    expect(new AircraftFile().read(file([{ ...ENTRY, seen_pos: 16 }]), NOW_MS)!.observations).toHaveLength(0);
  });
  test("an entry without a position makes no observation; an unreadable one is counted", () => {
    const odd = [
      { hex: "4ca2b1" },
      { hex: "nothex", lat: 1, lon: 1 },
      null,
      7,
      { ...ENTRY, lat: 91 },
      { ...ENTRY, seen_pos: -1 },
    ];
    expect(new AircraftFile().read(file(odd), NOW_MS)).toMatchObject({ observations: [], bad: 5 });
  });
  test("`ground` is no height, a dump1090 spelling is understood, a non-ICAO address is marked", () => {
    const old = { hex: "~aabbcc", lat: 1, lon: 2, altitude: 1000, speed: 100, vert_rate: 64, seen_pos: 0 };
    const [observation] = new AircraftFile().read(file([old]), NOW_MS)!.observations;
    expect(observation).toMatchObject({
      address_kind: "non_icao",
      alt_baro_m: 304.8,
      gs_mps: 51.444,
      vrate_mps: 0.325,
    });
    const ground = new AircraftFile().read(file([{ ...ENTRY, alt_baro: "ground" }]), NOW_MS)!.observations[0];
    expect(ground!.alt_baro_m).toBeNull();
  });
  test("a position that was never set, and a course of a whole turn", () => {
    expect(new AircraftFile().read(file([{ ...ENTRY, lat: 0, lon: 0 }]), NOW_MS)).toMatchObject({ observations: [] });
    const [turned] = new AircraftFile().read(file([{ ...ENTRY, track: 360 }]), NOW_MS)!.observations;
    expect(turned).toMatchObject({ track_deg: 360 });
  });
  test("without a type, the kind follows from the sources of address and position", () => {
    const kindOf = (more: object) =>
      new AircraftFile().read(file([{ ...ENTRY, type: undefined, ...more }]), NOW_MS)!.observations[0]!.source_kind;
    expect(kindOf({})).toBe("adsb_icao");
    expect(kindOf({ hex: "~aabbcc" })).toBe("adsb_other");
    expect(kindOf({ mlat: ["lat", "lon"], tisb: [] })).toBe("mlat");
    expect(kindOf({ mlat: [], tisb: ["lat"] })).toBe("tisb_icao");
  });
  test.each([null, 7, "x", {}, { aircraft: 3 }, []])("%j is no aircraft.json", (json) =>
    expect(new AircraftFile().read(json, NOW_MS)).toBeNull(),
  );
});

describe("[AD-7] a receiver's clock that is off by more than a second is corrected once it has been seen to advance", () => {
  test.each([-3_600_000, 3_600_000, 2500])("off by %i ms", (offMs) => {
    const poll = new AircraftFile();
    const told: number[] = [];
    // Written every second, polled four times as often, with some delay.
    for (let t = 0; t < 20_000; t += 250) {
      const written = NOW_MS + Math.floor(t / 1000) * 1000;
      const entry = { ...ENTRY, lat: 50 + t / 1e6, seen_pos: 0.2 };
      const { observations } = poll.read(file([entry], (written + offMs) / 1000), NOW_MS + t + 30)!;
      for (const { measured_at } of observations) told.push((measured_at as number) - (written - 200));
    }
    // Each file once; the first ones come before the clock offset is known.
    expect(told.length).toBeGreaterThanOrEqual(18);
    expect(told.length).toBeLessThanOrEqual(20);
    for (const errorMs of told) expect(Math.abs(errorMs)).toBeLessThanOrEqual(30);
    expect(poll.offsetMs).toBe(offMs - 30);
  });
  test("a file that is no longer written gives no position, however often it is read", () => {
    const poll = new AircraftFile();
    for (let t = 0; t < 600_000; t += 1000) {
      const read = poll.read(file([ENTRY], NOW_MS / 1000 - 3600), NOW_MS + t)!;
      expect(read.observations).toEqual([]);
    }
    expect(poll.standsStillMs(NOW_MS + 600_000)).toBe(600_000);
    expect(poll.read(file([ENTRY], NOW_MS / 1000 + 600), NOW_MS + 600_000)!.observations).toHaveLength(1);
    expect(poll.standsStillMs(NOW_MS + 600_000)).toBe(0);
  });
  test("a file that stops being written gives no further position", () => {
    const poll = new AircraftFile();
    let told = 0;
    for (let t = 0; t < 60_000; t += 1000)
      told += poll.read(file([ENTRY], (NOW_MS + Math.min(t, 5000)) / 1000), NOW_MS + t)!.observations.length;
    expect(told).toBe(6);
  });
  test("a clock that was set back is measured again", () => {
    const poll = new AircraftFile();
    const at = (t: number, offMs: number) => poll.read(file([ENTRY], (NOW_MS + t + offMs) / 1000), NOW_MS + t)!;
    expect(at(0, 0).observations).toHaveLength(1);
    expect(at(1000, -7_200_000).observations).toHaveLength(0);
    expect(at(2000, -7_200_000).observations[0]).toMatchObject({ measured_at: NOW_MS + 2000 - 400 });
  });
});

test("[AD-8] given made-up addresses, at most as many aircraft are remembered as two files hold", () => {
  const poll = new AircraftFile();
  for (let k = 0; k < 6; k++) {
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      ...ENTRY,
      hex: (k * 20_000 + i).toString(16).padStart(6, "0"),
    }));
    poll.read(file(many, NOW_MS / 1000 + k / 4), NOW_MS + k * 250);
  }
  expect(poll.remembered).toBeLessThanOrEqual(40_000);
});

const msg = (kind: number, fields: Record<number, string>) => {
  const f = new Array<string>(22).fill("");
  Object.assign(f, ["MSG", String(kind), "1", "1", "4CA2B1", "1", "2026/11/21", "10:00:00.000"], fields);
  return f.join(",");
};

describe("[AD-3] SBS-1 lines of one aircraft are merged into one report", () => {
  test("a position carries the members of other lines of the last minute", () => {
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
  test("its motion is kept for three seconds, not for the rest of the minute", () => {
    const decoder = new SbsDecoder();
    const place = msg(3, { 14: "50.1", 15: "8.6" });
    decoder.decode(msg(4, { 12: "140", 13: "360", 16: "-640" }), 0);
    expect(decoder.decode(place, 3000)).toMatchObject({ gs_mps: 72.022, track_deg: 360, vrate_mps: -3.251 });
    const later = decoder.decode(place, 3001);
    for (const member of ["gs_mps", "track_deg", "vrate_mps"]) expect(later).not.toHaveProperty(member);
  });
  test("an emergency ends when a line ends it", () => {
    const decoder = new SbsDecoder();
    const place = msg(3, { 14: "50.1", 15: "8.6" });
    decoder.decode(msg(6, { 17: "7700", 19: "-1" }), 0);
    expect(decoder.decode(place, 1000)).toMatchObject({ squawk: "7700", emergency: "general" });
    decoder.decode(msg(6, { 17: "1000", 19: "0" }), 2000);
    expect(decoder.decode(place, 3000)).not.toHaveProperty("emergency");
  });
  test("heights of GNSS, multilaterated lines and positions that were never set", () => {
    const decoder = new SbsDecoder();
    const geometric = decoder.decode(msg(3, { 11: "38000H", 14: "50.1", 15: "8.6", 16: "-64H" }), 0);
    expect(geometric).toMatchObject({ alt_hae_m: 11_582.4, vrate_mps: -0.325, source_kind: "adsb_icao" });
    expect(geometric).not.toHaveProperty("alt_baro_m");
    const found = msg(3, { 0: "MLAT", 4: "4CA2B3", 14: "50.1", 15: "8.6" });
    expect(decoder.decode(found, 0)).toMatchObject({ icao: "4ca2b3", source_kind: "mlat" });
    expect(decoder.decode(msg(3, { 14: "0", 15: "0" }), 0)).toBeNull();
  });
  test("other kinds of lines are ignored, unreadable ones are bad, and the table is bounded", () => {
    const decoder = new SbsDecoder();
    expect(decoder.decode("STA,,5,179,400AE7,10103,2008/11/28,14:58:51.153", 0)).toBeNull();
    for (const line of ["", "hello", "MSG,9,1,1,4CA2B1", "MSG,3,1,1,XYZ123", msg(3, { 14: "95", 15: "8" })])
      expect(decoder.decode(line, 0)).toBe("bad");
    for (let i = 0; i < 6000; i++) decoder.decode(msg(3, { 4: i.toString(16).padStart(6, "0"), 14: "1", 15: "1" }), i);
    expect(decoder.aircraft).toBeLessThanOrEqual(5000);
  });
  test("lines over packet borders are complete, endless ones are discarded", () => {
    const splitter = new LineSplitter();
    expect(splitter.push("MSG,3,")).toEqual([]);
    expect(splitter.push("1,1\r\nMSG,4\n")).toEqual(["MSG,3,1,1", "MSG,4"]);
    for (let i = 0; i < 10; i++) expect(splitter.push("x".repeat(600))).toEqual([]);
    expect(splitter.push("tail\nMSG,5\n")).toEqual(["MSG,5"]);
    expect(splitter.bad).toBe(1);
  });
});

test.each([
  ["4CA2B1", "4ca2b1", "icao"],
  ["1CA2B1", "1ca2b1", "icao"],
  ["~2AB001", "~2ab001", "non_icao"],
  // readsb's internal number for such an address.
  ["12AB001", "~2ab001", "non_icao"],
])("[AD-60] SBS-1 and aircraft.json read %s as %s, an address that is %s", (written, icao, address_kind) => {
  const address = { icao, address_kind, source_kind: address_kind === "icao" ? "adsb_icao" : "adsb_other" };
  expect(new SbsDecoder().decode(msg(3, { 4: written, 14: "50.1", 15: "8.6" }), 0)).toMatchObject(address);
  const entry = { ...ENTRY, hex: written, type: undefined };
  expect(new AircraftFile().read(file([entry]), NOW_MS)!.observations).toMatchObject([address]);
});
test.each(["22AB001", "~12AB001", "~~2AB001", "2AB00", "2AB00G", ""])("[AD-60] %j is no address", (written) => {
  expect(new SbsDecoder().decode(msg(3, { 4: written, 14: "50.1", 15: "8.6" }), 0)).toBe("bad");
});

test("[AD-61] SBS-1 lines may begin with a byte order mark, however the packets split it", () => {
  const stream = Buffer.from(`\ufeff${msg(3, { 14: "50.1", 15: "8.6" })}\r\n`).toString("latin1");
  for (const size of [1, stream.length]) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let i = 0; i < stream.length; i += size) lines.push(...splitter.push(stream.slice(i, i + size)));
    expect(lines.map((line) => new SbsDecoder().decode(line, 0))).toMatchObject([{ icao: "4ca2b1" }]);
  }
});

test.each(["abcd", "8000", "12345", "123", 1234])("[AD-62] %j is no squawk, from whichever source", (squawk) => {
  const [entry] = new AircraftFile().read(file([{ ...ENTRY, squawk }]), NOW_MS)!.observations;
  expect(entry).toMatchObject({ squawk: null });
  if (typeof squawk === "number") return;
  const line = new SbsDecoder().decode(msg(3, { 14: "50.1", 15: "8.6", 17: squawk }), 0);
  expect(line).not.toHaveProperty("squawk");
});

test("[AD-63] the emergency column of a multilaterated line is its accuracy, and raises no emergency", () => {
  const decoder = new SbsDecoder();
  const found = msg(3, { 0: "MLAT", 14: "50.1", 15: "8.6", 19: "1" });
  expect(decoder.decode(found, 0)).not.toHaveProperty("emergency");
  decoder.decode(msg(6, { 17: "7700", 19: "-1" }), 1000);
  const exact = msg(3, { 0: "MLAT", 14: "50.1", 15: "8.6", 19: "0" });
  expect(decoder.decode(exact, 2000)).toMatchObject({ emergency: "general" });
});
