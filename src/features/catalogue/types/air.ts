/** The types that fly without a crew: 31 rows. The figures are typical of the class, not of a product. */
import type { CatalogueType } from "../../../domain/catalogue.ts";
import { MULTIROTOR_TYPES } from "./multirotor.ts";
import { CONTROLLED_AIRCRAFT, family } from "./row.ts";

const DRIFTING = ["odid_wifi_ble", "rest_push"];

const ROTARY_WING = family(
  {
    domain: "air",
    family: "rotary_wing",
    kind: "vehicle",
    protocols: CONTROLLED_AIRCRAFT,
    defaults: { "traits.propulsion": "piston" },
  },
  [
    {
      key: "helicopter",
      title: "Uncrewed helicopter",
      codes: "MAV:4 ODID:2",
      defaults: {
        "performance.hover": true,
        "performance.max_mps": 30,
        "performance.endurance_s": 7200,
        "signature.rcs_dbsm": -5,
        "signature.size_m": 2.5,
      },
      description: "one main rotor and a tail rotor",
    },
    {
      key: "helicopter_coaxial",
      title: "Uncrewed coaxial helicopter",
      codes: "MAV:3",
      defaults: {
        "performance.hover": true,
        "performance.max_mps": 22,
        "performance.endurance_s": 3600,
        "signature.rcs_dbsm": -10,
        "signature.size_m": 1.2,
      },
      description: "two rotors on one mast, no tail rotor",
    },
    {
      key: "gyroplane",
      title: "Uncrewed gyroplane",
      codes: "ODID:3",
      defaults: {
        "performance.hover": false,
        "performance.min_mps": 8,
        "performance.max_mps": 35,
        "performance.endurance_s": 10_800,
        "signature.rcs_dbsm": -3,
        "signature.size_m": 3,
      },
      description: "lift by a free-turning rotor, thrust by a propeller",
    },
  ],
);

const FIXED_WING = family(
  {
    domain: "air",
    family: "fixed_wing",
    kind: "vehicle",
    protocols: CONTROLLED_AIRCRAFT,
    defaults: {
      "performance.hover": false,
      "traits.tail": true,
      "traits.turn_model": "coordinated",
      "traits.propulsion": "electric",
      "traits.returns": true,
      "traits.lands": true,
    },
  },
  [
    {
      key: "fixed_wing_propeller",
      title: "Fixed wing, propeller",
      codes: "MAV:1 ODID:1",
      contrast: true,
      defaults: {
        "performance.min_mps": 11,
        "performance.max_mps": 30,
        "performance.endurance_s": 5400,
        "signature.rcs_dbsm": -12,
        "signature.size_m": 2,
        "signature.acoustic_db_at_1m": 80,
        "traits.ir_signature_w_sr": 0.5,
      },
      description: "wing and tail, driven by a propeller; cannot hover",
    },
    {
      key: "flying_wing",
      title: "Flying wing",
      differsFrom: "fixed_wing_propeller",
      in: ["traits.tail", "traits.turn_model"],
      defaults: {
        "traits.tail": false,
        "traits.turn_model": "elevon",
        "performance.min_mps": 12,
        "performance.max_mps": 35,
        "performance.endurance_s": 3600,
        "signature.rcs_dbsm": -16,
        "signature.size_m": 1.4,
      },
      description: "no tail: pitch and roll by elevons, a smaller echo and turns without rudder",
    },
    {
      key: "fixed_wing_jet",
      title: "Fixed wing, jet",
      differsFrom: "fixed_wing_propeller",
      in: ["performance.max_mps", "traits.ir_signature_w_sr", "traits.propulsion"],
      defaults: {
        "performance.min_mps": 35,
        "performance.max_mps": 150,
        "performance.endurance_s": 3600,
        "traits.ir_signature_w_sr": 50,
        "traits.propulsion": "turbine",
        "signature.rcs_dbsm": -8,
        "signature.size_m": 2.5,
      },
      description: "turbine driven: fast, hot and loud",
    },
    {
      key: "fixed_wing_one_way",
      title: "Fixed wing, one way",
      differsFrom: "fixed_wing_propeller",
      in: ["traits.returns", "traits.lands"],
      defaults: {
        "traits.returns": false,
        "traits.lands": false,
        "traits.propulsion": "piston",
        "performance.min_mps": 25,
        "performance.max_mps": 55,
        "performance.endurance_s": 28_800,
        "signature.rcs_dbsm": -10,
        "signature.size_m": 2.5,
      },
      protocols: ["rest_push"],
      description: "never comes back and never lands: no home, no return, no landing",
    },
    {
      key: "glider",
      title: "Uncrewed glider",
      codes: "ODID:6",
      defaults: {
        "traits.propulsion": "none",
        "performance.min_mps": 9,
        "performance.max_mps": 40,
        "signature.rcs_dbsm": -14,
        "signature.size_m": 3,
      },
      description: "no engine: it trades height for distance",
    },
  ],
);

const VTOL_HYBRID = family(
  {
    domain: "air",
    family: "vtol_hybrid",
    kind: "vehicle",
    protocols: CONTROLLED_AIRCRAFT,
    defaults: { "performance.hover": true, "traits.propulsion": "electric", "performance.endurance_s": 4500 },
  },
  [
    {
      key: "tailsitter_duo",
      title: "Tailsitter, two rotors",
      codes: "MAV:19",
      defaults: { "performance.max_mps": 28, "signature.size_m": 1 },
      description: "stands on its tail to take off; two rotors",
    },
    {
      key: "tailsitter_quad",
      title: "Tailsitter, four rotors",
      codes: "MAV:20",
      defaults: { "performance.max_mps": 30, "signature.size_m": 1.2 },
      description: "stands on its tail to take off; four rotors",
    },
    {
      key: "tailsitter",
      title: "Tailsitter",
      codes: "MAV:23",
      defaults: { "performance.max_mps": 28, "signature.size_m": 1.2 },
      description: "stands on its tail to take off; rotors not told",
    },
    {
      key: "tiltrotor",
      title: "Tiltrotor",
      codes: "MAV:21",
      defaults: { "performance.max_mps": 32, "signature.size_m": 2 },
      description: "turns its rotors between lift and thrust",
    },
    {
      key: "tiltwing",
      title: "Tiltwing",
      codes: "MAV:24",
      defaults: { "performance.max_mps": 32, "signature.size_m": 2 },
      description: "turns its whole wing between lift and thrust",
    },
    {
      key: "quadplane",
      title: "Quadplane",
      codes: "MAV:22 ODID:4",
      defaults: { "performance.max_mps": 30, "signature.size_m": 2.2 },
      description: "fixed rotors for lift beside a propeller and a wing",
    },
    {
      key: "gyrodyne",
      title: "Gyrodyne",
      codes: "MAV:47",
      defaults: { "performance.max_mps": 35, "signature.size_m": 3 },
      description: "a powered rotor for take-off that turns freely in flight",
    },
  ],
);

const OTHER_POWERED = family(
  {
    domain: "air",
    family: "other_powered",
    kind: "vehicle",
    protocols: CONTROLLED_AIRCRAFT,
    defaults: { "performance.hover": false },
  },
  [
    {
      key: "ornithopter",
      title: "Ornithopter",
      codes: "MAV:16 ODID:5",
      defaults: {
        "performance.max_mps": 12,
        "traits.flap_hz": 6,
        "traits.propulsion": "electric",
        "signature.rcs_dbsm": -25,
        "signature.size_m": 0.6,
      },
      description: "flaps its wings: easily taken for a bird",
    },
    {
      key: "parafoil",
      title: "Powered parafoil",
      codes: "MAV:28",
      defaults: {
        "performance.max_mps": 16,
        "performance.min_mps": 7,
        "traits.propulsion": "piston",
        "signature.rcs_dbsm": -6,
        "signature.size_m": 4,
      },
      description: "hangs under a steerable canopy",
    },
    {
      key: "rocket",
      title: "Rocket",
      codes: "MAV:9 ODID:12",
      protocols: ["mavlink2", "odid_wifi_ble", "rest_push"],
      defaults: {
        "performance.max_mps": 300,
        "traits.propulsion": "rocket",
        "signature.rcs_dbsm": -15,
        "signature.size_m": 1.5,
      },
      description: "ballistic after a short burn",
    },
  ],
);

const LIGHTER_OR_UNPOWERED = family(
  {
    domain: "air",
    family: "lighter_or_unpowered",
    kind: "vehicle",
    protocols: DRIFTING,
    defaults: { "traits.propulsion": "none" },
  },
  [
    {
      key: "airship",
      title: "Uncrewed airship",
      codes: "MAV:7 ODID:10",
      protocols: CONTROLLED_AIRCRAFT,
      defaults: {
        "performance.hover": true,
        "performance.max_mps": 15,
        "traits.propulsion": "electric",
        "signature.rcs_dbsm": 0,
        "signature.size_m": 8,
      },
      description: "lighter than air, driven and steered",
    },
    {
      key: "free_balloon",
      title: "Free balloon",
      codes: "MAV:8 ODID:8",
      defaults: { "performance.max_mps": 30, "signature.rcs_dbsm": -15, "signature.size_m": 2 },
      description: "drifts with the wind",
    },
    {
      key: "captive_balloon",
      title: "Captive balloon",
      codes: "ODID:9",
      defaults: { "performance.max_mps": 2, "traits.tether_m": 300, "signature.rcs_dbsm": -3, "signature.size_m": 6 },
      description: "moored to the ground",
    },
    {
      key: "kite",
      title: "Kite",
      codes: "MAV:17 ODID:7",
      defaults: {
        "performance.max_mps": 10,
        "traits.tether_m": 100,
        "signature.rcs_dbsm": -22,
        "signature.size_m": 1.5,
      },
      description: "flown on a line",
    },
  ],
);

export const AIR_TYPES: readonly CatalogueType[] = [
  ...MULTIROTOR_TYPES,
  ...ROTARY_WING,
  ...FIXED_WING,
  ...VTOL_HYBRID,
  ...OTHER_POWERED,
  ...LIGHTER_OR_UNPOWERED,
];
