/** The sensor list and the generic profiles: the figures that the tracker uses must be possible ones. */
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { DEFAULT_PROFILE } from "../../src/domain/defaultProfiles.ts";
import { MODALITIES } from "../../src/domain/modality.ts";
import { SensorProfile } from "../../src/domain/sensorProfile.ts";
import { SENSOR_PROFILES } from "../../src/features/catalogue/sensorProfiles.ts";

const check = Compile(SensorProfile);
const all = [...Object.values(DEFAULT_PROFILE), ...SENSOR_PROFILES];

test("[CA-1] every sensor profile satisfies the schema and has an id of its own", () => {
  for (const profile of all) expect([profile.id, [...check.Errors(profile)]]).toEqual([profile.id, []]);
  expect(new Set(all.map((profile) => profile.id)).size).toBe(all.length);
});

test("[CA-2] there is one generic profile a modality, and it is of that modality", () => {
  for (const modality of MODALITIES) expect(DEFAULT_PROFILE[modality].modality).toBe(modality);
});

test("[CA-3] the figures of a profile do not contradict each other", () => {
  for (const profile of all) {
    const { sigma, id } = profile;
    expect(profile.min_range_m, id).toBeLessThan(profile.max_range_m);
    expect(profile.el_min_deg, id).toBeLessThan(profile.el_max_deg);
    expect(profile.pd.p0, id).toBeGreaterThan(profile.pd.floor);
    // A steered field of view is narrower than the range over which it is steered; a fixed one is equal to it.
    if (profile.scan !== "steerable") expect(profile.el_max_deg - profile.el_min_deg, id).toBe(profile.vfov_deg);
    if (profile.bearing_only) expect(sigma.az_deg, id).not.toBeNull();
    if (profile.modality === "radar" || profile.modality === "lidar") expect(sigma.range_m, id).not.toBeNull();
    if (["rf_fix", "remote_id", "adsb", "blue_force"].includes(profile.modality)) {
      expect(sigma.horizontal_m, id).not.toBeNull();
      expect(sigma.az_deg, id).toBeNull();
    }
    for (const [low, high] of profile.rf_bands_hz) expect(low, id).toBeLessThan(high);
  }
});

test("[CA-2] an unregistered source gets all-round coverage with moderate sigmas", () => {
  const { radar } = DEFAULT_PROFILE;
  expect(radar.sigma).toMatchObject({ az_deg: 0.3, el_deg: 0.4, range_m: 3, range_rate_mps: 0.4 });
  expect([radar.fov_deg, radar.min_range_m, radar.max_range_m, radar.false_alarm_per_scan]).toEqual([
    360, 50, 20_000, 5,
  ]);
  const { pd } = radar;
  expect(pd.p0 / (1 + (radar.max_range_m / pd.r50_m) ** pd.slope)).toBeCloseTo(0.9, 12);
});
