/** The multirotors, which a counter-UAS site meets most often and flies itself: 9 rows. Figures of a class, not of a product. */
import type { CatalogueType } from "../../../domain/catalogue.ts";
import { CONTROLLED_AIRCRAFT, family } from "./row.ts";

export const MULTIROTOR_TYPES: readonly CatalogueType[] = family(
  {
    domain: "air",
    family: "multirotor",
    kind: "vehicle",
    protocols: CONTROLLED_AIRCRAFT,
    defaults: {
      "performance.hover": true,
      "performance.min_mps": 0,
      "traits.control_link": "radio",
      "traits.video_link": "digital",
      "traits.propulsion": "electric",
    },
  },
  [
    {
      key: "tricopter",
      title: "Tricopter",
      codes: "MAV:15",
      defaults: {
        "performance.max_mps": 18,
        "performance.endurance_s": 1200,
        "signature.rcs_dbsm": -18,
        "signature.size_m": 0.6,
      },
      description: "three rotors, one of them tilting for yaw",
    },
    {
      key: "quadrotor",
      title: "Quadrotor",
      codes: "MAV:2 ODID:2",
      defaults: {
        "performance.max_mps": 19,
        "performance.endurance_s": 1800,
        "signature.rcs_dbsm": -20,
        "signature.size_m": 0.35,
      },
      description: "four rotors; the commonest small uncrewed aircraft",
    },
    {
      key: "quadrotor_fpv",
      title: "Quadrotor, first-person view",
      differsFrom: "quadrotor",
      in: ["traits.control_link", "traits.video_link"],
      defaults: {
        "traits.control_link": "manual_radio",
        "traits.video_link": "analog",
        "performance.max_mps": 40,
        "performance.endurance_s": 480,
        "signature.rcs_dbsm": -22,
        "signature.size_m": 0.25,
      },
      description: "flown by hand through its video link; often no autopilot, no position and no Remote ID",
    },
    {
      key: "hexarotor",
      title: "Hexarotor",
      codes: "MAV:13",
      defaults: {
        "performance.max_mps": 18,
        "performance.endurance_s": 2100,
        "signature.rcs_dbsm": -14,
        "signature.size_m": 1.1,
      },
      description: "six rotors; flies on after losing one",
    },
    {
      key: "octorotor",
      title: "Octorotor",
      codes: "MAV:14",
      defaults: {
        "performance.max_mps": 17,
        "performance.endurance_s": 1500,
        "signature.rcs_dbsm": -11,
        "signature.size_m": 1.5,
      },
      description: "eight rotors; heavy lift",
    },
    {
      key: "decarotor",
      title: "Decarotor",
      codes: "MAV:35",
      defaults: {
        "performance.max_mps": 16,
        "performance.endurance_s": 1200,
        "signature.rcs_dbsm": -10,
        "signature.size_m": 1.8,
      },
      description: "ten rotors",
    },
    {
      key: "dodecarotor",
      title: "Dodecarotor",
      codes: "MAV:29",
      defaults: {
        "performance.max_mps": 16,
        "performance.endurance_s": 1200,
        "signature.rcs_dbsm": -9,
        "signature.size_m": 2,
      },
      description: "twelve rotors",
    },
    {
      key: "multirotor_generic",
      title: "Multirotor",
      codes: "MAV:43",
      defaults: {
        "performance.max_mps": 18,
        "performance.endurance_s": 1500,
        "signature.rcs_dbsm": -17,
        "signature.size_m": 0.7,
      },
      description: "several rotors, their number unknown or controlled dynamically",
    },
    {
      key: "multirotor_tethered",
      title: "Tethered multirotor",
      codes: "ODID:13",
      defaults: {
        "performance.max_mps": 3,
        "performance.endurance_s": 86_400,
        "traits.tether_m": 100,
        "signature.rcs_dbsm": -15,
        "signature.size_m": 1,
      },
      description: "powered through its tether; stays up as long as the ground power does",
    },
  ],
);
