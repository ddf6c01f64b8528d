/**
 * Our vehicles and sensors as a part of the room: applies changes of the registry and reports of the links, places
 * registered sensors, and raises an alert when two vehicles share a system id. Reads are in `forcesView.ts`.
 */

import type { Alert } from "../../domain/alert.ts";
import { assert } from "../../lib/assert.ts";
import { PLATFORMS_PER_WORKSPACE_MAX } from "../../limits.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { ChangeOf } from "../changes.ts";
import { type Applies, NO_EVENTS, type Part, type RoomEvent } from "../part.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Ledger } from "../tasks/ledger.ts";
import { Fleet, type RegisteredAsset } from "./fleet.ts";
import { IdentityConflicts } from "./identityConflicts.ts";
import { SensorPlacements } from "./sensorPlacement.ts";

type FleetOp = "assets_saved" | "asset_removed" | "platform_reported" | "link_closed" | "discovery_ignored";

/** The wings that it uses. */
interface FleetSurroundings {
  readonly sensors: Sensors;
  readonly alerts: Alerts;
  readonly tasks: Ledger;
  /** The vehicles as a JSON array, shared with GET /api/assets. */
  vehiclesJson(nowMs: number): string;
}

export class FleetPart implements Part, Applies<FleetOp> {
  readonly slice = "fleet_slice";
  readonly fleet: Fleet;
  readonly #room: FleetSurroundings;
  readonly #placements: SensorPlacements;
  readonly #conflicts: IdentityConflicts;
  /** Grows with every report of a platform. */
  liveVersion = 1;

  constructor(room: FleetSurroundings, ignoredKeys: readonly string[]) {
    this.#room = room;
    this.fleet = new Fleet(PLATFORMS_PER_WORKSPACE_MAX, ignoredKeys);
    this.#placements = new SensorPlacements(this.fleet, room.sensors);
    this.#conflicts = new IdentityConflicts(this.fleet, room.alerts);
  }

  /** Includes the tasks' version, because an asset's view shows its open tasks. */
  get version(): number {
    return this.fleet.version + this.#room.tasks.version;
  }

  apply(change: ChangeOf<FleetOp>, nowMs: number): readonly RoomEvent[] | null {
    switch (change.op) {
      case "assets_saved":
        return this.#save(change.rows);
      case "asset_removed":
        if (this.fleet.remove(change.assetId) !== undefined) this.#placements.remove(change.assetId);
        return NO_EVENTS;
      case "platform_reported":
        return this.#takeReport(change.report);
      case "link_closed":
        this.fleet.closeLink(change.linkId, nowMs);
        return alertEvents(this.#conflicts.refresh(nowMs));
      case "discovery_ignored":
        this.fleet.ignore(change.key);
        return NO_EVENTS;
    }
  }

  /** Ages link states, forgets silent platforms, ends conflicts, and unplaces the sensors of silent hosts. */
  refresh(nowMs: number): readonly RoomEvent[] {
    this.fleet.refresh(nowMs);
    this.#placements.refresh();
    return alertEvents(this.#conflicts.refresh(nowMs));
  }

  json(nowMs: number): string {
    return `{"assets":${this.#room.vehiclesJson(nowMs)}}`;
  }

  #save(rows: readonly RegisteredAsset[]): readonly RoomEvent[] {
    // An asset that is not a sensor (any more) must not keep one.
    for (const { row } of rows) if (row.kind !== "sensor") this.#room.sensors.remove(row.id);
    for (const asset of this.fleet.save(rows)) this.#placements.place(asset);
    return NO_EVENTS;
  }

  #takeReport(report: ChangeOf<"platform_reported">["report"]): readonly RoomEvent[] | null {
    const platform = this.fleet.takeReport(report);
    if (platform === null) return null;
    this.liveVersion++;
    const asset = this.fleet.assetOf(platform.key);
    if (asset !== undefined) this.#placements.moveGuests(asset.row.id);
    return report.conflicts === undefined ? NO_EVENTS : alertEvents(this.#conflicts.note(platform, report.atMs));
  }
}

function alertEvents(alerts: readonly Alert[]): readonly RoomEvent[] {
  assert(
    alerts.every(({ subject }) => subject.id !== ""),
    "an alert names its subject",
  );
  return alerts.length === 0 ? NO_EVENTS : alerts.map((body) => ({ name: "alert", body }));
}
