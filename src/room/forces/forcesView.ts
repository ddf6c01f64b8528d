/** Our forces as slices, links and tasks read them: assets, platforms, sensors and their verbs. Changes nothing. */
import type { AssetView } from "../../domain/asset.ts";
import { type VerbFacts, verbsOf } from "../../domain/availability.ts";
import type { DecisionConfig } from "../../domain/decisionConfig.ts";
import type { Discovery } from "../../domain/link.ts";
import type { Environment } from "../../domain/modality.ts";
import { OWN_POSITIONS_SOURCE, type PlatformSource, PUSHED } from "../../domain/platformReport.ts";
import type { Task } from "../../domain/task.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Ledger } from "../tasks/ledger.ts";
import { performanceOf, type ViewContext, viewOf } from "./assetView.ts";
import { candidateViewOf, type Discovered, discoveredAt, discoveredByKey, discoveredUnder } from "./discovered.ts";
import { discoveriesOf, isUnregistered, sourceKey } from "./discoveries.ts";
import type { Fleet, FleetAsset, FleetEntry } from "./fleet.ts";
import { Platform } from "./platform.ts";
import { registeredSensorView, sensorViewOf } from "./sensorView.ts";
import { platformOf, type VerbRules, verbFactsOf } from "./verbFacts.ts";

/** The wings and rules that the view reads. */
interface ForcesSurroundings {
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  readonly fleet: Fleet;
  readonly tasks: Ledger;
  readonly sensors: Sensors;
  readonly rules: VerbRules;
  /** The motion of a live track; null when it is gone, or has no position. */
  motionOfTrack(trackId: string): AssetView["motion"];
  /** The sensors' clock offsets as the tracker estimates them. */
  trackedSensors(): readonly { readonly sourceId: string; readonly clockOffsetMs: number | null }[];
}

const NO_PLANS: ReadonlySet<string> = new Set();

export class ForcesView implements ViewContext {
  readonly fleet: Pick<
    Fleet,
    | "assets"
    | "assetOf"
    | "byAddress"
    | "bySerial"
    | "byKey"
    | "count"
    | "find"
    | "get"
    | "discoveredAt"
    | "isIgnored"
    | "namesOf"
    | "ownerOfSerial"
    | "platform"
    | "platforms"
    | "version"
    | "refusedFull"
  >;
  /** Approved plans that are still valid. A verb that acts on a contact needs one. */
  readonly approvedPlanIds = NO_PLANS;
  readonly #room: ForcesSurroundings;

  constructor(room: ForcesSurroundings) {
    this.#room = room;
    this.fleet = room.fleet;
  }

  get environment(): Environment {
    return this.#room.environment;
  }

  /** An asset, a platform, a simulated twin, or a source that only pushes observations, by id or adoption key. */
  find(id: string): FleetEntry | null {
    return this.#room.fleet.find(id) ?? this.#candidate(id);
  }

  /** An unregistered source: it reports as a sensor and advertises no verb. */
  #candidate(key: string): FleetEntry | null {
    for (const sensor of this.#room.sensors.all()) {
      if (!isUnregistered(sensor) || sourceKey(sensor.id) !== key) continue;
      const source = { protocol: PUSHED, address: sensor.id, systemId: sensor.id, linkId: PUSHED };
      const platform = new Platform(key, source, sensor.firstHeardAtMs);
      platform.kindGuess = "sensor";
      platform.name = sensor.id;
      return { origin: "discovered", id: key, platform };
    }
    return null;
  }

  /** `offsetsMs`: for a caller with several sensors, which are read from the tracker all at once. */
  view(entry: FleetEntry, nowMs: number, offsetsMs?: ReadonlyMap<string, number | null>): AssetView {
    const view = viewOf(entry, this);
    if (view.kind !== "sensor" || entry.origin === "discovered") return view;
    const sensor = entry.origin === "registry" ? this.#room.sensors.get(entry.id) : undefined;
    const offsetMs = (offsetsMs ?? this.#clockOffsetsMs()).get(entry.id) ?? null;
    return registeredSensorView(view, entry.asset, sensor, nowMs, offsetMs);
  }

  viewOfAsset(asset: FleetAsset, nowMs: number, offsetsMs?: ReadonlyMap<string, number | null>): AssetView {
    return this.view({ origin: "registry", id: asset.row.id, asset }, nowMs, offsetsMs);
  }

  /** The registered sensors, heard or not, and the unregistered ones. */
  sensorViews(nowMs: number): AssetView[] {
    const offsetsMs = this.#clockOffsetsMs();
    const views: AssetView[] = [];
    for (const asset of this.#room.fleet.assets())
      if (asset.row.kind === "sensor") views.push(this.viewOfAsset(asset, nowMs, offsetsMs));
    for (const sensor of this.#room.sensors.all())
      if (this.#room.fleet.get(sensor.id) === undefined && sensor.id !== OWN_POSITIONS_SOURCE)
        views.push(sensorViewOf(sensor, this.environment, nowMs, offsetsMs.get(sensor.id) ?? null));
    return views;
  }

  /** All that was heard on links or pushed, adopted or not. */
  discoveries(nowMs: number): Discovery[] {
    return discoveriesOf(this.#room.sensors, this.#room.fleet, nowMs);
  }

  /** Candidates of registration at an address, `address/system` or adoption key. */
  discoveredAt(address: string): Discovered[] {
    return discoveredAt(this.#room.fleet, this.#room.sensors, address);
  }

  /** The candidates of a bind key. */
  discoveredByKey(key: string): Discovered[] {
    return discoveredByKey(this.#room.fleet, this.#room.sensors, key);
  }

  /** A source that only pushes, under its adoption key. */
  candidateView(key: string, nowMs: number): AssetView | null {
    return candidateViewOf(this.sensorViews(nowMs), discoveredUnder(this.#room.fleet, this.#room.sensors, key));
  }

  motionOfTrack(trackId: string): AssetView["motion"] {
    return this.#room.motionOfTrack(trackId);
  }

  openTasksOf(assetId: string): readonly Task[] {
    return this.#room.tasks.openOf(assetId);
  }

  verbsOf(entry: FleetEntry): AssetView["verbs"] {
    return verbsOf(this.factsOf(entry));
  }

  /** The facts that decide which verbs it has and which of them are available now. */
  factsOf(entry: FleetEntry): VerbFacts {
    const { sensors, tasks, decisionConfig, rules } = this.#room;
    const ceiling = decisionConfig.engagement_mode;
    return verbFactsOf(entry, rules, { sensors, tasks, ceiling, approvedPlanIds: this.approvedPlanIds });
  }

  performanceOf(asset: FleetAsset): AssetView["performance"] {
    return performanceOf(asset);
  }

  /** Both the asset's id and the key of its adopted platform, whichever of the two is given. */
  namesOf(id: string): readonly string[] {
    return this.#room.fleet.namesOf(id);
  }

  /** The address for its commands; null when no link hears it. */
  sourceOf(entry: FleetEntry): PlatformSource | null {
    return platformOf(entry)?.source ?? null;
  }

  #clockOffsetsMs(): ReadonlyMap<string, number | null> {
    return new Map(this.#room.trackedSensors().map(({ sourceId, clockOffsetMs }) => [sourceId, clockOffsetMs]));
  }
}
