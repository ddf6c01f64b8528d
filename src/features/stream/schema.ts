/**
 * The picture (docs/interface.md#picture) and the stream's events. Zones, regions and rules have no shape yet and are open.
 */
import { Type } from "typebox";
import { Alert } from "../../domain/alert.ts";
import { AssetInList } from "../../domain/asset.ts";
import { EVENT_DATA, SLICE_PAYLOADS } from "../../domain/events.ts";
import { FusionHealth } from "../../domain/health.ts";
import { Discovery, Integration } from "../../domain/link.ts";
import { Shape } from "../../domain/shape.ts";
import { Task } from "../../domain/task.ts";
import { Track } from "../../domain/track.ts";

const Open = Type.Record(Type.String(), Type.Unknown());
const List = Type.Array(Open);
const Engagement = SLICE_PAYLOADS.engagement_slice;

export const Picture = Shape("Picture", {
  generation: Type.Integer({ description: "apply a delta only when its stream_gen is larger" }),
  tracks: Type.Array(Track),
  assets: Type.Array(AssetInList),
  sensors: Type.Array(AssetInList),
  ...Engagement.properties,
  tasks: Type.Array(Task),
  alerts: Type.Array(Alert),
  zones: List,
  regions: List,
  rules: List,
  decision_config: Type.Object({ effective: Open, config_hash: Type.String() }),
  live_state: Type.Object({ engagement_mode: Type.String(), fusion_health: FusionHealth }),
  integrations: Type.Array(Integration),
  candidates: Type.Array(Discovery),
});

/** One event of the stream: its `event` line and the JSON of its `data` line. */
export const StreamEvent = Type.Union(
  Object.entries(EVENT_DATA).map(([event, data]) => Type.Object({ event: Type.Literal(event), data })),
);
