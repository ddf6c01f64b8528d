/** Effectors as coarse classes, payloads and fixed nodes: 15 rows. They hold no figures of how an effector works. */
import type { CatalogueType } from "../../../domain/catalogue.ts";
import { family } from "./row.ts";

const NODE = ["sapient_flex335_v2", "sapient_flex335_v1"];

const SAPIENT_CLASS = family(
  {
    domain: "effector",
    family: "sapient_class",
    kind: "effector",
    protocols: NODE,
    defaults: { "traits.host": "fixed", "traits.expendable": false },
  },
  [
    {
      key: "effector_kinetic",
      title: "Kinetic effector",
      codes: "SAP:13",
      defaults: { "traits.effect": "kinetic" },
      description: "stops by impact",
    },
    {
      key: "effector_jammer",
      title: "Jammer",
      codes: "SAP:14",
      defaults: { "traits.effect": "jammer" },
      description: "interrupts radio links",
    },
    {
      key: "effector_cyber",
      title: "Link takeover",
      codes: "SAP:15",
      defaults: { "traits.effect": "cyber" },
      description: "acts through the protocol of the link",
    },
    {
      key: "effector_laser",
      title: "Laser effector",
      codes: "SAP:16",
      defaults: { "traits.effect": "laser" },
      description: "directed light",
    },
    {
      key: "effector_rf_energy",
      title: "RF energy effector",
      codes: "SAP:17",
      defaults: { "traits.effect": "rf_energy" },
      description: "directed radio energy",
    },
  ],
);

const CAPTURE = family(
  { domain: "effector", family: "capture", kind: "effector", protocols: NODE, defaults: { "traits.effect": "net" } },
  [
    {
      key: "capture_uas_net",
      title: "Net-carrying aircraft",
      differsFrom: "capture_ground_net",
      in: ["traits.host", "traits.uses"],
      protocols: ["mavlink2", ...NODE],
      defaults: { "traits.host": "vehicle", "traits.uses": 1, "traits.expendable": false },
      description: "takes its target in a net and carries it away",
    },
    {
      key: "collision_uas",
      title: "Collision aircraft",
      differsFrom: "capture_uas_net",
      in: ["traits.expendable"],
      protocols: ["mavlink2", ...NODE],
      defaults: { "traits.host": "vehicle", "traits.uses": 1, "traits.expendable": true, "traits.effect": "kinetic" },
      description: "spends itself on the target",
    },
    {
      key: "capture_ground_net",
      title: "Net launcher on the ground",
      differsFrom: "capture_uas_net",
      in: ["traits.host", "traits.range_m"],
      defaults: { "traits.host": "fixed", "traits.uses": 2, "traits.expendable": false, "traits.range_m": 100 },
      description: "fixed mount; reaches a short way",
    },
  ],
);

const PAYLOAD = family({ domain: "payload", family: "payload", kind: "payload", protocols: ["mavlink2"] }, [
  {
    key: "illuminator",
    title: "Illuminator",
    codes: "MAV:44",
    defaults: { "traits.power_w": 60 },
    description: "lamp",
  },
  {
    key: "gripper",
    title: "Gripper",
    codes: "MAV:48",
    defaults: { "traits.power_w": 10 },
    description: "holds and releases",
  },
  {
    key: "recovery_parachute",
    title: "Recovery parachute",
    codes: "MAV:37",
    defaults: { "traits.uses": 1 },
    description: "brings its own host down gently",
  },
  {
    key: "odid_transponder",
    title: "Remote ID transponder",
    codes: "MAV:34",
    protocols: ["mavlink_remote_id", "odid_wifi_ble"],
    defaults: { "traits.power_w": 1 },
    description: "broadcasts the identity of its host",
  },
]);

const NODES = family({ domain: "infrastructure", family: "node", kind: "infrastructure", protocols: ["rest_push"] }, [
  {
    key: "ground_control_station",
    title: "Ground control station",
    codes: "MAV:6",
    protocols: ["mavlink2", "cot_xml"],
    defaults: { "traits.operators": 1 },
    description: "where vehicles are flown from",
  },
  {
    key: "charging_station",
    title: "Charging station",
    codes: "MAV:31",
    protocols: ["mavlink2"],
    defaults: { "traits.slots": 1 },
    description: "charges vehicles",
  },
  {
    key: "fusion_node",
    title: "Fusion node",
    codes: "SAP:20",
    protocols: [...NODE, "cot_xml", "rest_push"],
    defaults: { "traits.slots": 64 },
    description: "another system that fuses, and shares its picture",
  },
]);

export const EQUIPMENT_TYPES: readonly CatalogueType[] = [...SAPIENT_CLASS, ...CAPTURE, ...PAYLOAD, ...NODES];
