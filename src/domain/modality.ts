/** What kind of sensor made an observation (docs/interface.md#observations). The discriminator of every signal. */
export const MODALITIES = [
  "radar",
  "rf",
  "rf_fix",
  "eo",
  "ir",
  "acoustic",
  "lidar",
  "remote_id",
  "adsb",
  "blue_force",
  "human",
] as const;
export type Modality = (typeof MODALITIES)[number];

/** An aircraft reports its own identity and position. */
export const COOPERATIVE_MODALITIES: ReadonlySet<Modality> = new Set<Modality>(["remote_id", "adsb", "blue_force"]);

/** One radio sensor reports directions at some times and positions at others. */
const RADIO: ReadonlySet<Modality> = new Set<Modality>(["rf", "rf_fix"]);

export function isOneSensors(one: Modality, other: Modality): boolean {
  return one === other || (RADIO.has(one) && RADIO.has(other));
}

/** Simulated data is marked in every object and never mixed with live data (docs/interface.md#environment). */
export const ENVIRONMENTS = ["live", "sim", "replay", "exercise"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
