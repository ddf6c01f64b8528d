/** The links as a part of the room (docs/interface.md#discoveries): the state of each protocol family, and candidates. */
import type { SliceMembers } from "../../domain/events.ts";
import type { Integration } from "../../domain/link.ts";
import { OWN_POSITIONS_SOURCE, PUSHED } from "../../domain/platformReport.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import type { ChangeOf } from "../changes.ts";
import { type Applies, NO_EVENTS, type Part, type RoomEvent } from "../part.ts";
import type { Sensors } from "../sensors/sensors.ts";
import { candidateSensors, discoveriesOf, isPushedLately } from "./discoveries.ts";
import type { Fleet } from "./fleet.ts";

export class IntegrationsPart implements Part, Applies<"integrations_set"> {
  readonly slice = "integration_slice";
  readonly #sensors: Sensors;
  readonly #fleet: Fleet;
  #integrations: readonly Integration[] = [];
  #ownVersion = 1;
  /** The facts of the slice that time alone changes: the number of candidates, and whether anything is pushed. */
  #aged = "0 false";

  constructor(sensors: Sensors, fleet: Fleet) {
    this.#sensors = sensors;
    this.#fleet = fleet;
  }

  get version(): number {
    return this.#ownVersion + this.#sensors.version + this.#fleet.version;
  }

  get isSet(): boolean {
    return this.#integrations.length > 0;
  }

  apply({ integrations, isNews }: ChangeOf<"integrations_set">): readonly RoomEvent[] {
    this.#integrations = integrations;
    if (isNews) this.#ownVersion++;
    return NO_EVENTS;
  }

  refresh(nowMs: number): readonly RoomEvent[] {
    const candidates = candidateSensors(this.#sensors, nowMs).length;
    const aged = `${candidates} ${isPushedLately(this.#sensors, nowMs)}`;
    if (aged !== this.#aged) this.#ownVersion++;
    this.#aged = aged;
    return NO_EVENTS;
  }

  json(nowMs: number): string {
    const candidates = discoveriesOf(this.#sensors, this.#fleet, nowMs).filter(({ state }) => state === "heard");
    const integrations = [this.#restPush(nowMs), ...this.#integrations];
    return JSON.stringify({ integrations, candidates } satisfies SliceMembers<"integration_slice">);
  }

  /** POST /api/signals. Sensors of a link are left out: they count for that link. */
  #restPush(nowMs: number): Integration {
    let rejected = 0;
    let observations = 0;
    let lastHeardAtMs = 0;
    let suppressed = 0;
    let count = 0;
    for (const sensor of this.#sensors.all()) {
      if (sensor.id === OWN_POSITIONS_SOURCE || sensor.protocol !== PUSHED) continue;
      count++;
      rejected += sensor.rejected;
      observations += sensor.observations;
      suppressed += sensor.quarantined + sensor.late;
      lastHeardAtMs = Math.max(lastHeardAtMs, sensor.lastHeardAtMs);
    }
    return {
      id: "int_rest_push",
      protocol: PUSHED,
      title: "REST push",
      status: isPushedLately(this.#sensors, nowMs) ? "active" : "listening",
      listeners: [],
      sources: count,
      suppressed,
      rate_hz: null,
      bad_pct: observations + rejected === 0 ? 0 : Math.round((1000 * rejected) / (observations + rejected)) / 10,
      last_at: lastHeardAtMs > 0 ? toRfc3339(lastHeardAtMs) : null,
      error_code: null,
      detail: null,
    };
  }
}
