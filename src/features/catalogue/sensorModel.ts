/**
 * The builder of the sensor list's rows: a model is the generic profile of its modality with the figures of its class on top, so
 * that a row holds only what differs.
 */
import { DEFAULT_PROFILE, NO_SIGMA } from "../../domain/defaultProfiles.ts";
import type { Modality } from "../../domain/modality.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";

export interface SensorModel {
  /** Key of its catalogue type (docs/interface.md#catalogue-types). */
  readonly type: string;
  readonly profile: SensorProfile;
}

type Figures = Partial<Omit<SensorProfile, "id" | "name" | "modality">>;

export function model(type: string, modality: Modality, id: string, name: string, figures: Figures): SensorModel {
  return { type, profile: { ...DEFAULT_PROFILE[modality], ...figures, id, name, modality } };
}

export function sigma(figures: Partial<SensorProfile["sigma"]>): SensorProfile["sigma"] {
  return { ...NO_SIGMA, ...figures };
}

export const FIXED = "fixed" as const;
export const SCANNING = "scanning" as const;
export const STEERABLE = "steerable" as const;

export const AIR_CLASSES = ["air_vehicle.uas", "air_vehicle.crewed", "animal.bird"];
export const UAS_CLASSES = ["air_vehicle.uas"];
export const IMAGE_CLASSES = [
  "air_vehicle.uas.rotary",
  "air_vehicle.uas.fixed_wing",
  "air_vehicle.crewed",
  "animal.bird",
];
/** Control, telemetry and video links of small aircraft: 433, 868 and 915 MHz, 1.2, 2.4 and 5.8 GHz. */
export const UAS_BANDS_HZ: [number, number][] = [
  [433_050_000, 434_790_000],
  [863_000_000, 870_000_000],
  [902_000_000, 928_000_000],
  [1_200_000_000, 1_300_000_000],
  [2_400_000_000, 2_483_500_000],
  [5_150_000_000, 5_895_000_000],
];
