/** The options that a room is opened with. */
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import type { Geodetic } from "../domain/geodesy.ts";
import type { Environment } from "../domain/modality.ts";
import type { Task } from "../domain/task.ts";
import type { Clock } from "../lib/clock.ts";
import type { NumberSupply } from "../stream/numbering.ts";
import type { KernelBuild } from "../tracker/kernel/build.ts";
import type { RegisteredAsset } from "./forces/fleet.ts";
import type { VerbRules } from "./forces/verbFacts.ts";

/** What the registry holds as the room opens. */
interface Registry {
  readonly assets: readonly RegisteredAsset[];
  readonly tasks: readonly Task[];
  readonly ignoredKeys: readonly string[];
}

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
