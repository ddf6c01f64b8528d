/** What the parts that tell of a room see of it. Live: each read is of the moment. The room is workspace.ts. */
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import type { FusionHealth } from "../domain/health.ts";
import type { Environment } from "../domain/modality.ts";
import type { Hub } from "../stream/hub.ts";
import type { Tracker } from "../tracker/tracker.ts";
import type { Forces } from "./forces/forces.ts";
import type { Sources } from "./sensors/sensors.ts";
import type { Picture } from "./tracks/tracks.ts";
import type { WireContext } from "./tracks/trackWire.ts";

export interface LiveRoom {
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  readonly picture: Picture;
  readonly sources: Sources;
  readonly forces: Forces;
  readonly hub: Hub;
  /** Null until something can be placed. */
  readonly tracker: Tracker | null;
  /** Steps so far. */
  readonly tick: number;
  /** Domain events so far. */
  readonly generation: number;
  wireContext(nowMs: number): WireContext;
  fusionHealth(): FusionHealth;
}
