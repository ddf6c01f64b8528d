/** Builds the wings of one room: which depends on which, and which part applies each change. */
import type { DecisionConfig } from "../domain/decisionConfig.ts";
import type { FusionHealth } from "../domain/health.ts";
import type { Environment } from "../domain/modality.ts";
import { sha256, stableId } from "../lib/ids.ts";
import { SOURCES_PER_WORKSPACE_MAX } from "../limits.ts";
import type { NumberBlock } from "../stream/numbering.ts";
import { Alerts } from "./alerts/alerts.ts";
import type { Op } from "./changes.ts";
import { FleetPart } from "./forces/fleetPart.ts";
import { ForcesView } from "./forces/forcesView.ts";
import { IntegrationsPart } from "./forces/integrationsPart.ts";
import { SensorsPart } from "./forces/sensorsPart.ts";
import { Fusion } from "./fusion.ts";
import { Claims } from "./identity/claims.ts";
import { Admission } from "./intake/admission.ts";
import type { ScanInput } from "./intake/inbox.ts";
import { NO_REGISTRY, NO_VERB_RULES, type RoomOptions } from "./options.ts";
import { type Applies, NO_EVENTS, type Part } from "./part.ts";
import { Sensors } from "./sensors/sensors.ts";
import { Ledger } from "./tasks/ledger.ts";
import { configPart, engagementPart, livePart } from "./telling/constantParts.ts";
import { EncodedForces } from "./telling/encodedForces.ts";
import type { TrackEdits } from "./trackEdits.ts";
import { motionOfTrack } from "./tracks/trackMotion.ts";
import { Tracks } from "./tracks/tracks.ts";
import type { WireContext } from "./tracks/trackWire.ts";

/** The room as its wings see it. */
interface WingsRoom {
  readonly environment: Environment;
  readonly decisionConfig: DecisionConfig;
  wireContext(nowMs: number): WireContext;
  fusionHealth(): FusionHealth;
  onAdmitted(input: ScanInput, nowMs: number): void;
  readonly edits: TrackEdits;
  takeNumbers(block: NumberBlock): void;
}

export interface Wings {
  readonly configHash: string;
  readonly tracks: Tracks;
  readonly sensors: Sensors;
  readonly alerts: Alerts;
  readonly tasks: Ledger;
  readonly fleet: FleetPart;
  readonly forces: ForcesView;
  readonly claims: Claims;
  readonly fusion: Fusion;
  readonly admission: Admission;
  readonly encodedForces: EncodedForces;
  /** In the order of the picture's members and of a stream's opening slices. */
  readonly parts: readonly Part[];
  readonly appliers: { readonly [O in Op]: Applies<O> };
}

export function buildWings(options: RoomOptions, room: WingsRoom): Wings {
  const { id, registry = NO_REGISTRY, verbRules: rules = NO_VERB_RULES } = options;
  const { environment, decisionConfig } = room;
  const configHash = sha256(JSON.stringify(decisionConfig)).toString("hex").slice(0, 16);
  const tracks = new Tracks();
  const sensors = new Sensors(SOURCES_PER_WORKSPACE_MAX);
  const alerts = new Alerts((name, nowMs) => stableId("alr", `${id} ${environment} ${name}`, nowMs));
  const tasks: Ledger = new Ledger(registry.tasks, (assetId) => fleet.fleet.namesOf(assetId));
  const vehiclesJson = (nowMs: number) => encodedForces.vehiclesJson(nowMs);
  const fleet: FleetPart = new FleetPart({ sensors, tasks, alerts, vehiclesJson }, registry.ignoredKeys);
  const onFusing = (input: ScanInput) => claims.note(input);
  const fusion = new Fusion({ ...options, decisionConfig, sensors, tracks, onFusing });
  const forces = new ForcesView({
    environment,
    decisionConfig,
    fleet: fleet.fleet,
    tasks,
    sensors,
    rules,
    motionOfTrack: (trackId) => motionOfTrack(tracks.get(trackId), room.wireContext(0)),
    trackedSensors: () => fusion.tracker?.health().sensors ?? [],
  });
  const versions = () => ({ fleet: fleet.version, sensors: sensors.version, live: fleet.liveVersion });
  const encodedForces = new EncodedForces(forces, versions);
  const claims = new Claims(fleet.fleet, (trackId) => tracks.get(trackId), fusion.channelOfSlot);
  const admission = new Admission({
    sensorOf: (sourceId) => sensors.get(sourceId),
    numberClaims: (input) => claims.numberClaims(input),
    maxLagS: decisionConfig.max_lag_s,
    onAdmitted: (input, nowMs) => room.onAdmitted(input, nowMs),
  });
  const sensorsPart = new SensorsPart(sensors, forces, () => fleet.version);
  const integrations = new IntegrationsPart(sensors, fleet.fleet);
  const parts = [
    livePart(decisionConfig.engagement_mode, () => room.fusionHealth()),
    engagementPart(environment),
    fleet,
    sensorsPart,
    integrations,
    tasks,
    alerts,
    configPart(decisionConfig, configHash),
  ];
  const appliers: Wings["appliers"] = {
    assets_saved: fleet,
    asset_removed: fleet,
    platform_reported: fleet,
    link_closed: fleet,
    discovery_ignored: fleet,
    task_moved: tasks,
    integrations_set: integrations,
    source_reported: sensorsPart,
    sensor_registered: sensorsPart,
    track_marked: { apply: (change, nowMs) => room.edits.mark(change, nowMs) },
    tracks_merged: { apply: (change, nowMs) => room.edits.merge(change, nowMs) },
    track_split: { apply: (change, nowMs) => room.edits.split(change, nowMs) },
    origin_set: silently(({ origin }) => fusion.setOrigin(origin)),
    signals_refused: silently(({ turnedAway }) => admission.countTurnedAway(turnedAway)),
    call_refused: silently(() => {
      admission.inbox.refused++;
    }),
    numbers_reserved: silently(({ above, limit }) => room.takeNumbers({ above, limit })),
  };
  const wings = { configHash, tracks, sensors, alerts, tasks, fleet, forces, claims, fusion, admission };
  return { ...wings, encodedForces, parts, appliers };
}

/** For a change that publishes no event of its own. */
function silently<O extends Op>(apply: (change: Parameters<Applies<O>["apply"]>[0]) => void): Applies<O> {
  return {
    apply(change) {
      apply(change);
      return NO_EVENTS;
    },
  };
}
