/**
 * Every event of the stream: its name, its class and the schema of its payload (docs/interface.md#stream, #events). Names
 * are frozen. `stream/frames.ts` is the only encoder; `stream/hub.ts` publishes by the types below.
 *
 *   control  snapshot, resync: never filtered, not numbered by stream_gen
 *   slice    a part of the picture, sent whole when it changes, never filtered
 *   domain   numbered by stream_gen, filtered by `kinds`, all of them by default
 *   opt_in   only for a client whose `kinds` names it, not numbered
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { Alert } from "./alert.ts";
import { AssetInList } from "./asset.ts";
import { ENGAGEMENT_MODES } from "./decisionConfig.ts";
import { FusionExplain } from "./fusionExplain.ts";
import { FusionHealth } from "./health.ts";
import { LatencyMs } from "./latency.ts";
import { Discovery, Integration } from "./link.ts";
import { ENVIRONMENTS, MODALITIES } from "./modality.ts";
import { Plan } from "./plan.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";
import { ActorView, TASK_STATUSES, Task } from "./task.ts";
import { THREAT_STATES, Threat } from "./threat.ts";
import { TRACK_REMOVED_REASONS, Track, TrackDelta } from "./track.ts";

const IdOrNull = nullable(Type.String());
const TextOrNull = nullable(Type.String());

/** The members that every domain event has. */
const STAMP = { at: UtcTime, env: Type.Enum(ENVIRONMENTS), lat_ms: LatencyMs };

function domainEvent<P extends TProperties>(title: string, members: P) {
  return Shape(title, { ...STAMP, ...members });
}

/** The members that snapshot, resync and every slice have (docs/interface.md#slices). */
const STANDING = { at: UtcTime, env: Type.Enum(ENVIRONMENTS) };

const CONTROL_PAYLOADS = {
  snapshot: Shape("Snapshot", { ...STANDING, tracks: Type.Array(Track), generation: Type.Integer() }),
  resync: Shape("Resync", {
    ...STANDING,
    generation: Type.Integer(),
    dropped: Type.Integer({ description: "domain events of this connection's kinds that it did not get" }),
  }),
};

/** The state strings of the simulator (docs/interface.md#links). */
const SimState = Shape("SimState", {
  mode: Type.Enum(["live", "sim", "replay"] as const),
  simulator: Type.Enum(["none", "internal", "external"] as const),
  run: Type.String(),
});

export const SLICE_PAYLOADS = {
  live_state: Shape(
    "LiveState",
    {
      ...STANDING,
      engagement_mode: Type.Optional(Type.Enum(ENGAGEMENT_MODES)),
      fusion_health: Type.Optional(FusionHealth),
    },
    { description: "one of the two: what changed" },
  ),
  engagement_slice: Shape("EngagementSlice", {
    ...STANDING,
    threats: Type.Array(Threat),
    plan: nullable(Plan),
    candidate_plans: Type.Array(Plan),
    sim: SimState,
  }),
  fleet_slice: Shape("FleetSlice", { ...STANDING, assets: Type.Array(AssetInList) }),
  sensor_slice: Shape("SensorSlice", { ...STANDING, sensors: Type.Array(AssetInList) }),
  integration_slice: Shape("IntegrationSlice", {
    ...STANDING,
    integrations: Type.Array(Integration),
    candidates: Type.Array(Discovery),
  }),
};

/** Where a track was last; null for one that was a bearing without a position. */
const LastPlace = nullable(
  Type.Object({ lat: Type.Number(), lon: Type.Number(), alt_hae_m: nullable(Type.Number()), at: UtcTime }),
);

/** The observation as it was sent (POST /api/signals); these three members stand in every one. */
const SentObservation = Type.Object(
  { source_id: Type.String(), modality: Type.Enum(MODALITIES), measured_at: UtcTime },
  { additionalProperties: Type.Unknown() },
);

const DOMAIN_PAYLOADS = {
  track_update: domainEvent("TrackUpdateEvent", { track: TrackDelta }),
  track_removed: domainEvent("TrackRemovedEvent", {
    track_id: Type.String(),
    number: Type.Integer(),
    reason: Type.Enum(TRACK_REMOVED_REASONS),
    merged_into: IdOrNull,
    last: LastPlace,
  }),
  obs: domainEvent("ObservationEvent", {
    observation: SentObservation,
    tick: Type.Integer(),
    track_id: IdOrNull,
    outcome: Type.Enum(["accepted"] as const),
  }),
  alert: domainEvent("AlertEvent", Alert.properties),
  coa: domainEvent("CoaEvent", {
    threat_ids: Type.Array(Type.String()),
    candidate_plans: Type.Array(Plan),
    trigger: Type.Enum(["threat", "asset", "zone", "operator", "timer"] as const),
  }),
  engagement: domainEvent("EngagementEvent", {
    id: Type.String(),
    plan_id: Type.String(),
    threat_id: Type.String(),
    asset_id: Type.String(),
    phase: Type.Enum(["committed", "cueing", "executing", "paused", "aborted", "complete"] as const),
    reason: TextOrNull,
  }),
  bda: domainEvent("BdaEvent", {
    engagement_id: Type.String(),
    threat_id: Type.String(),
    track_id: IdOrNull,
    outcome: Type.Enum(["effective", "partial", "ineffective", "undetermined"] as const),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    basis: Type.Array(Type.Object({ sensor_id: Type.String(), cue: Type.String() })),
    window: Type.Object({ from_at: UtcTime, to_at: UtcTime }),
  }),
  swarm_command: domainEvent("SwarmCommandEvent", {
    id: Type.String(),
    group: Type.Object({ id: Type.String(), name: Type.String() }),
    verb: Type.String(),
    params: Type.Record(Type.String(), Type.Unknown()),
    members: Type.Array(
      Type.Object({ asset_id: Type.String(), task_id: Type.String(), status: Type.Enum(TASK_STATUSES) }),
    ),
  }),
  tasking: domainEvent("TaskingEvent", { task: Task }),
  tasking_status: domainEvent("TaskingStatusEvent", {
    task_id: Type.String(),
    asset_id: Type.String(),
    status: Type.Enum(TASK_STATUSES),
    previous: Type.Enum(TASK_STATUSES),
    status_version: Type.Integer(),
    reason: TextOrNull,
    progress_pct: nullable(Type.Number()),
  }),
  threat: domainEvent("ThreatEvent", {
    threat: Threat,
    previous_state: nullable(Type.Enum(THREAT_STATES)),
    cause: Type.String(),
  }),
  plan: domainEvent("PlanEvent", {
    plan: Plan,
    previous_state: nullable(Plan.properties.state),
    by: nullable(ActorView),
    cause: Type.String(),
  }),
  posture: domainEvent("PostureEvent", {
    engagement_mode: Type.Enum(ENGAGEMENT_MODES),
    previous: Type.Enum(ENGAGEMENT_MODES),
    readiness: Type.Enum(["normal", "heightened", "high"] as const),
    by: ActorView,
    reason: TextOrNull,
    expires_at: nullable(UtcTime),
  }),
  influence: domainEvent("InfluenceEvent", {
    asset_id: Type.String(),
    kind: Type.Enum(["detect", "observe", "respond"] as const),
    polygon: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { description: "[lon, lat], open" }),
    pd_min: Type.Number({ minimum: 0, maximum: 1 }),
    valid_for_s: Type.Number(),
  }),
};

const OPT_IN_PAYLOADS = { fusion_explain: Shape("FusionExplainEvent", { explain: FusionExplain }) };

/** Added by the hub to every domain event. */
const NUMBERS = {
  stream_gen: Type.Integer({ description: "the workspace's counter: one more with every domain event" }),
  prev_gen: nullable(
    Type.Integer({ description: "number of the domain event before this one in the same `kinds` selection" }),
  ),
};

/** Each event's `data` as a client reads it, by name. */
export const EVENT_DATA: Readonly<Record<EventName, TObject>> = {
  ...CONTROL_PAYLOADS,
  ...SLICE_PAYLOADS,
  ...(Object.fromEntries(
    Object.entries<TObject>(DOMAIN_PAYLOADS).map(([name, payload]) => [
      name,
      { ...payload, ...Type.Object({ ...NUMBERS, ...payload.properties }) },
    ]),
  ) as unknown as Record<DomainEvent, TObject>),
  ...OPT_IN_PAYLOADS,
};

type PayloadsOf<T extends Readonly<Record<string, TSchema>>> = { readonly [N in keyof T]: Static<T[N]> };
/** What is published under each name; the hub adds `stream_gen` and `prev_gen` to domain events. */
export type EventPayloads = PayloadsOf<
  typeof CONTROL_PAYLOADS & typeof SLICE_PAYLOADS & typeof DOMAIN_PAYLOADS & typeof OPT_IN_PAYLOADS
>;

type ControlEvent = keyof typeof CONTROL_PAYLOADS;
export type SliceEvent = keyof typeof SLICE_PAYLOADS;
export type DomainEvent = keyof typeof DOMAIN_PAYLOADS;
export type OptInEvent = keyof typeof OPT_IN_PAYLOADS;
/** The members of a slice besides `at` and `env`, which whoever publishes it adds. */
export type SliceMembers<N extends SliceEvent> = Omit<EventPayloads[N], "at" | "env">;

export type EventName = keyof EventPayloads;
export type Kind = DomainEvent | OptInEvent;

const namesOf = <N extends string>(payloads: Readonly<Record<N, TSchema>>): readonly N[] =>
  Object.keys(payloads) as N[];
export const CONTROL_EVENTS = namesOf<ControlEvent>(CONTROL_PAYLOADS);
export const SLICE_EVENTS = namesOf<SliceEvent>(SLICE_PAYLOADS);
export const DOMAIN_EVENTS = namesOf<DomainEvent>(DOMAIN_PAYLOADS);
export const OPT_IN_EVENTS = namesOf<OptInEvent>(OPT_IN_PAYLOADS);

/** A selection of kinds as a bit mask: bit i is KINDS[i]. */
export const KINDS: readonly Kind[] = [...DOMAIN_EVENTS, ...OPT_IN_EVENTS];
export const ALL_DOMAIN_MASK = (1 << DOMAIN_EVENTS.length) - 1;

export function kindBit(kind: Kind): number {
  return 1 << KINDS.indexOf(kind);
}

/** A server-sent comment without text, for when a transport must be written to (ADR 0041). */
export const EMPTY_COMMENT: Uint8Array = Buffer.from(":\n\n");

/**
 * Why the service ended a stream: the code and the sentence of its last comment. `return`: a new ticket opens a stream
 * again, at once or after a while.
 */
export const STREAM_ENDS = {
  key_revoked: { sentence: "the API key was revoked", return: false },
  member_removed: { sentence: "the membership ended", return: false },
  workspace_changed: { sentence: "the workspace's settings changed", return: true },
  workspace_moved: { sentence: "another process serves the workspace now", return: true },
  workspace_idle: { sentence: "nobody used the workspace for a while", return: true },
  service_stopping: { sentence: "the service is stopping", return: true },
  numbers_used_up: { sentence: "events cannot be numbered while the database is away", return: true },
} as const satisfies Record<string, { readonly sentence: string; readonly return: boolean }>;
export type StreamEnd = keyof typeof STREAM_ENDS;
