/** Reading the registry: the list with its filters, and one asset (docs/interface.md#assets). */
import { type Static, Type } from "typebox";
import { AssetInList, AssetView, LIST_INCLUDES } from "../../domain/asset.ts";
import { assetInList } from "../../domain/assetInList.ts";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { RoomFace } from "../../room/face.ts";
import type { AssetParts } from "./journeys.ts";
import { byDistance, isFree, readPoint, withDistance } from "./nearest.ts";
import { registrationOf } from "./registration.ts";

const TAG = "Assets";
const Query = Type.Object({
  kind: Type.Optional(Type.Enum(["vehicle", "sensor"] as const, { description: "absent: both" })),
  nearest: Type.Optional(Type.String({ maxLength: 64, description: "lat,lon: nearest first from there" })),
  free: Type.Optional(Type.Boolean({ description: "only assets not committed to a threat" })),
  include: Type.Optional(
    Type.Array(Type.Enum(LIST_INCLUDES), {
      description: "what a list leaves out, asked for by name, once for each; params_schema gives whole verbs",
    }),
  ),
  ...WHOLE_QUERY,
});
type Query = Static<typeof Query>;

function viewsFor(
  query: Query,
  { forces }: RoomFace,
  nowMs: number,
): AssetView[] | Refusal<"invalid_input" | "invalid_position"> {
  const { kind, nearest, free } = query;
  const from = nearest === undefined ? null : readPoint(nearest);
  if (isRefusal(from)) return from;
  let views = Array.from(forces.fleet.assets())
    .filter(({ row }) => kind === undefined || row.kind === kind)
    .map((asset) => forces.viewOfAsset(asset, nowMs));
  if (free === true) views = views.filter(isFree);
  return from === null ? views : views.map((view) => withDistance(view, from));
}

export function readRoutes({ clock }: AssetParts): Route[] {
  return [
    route({
      method: "GET",
      path: "/api/assets",
      access: "read",
      tag: TAG,
      summary: "Our own assets, as they are now",
      query: Query,
      reply: { 200: Type.Array(AssetInList) },
      errors: ["invalid_input", "invalid_position"],
      handle({ room, query, refuse }) {
        const nowMs = clock.nowMs();
        if (Object.keys(query).length === 0)
          return { status: 200, bytes: room.encoded.assetsBody(nowMs), contentType: "application/json" };
        const views = viewsFor(query, room, nowMs);
        if (isRefusal(views)) return refuse(views);
        const page = pageOf("/api/assets", query, views, query.nearest === undefined ? ({ id }) => id : byDistance);
        if (isRefusal(page)) return refuse(page);
        const wanted = new Set(query.include);
        return { status: 200, data: page.data.map((view) => assetInList(view, wanted)), headers: page.headers };
      },
    }),
    route({
      method: "GET",
      path: "/api/assets/{id}",
      access: "read",
      tag: TAG,
      summary: "One asset, by registry id, adoption key or simulated-twin id, with its row as a form edits it",
      params: ById,
      reply: { 200: AssetView },
      errors: ["not_found"],
      handle({ room, params, refuse }) {
        const nowMs = clock.nowMs();
        const { forces } = room;
        const entry = forces.fleet.find(params.id);
        const view = entry === null ? forces.candidateView(params.id, nowMs) : forces.view(entry, nowMs);
        if (view === null) return refuse("not_found", `no asset ${params.id} in this workspace`);
        const registration = entry?.origin === "registry" ? registrationOf(entry.asset.row) : null;
        return { status: 200, data: { ...view, registration } };
      },
    }),
  ];
}
