/**
 * Our side of one room: what the registry and the links say, what is commanded, what an operator is warned of. The only
 * place that changes them; every change is told here, after its row was written
 * (docs/architecture.md#journey-of-a-command). Knows no HTTP and no SQL.
 */
import type { Alert } from "../../domain/alert.ts";
import type { Asset, AssetView } from "../../domain/asset.ts";
import { type VerbFacts, verbsOf } from "../../domain/availability.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import type { DecisionConfig } from "../../domain/decisionConfig.ts";
import type { EventDraft } from "../../domain/eventLog.ts";
import { DECIDED } from "../../domain/latency.ts";
import type { Integration } from "../../domain/link.ts";
import type { Environment } from "../../domain/modality.ts";
import type { PlatformReport, PlatformSource } from "../../domain/platformReport.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { isTerminal, type Task, type TaskStatus } from "../../domain/task.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { PLATFORMS_PER_WORKSPACE_MAX } from "../../limits.ts";
import type { Hub } from "../../stream/hub.ts";
import { Alerts } from "../alerts/alerts.ts";
import type { Sources } from "../sensors/sensors.ts";
import { Ledger } from "../tasks/ledger.ts";
import { healthLevelOf, performanceOf, type ViewContext, viewOf } from "./assetView.ts";
import { candidateSources, isPushedLately, isUnregistered, sourceKey } from "./discoveries.ts";
import { Fleet, type FleetAsset, type FleetEntry, PUSHED, type RegisteredAsset } from "./fleet.ts";
import { IdentityConflicts } from "./identityConflicts.ts";
import { OWN_POSITIONS_SOURCE } from "./ownPositions.ts";
import { Platform } from "./platform.ts";
import { reportOf } from "./pushedPosition.ts";
import { SensorPlacements } from "./sensorPlacement.ts";
import { registeredSensorView, sensorViewOf } from "./sensorView.ts";

/** What the registry held when the room opened, and what the room asks of the rest of the service. */
export interface ForcesOptions {
  readonly assets: readonly RegisteredAsset[];
  readonly tasks: readonly Task[];
  readonly ignoredKeys: readonly string[];
  /** The catalogue's word on a type key; null for an unknown one. */
  readonly modelOfType: (typeKey: string) => ResolvedModel | null;
  /** Into the event log, at its own pace. */
  readonly record: (draft: EventDraft) => void;
  /** A task ended, whoever ended it; called before anybody is told. */
  readonly onTaskEnded: (taskId: string) => void;
  /** Verbs that a protocol family carries; null when none of its adapters is built. */
  readonly verbsOfProtocol: (protocol: string) => readonly string[] | null;
  /** false: a build without vehicle control. */
  readonly vehicleControl: boolean;
}

const NO_FORCES: ForcesOptions = {
  assets: [],
  tasks: [],
  ignoredKeys: [],
  modelOfType: () => null,
  record: () => undefined,
  onTaskEnded: () => undefined,
  verbsOfProtocol: () => null,
  vehicleControl: true,
};

/** What of the room they stand in. */
interface ForcesRoom {
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  readonly sources: Sources;
  readonly hub: Hub;
  motionOfTrack(trackId: string): AssetView["motion"];
  /** Who is a friend may have changed: every track is looked at anew. */
  relinkTracks(): void;
  /** What the tracker found out about its sensors. */
  trackedSensors(): readonly { readonly sourceId: string; readonly clockOffsetMs: number | null }[];
}

export class Forces implements ViewContext {
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  readonly alerts = new Alerts();
  /** Plans that a person approved and that still hold: the only key to a verb that acts on a contact. */
  readonly approvedPlanIds: ReadonlySet<string> = new Set<string>();
  /** Of the links, by protocol family; told by their host. */
  integrations: readonly Integration[] = [];
  /** Bumped by every change that a reader must see at once, and by those that may wait for the next look. */
  version = 1;
  liveVersion = 1;
  readonly #room: ForcesRoom;
  readonly #options: ForcesOptions;
  readonly #placements: SensorPlacements;
  readonly #conflicts: IdentityConflicts;
  /** Candidates, and whether anything is pushed: what `integration_slice` tells and only time changes. */
  #heard = "0 false";

  constructor(room: ForcesRoom, options: ForcesOptions = NO_FORCES) {
    this.#room = room;
    this.#options = options;
    this.fleet = new Fleet(PLATFORMS_PER_WORKSPACE_MAX, options.ignoredKeys);
    this.ledger = new Ledger(options.tasks, (id) => this.namesOf(id));
    this.#placements = new SensorPlacements(this.fleet, room.sources);
    this.#conflicts = new IdentityConflicts(this.fleet, this.alerts);
    this.#take(options.assets);
  }

  get environment(): Environment {
    return this.#room.environment;
  }

  // ---- reading

  /** What an id in a path names: of the fleet, or a source that only pushes observations, under its adoption key. */
  find(id: string): FleetEntry | null {
    return this.fleet.find(id) ?? this.#candidate(id);
  }

  /** It reports as a sensor and advertises nothing. */
  #candidate(key: string): FleetEntry | null {
    for (const source of this.#room.sources.all()) {
      if (!isUnregistered(source) || sourceKey(source.id) !== key) continue;
      const place = { protocol: PUSHED, address: source.id, systemId: source.id, linkId: PUSHED };
      const platform = new Platform(key, place, source.firstHeardAtMs);
      platform.kindGuess = "sensor";
      platform.name = source.id;
      return { origin: "discovered", id: key, platform };
    }
    return null;
  }

  view(entry: FleetEntry, nowMs: number, offsets = this.#clockOffsetsMs()): AssetView {
    const view = viewOf(entry, this);
    if (view.kind !== "sensor" || entry.origin === "discovered") return view;
    const source = entry.origin === "registry" ? this.#room.sources.get(entry.id) : undefined;
    return registeredSensorView(view, entry.asset, source, nowMs, offsets.get(entry.id) ?? null);
  }

  /** Placed sensors, heard or not, and the sources that only report. */
  sensorViews(nowMs: number): AssetView[] {
    const offsets = this.#clockOffsetsMs();
    const views: AssetView[] = [];
    for (const asset of this.fleet.assets())
      if (asset.row.kind === "sensor") views.push(this.viewOfAsset(asset, nowMs, offsets));
    for (const source of this.#room.sources.all())
      if (this.fleet.get(source.id) === undefined && source.id !== OWN_POSITIONS_SOURCE)
        views.push(sensorViewOf(source, this.environment, nowMs, offsets.get(source.id) ?? null));
    return views;
  }

  viewOfAsset(asset: FleetAsset, nowMs: number, offsets = this.#clockOffsetsMs()): AssetView {
    return this.view({ origin: "registry", id: asset.row.id, asset }, nowMs, offsets);
  }

  motionOfTrack(trackId: string): AssetView["motion"] {
    return this.#room.motionOfTrack(trackId);
  }

  openTasksOf(assetId: string): readonly Task[] {
    return this.ledger.openOf(assetId);
  }

  verbsOf(entry: FleetEntry): AssetView["verbs"] {
    return verbsOf(this.factsOf(entry));
  }

  /** What decides which verbs it has and which of them it can take now. */
  factsOf(entry: FleetEntry): VerbFacts {
    const asset = entry.origin === "discovered" ? null : entry.asset;
    const platform = platformOf(entry);
    const model = asset?.model ?? (platform === null ? null : this.#options.modelOfType(platform.typeGuess ?? ""));
    const protocol = platform?.source.protocol ?? asset?.row.connection?.protocol ?? null;
    return {
      assetName: asset?.row.name ?? platform?.name ?? entry.id,
      kind: asset?.row.kind ?? platform?.kindGuess ?? "vehicle",
      capabilityVerbs: model?.capability.verbs ?? [],
      effectClasses: model?.capability.effect_classes ?? [],
      payloads: asset === null ? [] : (asset.row.payloads ?? model?.spec.payloads ?? []),
      protocolVerbs: protocol === null ? null : this.#options.verbsOfProtocol(protocol),
      linkState: this.#linkStateOf(entry, platform),
      healthLevel: healthLevelOf(platform),
      power: platform?.power ?? null,
      nav: platform?.nav ?? null,
      switches: asset?.row.switches ?? {},
      conflict: (platform?.conflicts.length ?? 0) > 0,
      ceiling: this.#room.decisionConfig.engagement_mode,
      approvedPlanIds: this.approvedPlanIds,
      reservePct: (asset === null ? null : performanceOf(asset)?.reserve_pct) ?? null,
      openTasks: asset === null ? this.ledger.openOf(entry.id) : this.ledger.openOf(asset.row.id),
      vehicleControl: this.#options.vehicleControl,
    };
  }

  #linkStateOf(entry: FleetEntry, platform: Platform | null): VerbFacts["linkState"] {
    if (platform !== null) return platform.state;
    const source = entry.origin === "registry" ? this.#room.sources.get(entry.id) : undefined;
    return source?.state ?? "never_heard";
  }

  /** Its own id and the key of the platform that it adopted, whichever of the two is given. */
  namesOf(id: string): readonly string[] {
    const asset = this.fleet.get(id) ?? this.fleet.assetOf(id);
    const key = asset?.platform?.key;
    return asset === undefined ? [id] : key === undefined ? [asset.row.id] : [asset.row.id, key];
  }

  /** Where commands for it go; null when no link carries any. */
  sourceOf(entry: FleetEntry): PlatformSource | null {
    return platformOf(entry)?.source ?? null;
  }

  // ---- writes, each after its row

  commitAsset(row: Asset, model: ResolvedModel | null, profile: SensorProfile | null): FleetAsset {
    return this.commitAssets([{ row, model, profile }])[0]!;
  }

  /** As many as were written together: platforms and tracks are looked at once for all of them. */
  commitAssets(rows: readonly RegisteredAsset[]): FleetAsset[] {
    if (rows.length === 0) return [];
    // What was made a vehicle reports no more as a sensor.
    for (const { row } of rows) if (row.kind !== "sensor") this.#room.sources.remove(row.id);
    const assets = this.#take(rows);
    this.#changed();
    return assets;
  }

  /** The catalogue changed under the assets. */
  remodel(of: (model: string) => Pick<RegisteredAsset, "model" | "profile">): void {
    const rows = [...this.fleet.assets()].flatMap(({ row }) =>
      typeof row.spec.model === "string" ? [{ row, ...of(row.spec.model) }] : [],
    );
    this.commitAssets(rows);
  }

  commitRemoved(id: string): void {
    if (this.fleet.remove(id) === undefined) return;
    this.#placements.remove(id);
    this.#changed();
  }

  /** A task as it was just written. `previous` is null for a new one. */
  commitTask(task: Task, previous: TaskStatus | null, nowMs: number): void {
    this.ledger.put(task);
    this.version++;
    if (isTerminal(task.status)) this.#options.onTaskEnded(task.id);
    const common = { at: toRfc3339(nowMs), env: task.env, lat_ms: DECIDED };
    if (previous === null) this.#room.hub.publish("tasking", { ...common, task }, nowMs);
    else
      this.#room.hub.publish(
        "tasking_status",
        {
          ...common,
          task_id: task.id,
          asset_id: task.asset_id,
          status: task.status,
          previous,
          status_version: task.status_version,
          reason: task.reason,
          progress_pct: task.progress_pct,
        },
        nowMs,
      );
  }

  ignore(key: string): void {
    this.fleet.ignore(key);
    this.version++;
  }

  /** `isNews`: more than counts changed, and clients are told. */
  setIntegrations(integrations: readonly Integration[], isNews: boolean): void {
    this.integrations = integrations;
    if (isNews) this.version++;
  }

  raise(alert: Alert | null, nowMs: number): void {
    if (alert === null) return;
    const at = toRfc3339(nowMs);
    const env = this.#room.environment;
    const streamGen = this.#room.hub.generation;
    this.#options.record({
      name: "alert",
      at,
      env,
      actor: { kind: "system", id: "links", name: "links" },
      subject: alert.subject,
      streamGen,
      data: { ...alert },
    });
    this.#room.hub.publish("alert", { at, env, lat_ms: DECIDED, ...alert }, nowMs);
  }

  // ---- links

  /** A platform was heard. False: the table of platforms is full and the report was dropped (counted). */
  hear(report: PlatformReport): boolean {
    const { version } = this.fleet;
    const platform = this.fleet.hear(report);
    if (platform === null) return false;
    this.liveVersion++;
    if (report.conflicts !== undefined) this.#tell(this.#conflicts.note(platform, report.atMs), report.atMs);
    const asset = this.fleet.assetOf(platform.key);
    if (asset !== undefined) this.#placements.moveGuests(asset.row.id);
    if (this.fleet.version !== version) this.#changed();
    return true;
  }

  /** A link was deleted: what it heard is closed rather than about to be lost, and is in conflict with nobody. */
  closeLink(linkId: string, nowMs: number): void {
    this.fleet.closeLink(linkId, nowMs);
    this.#tell(this.#conflicts.refresh(nowMs), nowMs);
    this.#changed();
  }

  /** Positions that were pushed are the platforms' own word, like telemetry of a link. */
  hearPushed(observations: readonly object[], nowMs: number): void {
    for (const observation of observations) this.hear(reportOf(observation, this.fleet, nowMs));
  }

  /** Once a second: links age and are forgotten, conflicts end, candidates expire, and what a silent host carries is nowhere. */
  refresh(nowMs: number): void {
    const { version } = this.fleet;
    this.fleet.refresh(nowMs);
    this.#tell(this.#conflicts.refresh(nowMs), nowMs);
    this.#placements.refresh();
    if (this.fleet.version !== version) this.#changed();
    const { sources } = this.#room;
    const heard = `${candidateSources(sources, nowMs).length} ${isPushedLately(sources, nowMs)}`;
    if (heard !== this.#heard) this.version++;
    this.#heard = heard;
  }

  // ---- inside

  #clockOffsetsMs(): ReadonlyMap<string, number | null> {
    return new Map(this.#room.trackedSensors().map(({ sourceId, clockOffsetMs }) => [sourceId, clockOffsetMs]));
  }

  #changed(): void {
    this.version++;
    this.#room.relinkTracks();
  }

  #take(rows: readonly RegisteredAsset[]): FleetAsset[] {
    const assets = this.fleet.save(rows);
    for (const asset of assets) this.#placements.place(asset);
    return assets;
  }

  #tell(alerts: readonly Alert[], nowMs: number): void {
    for (const alert of alerts) this.raise(alert, nowMs);
    if (alerts.length > 0) this.version++;
  }
}

function platformOf(entry: FleetEntry): Platform | null {
  if (entry.origin === "discovered") return entry.platform;
  return entry.origin === "sim_twin" ? null : entry.asset.platform;
}
