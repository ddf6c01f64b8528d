/**
 * Everything else that moves, or seems to, around a protected site: crewed aircraft, birds, ground vehicles, people and vessels,
 * 24 rows. `contrast` marks types that are mistaken for small uncrewed aircraft.
 */
import type { CatalogueType } from "../../../domain/catalogue.ts";
import { family } from "./row.ts";

const TRANSPONDER = [
  "adsb_readsb_json",
  "adsb_sbs",
  "adsb_beast",
  "asterix_cat021",
  "asterix_cat062",
  "cot_xml",
  "rest_push",
];
const REPORTED = ["cot_xml", "tak_proto_v1", "rest_push"];

const FIXED_WING_CREWED = family(
  {
    domain: "crewed_air",
    family: "fixed_wing_crewed",
    kind: "vehicle",
    protocols: TRANSPONDER,
    contrast: true,
    defaults: { "traits.crewed": true, "performance.hover": false },
  },
  [
    {
      key: "light_aircraft",
      title: "Light aircraft",
      codes: "ADSB:A1",
      defaults: {
        "performance.min_mps": 25,
        "performance.max_mps": 80,
        "signature.rcs_dbsm": 3,
        "signature.size_m": 9,
      },
      description: "under 7 t",
    },
    {
      key: "small_aircraft",
      title: "Small aircraft",
      codes: "ADSB:A2",
      defaults: {
        "performance.min_mps": 50,
        "performance.max_mps": 230,
        "signature.rcs_dbsm": 8,
        "signature.size_m": 18,
      },
      description: "7 to 34 t",
    },
    {
      key: "large_aircraft",
      title: "Large aircraft",
      codes: "ADSB:A3",
      defaults: {
        "performance.min_mps": 60,
        "performance.max_mps": 260,
        "signature.rcs_dbsm": 15,
        "signature.size_m": 38,
      },
      description: "34 to 136 t",
    },
    {
      key: "high_vortex_aircraft",
      title: "High-vortex aircraft",
      codes: "ADSB:A4",
      defaults: {
        "performance.min_mps": 60,
        "performance.max_mps": 260,
        "signature.rcs_dbsm": 17,
        "signature.size_m": 47,
      },
      description: "large, with a strong wake",
    },
    {
      key: "heavy_aircraft",
      title: "Heavy aircraft",
      codes: "ADSB:A5",
      defaults: {
        "performance.min_mps": 65,
        "performance.max_mps": 265,
        "signature.rcs_dbsm": 20,
        "signature.size_m": 65,
      },
      description: "over 136 t",
    },
    {
      key: "high_performance_aircraft",
      title: "High-performance aircraft",
      codes: "ADSB:A6",
      defaults: {
        "performance.min_mps": 60,
        "performance.max_mps": 600,
        "performance.accel_mps2": 50,
        "signature.rcs_dbsm": 7,
        "signature.size_m": 16,
      },
      description: "over 5 g and 400 kt",
    },
  ],
);

const OTHER_CREWED = family(
  {
    domain: "crewed_air",
    family: "other_crewed",
    kind: "vehicle",
    protocols: TRANSPONDER,
    contrast: true,
    defaults: { "traits.crewed": true },
  },
  [
    {
      key: "rotorcraft",
      title: "Crewed rotorcraft",
      codes: "ADSB:A7",
      defaults: {
        "performance.hover": true,
        "performance.max_mps": 85,
        "signature.rcs_dbsm": 8,
        "signature.size_m": 13,
      },
      description: "helicopter with a crew",
    },
    {
      key: "sailplane",
      title: "Sailplane",
      codes: "ADSB:B1",
      protocols: [...TRANSPONDER.slice(0, 3), "rest_push"],
      defaults: {
        "performance.hover": false,
        "performance.min_mps": 18,
        "performance.max_mps": 75,
        "signature.rcs_dbsm": 0,
        "signature.size_m": 15,
      },
      description: "glider with a crew; often without a transponder",
    },
    {
      key: "lighter_than_air_crewed",
      title: "Crewed balloon or airship",
      codes: "ADSB:B2",
      defaults: {
        "performance.hover": true,
        "performance.max_mps": 20,
        "signature.rcs_dbsm": 5,
        "signature.size_m": 25,
      },
      description: "hot-air balloon, gas balloon or airship",
    },
    {
      key: "parachutist",
      title: "Parachutist",
      codes: "ADSB:B3",
      defaults: {
        "performance.max_mps": 60,
        "performance.hover": false,
        "signature.rcs_dbsm": -3,
        "signature.size_m": 2,
      },
      description: "falling, then under a canopy",
    },
    {
      key: "ultralight",
      title: "Ultralight",
      codes: "ADSB:B4",
      defaults: {
        "performance.hover": false,
        "performance.min_mps": 10,
        "performance.max_mps": 45,
        "signature.rcs_dbsm": 0,
        "signature.size_m": 9,
      },
      description: "hang glider, paraglider or microlight",
    },
  ],
);

const CONTRAST = family({ domain: "contact", family: "contrast", kind: "contact", protocols: [], contrast: true }, [
  {
    key: "bird",
    title: "Bird",
    differsFrom: "wind_turbine",
    in: ["traits.flap_hz", "signature.rcs_dbsm"],
    defaults: {
      "traits.flap_hz": 5,
      "traits.count": 1,
      "traits.extent_m": 1,
      "performance.max_mps": 20,
      "signature.rcs_dbsm": -25,
      "signature.size_m": 0.6,
    },
    description: "echo modulated by its wing beat, path wanders; the commonest false alarm",
  },
  {
    key: "bird_flock",
    title: "Flock of birds",
    differsFrom: "bird",
    in: ["traits.count", "traits.extent_m"],
    defaults: {
      "traits.flap_hz": 5,
      "traits.count": 50,
      "traits.extent_m": 60,
      "performance.max_mps": 20,
      "signature.rcs_dbsm": -12,
      "signature.size_m": 60,
    },
    description: "many birds, one extended echo",
  },
  {
    key: "wind_turbine",
    title: "Wind turbine",
    codes: "AST:015/030",
    defaults: { "traits.fixed": true, "performance.max_mps": 0, "signature.rcs_dbsm": 30, "signature.size_m": 150 },
    description: "stands still, but its blades show Doppler",
  },
]);

const ROBOT = family(
  {
    domain: "ground",
    family: "robot",
    kind: "vehicle",
    protocols: ["mavlink2", "cot_xml", "rest_push"],
    defaults: { "performance.hover": true, "performance.endurance_s": 14_400 },
  },
  [
    {
      key: "rover_wheeled",
      title: "Wheeled rover",
      codes: "MAV:10",
      defaults: { "traits.steering": "ackermann", "traits.grade_max_deg": 20, "performance.max_mps": 8 },
      description: "steers by its wheels",
    },
    {
      key: "rover_tracked",
      title: "Tracked rover",
      differsFrom: "rover_wheeled",
      in: ["traits.steering", "traits.grade_max_deg"],
      defaults: { "traits.steering": "skid", "traits.grade_max_deg": 40, "performance.max_mps": 4 },
      description: "turns on the spot and climbs",
    },
    {
      key: "legged_robot",
      title: "Legged robot",
      codes: "MAV:46",
      defaults: {
        "traits.steering": "legged",
        "traits.grade_max_deg": 30,
        "performance.max_mps": 2,
        "performance.endurance_s": 5400,
      },
      description: "walks",
    },
  ],
);

const VEHICLE = family(
  { domain: "ground", family: "vehicle", kind: "vehicle", protocols: REPORTED, defaults: { "traits.crewed": true } },
  [
    {
      key: "road_vehicle",
      title: "Road vehicle",
      codes: "AST:015/300",
      defaults: { "performance.max_mps": 50, "traits.steering": "ackermann" },
      description: "car or lorry",
    },
    {
      key: "emergency_vehicle",
      title: "Emergency vehicle",
      codes: "ADSB:C1",
      protocols: [...REPORTED, "adsb_readsb_json", "asterix_cat021"],
      defaults: { "performance.max_mps": 45, "traits.steering": "ackermann" },
      description: "airfield fire or rescue vehicle with a transponder",
    },
    {
      key: "service_vehicle",
      title: "Service vehicle",
      codes: "ADSB:C2",
      protocols: [...REPORTED, "adsb_readsb_json", "asterix_cat021"],
      defaults: { "performance.max_mps": 30, "traits.steering": "ackermann" },
      description: "airfield service vehicle with a transponder",
    },
  ],
);

const PERSON = family({ domain: "ground", family: "person", kind: "contact", protocols: REPORTED }, [
  {
    key: "dismounted_operator",
    title: "Person on foot",
    codes: "SAP:9",
    defaults: { "performance.max_mps": 3, "traits.crewed": true },
    description: "for example the pilot of an uncrewed aircraft",
  },
]);

const VESSEL = family(
  { domain: "maritime", family: "vessel", kind: "vehicle", protocols: ["nmea0183_ais", "cot_xml", "rest_push"] },
  [
    {
      key: "surface_vessel_uncrewed",
      title: "Uncrewed surface vessel",
      codes: "MAV:11",
      protocols: ["mavlink2", "nmea0183_ais", "cot_xml", "rest_push"],
      defaults: { "traits.crewed": false, "performance.max_mps": 15 },
      description: "boat without a crew",
    },
    {
      key: "surface_vessel_crewed",
      title: "Crewed surface vessel",
      codes: "SRC:itu_r_m1371_ais",
      protocols: ["nmea0183_ais", "signalk", "cot_xml", "rest_push"],
      defaults: { "traits.crewed": true, "performance.max_mps": 20 },
      description: "boat or ship with a crew, heard by its AIS",
    },
    {
      key: "underwater_vehicle",
      title: "Underwater vehicle",
      codes: "MAV:12",
      protocols: ["mavlink2", "rest_push"],
      defaults: { "traits.crewed": false, "performance.max_mps": 3, "performance.floor_m": -300 },
      description: "submerged, without a crew",
    },
  ],
);

export const SURROUNDING_TYPES: readonly CatalogueType[] = [
  ...FIXED_WING_CREWED,
  ...OTHER_CREWED,
  ...CONTRAST,
  ...ROBOT,
  ...VEHICLE,
  ...PERSON,
  ...VESSEL,
];
