/** The picture (contract, Decision 20). Parts that later slices own are open arrays until they land. */
import { Type } from "typebox";
import { AssetView } from "../../domain/asset.ts";
import { ENVIRONMENTS } from "../../domain/modality.ts";
import { Track } from "../../domain/track.ts";
import { FusionHealth } from "../../workspace/health.ts";

const Open = Type.Record(Type.String(), Type.Unknown());
const List = Type.Array(Open);

export const Picture = Type.Object({
  generation: Type.Integer({ description: "apply a delta only when its stream_gen is larger" }),
  at: Type.String({ format: "date-time" }),
  env: Type.Enum(ENVIRONMENTS),
  tracks: Type.Array(Track),
  assets: Type.Array(AssetView),
  sensors: Type.Array(AssetView),
  threats: List,
  plan: Type.Union([Open, Type.Null()]),
  candidate_plans: List,
  tasks: List,
  alerts: List,
  zones: List,
  regions: List,
  rules: List,
  decision_config: Type.Object({ effective: Open, config_hash: Type.String() }),
  live_state: Type.Object({ engagement_mode: Type.String(), fusion_health: FusionHealth }),
  integrations: List,
  candidates: List,
  sim: Type.Object({ mode: Type.String(), simulator: Type.String(), run: Type.String() }),
});
