/** The picture (contract, Decision 20). Threats, plans, zones, regions and rules have no slice of their own yet and are open. */
import { Type } from "typebox";
import { Alert } from "../../domain/alert.ts";
import { AssetView } from "../../domain/asset.ts";
import { Discovery, Integration } from "../../domain/link.ts";
import { ENVIRONMENTS } from "../../domain/modality.ts";
import { Shape } from "../../domain/shape.ts";
import { Task } from "../../domain/task.ts";
import { Track } from "../../domain/track.ts";
import { FusionHealth } from "../../room/telling/fusionHealth.ts";

const Open = Type.Record(Type.String(), Type.Unknown());
const List = Type.Array(Open);

export const Picture = Shape("Picture", {
  generation: Type.Integer({ description: "apply a delta only when its stream_gen is larger" }),
  at: Type.String({ format: "date-time" }),
  env: Type.Enum(ENVIRONMENTS),
  tracks: Type.Array(Track),
  assets: Type.Array(AssetView),
  sensors: Type.Array(AssetView),
  threats: List,
  plan: Type.Union([Open, Type.Null()]),
  candidate_plans: List,
  tasks: Type.Array(Task),
  alerts: Type.Array(Alert),
  zones: List,
  regions: List,
  rules: List,
  decision_config: Type.Object({ effective: Open, config_hash: Type.String() }),
  live_state: Type.Object({ engagement_mode: Type.String(), fusion_health: FusionHealth }),
  integrations: Type.Array(Integration),
  candidates: Type.Array(Discovery),
  sim: Type.Object({ mode: Type.String(), simulator: Type.String(), run: Type.String() }),
});
