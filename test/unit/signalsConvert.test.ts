/** Observations to measurements: units, sigmas, frames, claims. Expected values are computed independently here. */
import { describe, expect, test } from "vitest";
import * as layout from "../../assembly/layout.ts";
import { claimedIdentity } from "../../src/domain/claims.ts";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { Modality } from "../../src/domain/modality.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import { toMeasurements } from "../../src/measurement/convert.ts";
import { parseRfc3339Us, parseTimeUs } from "../../src/measurement/time.ts";
import { NOW_MS, POSE, push, replyOf, SignalsRoom } from "../support/signalsRoom.ts";

const frame = new EnuFrame(POSE);
const DEG = Math.PI / 180;

function rowOf(modality: Modality, wire: Record<string, unknown>, profile: SensorProfile = DEFAULT_PROFILE[modality]) {
  const facts = {
    sourceId: "s",
    scanId: null,
    modality,
    measuredAtUs: 0,
    receivedAtUs: 0,
    pose: null,
    complete: false,
  };
  const scan = toMeasurements(facts, [wire], profile, frame);
  const m = scan.measurements;
  return {
    scan,
    names: [claimedIdentity(modality, wire)].filter((name) => name !== null),
    kind: m[layout.MEAS_KIND],
    z: [...m.subarray(1, 7)],
    s: [...m.subarray(7, 11)],
    at: (column: number) => m[column]!,
  };
}
const sigmasOf = (room: SignalsRoom, scan = 0) => [
  ...room.inputs[scan]!.scan.measurements.subarray(layout.MEAS_S0, layout.MEAS_S0 + 3),
];
const near = (values: number[]) => values.map((v) => (Number.isNaN(v) ? Number.NaN : expect.closeTo(v, 6)));

describe("directions", () => {
  test("[SG-20] a radar plot is spherical, in radians; absent values are NaN", () => {
    const { kind, z, s } = rowOf("radar", {
      az_deg: 90,
      el_deg: -3,
      range_m: 1000,
      range_rate_mps: -12,
      rcs_dbsm: -15,
    });
    expect(kind).toBe(layout.MEAS_KIND_SPHERICAL);
    expect(z).toEqual(near([Math.PI / 2, -3 * DEG, 1000, -12, Number.NaN, Number.NaN]));
    expect(s).toEqual(near([0.3 * DEG, 0.4 * DEG, 3, 0.4]));
    expect(rowOf("radar", { az_deg: 90, range_m: 1000 }).z).toEqual(
      near([Math.PI / 2, Number.NaN, 1000, Number.NaN, Number.NaN, Number.NaN]),
    );
  });

  test("[SG-34] sigma_m and north_sigma_deg of a placement widen what the sensor measures, unless it sends its own pose", () => {
    const profile = DEFAULT_PROFILE.radar;
    const plot = { source_id: "mast", modality: "radar", measured_at: NOW_MS, az_deg: 10, el_deg: 1, range_m: 1000 };
    const measured = (siting: { sigmaM: number; northSigmaDeg: number } | null, more = {}) => {
      const room = new SignalsRoom();
      room.sensors.place("mast", profile, POSE, siting, null);
      replyOf(push(room, { ...plot, ...more }));
      return sigmasOf(room);
    };
    expect(measured(null)).toEqual(near([0.3 * DEG, 0.4 * DEG, 3]));
    expect(measured({ sigmaM: 4, northSigmaDeg: 0.4 })).toEqual(
      near([Math.hypot(0.5 * DEG, Math.atan(0.004)), Math.hypot(0.4 * DEG, Math.atan(0.004)), 5]),
    );
    expect(measured({ sigmaM: 4, northSigmaDeg: 0.4 }, { el_deg: undefined })[1]).toBeNaN();
    expect(measured({ sigmaM: 4, northSigmaDeg: 0.4 }, { sensor_pose: { ...POSE, lat: 51.2 } })).toEqual(
      near([0.3 * DEG, 0.4 * DEG, 3]),
    );
  });

  test("[SG-21] a sigma in an observation may only enlarge the profile's", () => {
    const of = (sigma: object) => rowOf("radar", { az_deg: 1, range_m: 1000, ...sigma });
    expect(of({ sigma_az_deg: 0.1, sigma_range_m: 1 }).s.filter(Number.isFinite)).toEqual(near([0.3 * DEG, 3]));
    expect(of({ sigma_az_deg: 2, sigma_range_m: 40 }).s.filter(Number.isFinite)).toEqual(near([2 * DEG, 40]));
    const growing = { ...DEFAULT_PROFILE.radar, sigma: { ...DEFAULT_PROFILE.radar.sigma, range_frac: 0.01 } };
    expect(rowOf("radar", { az_deg: 1, range_m: 1000 }, growing).at(layout.MEAS_S2)).toBeCloseTo(13, 9);
  });

  test("[SG-20] a camera plot is a bearing; with a laser range it is spherical", () => {
    expect(rowOf("eo", { az_deg: 1, el_deg: 2 }).kind).toBe(layout.MEAS_KIND_BEARING);
    expect(rowOf("eo", { az_deg: 1, el_deg: 2, range_m: 700 })).toMatchObject({ kind: layout.MEAS_KIND_SPHERICAL });
  });
});

describe("positions", () => {
  const north = { lat: POSE.lat + 1000 / 111_262, lon: POSE.lon };

  test("[SG-22] Remote ID: 95 % bounds become sigmas, speed and course a vector, the serial a claim", () => {
    const claim = {
      uas_id: "X1",
      ...north,
      alt_hae_m: 223,
      speed_mps: 10,
      track_deg: 90,
      vspeed_mps: 1,
      accuracy: { h_m: 30, v_m: 45, speed_mps: 0.3 },
    };
    const { z, s, names, at } = rowOf("remote_id", claim);
    expect(z[0]).toBeCloseTo(0, 3);
    expect(Math.abs(z[1]! - 1000)).toBeLessThan(1);
    expect(z[2]).toBeCloseTo(99.92, 1); // the curvature takes 8 cm
    expect(z.slice(3)).toEqual(near([10, 0, 1]));
    expect(s).toEqual([
      expect.closeTo(30 / 2.4477, 2),
      expect.closeTo(30 / 2.4477, 2),
      expect.closeTo(45 / 1.96, 2),
      1,
    ]);
    // The room writes the number when it accepts the scan.
    expect([names, at(layout.MEAS_CLAIM)]).toEqual([["rid:X1"], 0]);
  });

  test("[SG-23] an unknown altitude stays unknown, and pressure altitude never stands in for it", () => {
    const { z, s } = rowOf("adsb", { icao: "4ca123", ...north, alt_baro_m: 3000 });
    expect([z[2], s[2]]).toEqual([Number.NaN, Number.NaN]);
  });

  test("[SG-24] ADS-B quality categories are read as the bounds of DO-260B", () => {
    const sigmaOf = (more: object) =>
      rowOf("adsb", { icao: "4ca123", ...north, alt_hae_m: 3000, gs_mps: 100, track_deg: 0, ...more }).s;
    expect(sigmaOf({ nac_p: 8, nac_v: 1, gva: 2 })).toEqual([
      expect.closeTo(92.6 / 2.4477, 1),
      expect.closeTo(92.6 / 2.4477, 1),
      expect.closeTo(45 / 1.96, 1),
      expect.closeTo(10 / 2.4477, 1),
    ]);
    expect(sigmaOf({ nac_p: 11 })[0]).toBe(10);
    expect(sigmaOf({ nac_p: 0 })[0]).toBeGreaterThan(10_000);
    // 0 is "unknown or worse than 10 m/s", the others are reserved: a large sigma, but not dropped.
    for (const nac_v of [0, 6]) expect(sigmaOf({ nac_v })[3]).toBe(30);
  });

  test("[SG-25] the velocity of an aircraft far away is turned into the room's axes", () => {
    const far = rowOf("adsb", {
      icao: "4ca123",
      lat: POSE.lat,
      lon: POSE.lon + 5,
      alt_hae_m: 10_000,
      gs_mps: 250,
      track_deg: 0,
      vrate_mps: 0,
    });
    expect(Math.hypot(...far.z.slice(3))).toBeCloseTo(250, 6);
    // Five degrees of longitude to the east, north is rotated west by 5 sin(lat) degrees.
    expect(Math.atan2(-far.z[3]!, far.z[4]!) / DEG).toBeCloseTo(5 * Math.sin(POSE.lat * DEG), 1);
  });

  test("[SG-26] an ellipse keeps its axes and its angle; without an angle it is a circle of the larger one", () => {
    const ellipse = { ...north, sigma_major_m: 90, sigma_minor_m: 40, orientation_deg: 30 };
    const { at, s } = rowOf("rf_fix", ellipse);
    expect([s[0], s[1], at(layout.MEAS_ORIENTATION)]).toEqual(near([90, 40, 30 * DEG]));
    expect(rowOf("rf_fix", { ...ellipse, orientation_deg: null }).s.slice(0, 2)).toEqual([90, 90]);
  });

  test("[SG-27] own platforms: HDOP and fix widen, the key is a claim", () => {
    const own = (more: object) =>
      rowOf("blue_force", { asset_key: "k", ...north, alt_hae_m: 150, vel_enu_mps: [1, 2, 3], ...more });
    expect(own({ hdop: 4 }).s[0]).toBeCloseTo((4 * 3) / Math.SQRT2, 6);
    expect(own({ gps_fix: "no_fix" }).s[0]).toBe(50);
    expect(own({ gps_fix: "2d" }).z[2]).toBeNaN();
    expect(own({})).toMatchObject({ names: ["asset:k"], z: near([0, own({}).z[1]!, own({}).z[2]!, 1, 2, 3]) });
  });
});

describe("magic numbers and spelling", () => {
  test("[SG-19] unknowns of OpenDroneID and CoT become null, in the claim as in the measurement", () => {
    const room = new SignalsRoom();
    const wire = {
      source_id: "rid",
      modality: "remote_id",
      measured_at: NOW_MS,
      uas_id: "1581F",
      lat: 51.18,
      lon: -1.73,
      alt_hae_m: -1000,
      speed_mps: 255,
      vspeed_mps: 63,
      track_deg: 361,
      height_m: -1000,
      accuracy: { h_m: 999_999 },
      operator: { lat: 51, lon: -1, alt_hae_m: -1000 },
    };
    expect(replyOf(push(room, wire)).accepted).toBe(1);
    const { scan, wire: kept } = room.inputs[0]!;
    expect(kept[0]).toMatchObject({
      alt_hae_m: null,
      speed_mps: null,
      vspeed_mps: null,
      track_deg: null,
      height_m: null,
      accuracy: { h_m: null },
      operator: { lat: 51, alt_hae_m: null },
    });
    expect([...scan.measurements.subarray(3, 7)]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    expect(scan.measurements[layout.MEAS_S0]).toBe(DEFAULT_PROFILE.remote_id.sigma.horizontal_m);
  });

  test("[SG-28] an ICAO address names one aircraft, however it is spelt", () => {
    const room = new SignalsRoom();
    const adsb = (icao: string) => ({ source_id: "a", modality: "adsb", measured_at: NOW_MS, icao, lat: 51, lon: -1 });
    push(room, { signals: [adsb("4CA12F"), adsb("4ca12f")] });
    expect(room.identities).toEqual(["icao:4ca12f"]);
    expect(room.inputs[0]!.wire).toMatchObject([{ icao: "4ca12f" }]);
  });
});

describe("times", () => {
  test.each([
    ["2026-03-01T10:00:00Z", Date.UTC(2026, 2, 1, 10) * 1000],
    ["2026-03-01T10:00:00.1234567Z", Date.UTC(2026, 2, 1, 10) * 1000 + 123_456],
    ["2026-03-01T12:30:00.5+02:30", Date.UTC(2026, 2, 1, 10) * 1000 + 500_000],
    ["2024-02-29t23:59:60z", Date.UTC(2024, 2, 1) * 1000],
  ])("[SG-13] %s", (text, us) => {
    expect(parseTimeUs(text)).toBe(us);
  });

  test.each([
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T10:00:00",
    "2026-03-01T10:00:60Z",
    "2026-03-01 10:00:00Z",
    "1999-12-31T00:00:00Z",
    "",
  ])("[SG-13] %s is no time", (text) => expect(parseRfc3339Us(text)).toBeNaN());
});
