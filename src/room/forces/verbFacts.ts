/** The facts that decide which verbs an asset has and which of them are available now (docs/interface.md#verbs). Pure. */
import type { VerbFacts } from "../../domain/availability.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import type { EngagementMode } from "../../domain/decisionConfig.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Ledger } from "../tasks/ledger.ts";
import { healthLevelOf, performanceOf } from "./assetView.ts";
import type { FleetEntry } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** Rules about verbs from outside the room; constant while the room is open. */
export interface VerbRules {
  /** The catalogue's model of a type key; null for an unknown one. */
  readonly modelOfType: (typeKey: string) => ResolvedModel | null;
  /** Verbs that a protocol family carries; null when none of its adapters is built. */
  readonly verbsOfProtocol: (protocol: string) => readonly string[] | null;
  /** false: a build without vehicle control. */
  readonly vehicleControl: boolean;
}

interface VerbSurroundings {
  readonly sensors: Pick<Sensors, "get">;
  readonly tasks: Pick<Ledger, "openOf">;
  readonly ceiling: EngagementMode;
  /** Approved plans that are still valid. A verb that acts on a contact needs one. */
  readonly approvedPlanIds: ReadonlySet<string>;
}

export function verbFactsOf(entry: FleetEntry, rules: VerbRules, room: VerbSurroundings): VerbFacts {
  const asset = entry.origin === "discovered" ? null : entry.asset;
  const platform = platformOf(entry);
  const model = asset?.model ?? (platform === null ? null : rules.modelOfType(platform.typeGuess ?? ""));
  const protocol = platform?.source.protocol ?? asset?.row.connection?.protocol ?? null;
  return {
    assetName: asset?.row.name ?? platform?.name ?? entry.id,
    kind: asset?.row.kind ?? platform?.kindGuess ?? "vehicle",
    capabilityVerbs: model?.capability.verbs ?? [],
    effectClasses: model?.capability.effect_classes ?? [],
    payloads: asset === null ? [] : (asset.row.payloads ?? model?.spec.payloads ?? []),
    protocolVerbs: protocol === null ? null : rules.verbsOfProtocol(protocol),
    linkState: linkStateOf(entry, platform, room.sensors),
    healthLevel: healthLevelOf(platform),
    power: platform?.power ?? null,
    nav: platform?.nav ?? null,
    modes: platform?.modes ?? null,
    switches: asset?.row.switches ?? {},
    conflict: (platform?.conflicts.length ?? 0) > 0,
    ceiling: room.ceiling,
    approvedPlanIds: room.approvedPlanIds,
    reservePct: (asset === null ? null : performanceOf(asset)?.reserve_pct) ?? null,
    openTasks: room.tasks.openOf(asset === null ? entry.id : asset.row.id),
    vehicleControl: rules.vehicleControl,
  };
}

/** The platform that a link hears as this entry; a simulated twin has none. */
export function platformOf(entry: FleetEntry): Platform | null {
  if (entry.origin === "discovered") return entry.platform;
  return entry.origin === "sim_twin" ? null : entry.asset.platform;
}

function linkStateOf(
  entry: FleetEntry,
  platform: Platform | null,
  sensors: VerbSurroundings["sensors"],
): VerbFacts["linkState"] {
  if (platform !== null) return platform.state;
  const sensor = entry.origin === "registry" ? sensors.get(entry.id) : undefined;
  return sensor?.state ?? "never_heard";
}
