/**
 * The built-in platforms: the multirotors, and the contrast platforms that operators must distinguish from them
 * (docs/interface.md#catalogue). Public figures of each class, no brands. Needs no database.
 */
import type { BuiltinPlatform, CatalogSpec, PlatformPerformance } from "../../domain/catalogue.ts";
import { assert } from "../../lib/assert.ts";
import { capabilityOf, withTypeDefaults } from "./defaults.ts";
import { TYPE_BY_KEY } from "./types/catalogueTypes.ts";

const UAS_BANDS_HZ: [number, number][] = [
  [2_400_000_000, 2_483_500_000],
  [5_725_000_000, 5_875_000_000],
];
const ANALOG_VIDEO_HZ: [number, number][] = [
  [863_000_000, 870_000_000],
  [5_650_000_000, 5_950_000_000],
];
const TRANSPONDER_HZ: [number, number][] = [[1_089_000_000, 1_091_000_000]];

interface Row {
  readonly type: string;
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly performance: PlatformPerformance;
  readonly signature: NonNullable<CatalogSpec["signature"]>;
  readonly payloads?: NonNullable<CatalogSpec["payloads"]>;
}

const GIMBAL = {
  id: "gimbal",
  type: "eo_ir_gimbal",
  name: "Day camera gimbal",
  count: 1,
  mass_kg: 0.3,
  sensor_profile_id: "eo-gimbal-airborne",
};

/** Common to all electric multirotors. */
const ELECTRIC: PlatformPerformance = {
  min_mps: 0,
  hover: true,
  accel_mps2: 5,
  turn_rate_dps: 120,
  reserve_pct: 20,
  ceiling_m: 4000,
  floor_m: -500,
  launch_time_s: 60,
  recharge_s: 4500,
  turnaround_s: 300,
  control_protocol: "mavlink2",
  position_sigma_m: 2,
};

const MULTIROTORS: readonly Row[] = [
  {
    type: "tricopter",
    name: "Tricopter",
    performance: {
      ...ELECTRIC,
      cruise_mps: 10,
      max_mps: 18,
      climb_mps: 5,
      descent_mps: 3,
      endurance_s: 1200,
      range_m: 10_000,
      wind_max_mps: 9,
      mass_kg: 1.4,
      payload_max_kg: 0.3,
    },
    signature: { rcs_dbsm: -18, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 78, size_m: 0.6 },
  },
  {
    type: "quadrotor",
    name: "Quadrotor",
    aliases: ["Quadcopter", "Quad"],
    performance: {
      ...ELECTRIC,
      cruise_mps: 12,
      max_mps: 19,
      climb_mps: 6,
      descent_mps: 4,
      endurance_s: 1800,
      range_m: 18_000,
      wind_max_mps: 11,
      mass_kg: 0.95,
      payload_max_kg: 0.2,
    },
    signature: { rcs_dbsm: -20, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 75, size_m: 0.35 },
    payloads: [{ ...GIMBAL, mass_kg: 0.1 }],
  },
  {
    type: "quadrotor_fpv",
    name: "Quadrotor FPV",
    aliases: ["FPV"],
    performance: {
      ...ELECTRIC,
      accel_mps2: 25,
      turn_rate_dps: 500,
      cruise_mps: 22,
      max_mps: 40,
      climb_mps: 20,
      descent_mps: 20,
      endurance_s: 480,
      range_m: 6000,
      wind_max_mps: 14,
      mass_kg: 0.7,
      payload_max_kg: 0.5,
      control_protocol: null,
    },
    signature: { rcs_dbsm: -22, rf_bands_hz: ANALOG_VIDEO_HZ, acoustic_db_at_1m: 88, size_m: 0.25 },
  },
  {
    type: "hexarotor",
    name: "Hexarotor",
    aliases: ["Hexacopter"],
    performance: {
      ...ELECTRIC,
      cruise_mps: 11,
      max_mps: 18,
      climb_mps: 5,
      descent_mps: 4,
      endurance_s: 2100,
      range_m: 18_000,
      wind_max_mps: 12,
      mass_kg: 6,
      payload_max_kg: 3,
    },
    signature: { rcs_dbsm: -14, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 84, size_m: 1.1 },
    payloads: [GIMBAL],
  },
  {
    type: "octorotor",
    name: "Octorotor",
    aliases: ["Octocopter"],
    performance: {
      ...ELECTRIC,
      cruise_mps: 10,
      max_mps: 17,
      climb_mps: 5,
      descent_mps: 3,
      endurance_s: 1500,
      range_m: 12_000,
      wind_max_mps: 12,
      mass_kg: 12,
      payload_max_kg: 8,
    },
    signature: { rcs_dbsm: -11, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 88, size_m: 1.5 },
    payloads: [GIMBAL],
  },
  {
    type: "decarotor",
    name: "Decarotor",
    performance: {
      ...ELECTRIC,
      cruise_mps: 9,
      max_mps: 16,
      climb_mps: 4,
      descent_mps: 3,
      endurance_s: 1200,
      range_m: 9000,
      wind_max_mps: 11,
      mass_kg: 16,
      payload_max_kg: 10,
    },
    signature: { rcs_dbsm: -10, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 90, size_m: 1.8 },
  },
  {
    type: "dodecarotor",
    name: "Dodecarotor",
    performance: {
      ...ELECTRIC,
      cruise_mps: 9,
      max_mps: 16,
      climb_mps: 4,
      descent_mps: 3,
      endurance_s: 1200,
      range_m: 9000,
      wind_max_mps: 11,
      mass_kg: 20,
      payload_max_kg: 14,
    },
    signature: { rcs_dbsm: -9, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 92, size_m: 2 },
  },
  {
    type: "multirotor_generic",
    name: "Multirotor",
    performance: {
      ...ELECTRIC,
      cruise_mps: 11,
      max_mps: 18,
      climb_mps: 5,
      descent_mps: 4,
      endurance_s: 1500,
      range_m: 12_000,
      wind_max_mps: 10,
      mass_kg: 2.5,
      payload_max_kg: 0.8,
    },
    signature: { rcs_dbsm: -17, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 80, size_m: 0.7 },
  },
  {
    type: "multirotor_tethered",
    name: "Tethered Multirotor",
    performance: {
      ...ELECTRIC,
      cruise_mps: 1,
      max_mps: 3,
      climb_mps: 3,
      descent_mps: 2,
      endurance_s: 86_400,
      range_m: 100,
      reserve_pct: 0,
      wind_max_mps: 13,
      mass_kg: 5,
      payload_max_kg: 2,
    },
    signature: { rcs_dbsm: -15, rf_bands_hz: [], acoustic_db_at_1m: 82, size_m: 1 },
    payloads: [GIMBAL],
  },
];

const CONTRAST: readonly Row[] = [
  {
    type: "fixed_wing_propeller",
    name: "Fixed Wing",
    performance: {
      cruise_mps: 18,
      max_mps: 30,
      min_mps: 11,
      hover: false,
      climb_mps: 5,
      descent_mps: 5,
      accel_mps2: 4,
      turn_rate_dps: 45,
      endurance_s: 5400,
      range_m: 90_000,
      reserve_pct: 20,
      ceiling_m: 4000,
      wind_max_mps: 14,
      mass_kg: 5,
      payload_max_kg: 1,
      control_protocol: "mavlink2",
      position_sigma_m: 2,
    },
    signature: { rcs_dbsm: -12, rf_bands_hz: UAS_BANDS_HZ, acoustic_db_at_1m: 80, size_m: 2 },
  },
  {
    type: "rotorcraft",
    name: "Crewed Helicopter",
    performance: {
      cruise_mps: 60,
      max_mps: 85,
      min_mps: 0,
      hover: true,
      climb_mps: 9,
      descent_mps: 8,
      accel_mps2: 4,
      turn_rate_dps: 20,
      endurance_s: 10_800,
      range_m: 600_000,
      ceiling_m: 6000,
      mass_kg: 2500,
    },
    signature: { rcs_dbsm: 8, rf_bands_hz: TRANSPONDER_HZ, acoustic_db_at_1m: 130, size_m: 13 },
  },
  {
    type: "light_aircraft",
    name: "Light Aircraft",
    performance: {
      cruise_mps: 55,
      max_mps: 80,
      min_mps: 25,
      hover: false,
      climb_mps: 4,
      descent_mps: 8,
      accel_mps2: 3,
      turn_rate_dps: 12,
      endurance_s: 14_400,
      range_m: 800_000,
      ceiling_m: 5000,
      mass_kg: 1100,
    },
    signature: { rcs_dbsm: 3, rf_bands_hz: TRANSPONDER_HZ, acoustic_db_at_1m: 120, size_m: 9 },
  },
  {
    type: "bird",
    name: "Bird",
    performance: {
      cruise_mps: 11,
      max_mps: 20,
      min_mps: 4,
      hover: false,
      climb_mps: 3,
      descent_mps: 10,
      accel_mps2: 8,
      turn_rate_dps: 90,
      ceiling_m: 3000,
      mass_kg: 1,
    },
    signature: { rcs_dbsm: -25, rf_bands_hz: [], acoustic_db_at_1m: 40, size_m: 0.6 },
  },
  {
    type: "bird_flock",
    name: "Bird Flock",
    performance: {
      cruise_mps: 12,
      max_mps: 20,
      min_mps: 4,
      hover: false,
      climb_mps: 2,
      descent_mps: 6,
      accel_mps2: 3,
      turn_rate_dps: 40,
      ceiling_m: 4000,
      mass_kg: 50,
    },
    signature: { rcs_dbsm: -12, rf_bands_hz: [], acoustic_db_at_1m: 50, size_m: 60 },
  },
];

function platform(row: Row): BuiltinPlatform {
  const type = TYPE_BY_KEY.get(row.type);
  assert(type !== undefined, `the built-in ${row.name} names an unknown type ${row.type}`);
  const modalities = row.payloads === undefined ? [] : (["eo"] as const);
  const capability = capabilityOf(type);
  const equipped = { ...capability, modalities: [...capability.modalities, ...modalities] };
  const spec: CatalogSpec = {
    type: row.type,
    domain: type.domain,
    model: row.name,
    aliases: [...(row.aliases ?? [])],
    manufacturer: null,
    performance: row.performance,
    payloads: [...(row.payloads ?? [])],
    capability: equipped,
    signature: row.signature,
    source: { kind: "public", ref: "typical figures of the class" },
  };
  return { name: row.name, kind: type.kind, spec: withTypeDefaults(spec, type), capability: equipped };
}

export const BUILTINS: readonly BuiltinPlatform[] = [...MULTIROTORS, ...CONTRAST].map(platform);
