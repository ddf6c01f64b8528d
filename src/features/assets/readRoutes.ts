/** Reading the registry: the list, nearest and free, and one asset (docs/interface.md#assets). */
import { Type } from "typebox";
import { AssetView } from "../../domain/asset.ts";
import { isRefusal } from "../../domain/errors.ts";
import { type Route, route } from "../../http/route.ts";
import { candidateView } from "./heard.ts";
import type { AssetParts } from "./journeys.ts";
import { byDistance, isFree, readPoint } from "./nearest.ts";

const TAG = "Assets";
const ById = Type.Object({ id: Type.String() });
const Query = Type.Object({
  kind: Type.Optional(Type.Enum(["vehicle", "sensor"] as const, { description: "absent: both" })),
  nearest: Type.Optional(Type.String({ maxLength: 64, description: "lat,lon: nearest first from there" })),
  free: Type.Optional(Type.Boolean({ description: "only assets not committed to a threat" })),
});

export function readRoutes({ clock }: AssetParts): Route[] {
  return [
    route({
      method: "GET",
      path: "/api/assets",
      access: "read",
      tag: TAG,
      summary: "Our own assets, as they are now",
      query: Query,
      reply: { 200: Type.Array(AssetView) },
      errors: ["invalid_input", "invalid_position"],
      handle({ workspace, query, refuse }) {
        const nowMs = clock.nowMs();
        const { forces } = workspace;
        if (query.kind === undefined && query.nearest === undefined && query.free !== true)
          return { status: 200, bytes: workspace.bodies.forces.assetsBody(nowMs), contentType: "application/json" };
        const from = query.nearest === undefined ? null : readPoint(query.nearest);
        if (isRefusal(from)) return refuse(from);
        let views = Array.from(forces.fleet.assets())
          .filter(({ row }) => query.kind === undefined || row.kind === query.kind)
          .map((asset) => forces.viewOfAsset(asset, nowMs));
        if (query.free === true) views = views.filter(isFree);
        return { status: 200, data: from === null ? views : byDistance(views, from) };
      },
    }),
    route({
      method: "GET",
      path: "/api/assets/{id}",
      access: "read",
      tag: TAG,
      summary: "One asset, by registry id, adoption key or simulated-twin id",
      params: ById,
      reply: { 200: AssetView },
      errors: ["not_found"],
      handle({ workspace, params, refuse }) {
        const nowMs = clock.nowMs();
        const { forces } = workspace;
        const entry = forces.fleet.find(params.id);
        const data = entry === null ? candidateView(workspace, params.id, nowMs) : forces.view(entry, nowMs);
        if (data === null) return refuse("not_found", `no asset ${params.id} in this workspace`);
        return { status: 200, data };
      },
    }),
  ];
}
