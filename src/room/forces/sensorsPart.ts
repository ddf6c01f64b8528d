/** The sensors of a room as a part: adds sensors as they report, and encodes `sensor_slice`. */

import { assetInList } from "../../domain/assetInList.ts";
import { isRefusal } from "../../domain/errors.ts";
import type { SliceMembers } from "../../domain/events.ts";
import type { ChangeOf } from "../changes.ts";
import { type Applies, NO_EVENTS, type Part, type RoomEvent } from "../part.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { ForcesView } from "./forcesView.ts";

type SensorOp = "source_reported" | "sensor_registered";

export class SensorsPart implements Part, Applies<SensorOp> {
  readonly slice = "sensor_slice";
  readonly #sensors: Sensors;
  readonly #forces: ForcesView;
  readonly #registryVersion: () => number;

  /** `registryVersion`: version of the assets and their tasks, which a registered sensor's view shows. */
  constructor(sensors: Sensors, forces: ForcesView, registryVersion: () => number) {
    this.#sensors = sensors;
    this.#forces = forces;
    this.#registryVersion = registryVersion;
  }

  get version(): number {
    return this.#sensors.version + this.#registryVersion();
  }

  apply(change: ChangeOf<SensorOp>): readonly RoomEvent[] | null {
    if (change.op === "sensor_registered") {
      this.#sensors.register(change.id, change.profile, change.pose);
      return NO_EVENTS;
    }
    const channel = this.#sensors.resolve(change.id, change.modality);
    if (isRefusal(channel)) return null;
    channel.sensor.protocol = change.protocol;
    return NO_EVENTS;
  }

  refresh(nowMs: number): readonly RoomEvent[] {
    this.#sensors.refresh(nowMs);
    return NO_EVENTS;
  }

  json(nowMs: number): string {
    const sensors = this.#forces.sensorViews(nowMs).map((view) => assetInList(view));
    return JSON.stringify({ sensors } satisfies SliceMembers<"sensor_slice">);
  }
}
