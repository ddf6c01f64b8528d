/** The options that a room is opened with. */
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import type { Geodetic } from "../domain/geodesy.ts";
import type { Environment } from "../domain/modality.ts";
import type { Clock } from "../lib/clock.ts";
import type { NumberBlock, NumberSupply } from "../stream/numbering.ts";
import type { KernelBuild } from "../tracker/kernel/build.ts";
import type { Registry, RoomStart } from "./face.ts";
import type { VerbRules } from "./forces/verbFacts.ts";

export interface RoomOptions {
  readonly id: string;
  /** Named in the room's writes to the database, see RoomWriter (default 0). */
  readonly ownerEpoch?: number;
  /** The numbers of its events (default: from the clock, not persisted). */
  readonly numbers?: NumberSupply;
  readonly name: string;
  readonly clock: Clock;
  readonly kernel: KernelBuild;
  /** null: the first sensor pose or position becomes the origin of the local frame. */
  readonly origin: Geodetic | null;
  readonly tracksMax: number;
  readonly streamsMax: number;
  /** Called when the kernel had to be rebuilt; the room goes on. */
  readonly onFault: (fault: unknown) => void;
  /** Default live. Two rooms of one workspace, live and sim, stand side by side and share nothing. */
  readonly environment?: Environment;
  readonly decisionConfig?: DecisionConfig;
  readonly registry?: Registry;
  readonly verbRules?: VerbRules;
}

export const NO_REGISTRY: Registry = { assets: [], tasks: [], ignoredKeys: [] };
export const NO_VERB_RULES: VerbRules = {
  modelOfType: () => null,
  verbsOfProtocol: () => null,
  vehicleControl: true,
};

/** The options with the room's defaults. */
interface Chosen {
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  readonly openedAtMs: number;
}

export function startOf(options: RoomOptions, chosen: Chosen, numbers: NumberBlock): RoomStart {
  const { id, ownerEpoch = 0, name, origin, tracksMax, streamsMax, kernel, registry = NO_REGISTRY } = options;
  const { environment, decisionConfig, openedAtMs } = chosen;
  const given = { id, ownerEpoch, name, origin, tracksMax, streamsMax, registry };
  return { ...given, environment, decisionConfig, openedAtMs, numbers, buildHash: kernel.hash };
}
