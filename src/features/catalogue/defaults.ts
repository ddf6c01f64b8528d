/**
 * Fills a spec with the defaults of its type, so that a stored spec holds only what differs and a reader still finds every
 * member. Pure; knows no storage.
 */
import type { CapabilityProfile, CatalogSpec, CatalogueType, Verb } from "../../domain/catalogue.ts";
import type { Modality } from "../../domain/modality.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";

type Section = Record<string, unknown>;

/** A member that the spec has is kept, also where it is null. */
export function withTypeDefaults(spec: CatalogSpec, type: CatalogueType): CatalogSpec {
  const sections: Record<string, Section> = {};
  for (const [path, value] of Object.entries(type.defaults)) {
    const [section = "", name = ""] = path.split(".");
    sections[section] = { ...sections[section], [name]: value };
  }
  const laid: Section = { ...spec };
  for (const [section, values] of Object.entries(sections))
    laid[section] = { ...values, ...((spec as Section)[section] as Section | undefined) };
  laid.protocol_families ??= [...type.protocol_families];
  return laid as CatalogSpec;
}

const FLOWN: readonly Verb[] = [
  "hold",
  "goto",
  "patrol",
  "orbit",
  "follow",
  "investigate",
  "return_home",
  "land",
  "takeoff",
  "arm",
  "disarm",
  "set_speed",
  "set_mode",
  "abort",
];
const DRIVEN: readonly Verb[] = [
  "hold",
  "goto",
  "patrol",
  "follow",
  "return_home",
  "arm",
  "disarm",
  "set_speed",
  "set_mode",
  "abort",
];
const SENSING: readonly Verb[] = ["set_mode", "set_threshold", "set_region", "start", "stop", "pause", "abort"];

const NOTHING: CapabilityProfile = {
  roles: [],
  modalities: [],
  verbs: [],
  effect_classes: ["none"],
  autonomy: "manual",
  concurrent_tasks: 0,
  settle_s: 0,
  reaction_s: 0,
  requires_approval: false,
  constraints: [],
};

type EffectClass = CapabilityProfile["effect_classes"][number];

/** The capability of a type without one of its own. Contacts and crewed traffic are not ours, so they have no verbs. */
export function capabilityOf(type: CatalogueType, profile: SensorProfile | null = null): CapabilityProfile {
  if (type.kind === "sensor") {
    const modalities: Modality[] = profile === null ? [] : [profile.modality];
    const pointed = profile?.scan === "steerable" ? (["look_at", "record"] as const) : [];
    return {
      ...NOTHING,
      roles: ["detect", "track"],
      modalities,
      verbs: [...SENSING, ...pointed],
      autonomy: "autonomous",
      concurrent_tasks: 1,
      settle_s: 2,
    };
  }
  if (type.kind === "effector") {
    const effect = String(type.defaults["traits.effect"] ?? "none") as EffectClass;
    return {
      ...NOTHING,
      roles: ["respond"],
      verbs: ["respond", "abort"],
      effect_classes: [effect],
      concurrent_tasks: 1,
      reaction_s: 5,
      requires_approval: true,
    };
  }
  if (type.kind !== "vehicle" || type.defaults["traits.crewed"] === true) return NOTHING;
  const flies = type.domain === "air";
  return {
    ...NOTHING,
    roles: ["observe", "identify", "host"],
    modalities: ["blue_force"],
    verbs: flies ? [...FLOWN] : [...DRIVEN],
    autonomy: "assisted",
    concurrent_tasks: 1,
    settle_s: 2,
    reaction_s: 10,
  };
}
