/** Reading the registry: the list, nearest and free, and one asset (docs/interface.md#assets). */
import { Type } from "typebox";
import { AssetView } from "../../domain/asset.ts";
import { isRefusal } from "../../domain/errors.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { AssetParts } from "./journeys.ts";
import { byDistance, isFree, readPoint, withDistance } from "./nearest.ts";

const TAG = "Assets";
const Query = Type.Object({
  kind: Type.Optional(Type.Enum(["vehicle", "sensor"] as const, { description: "absent: both" })),
  nearest: Type.Optional(Type.String({ maxLength: 64, description: "lat,lon: nearest first from there" })),
  free: Type.Optional(Type.Boolean({ description: "only assets not committed to a threat" })),
  ...WHOLE_QUERY,
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
      handle({ room, query, refuse }) {
        const nowMs = clock.nowMs();
        const { forces } = room;
        const { kind, nearest, free, ...paging } = query;
        if (kind === undefined && nearest === undefined && free !== true && Object.keys(paging).length === 0)
          return { status: 200, bytes: room.encoded.assetsBody(nowMs), contentType: "application/json" };
        const from = nearest === undefined ? null : readPoint(nearest);
        if (isRefusal(from)) return refuse(from);
        let views = Array.from(forces.fleet.assets())
          .filter(({ row }) => kind === undefined || row.kind === kind)
          .map((asset) => forces.viewOfAsset(asset, nowMs));
        if (free === true) views = views.filter(isFree);
        if (from !== null) views = views.map((view) => withDistance(view, from));
        const page = pageOf("/api/assets", query, views, from === null ? ({ id }) => id : byDistance);
        return isRefusal(page) ? refuse(page) : { status: 200, ...page };
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
      handle({ room, params, refuse }) {
        const nowMs = clock.nowMs();
        const { forces } = room;
        const entry = forces.fleet.find(params.id);
        const data = entry === null ? forces.candidateView(params.id, nowMs) : forces.view(entry, nowMs);
        if (data === null) return refuse("not_found", `no asset ${params.id} in this workspace`);
        return { status: 200, data };
      },
    }),
  ];
}
